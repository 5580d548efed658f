#!/bin/bash
# Debian's python3: the probes of CPython, against what the program itself knows: its calls with
# their lines, the collector's generations and counts, its imports, its audit events.
. tests/witness/real_python_common

cat >"$directory/program.py" <<'END'
import gc, sys

lines = []
# Numbers of lines, by the comments at their ends.
at = {text.split("# ")[-1].strip(): number for number, text in enumerate(open(__file__), 1)}

def says(name, tag):
    lines.append("function-%s %s %d" % ("return" if tag[-1].isdigit() else "entry", name, at[tag]))

def collected(phase, info):
    if phase == "start":
        lines.append("gc-start %d" % info["generation"])
    else:
        lines.append("gc-done %d" % (info["collected"] + info["uncollectable"]))

class Node:
    pass

def w_rings(count): # rings
    says("w_rings", "rings")
    for i in range(count):
        one, other = Node(), Node()
        one.other, other.other = other, one
    says("w_rings", "rings 1")
    return # rings 1

def w_fails(n): # fails
    says("w_fails", "fails")
    if n % 3 == 0:
        says("w_fails", "fails 1")
        raise KeyError(n) # fails 1
    says("w_fails", "fails 2")
    return n # fails 2

def w_tries(n): # tries
    says("w_tries", "tries")
    try:
        w_fails(n)
        says("w_tries", "tries 1")
        return n # tries 1
    except KeyError:
        pass
    says("w_tries", "tries 2")
    return -1 # tries 2

gc.collect()
gc.disable()
sys.addaudithook(lambda name, _: lines.append("audit " + name))
sys.audit("witness.begin")
gc.callbacks.append(collected)
for generation, count in (0, 3), (1, 50), (2, 1000), (2, 0):
    w_rings(count)
    gc.collect(generation)
gc.callbacks.clear()
for i in range(40):
    w_tries(i)
open("/dev/null").close()
compile("1 + 1", "text", "eval")
sys.audit("witness.end")
with open(sys.argv[1], "w") as file:
    file.write("\n".join(lines) + "\n")
END
cat >"$directory/program.d" <<'END'
python$target:::function-entry, python$target:::function-return
/substr(copyinstr(arg1), 0, 2) == "w_"/ { printf("%s %s %d\n", probename, copyinstr(arg1), arg2); }
python$target:::function-return
/copyinstr(arg1) == "w_tries"/ { @[basename(copyinstr(arg0)), tid == pid] = count(); }
python$target:::line /0/ { } /* Python 3.11 needs it for function-entry */
python$target:::gc-start, python$target:::gc-done { printf("%s %d\n", probename, arg0); }
python$target:::audit { printf("audit %s\n", copyinstr(arg0)); }
python$target:::import-find-load-start { printf("import %s\n", copyinstr(arg0)); }
python$target:::import-find-load-done { printf("imported %s %d\n", copyinstr(arg0), arg1); }
END

run 0 trace -q -c "$python -X importtime $directory/program.py $directory/known" -s "$directory/program.d" -o "$directory/traced"
between() { sed -n '/^audit witness.begin$/,/^audit witness.end$/p'; }
grep -v '^import' "$directory/traced" | between >"$directory/got"
between <"$directory/known" >"$directory/expected"
# Python 3.12 and later have no probes of calls; there the interpreter knows of no such lines either.
grep -q '^function-entry' "$directory/got" || sed -i '/^function-entry/d' "$directory/expected"
same "$directory/expected" "$directory/got" "calls, collections and audit events"
[ "$(grep -c '^function-entry' "$directory/got")" = 84 ] || fail "function-entry of 84 calls"
grep -qE '^ *program.py +1 +40$' "$directory/traced" || fail "the file and the thread of 40 calls"

# Only function-entry of generators comes without that, and this is said.
if [[ $(readlink -f $python) = *python3.11 ]]; then
	run 0 trace -q -c "$python $directory/program.py $directory/known" \
		-n 'python$target:::function-entry { @ = count(); }'
	has err 'function-entry fires for generators only'
	run 0 trace -q -c "$python -X importtime $directory/program.py $directory/known" \
		-n 'python$target:::gc-start { @ = count(); }'
fi

# -X importtime prints each import as it is done.
sed -n 's/^import time: .*[0-9] | *//p' "$directory/err" | sort >"$directory/expected"
sed -n 's/^imported \(.*\) [01]$/\1/p' "$directory/traced" | sort >"$directory/got"
same "$directory/expected" "$directory/got" "imports"
sed -n 's/^import \(.*\)/\1/p' "$directory/traced" | sort | cmp -s - "$directory/got" || fail "starts and ends of imports"

if command -v bpftrace >/dev/null; then
	by_bpftrace 'usdt:'$python':python:function__return { printf("function-return %s %d\n", str(arg1), arg2); }
		usdt:'$python':python:gc__start { printf("gc-start %d\n", arg0); }' \
		"$python $directory/program.py $directory/known" "$directory/by_bpftrace"
	rm "$directory/traced"
	run 0 trace -q -c "$python $directory/program.py $directory/known" -o "$directory/traced" \
		-n 'python$target:::function-return { printf("%s %s %d\n", probename, copyinstr(arg1), arg2); }
		python$target:::gc-start { printf("gc-start %d\n", (int)arg0); }'
	sed '/^$/d' "$directory/traced" >"$directory/got"
	same "$directory/by_bpftrace" "$directory/got" "what bpftrace reads"
fi

# Two processes that no -p names: one that runs, one that starts later. Each knows how often it has
# collected all generations.
cat >"$directory/collects.py" <<'END'
import gc, os, sys, time
gc.disable()
while not os.path.exists(sys.argv[1]):
    time.sleep(0.01)
for i in range(int(sys.argv[2])):
    gc.collect()
os._exit(0)
END
$python "$directory/collects.py" "$directory/go" 30 &
first=$!
pids+=("$first")
await "it does not run" grep -q collects.py "/proc/$first/cmdline"
await "it is no python" test "/proc/$first/exe" -ef "$python"
"$VMTAP" trace -q -n 'tick-10ms /!begun++/ { printf("begun\n"); } python*:::gc-start /arg0 == 2/ { @[pid, probename] = count(); }
	END { printa("%d %s %@d\n", @); }' >"$directory/out" 2>"$directory/err" </dev/null &
tracer=$!
pids+=("$tracer")
await "it does not begin" grep -q begun "$directory/out"
touch "$directory/go"
wait "$first"
$python "$directory/collects.py" "$directory/go" 50 &
second=$!
wait "$second"
kill -INT "$tracer"
wait "$tracer" || fail "status $?"
has out "^$first gc-start 30$"
has out "^$second gc-start 50$"
has_not err 'may be missing'
exit 0
