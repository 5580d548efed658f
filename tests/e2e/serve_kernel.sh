#!/bin/bash
# vmtap serve: the sum of a histogram is exact where the kernel counts, and the same where it does not.
# tests: src/cli/serve src/engine/output/metrics_bounds.c
. tests/e2e/common
need_kernel
"$VMTAP" serve --listen 127.0.0.1:0 -n 'BEGIN { exit(0); }' 2>&1 | grep -q 'not in this build' &&
	{ echo "libmicrohttpd-dev was missing when vmtap was built"; exit 77; }
mkfifo "$directory/end"
cat >"$directory/writes" <<'P'
import os, sys
os.dup2(os.open("/dev/null", os.O_WRONLY), 77)
for size in range(1, 3000, 7):
    os.write(77, b"x" * size)
open(sys.argv[1]).read()
P
page() { # whether the page has all events; writes it
	python3 -c 'import sys, urllib.request; sys.stdout.buffer.write(urllib.request.urlopen(sys.argv[1]).read())' \
		"$url" >"$directory/page" && grep -q '^vmtap_powers_count 429$' "$directory/page"
}
for reduce in yes no; do
	rm -f "$directory/log"
	"$VMTAP" serve --listen 127.0.0.1:0 --interval 20 -x "reduce=$reduce" -c "python3 $directory/writes $directory/end" -n '
	syscall::write:entry
	/arg0 == 77/
	{
		@powers = quantize(arg2);
		@levels[arg0] = lquantize(arg2, 0, 2000, 100);
		@steps = llquantize(arg2, 10, 0, 3, 10);
		@weighted = quantize(arg2, arg2 % 5);
		@negative = quantize(-arg2);
	}' >"$directory/served" 2>"$directory/log" &
	server=$!
	pids+=("$server")
	await "no address" grep -q 'serving http' "$directory/log"
	url=$(sed -n 's/^vmtap: serving //p' "$directory/log")
	await "the page lacks events ($reduce)" page
	python3 - "$directory/page" <<'P' || fail "sums ($reduce): $(grep _sum "$directory/page")"
import sys
samples = dict(line.rstrip().rsplit(" ", 1) for line in open(sys.argv[1]) if line[0] != "#")
values = list(range(1, 3000, 7))
assert samples["vmtap_powers_sum"] == str(sum(values)) == samples["vmtap_steps_sum"]
assert samples['vmtap_levels_sum{arg0="77"}'] == str(sum(values))
assert samples["vmtap_weighted_sum"] == str(sum(v * (v % 5) for v in values))
assert samples["vmtap_weighted_count"] == str(sum(v % 5 for v in values))
assert samples["vmtap_negative_sum"] == str(-sum(values))
P
	: >"$directory/end"
	wait "$server" || fail "status $?"
done
