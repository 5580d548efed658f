#!/bin/bash
# vmtap serve: Prometheus scrapes it, and what it stores equals what the script has counted; promtool
# has no finding. Of ten VMs that come and go, its quantiles are those of the events.
. tests/e2e/common
alone "$0" "$@"
command -v prometheus >/dev/null || { echo "prometheus is missing"; exit 77; }
"$VMTAP" serve --listen 127.0.0.1:0 -n 'BEGIN { exit(0); }' 2>&1 | grep -q 'not in this build' &&
	{ echo "libmicrohttpd-dev was missing when vmtap was built"; exit 77; }
"$VMTAP" serve --listen 127.0.0.1:0 --interval 10 -n '
BEGIN
{
	this->class = "A \"class\" \\ of\nits own \342\202\254";
	@raised[this->class] = sum(0);
	@calls[this->class] = count();
	@calls[this->class] = count();
	@open = sum(-4);
	@pause_seconds = quantize(3000000);
	@pause_seconds = quantize(1500000000);
}' >/dev/null 2>"$directory/log" &
pids+=($!)
await "no address" grep -q 'serving http' "$directory/log"
address=$(sed -n 's|^vmtap: serving http://\([^/]*\)/.*|\1|p' "$directory/log")
cat >"$directory/settings.yml" <<Y
global: {scrape_interval: 1s}
scrape_configs:
  - job_name: vmtap
    static_configs: [{targets: ["$address"]}]
Y
port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
prometheus --config.file="$directory/settings.yml" --storage.tsdb.path="$directory/data" \
	--web.listen-address="127.0.0.1:$port" >"$directory/prometheus" 2>&1 &
pids+=($!)
curl() { # the page, as promtool reads it
	python3 -c 'import sys, urllib.request; sys.stdout.buffer.write(urllib.request.urlopen(sys.argv[1]).read())' "$1"
}
await "no page" eval 'curl "http://$address/metrics" | grep -q vmtap_calls_total'
curl "http://$address/metrics" >"$directory/page"
promtool check metrics <"$directory/page" >"$directory/out" 2>"$directory/err" || fail "promtool"
[ ! -s "$directory/out" ] && [ ! -s "$directory/err" ] || fail "promtool has a finding"
cat >"$directory/ask.py" <<'P'
import json, sys, urllib.parse, urllib.request
def ask(expression):
    with urllib.request.urlopen(f"http://127.0.0.1:{sys.argv[1]}/api/v1/query?" + urllib.parse.urlencode({"query": expression})) as answer:
        return [(r["metric"], r["value"][1]) for r in json.load(answer)["data"]["result"]]
rows = ask("vmtap_calls_total")
assert len(rows) == 1 and rows[0][1] == "2" and rows[0][0]["class"] == 'A "class" \\ of\nits own \u20ac', rows
assert ask("vmtap_open")[0][1] == "-4"
assert ask("vmtap_pause_seconds_count")[0][1] == "2"
assert ask('vmtap_pause_seconds_bucket{le="+Inf"}')[0][1] == "2"
assert ask('vmtap_pause_seconds_bucket{le="0.004194303"}')[0][1] == "1"
assert ask("vmtap_serve_faults_total")[0][1] == "0" and ask("up")[0][1] == "1"
P
tries=0
until python3 "$directory/ask.py" "$port" >"$directory/out" 2>"$directory/err"; do
	tries=$((tries + 1))
	[ "$tries" -lt 300 ] || { cat "$directory/prometheus"; fail "Prometheus has not stored it"; }
	sleep 0.2
done

# The script of ten VMs prints what it aggregates. Each VM's values are in another range.
"$VMTAP" serve --listen 127.0.0.1:0 --interval 100 --lossless -n '
#pragma D option quiet
vm*:::method-entry
/rand() % 16 == 0/
{
	this->ns = 1000 + rand() % (1000 << (2 * (pid % 10)));
	printf("%d %d\n", pid, this->ns);
	@time_seconds[pid] = quantize(this->ns);
}' >"$directory/events" 2>"$directory/log2" &
server=$!
pids+=("$server")
await "no address" grep -q 'serving http' "$directory/log2"
address=$(sed -n 's|^vmtap: serving http://\([^/]*\)/.*|\1|p' "$directory/log2")
sed -i "s/targets: .*/targets: [\"$address\"]}]/" "$directory/settings.yml"
kill -HUP "${pids[1]}"
target() {
	python3 - "$port" "$address" <<'P'
import json, sys, urllib.request
with urllib.request.urlopen(f"http://127.0.0.1:{sys.argv[1]}/api/v1/targets") as answer:
    assert [(t["labels"]["instance"], t["health"]) for t in json.load(answer)["data"]["activeTargets"]] == [(sys.argv[2], "up")]
P
}
await "Prometheus scrapes the other server" target
cat >"$directory/ten.py" <<'P'
"""Compares what Prometheus has stored with the events; fails until it has scraped all of them."""
import bisect, collections, json, math, sys, time, urllib.parse, urllib.request

def ask(path, **parameters):
    with urllib.request.urlopen(f"http://127.0.0.1:{sys.argv[1]}/api/v1/{path}?" + urllib.parse.urlencode(parameters)) as answer:
        return json.load(answer)["data"]["result"]

def query(expression):
    return {row["metric"].get("pid"): float(row["value"][1]) for row in ask("query", query=expression)}

events = collections.defaultdict(list)
for line in open(sys.argv[2]):
    pid, ns = line.split()
    events[pid].append(int(ns))
assert len(events) == 10, events.keys()
bounds = [2 ** n - 1 for n in range(6, 44)]

def quantile(q, values): # as Prometheus interpolates within a bucket
    rank, counts = q * len(values), collections.Counter(bisect.bisect_left(bounds, v) for v in values)
    seen = 0
    for bucket in range(len(bounds)):
        if seen + counts[bucket] >= rank and counts[bucket]:
            low = bounds[bucket - 1] if bucket else 0
            return (low + (bounds[bucket] - low) * (rank - seen) / counts[bucket]) / 1e9
        seen += counts[bucket]

assert query("vmtap_time_seconds_count") == {pid: len(v) for pid, v in events.items()}
for pid, total in query("vmtap_time_seconds_sum").items():
    assert math.isclose(total, sum(events[pid]) / 1e9, rel_tol=1e-12), (pid, total)
for q in (0.5, 0.9, 0.99, 0.999):
    everyone = query(f"histogram_quantile({q}, sum by (le) (vmtap_time_seconds_bucket))")[None]
    assert math.isclose(everyone, quantile(q, sum(events.values(), [])), rel_tol=1e-9), (q, everyone, quantile(q, sum(events.values(), [])))
    for pid, one in query(f"histogram_quantile({q}, vmtap_time_seconds_bucket)").items():
        assert math.isclose(one, quantile(q, events[pid]), rel_tol=1e-9), (q, pid, one)
# At all times each VM had all bounds, and no number ever became smaller.
series = ask("query_range", query="vmtap_time_seconds_bucket", start=time.time() - 600, end=time.time(), step=1)
assert len(series) == 10 * (len(bounds) + 1), len(series)
begins = collections.defaultdict(set)
for row in series:
    values = [float(v) for _, v in row["values"]]
    assert values == sorted(values), row
    begins[row["metric"]["pid"]].add(row["values"][0][0])
assert all(len(v) == 1 for v in begins.values()), begins
P
# Some are seen by Prometheus while they run, others only after their end.
for i in 1 2 3 4 5 6 7 8 9 10; do
	VMTAP_WAIT=1 "$TOY" examples/toy/programs/redefine.toy >/dev/null 2>&1 &
	toy=$!
	[ $((i % 3)) = 0 ] || wait "$toy"
	[ $((i % 5)) = 0 ] && await "Prometheus has not seen a VM" eval '
		curl "http://127.0.0.1:$port/api/v1/query?query=count(vmtap_time_seconds_count)" | grep -q "\"value\""'
done
wait "$toy"
tries=0
until sleep 0.2; python3 "$directory/ten.py" "$port" "$directory/events" >"$directory/out" 2>"$directory/err"; do
	tries=$((tries + 1))
	[ "$tries" -lt 300 ] || { cat "$directory/prometheus"; fail "Prometheus differs from the events"; }
done
kill -INT "$server"
