#!/bin/bash
# A VM loads extensions that were made from older and newer versions of the contract: their events
# come under the same names, what they lack reads as 0 or empty, and trace says so once. A probe
# whose common arguments differ is kept out and named. The same holds for recordings.
# tests: src/source/request.c src/source/carried.c
set -u
. tests/e2e/common

flags="-std=gnu11 -O2 -g -Iinclude -Isrc -D_GNU_SOURCE"
[ "${VMTAP_SANITIZED:-0}" = 1 ] && flags+=" -fsanitize=address,undefined"
$CC $flags -I"$BUILD/include" -rdynamic -o "$directory/late" tests/shim/late.c "$BUILD/libvmtap.a" -pthread -ldl ||
	fail "the VM is not built"

# Writes $1.d: the contract with the changes that a line of Python makes, and builds $1.so from it.
make_extension() {
	local name=$1 here=$PWD to=$directory/$1 compat
	mkdir -p "$to"
	python3 - "$to/vm.d" "$2" <<'P' || fail "$name: no contract"
import re, sys
text = open("probes/vm.d").read()
def cut(probe, argument): # the last argument and its documentation
    global text
    at = text.index("probe %s(" % probe)
    start = text.rindex("/*", 0, at)
    body = text[start:at]
    lines = body.split("\n")
    first = next(i for i, line in enumerate(lines) if re.match(r"\s*\* @%s\b" % argument, line))
    last = first + 1
    while not re.match(r"\s*\*( @|/)", lines[last]):
        last += 1
    end = text.index(";", at)
    head = re.sub(r",\s*[^,()]*\b%s\)$" % argument, ")", text[at:end])
    assert head != text[at:end], argument
    text = text[:start] + "\n".join(lines[:first] + lines[last:]) + head + text[end:]
def add(probe, type, argument, words):
    global text
    at = text.index("probe %s(" % probe)
    close = text.rindex("*/", 0, at)
    note = re.search(r"\n\s*\* @eventlog", text[:close][text.rindex("/*", 0, at):])
    place = text.rindex("/*", 0, at) + note.start() + 1 if note else text.rindex("\n", 0, close) + 1
    end = text.index(")", at)
    text = text[:place] + "\t * @%s %s\n" % (argument, words) + text[place:end] + \
        ", %s%s" % (type, argument) + text[end:]
def change(old, new):
    global text
    assert old in text, old
    text = text.replace(old, new)
exec(sys.argv[2])
open(sys.argv[1], "w").write(text)
P
	compat=(probes/compat/*.d)
	(
		cd "$to" && dtrace -h -s vm.d -o vmtap_sites.h &&
			CC="$CC" CFLAGS='-Dshort=int -fno-lto' dtrace -G -s vm.d -o words.o
	) >"$to/log" 2>&1 || fail "$name: dtrace: $(cat "$to/log")"
	for what in header:vmtap_probes.h fire:fire.c; do
		"$BUILD/host/generate" "$to/vm.d" "--${what%%:*}" "$to/${what#*:}" "${compat[@]}" ||
			fail "$name: the contract is wrong"
	done
	$CC $flags -I"$to" -fPIC -fvisibility=hidden -shared -DVERSION_"${name^^}" -o "$directory/$name.so" \
		tests/shim/versioned.c "$to/fire.c" src/shim/core/part.c src/shim/core/enter.c "$to/words.o" ||
		fail "$name: not built"
	cd "$here" || exit 1
}
make_extension older '
cut("lock__wait", "name"); cut("object__create", "address"); cut("object__create", "thread")'
make_extension newer '
add("gc__end", "char *", "asker", "[name] who asked for it"); add("gc__end", "uint64_t ", "number", "which one it was")
add("gc__idle", "uint64_t ", "waited", "how long")

at = text.index("\t/*", text.index("probe gc__idle("))
text = text[:at] + "\t/*\n\t * Something new.\n\t * @cap the capability\n\t * @what what it is\n\t */\n\tprobe gc__novelty(uint16_t cap, uint32_t what);\n" + text[at:]'
# The contract as it was at first: what has been appended since is cut off.
make_extension previous '
for probe in "gc__start", "gc__end":
    cut(probe, "id"); cut(probe, "cause")
for probe in "array__create", "hash__create", "string__create":
    cut(probe, "address"); cut(probe, "thread"); cut(probe, "class")
cut("raise", "message"); cut("cap__create", "instance_name"); cut("cap__create", "instance")
cut("task__create", "parent"); cut("task__delete", "parent")
at = text.index(";", text.index("probe gc__stats(")) + 1
text = text[:at] + text[text.index("\n};"):]'
make_extension changed '
change("probe lock__acquired(uint16_t cap, uint32_t thread", "probe lock__acquired(uint16_t cap, uint64_t thread")'

start_late "$directory/late"
cat >"$directory/script.d" <<'D'
vm$target:::gc-end { printf("end %d %d %d %d\n", args[0], args[1], args[2], args[3]); }
vm$target:::lock-wait { printf("wait %d %d %d [%s]\n", args[0], args[1], args[2], copyinstr(arg3)); }
vm$target:::lock-acquired { printf("acquired %d %d\n", args[0], args[1]); }
vm$target:::object-create { printf("create %s %d %s %d %d %d\n", copyinstr(arg0), args[1], copyinstr(arg2), args[3], args[4], args[5]); }
vm$target:::gc-idle { printf("idle %d\n", args[0]); }
D
cat >"$directory/end.d" <<'D'
vm$target:::gc-idle /arg0 == 99/ { exit(0); }
D

# What each of the VM's own events and each of an extension's prints.
own() { # cap
	printf '%s\n' "end $1 1 0 2" "wait $1 1 2 [own]" "acquired $1 1" "create own 1 own 2 3 4" "idle $1"
}

start() { # a trace, in the background; returns when it sees events
	: >"$directory/out" >"$directory/err"
	"$VMTAP" trace -q -x switchrate=0 -p "$vm" "$@" >"$directory/out" 2>"$directory/err" &
	tracer=$!
	pids+=("$tracer")
	await "not traced" is_listening
}
is_listening() {
	tell 'fire 0 1'
	grep -q '^idle 0$' "$directory/out"
}
finish() {
	tell 'fire 99 1'
	wait "$tracer" || fail "trace: status $?: $(cat "$directory/err")"
	grep -v -e '^idle 0$' -e '^$' -e '^idle 99$' "$directory/out" >"$directory/seen"
}

"$VMTAP" record -p "$vm" -o "$directory/log" >/dev/null 2>"$directory/record" &
recorder=$!
pids+=("$recorder")
is_recorded() {
	tell 'fire 0 1'
	"$VMTAP" log --dump "$directory/log" 2>/dev/null | grep -q ' gc-idle'
}
await "not recorded" is_recorded

# While it is traced: the extensions come, fire and go.
start -s "$directory/script.d" -s "$directory/end.d"
tell 'all 1'
for name in older newer changed; do
	tell "load $directory/$name.so"
	tell 'call 2 1'
	tell 'unload'
done
tell 'all 3'
finish
{
	own 1
	printf '%s\n' 'wait 2 5 6 []' 'create a name 48 a name 3 0 0'
	printf '%s\n' 'end 2 7 1 4096' 'idle 2'
	printf '%s\n' 'wait 2 5 6 [a name]'
	own 3
} >"$directory/expected"
diff "$directory/expected" "$directory/seen" || fail "live"
[ "$(grep -c 'older version' "$directory/err")" = 1 ] || fail "told of the older one: $(cat "$directory/err")"
has err 'older version of the probes; what its events lack reads as 0 or empty: lock-wait from args\[3\] on(, object-create from args\[4\] on)?$'
[ "$(grep -c 'vm:::lock-acquired' "$directory/err")" = 1 ] || fail "told of what is kept out: $(cat "$directory/err")"
grep -q 'lock-wait,\|gc-end' <(grep kept-out "$directory/err") && fail "too much is kept out"

# Whoever comes later has the arguments of the newest version, and of the older ones what there is.
start -n 'vm$target:::gc-end { printf("end %d %d [%s] %d\n", args[0], args[3], copyinstr(arg6), args[7]); }
	vm$target:::gc-idle { printf("idle %d\n", args[0]); } vm$target:::gc-idle /arg0 == 3/ { printf("waited %d\n", args[1]); }' \
	-n 'vm$target:::gc-novelty { printf("novelty %d %d\n", args[0], args[1]); }' -s "$directory/end.d"
tell 'all 1'
tell "load $directory/newer.so"
tell 'call 3 2'
tell 'unload'
finish
printf '%s\n' 'end 1 2 [] 0' 'idle 1' 'end 3 4096 [a name] 99' 'idle 3' 'waited 77' 'novelty 3 5' \
	'end 3 4096 [a name] 99' 'idle 3' 'waited 77' 'novelty 3 5' >"$directory/expected"
diff "$directory/expected" "$directory/seen" || fail "later"
[ "$(grep -c 'older version' "$directory/err")" = 1 ] || fail "told later: $(cat "$directory/err")"

# Objects of the contract's first version go on: nothing of them is kept out.
cat >"$directory/previous.d" <<'D'
vm$target:::gc-start { printf("start %d %d %d %d [%s] %d\n", args[0], args[1], args[2], args[3], copyinstr(arg4), args[5]); }
vm$target:::gc-end { printf("end %d %d %d %d [%s] %d\n", args[0], args[1], args[2], args[3], copyinstr(arg4), args[5]); }
vm$target:::array-create, vm$target:::hash-create, vm$target:::string-create { printf("%s %d %s %d %d [%s] %d %d\n", probename,
	args[0], copyinstr(arg1), args[2], args[3], copyinstr(arg4), args[5], args[6]); }
vm$target:::raise { printf("raise %s %s %d %d [%s]\n", copyinstr(arg0), copyinstr(arg1), args[2], args[3], copyinstr(arg4)); }
vm$target:::cap-create { printf("cap %d %d [%s]\n", args[0], args[1], copyinstr(arg2)); }
vm$target:::task-create { printf("task %d %d %d %d\n", args[0], args[1], args[2], args[3]); }
vm$target:::task-delete { printf("no task %d %d %d\n", args[0], args[1], args[2]); }
vm$target:::gc-stats { printf("stats %d %d\n", args[0], args[8]); }
vm$target:::gc-idle { printf("idle %d\n", args[0]); }
D
printf '%s\n' 'start 2 1 0 1000 [] 0' 'end 2 1 0 600 [] 0' 'array-create 1 a name 2 3 [] 0 0' \
	'hash-create 4 a name 5 6 [] 0 0' 'string-create 7 a name 8 9 [] 0 0' \
	'raise a name a name 10 11 []' 'cap 2 0 []' 'task 2 12 13 0' 'no task 2 12 0' 'stats 2 8' \
	>"$directory/first"
start -s "$directory/previous.d" -s "$directory/end.d"
tell "load $directory/previous.so"
tell 'call 2 1'
tell 'unload'
finish
diff "$directory/first" "$directory/seen" || fail "the first version"
grep 'events are missing' "$directory/err" | grep -qv 'process: vm:::lock-acquired$' &&
	fail "the first version is kept out: $(cat "$directory/err")"

# The recording gives what the first script saw, and is whole.
kill -INT "$recorder"
wait "$recorder" || fail "record: status $?: $(cat "$directory/record")"
run 0 log --validate "$directory/log"
run 0 trace -q --log "$directory/log" -s "$directory/script.d"
sed -n '/^end 1/,/^idle 3/p' "$directory/out" | grep -v '^idle 0$' | awk '{ print } /^idle 3/ { exit }' >"$directory/seen"
{
	own 1
	printf '%s\n' 'wait 2 5 6 []' 'create a name 48 a name 3 0 0' 'end 2 7 1 4096' 'idle 2' 'wait 2 5 6 [a name]'
	own 3
} >"$directory/expected"
diff "$directory/expected" "$directory/seen" || fail "--log"
run 0 trace -q --log "$directory/log" -s "$directory/previous.d"
sed -n '/^start 2/,$p' "$directory/out" | grep -v -e '^idle' -e '^$' >"$directory/seen"
diff "$directory/first" "$directory/seen" || fail "--log, the first version"
run 0 log "$directory/log"
has out ' 3  vm:::gc-novelty' # from the first one on
[ -s "$directory/vm.err" ] && fail "$(cat "$directory/vm.err")"
exit 0
