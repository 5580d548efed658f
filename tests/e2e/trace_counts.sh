#!/bin/bash
# Every program of the toy VM under `vmtap trace -c`: lossless, each probe fires exactly as
# often as the VM itself counted; by default received and lost events together do. The
# bundled scripts' totals are the VM's too.
set -u
VMTAP=${VMTAP:-build/vmtap}
TOY=${TOY:-build/toy}
command -v python3 >/dev/null || {
	echo "python3 is not there"
	exit 77
}
directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
failed=0
fail() {
	echo "FAILED: $*" >&2
	failed=1
}

# Runs a script over a program: out has the script's output, json the VM's counters.
trace() {
	local program=$1
	shift
	rm -f "$directory/out"
	timeout 120 "$VMTAP" trace "$@" -o "$directory/out" -c "$TOY --stats=json $program" \
		>"$directory/program" 2>"$directory/err" || fail "$program: status $?: $(tail -n 3 "$directory/err")"
	grep '^{' "$directory/err" >"$directory/json" || fail "$program: no counters"
}

cat >"$directory/compare.py" <<'PYTHON'
import json, re, sys
mode, directory = sys.argv[1:3]
want = json.load(open(directory + '/json'))
lines = [line.split() for line in open(directory + '/out')]
drops = sum(int(m) for m in re.findall(r'^dtrace: (\d+) drops?', open(directory + '/err').read(), re.M))
def column(title, name):
    """The sum of a column under its title, of the lines that end in as many numbers."""
    total, at = 0, None
    for words in lines:
        if title in words:
            at = words[::-1].index(title)
        elif at is not None and len(words) > at and all(w.isdigit() for w in words[len(words) - at - 1:]):
            total += int(words[len(words) - at - 1])
    check(name, total)
def check(name, total):
    expected = sum(want[key] for key in name.split('+'))
    if total != expected:
        sys.exit(f'{name}: the VM counted {expected}, the script says {total}')
if mode in ('all', 'drops'):
    got = {words[0]: int(words[1]) for words in lines if len(words) == 2}
    if mode == 'all':
        if drops:
            sys.exit(f'{drops} drops though lossless')
        for name, count in want.items():
            if name not in ('guards',) and count != got.get(name, 0):
                sys.exit(f'{name}: the VM counted {count}, the script {got.get(name, 0)}')
    else:
        total = sum(count for name, count in want.items() if name != 'guards')
        if total != sum(got.values()) + drops:
            sys.exit(f'the VM counted {total}, the script {sum(got.values())} and {drops} drops')
elif mode in ('method_count', 'method_time'):
    column('CALLS', 'method-entry')
elif mode == 'alloc_by_class':
    column('OBJECTS', 'object-create+array-create+hash-create+string-create')
elif mode == 'gc_pause':
    total = sum(int(w[-3]) for w in lines if len(w) == 5 and re.fullmatch(r'-?\d+', w[1]) and w[2].isdigit())
    check('pause-end', total)
elif mode == 'stat':
    sums = [0] * 8
    for words in lines:
        if len(words) == 8 and all(w.isdigit() for w in words):
            sums = [a + int(b) for a, b in zip(sums, words)]
    for at, name in enumerate(['method-entry', 'native-entry',
            'object-create+array-create+hash-create+string-create', None, 'thread-run', 'raise', 'gc-end']):
        if name:
            check(name, sums[at])
elif mode == 'sched_latency':
    rows = [w for w in lines if len(w) == 3 and all(x.isdigit() for x in w)]
    total = sum(int(w[2]) for w in rows)
    # a thread may be woken again before it has run
    if not 0 < total <= want['thread-run']:
        sys.exit(f'{total} runs after a wait, the VM counted {want["thread-run"]} runs')
PYTHON
compare() {
	python3 "$directory/compare.py" "$2" "$directory" || fail "$1: $2"
}

everything='vm$target::: { @[probename] = count(); } END { printa("%s %@d\n", @); }'
for program in examples/toy/programs/*.toy; do
	trace "$program" -q --lossless -n "$everything"
	compare "$program" all
	trace "$program" -q -n "$everything"
	compare "$program" drops
done
for program in examples/toy/programs/{pipeline,parmap,redefine,binary_trees}.toy; do
	for script in method_count method_time gc_pause alloc_by_class sched_latency stat; do
		trace "$program" "$script" --lossless
		compare "$program" "$script"
	done
done
exit "$failed"
