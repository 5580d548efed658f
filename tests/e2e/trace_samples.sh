#!/bin/bash
# profile-n over the event stream, without privilege: the VM's own samples, by time and by bytes. The
# shares that they give agree with exact ones within what the number of samples allows.
# tests: src/shim/extra/sampler.c src/shim/extra/cpu_timer.c src/shim/server/server_samples.c
. tests/e2e/common
cat >"$directory/loop.toy" <<'TOY'
class Point
  def init
    @x = 1
  end
end
def short
  i = 0
  while i < 2000
    i = i + 1
  end
end
def long
  i = 0
  while i < 6000
    i = i + 1
  end
end
def points
  i = 0
  while i < 100
    Point.new
    i = i + 1
  end
end
def arrays
  i = 0
  while i < 100
    x = [1, 2, 3, 4, 5, 6, 7, 8]
    i = i + 1
  end
end
while true
  short
  long
  points
  arrays
end
TOY
# $1 method, in shares of what the samples and the exact figures say: the difference is at most five
# standard deviations of a share among so many samples, and what a safepoint's bias may be.
agree() {
	python3 - "$directory/out" "$@" <<'P' || fail "the shares of the samples"
import re, sys
sampled, exact, count = {}, {}, 0
for line in open(sys.argv[1]):
    words = line.split()
    if words and words[0] == "sampled":
        sampled[words[1].split("#")[-1]] = sampled.get(words[1].split("#")[-1], 0) + int(words[-1])
    elif words and words[0] == "exact":
        exact[words[1]] = exact.get(words[1], 0) + int(words[2])
    elif words and words[0] == "count":
        count = int(words[1])
wanted = sys.argv[2:]
print(sampled, exact, count)
assert count >= 200
for name in wanted:
    a = sampled.get(name, 0) / sum(sampled.get(other, 0) for other in wanted)
    b = exact[name] / sum(exact[other] for other in wanted)
    bound = 5 * (b * (1 - b) / count) ** 0.5 + 0.03
    print(name, a, b, bound)
    assert abs(a - b) <= bound
P
}
cat >"$directory/time.d" <<'D'
#pragma D option quiet
profile-397hz
{
	@sampled[jstack(1)] = sum(arg2);
	@threads[arg1] = count();
	@zero = max(arg0);
	@count = count();
	n++;
}
method-entry /copyinstr(arg1) == "short" || copyinstr(arg1) == "long"/ { began[arg4] = vtimestamp; }
method-return /began[arg4]/
{
	@exact[copyinstr(arg1)] = sum(vtimestamp - began[arg4]);
	began[arg4] = 0;
}
profile-397hz /n == 300/ { exit(0); }
END
{
	printa("sampled %k %@d\n", @sampled);
	printa("exact %s %@d\n", @exact);
	printa("count %@d\n", @count);
	printa("thread %d\n", @threads);
	printa("zero %@d\n", @zero);
}
D
joined() { # puts the lines of each stack into one
	awk '/^sampled *$/ { printf "sampled "; next } /^ *[A-Za-z()]+#|^ *\(file\) / { printf "%s ", $0; next } { print }' \
		"$directory/out" >"$directory/joined"
	mv "$directory/joined" "$directory/out"
}
run 0 trace --lossless -s "$directory/time.d" -c "$TOY $directory/loop.toy"
has_not err 'does not walk'
joined
agree short long
has out '^thread 1$'
has out '^zero 0$'

# What waits takes nothing of the CPU time that was used before it: one method computes, the other
# waits for somebody who writes to a pipe.
mkfifo "$directory/pipe"
cat >"$directory/waits.toy" <<'TOY'
def computes
  i = 0
  while i < 60000
    i = i + 1
  end
end
def waits
  File.read(VM.arguments[0])
end
while true
  computes
  waits
end
TOY
python3 - "$directory/pipe" <<'P' &
import os, random, sys, time
while True:
    with open(sys.argv[1], "w"):
        time.sleep(random.uniform(0.002, 0.006))
P
pids+=("$!")
sed 's/"short"/"computes"/; s/"long"/"waits"/; s/397hz/97hz/; s/n == 300/n == 200/' "$directory/time.d" >"$directory/waits.d"
run 0 trace --lossless -s "$directory/waits.d" -c "$TOY $directory/waits.toy $directory/pipe"
joined
agree computes waits
# By elapsed time, the wait counts.
run 0 trace --via=stream -x sample=wall:200hz -qn 'vm$target:::sample { @[jstack(1)] = sum(args[2]); n++; }
	vm$target:::sample /n == 100/ { exit(0); } END { printa("sampled %k %@d\n", @); }' \
	-c "$TOY $directory/waits.toy $directory/pipe"
joined
awk '/#waits/ { waits = $NF } { all += $NF } END { exit !(waits > 0.3 * all) }' "$directory/out" || fail "elapsed time"
run 0 top --wall --count 1 -c "$TOY $directory/waits.toy $directory/pipe"
has out '  METHOD, by samples of elapsed time$'
run 0 top --count 1 -c "$TOY $directory/waits.toy $directory/pipe"
has out '  METHOD, by samples of CPU time$'
run 2 top --wall --exact
run 2 flame --wall "$directory/log" -o -
# A picture says what its samples are of, also if there can be no timers.
"$TOY" "$directory/waits.toy" "$directory/pipe" >/dev/null 2>&1 &
pids+=($!)
await_stream "$!"
run 0 flame --samples --seconds 1 -o "$directory/graph" "$!"
grep -q '>CPU time by samples: ' "$directory/graph" || fail "the title"
run 0 flame --wall --seconds 1 -o "$directory/graph" "$!"
grep -q '>elapsed time by samples: ' "$directory/graph" || fail "the title of elapsed time"
timeout -s INT 1 "$VMTAP" record --samples -o "$directory/log" -p "$!" >/dev/null 2>&1
run 0 flame -o "$directory/graph" "$directory/log"
grep -q '>CPU time by samples: ' "$directory/graph" || fail "the title of a log"
kill -KILL "$!"
(ulimit -i 0 && exec "$TOY" "$directory/waits.toy" "$directory/pipe" >/dev/null 2>&1) &
pids+=($!)
await_stream "$!"
run 0 flame --samples --seconds 1 -o "$directory/graph" "$!"
grep -q '>CPU time by samples at ticks of elapsed time: ' "$directory/graph" || fail "the title without timers"
has err "$!: samples became due at ticks of elapsed time"
run 0 top --count 1 -p "$!"
has err 'samples become due at ticks of elapsed time'
run 0 trace --via=stream -qn 'profile-97 /++n == 5/ { exit(0); }' -p "$!"
has err 'samples become due at ticks of elapsed time'
kill -KILL "$!"

# The same without any privilege.
if [ "$(id -u)" = 0 ] && setpriv --reuid nobody --clear-groups test -x "$VMTAP" -a -x "$TOY" \
	-a -r "$directory/.." 2>/dev/null; then
	chmod 755 "$directory"
	setpriv --reuid nobody --clear-groups env -u XDG_RUNTIME_DIR TMPDIR=/tmp "$VMTAP" trace -qn \
		'profile-97 { @[execname] = count(); n++; } profile-97 /n == 5/ { exit(0); }' \
		-c "$TOY $directory/loop.toy" >"$directory/out" 2>"$directory/err" </dev/null ||
		fail "without privilege: status $?"
	has out 'toy +5$'
else
	echo "left out: without privilege: only root can give it up, and setpriv does it, and the build is open to others"
fi
run 0 trace --via=stream -qn 'BEGIN { m = 0; } profile-10ms { n++; m += arg2 > 0; } profile-10ms /n == 10/ { exit(0); }
	END { printf("%d %d", n, m); }' -c "$TOY $directory/loop.toy"
has out '^10 10$'

# VMs that join later give samples too.
printf '#!/bin/sh\n"%s" "%s" &\nexec "%s" "%s"\n' "$TOY" "$directory/loop.toy" "$TOY" "$directory/loop.toy" >"$directory/two"
chmod +x "$directory/two"
run 0 trace --via=stream -qn 'profile-97 /!seen[pid]/ { seen[pid] = 1; n++; } profile-97 /n == 2/ { exit(0); }
	END { printf("%d", n); }' --follow -c "$directory/two"
has out '^2$'

# Two rates: the slower one fires for some of the faster one's samples.
run 0 trace -qn 'BEGIN { w = 0; } profile-200hz { @f[jstack(1)] = count(); f++; } profile-20hz { s++; w += arg2; }
	profile-200hz /f == 200/ { exit(0); } END { printf("%d %d", s, w / s >= 50000000); }' \
	-c "$TOY $directory/loop.toy"
has out '[1-9][0-9]* 1$'

# By bytes: option sample, and the probe itself.
cat >"$directory/bytes.d" <<'D'
#pragma D option quiet
#pragma D option sample=alloc:4k
vm$target:::sample { @sampled[jstack(1)] = sum(args[2]); @count = count(); n++; }
vm$target:::object-create { @exact["points"] = sum(args[1]); }
vm$target:::array-create { @exact["arrays"] = sum(args[3]); }
vm$target:::sample /n == 500/ { exit(0); }
END
{
	printa("sampled %k %@d\n", @sampled);
	printa("exact %s %@d\n", @exact);
	printa("count %@d\n", @count);
}
D
run 0 trace --lossless -s "$directory/bytes.d" -c "$TOY $directory/loop.toy"
joined
agree points arrays
# A script cannot have both, and another one's samples by time are not taken for bytes.
run 1 trace --via=stream -x sample=alloc:4k -n 'profile-97 { } vm$target:::sample { }' -c "$TOY $directory/loop.toy"
has err 'samples either by time, for profile-n, or by bytes, for option sample$'
"$TOY" "$directory/loop.toy" >/dev/null 2>&1 &
pids+=($!)
await_stream "$!"
"$VMTAP" trace -x sample=alloc:64k -qn 'vm$target:::sample { @ = count(); } BEGIN { printf("ready"); }' -p "$!" \
	>"$directory/bytes" 2>"$directory/lost" &
bytes=$!
pids+=("$bytes")
await "not traced" grep -q ready "$directory/bytes"
run 0 trace --via=stream -qn 'profile-997 /++n == 50/ { exit(0); }' -p "${pids[-2]}"
await "no drops" grep -qE '[1-9][0-9]* drops' "$directory/lost"
kill -INT "$bytes"
wait "$bytes"
kill -KILL "${pids[-2]}"
# and by time, for the probe itself
run 0 trace -x sample=5ms -qn 'vm$target:::sample { n++; @ = sum(args[2]); } vm$target:::sample /n == 10/ { exit(0); }' \
	-c "$TOY $directory/loop.toy"
# of a VM that is known by its socket alone
VMTAP_SOCKET="$directory/socket" "$TOY" "$directory/loop.toy" >/dev/null 2>&1 &
pids+=($!)
await "no socket" test -S "$directory/socket"
run 0 trace --via=stream --socket "$directory/socket" -qn 'profile-97 /++n == 3/ { exit(0); }'

# Over a log, its samples.
run 0 record --lossless -n 'vm$target:::sample' -o "$directory/log" -c "$TOY examples/toy/programs/richards.toy"
run 0 trace -qn 'profile-97 { @ = count(); }' --log "$directory/log"
has out '[1-9]'
for wrong in 0 alloc: alloc:0 5x x; do
	run 1 trace -x sample=$wrong -n BEGIN
	has err 'failed to set -x sample: Invalid value for specified option'
done
