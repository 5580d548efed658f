#!/bin/bash
# What vmtap generate makes of probes/vm.d is what dtrace makes of it: the same macros, the same
# words, and sites with the same names, arguments, semaphores and instructions. So an author's
# provider gets what provider vm gets, which is made with dtrace.
# tests: src/contract/generator_header.c src/contract/generator_fire.c
set -u
. tests/e2e/common
[ "${VMTAP_SANITIZED:-0}" = 0 ] || { echo "a library built with sanitizers does not link without them"; exit 77; }
# under another name, since every generated header includes provider vm's
sed -E 's/provider vm\>/provider vmx/' probes/vm.d >"$directory/vmx.d"
"$BUILD/host/generate" "$directory/vmx.d" --own-header "$directory/own_probes.h" || fail "no header"
"$BUILD/host/generate" "$directory/vmx.d" --own-source "$directory/own_probes.c" || fail "no source"
dtrace -h -s "$directory/vmx.d" -o "$directory/sites.h" || fail "dtrace -h"
(
	cd "$directory" && CC=$CC CFLAGS='-Dshort=int -fno-lto' dtrace -G -s vmx.d -o words.o
) || fail "dtrace -G"
$CC -O2 -fPIC -mno-red-zone -Iinclude -I"$BUILD/include" -I"$directory" -c -o "$directory/own.o" "$directory/own_probes.c" ||
	fail "it does not compile"
ar x --output "$directory" "$BUILD/libvmtap_probes.a" enter.o || fail "no enter.o"
$CC -shared -o "$directory/own.so" "$directory/own.o" "$directory/enter.o" || fail "own.so"
$CC -shared -o "$directory/vm.so" -Wl,--whole-archive "$BUILD/libvmtap_probes.a" -Wl,--no-whole-archive || fail "vm.so"
for name in own vm; do
	run 0 list --json "$directory/$name.so"
	cp "$directory/out" "$directory/$name.json"
done
python3 - "$directory" <<'P' || fail "they differ"
import json, re, subprocess, sys
directory = sys.argv[1]
def read(name):
    return open(directory + "/" + name).read()
# macros of the header: the name and the number of arguments
def macros(text):
    text = text.replace("\\\n", " ")
    return {name: len([a for a in args.split(",") if a.strip()])
            for name, args in re.findall(r"^#define (VMX_\w+)\s*\(([^)]*)\)", text, re.M)}
def enabled(text):
    return set(re.findall(r"^#define (VMX_\w+_ENABLED)\s*\(\)", text, re.M))
own = read("own_probes.h").split("#else /* VMTAP_DISABLE")[0]
for ours in "VMX_GUARD", "VMX_FIRE": # for generated code
    assert macros(own)[ours] == 1
    own = own.replace("#define " + ours + "(", "#define " + ours.lower() + "(")
sites = read("sites.h")
assert len(macros(sites)) > 50 and macros(own) == macros(sites), set(macros(own).items()) ^ set(macros(sites).items())
assert enabled(own) == enabled(sites) and len(enabled(own)) > 50
# words
def words(file):
    lines = subprocess.run(["nm", "-S", file], capture_output=True, text=True, check=True).stdout
    return {name: int(size, 16) for size, name in re.findall(r"^\w+ (\w+) \w (vmx_\w+_semaphore)$", lines, re.M)}
assert words(directory + "/own.so") == words(directory + "/words.o") and set(words(directory + "/own.so").values()) == {4}
# notes
def find(value, wanted):
    if isinstance(value, dict):
        if wanted in value:
            yield value
        for one in value.values():
            yield from find(one, wanted)
    elif isinstance(value, list):
        for one in value:
            yield from find(one, wanted)
def notes(name, provider):
    found = {}
    for probe in find(json.load(open(directory + "/" + name + ".json")), "sites"):
        if probe["provider"] != provider:
            continue
        assert len(probe["sites"]) == 1 and probe["name"] not in found, probe["name"]
        site, = probe["sites"]
        found[probe["name"]] = (probe["note_name"],
            [(argument["size"], argument["signed"]) for argument in site["arguments"]],
            site["instruction"], site["semaphore"]["symbol"].removeprefix(provider),
            site["semaphore"]["hidden"], site["semaphore"]["writable"])
    return found
one, other = notes("own", "vmx"), notes("vm", "vm")
assert len(one) > 50 and one == other, [(k, one.get(k), other.get(k)) for k in set(one) | set(other) if one.get(k) != other.get(k)][:3]
P
exit 0
