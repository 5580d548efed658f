#!/bin/bash
# vmtap serve: pages are OpenMetrics for a strict reader, with the numbers that the VM has counted;
# hostile names, many rows, requests that are wrong, slow or too many; and its options.
# tests: src/cli/serve src/engine/output/metrics_writer.c
. tests/e2e/common
command -v python3 >/dev/null || { echo "python3 is missing"; exit 77; }
"$VMTAP" serve --listen 127.0.0.1:0 -n 'BEGIN { exit(0); }' 2>&1 | grep -q 'not in this build' &&
	{ echo "libmicrohttpd-dev was missing when vmtap was built"; exit 77; }

cat >"$directory/read.py" <<'P'
"""A strict reader of OpenMetrics: a dictionary of samples by name and labels."""
import re, sys, urllib.request

label = r'[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\n]|\\[\\"n])*"'
sample = re.compile(r'([a-zA-Z_][a-zA-Z0-9_]*)(?:\{(%s(?:,%s)*)?\})? (-?[0-9.]+)$' % (label, label))
suffixes = {"counter": ("_total",), "gauge": ("",), "histogram": ("_bucket", "_sum", "_count")}

def page(url):
    request = urllib.request.Request(url, headers={"Accept": "application/openmetrics-text;version=1.0.0,*/*;q=0.1"})
    with urllib.request.urlopen(request) as answer:
        kind = answer.headers["Content-Type"]
        assert kind.startswith("application/openmetrics-text; version=1.0.0"), kind
        return answer.read().decode()

def parse(text):
    assert text.endswith("# EOF\n"), text[-80:]
    families, helped, samples, family, kind = set(), set(), {}, None, None
    bounds = {}
    for line in text[:-len("# EOF\n")].splitlines():
        if line.startswith("# TYPE "):
            family, kind = line.split()[2:]
            assert family not in families, f"{family} twice"
            families.add(family)
        elif line.startswith("# HELP "):
            assert line.split()[2] == family and len(line.split()) > 4, line
            helped.add(family)
        elif line.startswith("# UNIT "):
            assert family.endswith("_" + line.split()[3]), line
        else:
            match = sample.match(line)
            assert match, line
            assert match[1] in [family + s for s in suffixes[kind]], f"{match[1]} in {family}"
            key = (match[1], match[2] or "")
            assert key not in samples, f"{key} twice"
            samples[key] = float(match[3])
            if match[1].endswith("_bucket") and kind == "histogram":
                labels, _, bound = key[1].rpartition("le=")
                bounds.setdefault(family, {}).setdefault(labels, []).append((bound, samples[key]))
    assert helped == families, families ^ helped
    for family, rows in bounds.items():
        assert len({tuple(b for b, _ in row) for row in rows.values()}) == 1, f"bounds of {family} differ"
        for row in rows.values():
            assert [c for _, c in row] == sorted(c for _, c in row), row
    return samples
P

serve() { # arguments: starts it and waits until it listens; sets server and url
	rm -f "$directory/log"
	"$VMTAP" serve --listen 127.0.0.1:0 "$@" >"$directory/served" 2>"$directory/log" &
	server=$!
	pids+=("$server")
	await "no address" grep -q 'serving http' "$directory/log"
	url=$(sed -n 's/^vmtap: serving //p' "$directory/log")
}
ends() { # signal, status
	kill "-$1" "$server"
	wait "$server"
	local status=$?
	[ "$status" = "$2" ] || fail "ended with $status: $(cat "$directory/log")"
}
check() { # Python that has samples
	PYTHONPATH=$directory python3 -c "
import sys, time
from read import page, parse
url = sys.argv[1]
for attempt in range(3000):
    samples = parse(page(url))
    ready = $1
    if ready: break
    time.sleep(0.01)
assert ready, samples
$2
" "$url" || fail "$2"
}

# The VM's own counters: it is asked when it has ended, and its rows are still there.
cat >"$directory/vm" <<V
#!/bin/sh
"$TOY" --stats=json examples/toy/programs/redefine.toy >/dev/null 2>"$directory/stats"
touch "$directory/done"
exec sleep 1000
V
chmod +x "$directory/vm"
serve --interval 20 --lossless metrics --follow -c "$directory/vm"
await "the toy does not end" [ -e "$directory/done" ]
cat >"$directory/compare.py" <<'P'
import json, re
def want(path):
    return json.loads([l for l in open(path).read().splitlines() if l.startswith("{")][-1])
def total(samples, name):
    return sum(v for (n, _), v in samples.items() if n == name)
P
check "__import__('compare').total(samples, 'vmtap_exceptions_total') >= __import__('compare').want('$directory/stats')['raise']" "
from compare import want, total
vm = want('$directory/stats')
assert total(samples, 'vmtap_exceptions_total') == vm['raise']
assert total(samples, 'vmtap_threads_created_total') == vm['thread-create']
labelled = [l for n, l in samples if 'pid=' in l]
assert labelled and all('runtime=\\\"toy ' in l for l in labelled), labelled"
ends INT 0

# The script for calls. The VM has ended when it is first shown, unless the machine is very slow.
rm "$directory/done"
serve --interval 1500 --lossless metrics_calls --follow -c "$directory/vm"
await "the toy does not end" [ -e "$directory/done" ]
check "all(__import__('compare').total(samples, metric) >= __import__('compare').want('$directory/stats')[probe]
        for metric, probe in (('vmtap_calls_total', 'method-entry'), ('vmtap_native_calls_total', 'native-entry')))" "
from compare import want, total
vm = want('$directory/stats')
assert total(samples, 'vmtap_calls_total') == vm['method-entry']
assert total(samples, 'vmtap_native_calls_total') == vm['native-entry']
assert any(n == 'vmtap_calls_total' and 'class=' in l for n, l in samples)
labelled = [l for n, l in samples if 'pid=' in l]
assert labelled and all('runtime=\\\"toy ' in l for l in labelled), labelled"
ends INT 0

# Every function, keys without a name and with one twice, negative numbers, seconds, names that meet.
serve --host vm.example --host=other.example --interval 10 --series 3 -n '
BEGIN
{
	this->a = "x\"\\y\nz";
	this->b = "\001<script>\377\342\202\254";
	@count[this->a, this->b, 1 + 1] = count();
	@least[this->a, this->a] = min(-5);
	@alike["\001"] = count();
	@alike["\002"] = count();
	@most = max(7);
	@mean = avg(9);
	@spread = stddev(9);
	@levels = sum(-3);
	@n_total = sum(12);
	@n = sum(13);
	@time_seconds["le"] = quantize(1500000000);
	@wide = lquantize(5, 0, 10, 2);
	@wide = lquantize(50, 0, 10, 2);
	@fine = lquantize(700, 0, 1000);
	@signed = lquantize(-7, -10, 10, 5);
	@power[1] = quantize(5);
	@power[2] = quantize(1 << 40);
	@power[2] = quantize(3, 4);
	@power[3] = quantize(-9, 2);
	@steps = llquantize(120, 10, 0, 3, 10);
	@le[this->le = 5] = count();
	@many[1] = sum(1); @many[2] = sum(2); @many[3] = sum(3); @many[4] = sum(4); @many[5] = sum(5);
	printf("printed\n");
}'
check "('vmtap_most', '') in samples" "
def one(name):
    return [(k[1], v) for k, v in samples.items() if k[0] == name]
assert one('vmtap_count_total') == [('a=\"x\\\\\"\\\\\\\\y\\\\nz\",b=\"\\\\\\\\001<script>\\\\\\\\377\u20ac\",key2=\"2\"', 1)], one('vmtap_count_total')
assert len({l for l, v in one('vmtap_alike_total')}) == 2, one('vmtap_alike_total')
assert [l.count('=') for l, v in one('vmtap_least')] == [2] and one('vmtap_least')[0][1] == -5
assert 'a_1=' in one('vmtap_least')[0][0]
assert one('vmtap_most') == [('', 7)] and one('vmtap_mean') == [('', 9)] and one('vmtap_spread') == [('', 0)]
assert one('vmtap_levels') == [('', -3)]
assert one('vmtap_n_total') == [('', 12)] and one('vmtap_n_2') == [('', 13)]
times = dict(one('vmtap_time_seconds_bucket'))
assert times['key0=\"le\",le=\"2.147483647\"'] == 1 and times['key0=\"le\",le=\"1.073741823\"'] == 0, times
assert list(times)[0] == 'key0=\"le\",le=\"6.3e-08\"' and list(times)[-2] == 'key0=\"le\",le=\"8796.093022207\"', times
assert one('vmtap_time_seconds_sum') == [('key0=\"le\"', 1.5)]
powers = dict(one('vmtap_power_bucket'))
def power(key, bound):
    return powers['key0=\"%d\",le=\"%s\"' % (key, bound)]
assert len(powers) == 3 * 50 and [power(1, b) for b in (0, 3, 7, '+Inf')] == [0, 0, 1, 1], powers
assert [power(2, b) for b in (1, 3, 2 ** 40 - 1, 2 ** 41 - 1)] == [0, 4, 4, 5]
assert [power(3, b) for b in (0, '+Inf')] == [2, 2]
assert dict(one('vmtap_power_sum')) == {'key0=\"1\"': 5, 'key0=\"2\"': 2 ** 40 + 12, 'key0=\"3\"': -18}
assert len(one('vmtap_fine_bucket')) <= 102 and sum(v for k, v in one('vmtap_fine_bucket')) in range(26, 34)
assert one('vmtap_signed_sum') == [] and ('le=\"-6\"', 1) in one('vmtap_signed_bucket'), one('vmtap_signed_bucket')
assert one('vmtap_time_seconds_count') == [('key0=\"le\"', 1)]
assert one('vmtap_wide_bucket') == [('le=\"1\"', 0), ('le=\"3\"', 0), ('le=\"5\"', 1), ('le=\"7\"', 1), ('le=\"9\"', 1), ('le=\"+Inf\"', 2)], one('vmtap_wide_bucket')
steps = dict(one('vmtap_steps_bucket'))
assert steps['le=\"199\"'] == 1 and steps['le=\"99\"'] == 0 and one('vmtap_steps_sum') == [('', 120)], steps
assert sorted(v for l, v in one('vmtap_many')) == [3, 4, 5]
assert samples[('vmtap_serve_series_left_out', 'aggregation=\"many\"')] == 2"

# Requests.
python3 - "$url" <<'P' || fail "requests"
import http.client, socket, sys, urllib.parse
place = urllib.parse.urlparse(sys.argv[1])
def ask(method, path, body=None):
    connection = http.client.HTTPConnection(place.hostname, place.port, timeout=60)
    connection.request(method, path, body)
    answer = connection.getresponse()
    return answer.status, answer.read(), answer.getheader("Allow")
assert ask("GET", "/metrics")[0] == 200
# Without a wish for OpenMetrics it is Prometheus's own format.
connection = http.client.HTTPConnection(place.hostname, place.port, timeout=60)
connection.request("GET", "/metrics")
answer = connection.getresponse()
assert answer.getheader("Content-Type").startswith("text/plain; version=0.0.4"), answer.getheader("Content-Type")
text = answer.read().decode()
assert "# TYPE vmtap_n_total counter" in text and "# HELP vmtap_n_total " in text and "# EOF" not in text and "# UNIT" not in text
# A page of somebody else whose name leads here is refused; an address or a name of ours is not.
def named(host):
    connection = http.client.HTTPConnection(place.hostname, place.port, timeout=60)
    connection.putrequest("GET", "/metrics", skip_host=True)
    connection.putheader("Host", host)
    connection.endheaders()
    answer = connection.getresponse()
    return answer.status, b"--host" in answer.read()
for host in ("localhost", "LOCALHOST:1", "127.0.0.1", "127.0.0.1:9464", "10.1.2.3:80", "[::1]:9464", "[fe80::1]", "vm.example:80", "Other.example", "localhost.", "vm.example.:80"):
    assert named(host)[0] == 200, host
for host in ("evil.example", "evil.example:9464", "localhost.evil.example", "127.0.0.1.evil.example", "[::1].evil.example", "[evil]", "", ":80",
             "localhost:80.evil.example", "localhost..", ".", "127.0.0.1.:x"):
    assert named(host) == (403, True), host
assert ask("HEAD", "/metrics")[:2] == (200, b"")
assert ask("GET", "/")[0] == 200 and ask("GET", "/none")[0] == 404
assert ask("GET", "/%00x")[0] == ask("GET", "/metrics%00")[0] == 404 and ask("GET", "/%6detrics")[0] == 200
for method in ("POST", "PUT", "DELETE", "OPTIONS"):
    assert ask(method, "/metrics", b"x" * 100)[0::2] == (405, "GET, HEAD"), method
for junk in (b"\r\n\r\n", b"\0" * 65536, b"GET " + b"/" * 100000, b"GET /metrics HTTP/1.1\r\nX: " + b"y" * 99999):
    peer = socket.create_connection((place.hostname, place.port))
    try:
        peer.sendall(junk)
        peer.shutdown(socket.SHUT_WR)
        peer.recv(100)
    except OSError:
        pass
    peer.close()
# Peers that send nothing, and others that read nothing: more than there is room for. While they are
# there, and go on sending byte after byte, somebody else gets his answer.
peers = []
for i in range(200):
    peer = socket.create_connection((place.hostname, place.port))
    try:
        peer.sendall(b"GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n" * (i % 2) or b"GET /me")
    except OSError:
        pass
    peers.append(peer)
for attempt in range(3000):
    for peer in peers[::2]:
        try:
            peer.send(b"t")
        except OSError:
            pass
    try:
        status = ask("GET", "/metrics")[0]
    except OSError:
        continue
    assert status == 200
    break
else:
    raise SystemExit("no answer any more")
for peer in peers:
    peer.close()
assert ask("GET", "/metrics")[0] == 200
P
ends TERM 0

# Options.
run 2 serve --host
run 2 serve --listen
has err "requires an argument"
for address in 127.0.0.1 127.0.0.1: 127.0.0.1:http ::1:80 '[::1:80' 127.0.0.1:65536; do
	run 3 serve --listen "$address" -n 'BEGIN { exit(0); }'
	has err '^vmtap: .*(HOST:PORT|brackets|without)'
done
run 3 serve --listen "${url#http://}" -n 'BEGIN { exit(0); }'
run 2 serve --interval 0
has err "'0' is not a number from 1 to"
run 2 serve --series x
run 2 serve nothing
has err "there is no script 'nothing'"
run 2 serve -l
run 0 serve --help
run 1 serve --listen 127.0.0.1:0 -n 'BEGIN { @a = }'
run 5 serve --listen 127.0.0.1:0 -n 'BEGIN { exit(5); }'
