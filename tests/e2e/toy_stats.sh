#!/bin/bash
# The toy VM's own counters: valid JSON with a key per probe, as many entries as returns,
# the event log and the counts by key agree with the counters, the build without probes
# counts the same, and each probe's program triggers it.
# limit: 900
set -u
toy=${TOY:-build/toy}
plain=${BUILD:-build}/toy-noprobes
temp=$(mktemp -d) || exit 1
trap 'rm -rf "$temp"' EXIT
command -v python3 >/dev/null || {
	echo "python3 is missing"
	exit 77
}

cat >"$temp/check.py" <<'P'
import collections, json, re, sys

name, temp = sys.argv[1], sys.argv[2]
contract = open("probes/vm.d").read()
probes = [p.replace("__", "-") for p in re.findall(r"^\tprobe (\w+)\(", contract, re.M)]
problems = []
counts = json.loads(open(temp + "/err").read().splitlines()[-1])
guards = counts.pop("guards")
if sorted(counts) != sorted(probes):
    problems.append("keys are not the probes of vm.d")
if guards != sum(counts.values()):
    problems.append("guards")
for one, other in [("method-entry", "method-return"), ("native-entry", "native-return"),
                   ("require-entry", "require-return"), ("load-entry", "load-return"),
                   ("find-require-entry", "find-require-return"),
                   ("parse-begin", "parse-end"), ("pause-begin", "pause-end"),
                   ("gc-start", "gc-end"), ("gc-start", "heap"),
                   ("gc-mark-begin", "gc-mark-end"), ("gc-sweep-begin", "gc-sweep-end"),
                   ("thread-create", "thread-exit"), ("thread-run", "thread-stop"),
                   ("thread-park", "thread-unpark"), ("safepoint-begin", "safepoint-end"),
                   ("pause-begin", "safepoint-begin"), ("gc-phase-begin", "gc-phase-end"),
                   ("finalize-begin", "finalize-end"), ("compile-begin", "compile-end"),
                   ("cap-create", "cap-delete"), ("task-create", "task-delete")]:
    if counts[one] != counts[other]:
        problems.append("%s %d, %s %d" % (one, counts[one], other, counts[other]))

lines = [l.rstrip("\n") for l in open(temp + "/log", errors="replace")]
logged = collections.Counter(l.split(" ", 1)[0] for l in lines)
by_key = collections.Counter()
born = collections.Counter()
freed = collections.Counter()
sums = collections.Counter()
for line in open(temp + "/by"):
    entry = json.loads(line)
    by_key[entry["probe"]] += entry["count"]
    sums[entry["probe"]] += entry.get("sum", 0)
    if entry["probe"] == "object-create":
        born[entry["key"][0]] += entry["count"]
    elif entry["probe"] == "object-free":
        freed[entry["key"][0]] += entry["count"]
for kind in "string", "array", "hash":
    born[kind.capitalize()] += counts[kind + "-create"]
for kind in freed:
    if freed[kind] > born[kind]:
        problems.append("%s: %d born, %d freed" % (kind, born[kind], freed[kind]))
# Whoever acquires a lock releases it, unless the program ends before.
if counts["lock-release"] > counts["lock-acquired"]:
    problems.append("locks released more often than acquired")
if sums["code-unload"] > sums["code-load"]:
    problems.append("code unloaded that was not loaded")
if counts["deoptimize"] < counts["code-unload"]:
    problems.append("code unloaded that was not given up")
if sums["object-free"] != sums["gc-end"]:
    problems.append("the objects freed do not add up to what the collections freed")
# For each collection, the bytes used before minus the bytes freed are the live bytes.
collections_of = collections.defaultdict(list)
for line in lines:
    word = line.split()
    if word[0] in ("gc-start", "gc-end", "heap"):
        collections_of[word[1]].append((word[0], int(word[4])))
for events in collections_of.values():
    for i in range(0, len(events), 3):
        (a, used), (b, gone), (c, live) = events[i:i + 3]
        if (a, b, c) != ("gc-start", "gc-end", "heap") or used - gone != live:
            problems.append("a collection does not add up: %s" % events[i:i + 3])
for probe in probes:
    if not counts[probe] == logged[probe] == by_key[probe]:
        problems.append("%s: counted %d, logged %d, by key %d" %
                        (probe, counts[probe], logged[probe], by_key[probe]))
# The returns' arguments are the entries' arguments.
for kind in "method", "native", "require", "find-require", "load":
    def arguments(which):
        prefix = kind + which + " "
        given = [l[len(prefix):] for l in lines if l.startswith(prefix)]
        if which == "-return" and kind in ("require", "load"):
            given = [l.rpartition(" ")[0] for l in given]  # everything but how it ended
        return sorted(given)
    if arguments("-entry") != arguments("-return"):
        problems.append(kind + ": entries and returns have other arguments")
if name in probes and not counts[name]:
    problems.append("the probe was not provoked")
for problem in problems:
    print("%s: %s" % (name, problem))
sys.exit(bool(problems))
P

failures=0
run() { # NAME PROGRAM OPTION...
	local name=$1 program=$2
	shift 2
	if ! timeout "${COMMAND_SECONDS:-300}" "$toy" "$@" --stats=json --event-log="$temp/log" --stats-by="$temp/by" \
		"$program" >"$temp/out" 2>"$temp/err"; then
		echo "$name: failed"
		failures=$((failures + 1))
	elif ! python3 "$temp/check.py" "$name" "$temp"; then
		failures=$((failures + 1))
	fi
}

probes=$(sed -n 's/^\tprobe \([a-z_]*\)(.*/\1/p' probes/vm.d | sed 's/__/-/g')
for probe in $probes; do
	program=tests/toy/probes/$probe.toy
	if [ ! -e "$program" ]; then
		echo "no $program"
		failures=$((failures + 1))
		continue
	fi
	# shellcheck disable=SC2046
	run "$probe" "$program" $(sed -n 's/^# options: //p' "$program")
done
for name in parmap pipeline redefine wordcount; do
	run "$name" examples/toy/programs/$name.toy --caps=4
done
run stress tests/toy/stress.toy --caps=4 --heap=16M

# One capability is deterministic: both builds count the same events.
for program in examples/toy/programs/*.toy; do
	name=$(basename "$program" .toy)
	"$toy" --stats=json "$program" 2>"$temp/one" >/dev/null
	"$plain" --stats=json "$program" 2>"$temp/other" >/dev/null
	if ! cmp -s "$temp/one" "$temp/other"; then
		echo "$name: the build without probes counts other events"
		failures=$((failures + 1))
	fi
done
exit $((failures > 0))
