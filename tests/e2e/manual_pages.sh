#!/bin/bash
# Each verb has a manual page, which names the same options as --help. The pages can be found by
# their names, and mandoc and groff, if installed, accept them without a warning.
. tests/e2e/common
command -v python3 >/dev/null || { echo "python3 is missing" && exit 77; }
"$VMTAP" --help >"$directory/out" || fail "vmtap --help"
verbs=$(sed -n 's/^  \([a-z]*\)  .*/\1/p' "$directory/out")
[ "$(wc -w <<<"$verbs")" -ge 7 ] || fail "vmtap --help lists the verbs: $verbs"
for verb in $verbs; do
	"$VMTAP" "$verb" --help >"$directory/$verb.help" || fail "vmtap $verb --help"
	[ -s "src/man/vmtap-$verb.1" ] || fail "$verb has no manual page"
	grep -q "^\.Xr vmtap-$verb 1" src/man/vmtap.1 || fail "vmtap(1) does not name vmtap-$verb(1)"
	python3 - "$directory/$verb.help" "src/man/vmtap-$verb.1" >"$directory/out" <<'P' || fail "options of $verb"
import re, sys
said = set(re.findall(r"(?<![\w-])--?[A-Za-z][\w-]*", "".join(
    line for line in open(sys.argv[1]) if re.match(r" +-", line))))
manual, listed = set(), set()
for line in open(sys.argv[2]):
    if not line.startswith("."):
        continue
    words = re.findall(r'"[^"]*"|\S+', line[1:])
    option = False
    for word in words:
        if word == "Fl" or not re.match(r"[A-Z][a-z]$", word) and option:
            option = True
            if re.match(r"-?[A-Za-z][\w-]*$", word) and word != "Fl":
                manual.add("-" + word)
                if words[0] == "It":
                    listed.add("-" + word)
        else:
            option = False
for name in sorted(said - manual - {"-h", "--help"}):
    print(name, "is not in the manual")
for name in sorted(listed - said):
    print(name, "is not in --help")
sys.exit(bool(said - manual - {"-h", "--help"} or listed - said))
P
done
# The manual describes the JSON output too.
documented() { # verb; the document is in out
	python3 - "$directory/out" "src/man/vmtap-$1.1" >"$directory/err" <<'P' || fail "--json of $1"
import json, re, sys
text = re.sub(r"^\.It Fl -(?!json).*?(?=^\.It|^\.El)", "", open(sys.argv[2]).read(), flags=re.M | re.S)
known, seen = set(re.findall(r"[\w-]+", text[text.index(".It Fl -json"):])), set()
def look(value):
    if isinstance(value, dict):
        for name in value:
            seen.add(name)
            look(value[name])
            if name in ("kind", "what", "change"):
                seen.add(value[name])
    elif isinstance(value, list):
        for one in value:
            look(one)
look(json.load(open(sys.argv[1])))
print(sorted(seen - known), "not in the manual")
sys.exit(bool(seen - known) or len(seen) < 3)
P
}
echo 'provider vm { probe startup(int, int); probe gc__end(uint16_t, uint32_t, uint16_t, int); probe none(int); };' >"$directory/other.d"
run 1 check -c "$directory/other.d" --json "$TOY"
documented check
run 1 diff --json "$TOY" "$VMTAP"
documented diff
run 0 list --json "$TOY"
documented list
VMTAP_LOG=$directory/toy.eventlog "$TOY" examples/toy/programs/queens.toy >"$directory/printed" || fail "the toy VM"
run 0 log --json "$directory/toy.eventlog"
documented log
head -c 20000 "$directory/toy.eventlog" >"$directory/cut.eventlog"
run 0 log --json "$directory/cut.eventlog"
documented log
"$TOY" tests/toy/loop.toy >/dev/null 2>&1 &
pids+=($!)
await_stream $!
run 0 list --json $!
documented list
# The library's manual names everything that its header offers to a VM.
names=$(sed -n '/^struct vmtap_\(census_\)*options {$/,/^}/{
		s|/\*.*||
		s/^	.*(\*\([a-z_]*\)).*/\1/p
		s/^	[a-z].*[ *]\([a-z_]*\);.*/\1/p
	}
	/^VMTAP_\(API\|HIDDEN\) /s/.*[ *]\([a-z_]*\)(.*/\1/p' include/vmtap.h)
[ "$(wc -w <<<"$names")" -ge 28 ] || fail "not all is looked at: $names"
for name in $names; do
	grep -qE "^\.(Fn|It Va|Va|Ft) .*\b$name\b" src/man/libvmtap.3 || fail "libvmtap(3) does not name $name"
done
for page in src/man/*; do
	name=$(basename "$page")
	name=${name%.*}
	awk -v name="$name" '/^\.Sh NAME$/ { getline; found = $0 == ".Nm " name } END { exit !found }' "$page" ||
		fail "$page is not found by its name: .Nm $name"
done
# References lead to pages and sections that exist, and vmtap(1) leads to each page.
python3 - >"$directory/out" <<'P' || fail "references between the pages"
import glob, os, re, sys
pages = {os.path.basename(file): open(file).read() for file in glob.glob("src/man/*")}
problems, references = [], 0
def has_section(page, title):
    return re.search(r"^\.S[hs] " + re.escape(title) + "$", pages.get(page, ""), flags=re.M | re.I)
for name, text in pages.items():
    for to in re.findall(r"\bXr ((?:lib)?vmtap\S*) (\d)", text) + re.findall(r"\b(vmtap-\w+)\((\d)\)", text):
        references += 1
        if ".".join(to) not in pages:
            problems.append(f"{name} refers to {to}")
    for title in re.findall(r"^\.(?:Pq see )?Sx (.*?)(?: [.,;:])?$", text, flags=re.M):
        if not has_section(name, title):
            problems.append(f"{name} has no section {title}")
    # "see TITLE in" a page
    for title, *to in re.findall(r"\b[Ss]ee ([A-Z][a-zA-Z ]+) in(?:\n\.| )Xr (\S+) (\d)", text, flags=re.M):
        if not has_section(".".join(to), title):
            problems.append(f"{name} refers to {title} in {to}")
    if name != "vmtap.1" and not re.search(rf"\bXr {name[:-2]} {name[-1]}\b", pages["vmtap.1"]):
        problems.append(f"vmtap(1) does not name {name}")
print("\n".join(problems))
sys.exit(bool(problems) or references < 100)
P
if command -v mandoc >/dev/null; then
	# Which manuals are installed says nothing about ours; D's punctuation is no delimiter of a text.
	mandoc -T lint src/man/* "$BUILD"/man/* 2>"$directory/err" | grep -vE 'referenced manual not found|outdated mandoc.db|no blank before trailing delimiter: Li' \
		>"$directory/out" && fail "mandoc complains"
else
	echo "left out: mandoc -T lint: not installed"
fi
if command -v groff >/dev/null; then
	groff -mdoc -ww -Tascii src/man/* "$BUILD"/man/* 2>"$directory/err" >/dev/null
	is_silent || fail "groff complains"
else
	echo "left out: groff -ww: not installed"
fi
exit 0
