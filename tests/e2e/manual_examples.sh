#!/bin/bash
# What the manuals say is so: vmtap-d(7) and vmtap-options(7) name everything that the language has,
# the programs of vmtap-d(7) compile, the commands of vmtap-tutorial(7) run, its job finds a lost
# probe, and vmtap-scripts(7) has a section for each script. The README has its picture.
set -u
. tests/e2e/common
command -v python3 >/dev/null || { echo "python3 is missing" && exit 77; }

# ---- vmtap-d(7), vmtap-options(7): every name of the program's own tables ----
python3 - >"$directory/out" <<'P' || fail "vmtap-d(7) or vmtap-options(7) is not complete"
import glob, re, sys
page = open("src/man/vmtap-d.7").read()
options = open("src/man/vmtap-options.7").read()
words_of = lambda text: set(re.findall(r"[A-Za-z_][A-Za-z_0-9]*", text))
words = words_of(page)
tables = {
    "built-in variables": (r'^\t\[D_BUILTIN_\w+\] = \{"(\w+)"', "src/program/builtin.c", 25),
    "subroutines": (r'^\tSUBROUTINE\(\w+, "(\w+)"', "src/program/subroutine.h", 45),
    "actions": (r'^\t\{"(\w+)", D_FUNCTION_', "src/d/resolve_symbol.c", 40),
    "options": (r'^\t\{"(\w+)", (?:FLAG|BOOLEAN|NUMBER|COUNT|SIZE|RATE|[A-Z]+),', "src/program/option.c", 70),
}
wrong = False
for what, (pattern, file, least) in tables.items():
    names = re.findall(pattern, open(file).read(), flags=re.M)
    missing = sorted(set(names) - (words_of(options) if what == "options" else words))
    if len(names) < least or missing:
        print(f"{what}: {len(names)} in {file}, not in the manual: {missing}")
        wrong = True
    # Also the other way round: what the manual calls an option is one.
    if what == "options":
        listed = {w for line in re.findall(r"^\.It (.*)", options, flags=re.M) for w in re.findall(r"\w+", line)}
        inert = options[options.index(".Ss Without effect"):options.index("Option\n.Li grabanon")]
        listed |= set(re.findall(r"\w+", inert[inert.index(":"):]))
        if len(listed) < 70 or listed - set(names):
            print("no such options:", sorted(listed - set(names)))
            wrong = True
library = "".join(open(file).read() for file in glob.glob("src/d/library/*.d"))
types = set(re.findall(r"^(?:typedef struct \w+|\}) (\w+_t);", library, flags=re.M))
if len(types) < 25 or types - words:
    print("types of the library, not in the manual:", sorted(types - words))
    wrong = True
operators = re.search(r"\.Ss Operators(.*?)\.Ss", page, flags=re.S)[1].replace("\\&", "")
lexer = open("src/d/lex_token.h").read() + open("src/d/lex.c").read()
for operator in re.findall(r'"([-+*/%<>=!&|^~?:.,]{1,3})"', lexer):
    if operator not in (".", ":", "?", "...") and operator not in operators:
        print("operator not in the manual:", operator)
        wrong = True
sys.exit(wrong)
P

# ---- its programs ----
"$TOY" --help >/dev/null || fail "the toy"
VMTAP_LOG=$directory/log "$TOY" examples/toy/programs/queens.toy >/dev/null || fail "a log"
programs=$(python3 - "$directory" <<'P'
import re, sys
page = open("src/man/vmtap-d.7").read()
blocks = re.findall(r"^\.Bd -literal[^\n]*\n(.*?)^\.Ed", page, flags=re.M | re.S)
for number, block in enumerate(blocks):
    open(f"{sys.argv[1]}/{number}.d", "w").write(block.replace("\\en", "\\n"))
print(len(blocks))
P
)
[ "$programs" -ge 5 ] || fail "vmtap-d(7) has $programs programs"
# Those of the kernel's probes need the kernel, as far as it allows that.
"$VMTAP" trace -e -n 'syscall::read:entry { }' >/dev/null 2>&1 && kernel=1 || kernel=0
for ((i = 0; i < programs; i++)); do
	if ! grep -q '^syscall:' "$directory/$i.d"; then
		run 0 trace -e -s "$directory/$i.d" --log "$directory/log"
	elif [ "$kernel" = 1 ]; then
		run 0 trace -e -s "$directory/$i.d"
	fi
done

# ---- vmtap-tutorial(7): its commands, in its order ----
python3 - "$(dirname "$VMTAP")" "$directory/steps" >"$directory/out" <<'P' || fail "vmtap-tutorial(7) has other commands"
import re, shlex, sys
page = open("src/man/vmtap-tutorial.7").read()
commands = 0
with open(sys.argv[2], "w") as steps:
    steps.write("set -e\n")
    for block in re.findall(r"^\.Bd -literal[^\n]*\n(.*?)^\.Ed", page, flags=re.M | re.S):
        parts = re.split(r"^\$ ", block.replace("\\e", "\\"), flags=re.M)
        if len(parts) > 1 and parts[0]:
            sys.exit("text before a command: " + parts[0])
        for part in parts[1:]:
            commands += 1
            if part.startswith("make "):
                continue  # it is built
            if part.startswith("cat > "):
                first, rest = part.split("\n", 1)
                steps.write(f"{first} <<'INPUT'\n{rest}INPUT\n")
                continue
            steps.write(f"echo {shlex.quote('== ' + part.splitlines()[0])}\n")
            steps.write(part.replace("build/", sys.argv[1] + "/"))
sys.exit(commands < 12)
P
mkdir "$directory/work"
ln -s "$PWD/examples" "$PWD/probes" "$directory/work"
(cd "$directory/work" && bash "$directory/steps") >"$directory/out" 2>"$directory/err" ||
	fail "a command of vmtap-tutorial(7)"
for seen in 'method-entry$' 'uint32_t' '^  method_count ' '^Board|^Queens|CLASS +METHOD' 'AFTER' 'BLOCKED ON' \
	'queens.toy' '@@@' 'CAPABILITY +SPARKS' 'NameError' '^ *>SELF % ' '^ +JsonParser#value \('; do
	has out "$seen"
done

grep -q '</svg>' "$directory/work/flame.svg" && grep -q '</html>' "$directory/work/timeline.html" || fail "pictures"

# ---- the job: vmtap check fails if a probe is lost ----
grep -q 'vmtap check --contract vm.d --allow-missing ./absent ./vm' src/man/vmtap-tutorial.7 || fail "the job"
cat probes/vm.d >"$directory/vm.d"
sed -i 's/^};$/	probe lost__probe(int);\n};/' "$directory/vm.d"
run 1 check --contract "$directory/vm.d" "$TOY"
has out 'lost-probe'

# ---- README.md ----
picture=$(sed -n 's/^!\[.*](\(.*\.svg\))$/\1/p' README.md)
[ -n "$picture" ] && python3 -c 'import sys, xml.dom.minidom as d; d.parse(sys.argv[1])' "$picture" || fail "the picture"

# ---- vmtap-scripts(7) ----
for file in probes/scripts/*.d; do
	name=$(basename "$file" .d)
	grep -q "^\.Ss $name: ." "$BUILD/man/vmtap-scripts.7" || fail "vmtap-scripts(7) has no section for $name"
done
[ "$(grep -c '^Cost: ' "$BUILD/man/vmtap-scripts.7")" = "$(ls probes/scripts/*.d | wc -l)" ] || fail "costs"
exit 0
