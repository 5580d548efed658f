#!/bin/bash
# vmtap serve: Prometheus scrapes it, and what it stores equals what the script has counted.
. tests/e2e/common
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
