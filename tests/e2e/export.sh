#!/bin/bash
# vmtap export: the timeline of a log with every kind of event, to the byte; what other people's
# parsers make of it; slices that nest whatever the log has; hostile names; errors.
# tests: src/cli/export
set -u
. tests/e2e/common

cat >"$directory/check.py" <<'PYTHON'
# Checks that slices of each track nest, and prints how many there are.
import json, sys
events = json.loads(open(sys.argv[1], "rb").read().decode("utf-8", "strict"))["traceEvents"]
depth, last, slices, starts, ends = {}, {}, 0, set(), set()
for event in events:
    track = event["tid"]
    if event["ph"] == "M":
        continue
    assert event["ts"] >= last.get(track, 0) or event["ph"] == "C", "time goes back"
    last[track] = event["ts"]
    if event["ph"] == "B":
        depth[track] = depth.get(track, 0) + 1
        slices += 1
    elif event["ph"] == "E":
        depth[track] -= 1
        assert depth[track] >= 0, "an end without a begin"
    elif event["ph"] == "s":
        starts.add(event["id"])
    elif event["ph"] == "f":
        ends.add(event["id"])
assert not any(depth.values()), "open slices"
assert starts == ends
print(slices)
PYTHON
cat >"$directory/perfetto.py" <<'PYTHON'
# Reads a Perfetto trace by its wire format: slices nest on each track; prints how many there are.
import sys
def fields(data):
    at = 0
    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value
    while at < len(data):
        tag = varint()
        if tag & 7 == 0:
            value = varint()
        elif tag & 7 == 1:
            value, at = data[at:at + 8], at + 8
        else:
            assert tag & 7 == 2
            size = varint()
            value, at = data[at:at + size], at + size
            assert len(value) == size
        yield tag >> 3, value
depth, slices, names, tracks = {}, 0, set(), set()
for number, packet in fields(open(sys.argv[1], "rb").read()):
    assert number == 1
    event = dict(fields(packet))
    if 60 in event:
        track = dict(fields(event[60]))
        tracks.add(track[1])
        track.get(2, b"").decode("utf-8", "strict")
    if 12 in event:
        entry = dict(fields(dict(fields(event[12]))[2]))
        entry[2].decode("utf-8", "strict")
        names.add(entry[1])
    if 11 not in event:
        continue
    event = dict(fields(event[11]))
    assert event[11] in tracks, "a track that is not described"
    assert 10 not in event or event[10] in names, "a name that is not defined"
    event.get(23, b"").decode("utf-8", "strict")
    if event[9] in (1, 2):
        depth[event[11]] = depth.get(event[11], 0) + (1 if event[9] == 1 else -1)
        slices += event[9] == 1
        assert depth[event[11]] >= 0
assert not any(depth.values())
print(slices)
PYTHON
cat >"$directory/page.py" <<'PYTHON'
# Checks a page: one block of data, whose slices are within their track; prints how many there are.
import json, re, sys
text = open(sys.argv[1], "rb").read().decode("utf-8", "strict")
assert len(re.findall("<script", text)) == 2 and len(re.findall("</script", text)) == 2
assert re.findall("https?:", text) == [], "it refers to something"
data = json.loads(re.search('id="data">(.*?)</script>', text, re.S).group(1))
slices = 0
for track in data["tracks"]:
    lanes, start, flat = {}, 0, track["slices"]
    for i in range(0, len(flat), 6):
        depth, since, duration, name, note, count = flat[i:i + 6]
        start += since
        assert 0 <= start and start + duration <= data["duration"], "outside"
        assert start >= lanes.get(depth, 0), "slices of one depth overlap"
        assert name < len(data["names"]) and note < len(data["names"])
        lanes[depth] = start + duration
        slices += count
assert sum(data["pauses"]) == data["pause"]["count"]
print(slices)
PYTHON
both() { # the number of slices
	local slices
	run 0 export --chrome "$directory/log" -o "$directory/chrome"
	[ -s "$directory/out" ] || [ -s "$directory/err" ] && fail "it prints something"
	slices=$(python3 "$directory/check.py" "$directory/chrome") || fail "the JSON"
	[ "$slices" = "$1" ] || fail "$slices slices, expected $1"
	run 0 export --html "$directory/log" -o "$directory/page"
	slices=$(python3 "$directory/page.py" "$directory/page") || fail "the page"
	[ "$slices" = "$1" ] || fail "$slices slices in the page, expected $1"
	run 0 export --help
	grep -q 'not in this build' "$directory/out" && echo "left out: --perfetto: not in this build" && return
	run 0 export --perfetto "$directory/log" -o "$directory/perfetto"
	slices=$(python3 "$directory/perfetto.py" "$directory/perfetto") || fail "the Perfetto trace"
	[ "$slices" = "$1" ] || fail "$slices slices in the Perfetto trace, expected $1"
}

# every kind of event
make_log tests/timeline/all.events
both 24
diff tests/timeline/all.chrome "$directory/chrome" || fail "the timeline"

"$VMTAP" export --chrome - -o - <"$directory/log" | cmp - tests/timeline/all.chrome || fail "standard streams"

# ends without begins, begins without ends, in every order; losses; threads by the thousand
python3 - >"$directory/events" <<'PYTHON'
import random
random.seed(1)
probes = ["method-entry \"A\" \"x\" \"f\" 1 %d", "method-return \"A\" \"x\" \"f\" 1 %d",
    "thread-run %d", "thread-stop %d 3 0", "thread-stop %d 7 0", "thread-runnable %d",
    "thread-exit %d", "thread-create %d 0", "thread-migrate %d 1", "lock-wait %d 5 \"l\"",
    "lock-acquired %d 5 \"l\"", "pause-begin \"gc\"", "pause-end \"gc\"", "gc-start 0 0 10 \"c\" 1",
    "gc-end 0 0 5 \"c\" 1", "gc-phase-begin \"p\" 0", "gc-phase-end \"p\" 0", "gc-phase-begin \"p\" 1",
    "gc-phase-end \"p\" 1", "thread-park %d \"q\"", "thread-unpark %d \"q\"", "lock-release %d 5 \"l\"", "gc-work", "gc-idle", "gc-done", "gc-mark-begin", "gc-mark-end",
    "gc-sweep-begin", "gc-sweep-end", "load-entry \"f\" \"g\" 1", "load-return \"f\" \"g\" 1 0",
    "parse-begin \"f\" 1", "parse-end \"f\" 1", "raise \"E\" \"f\" 1 %d \"m\""]
print("block 0")
for time in range(1, 20000):
    probe = random.choice(probes)
    thread = random.choice([0, 1, 2, 3, time])
    print(time, probe % thread if "%" in probe else probe)
    if time % 5000 == 0:
        print("loss method-entry 3 %d %d" % (time, time))
    if time % 300 == 0:
        print("block", random.choice([0, 1, 65535]))
PYTHON
make_log "$directory/events"
"$VMTAP" export --chrome "$directory/log" -o "$directory/chrome" 2>"$directory/err" || fail "a log that is cut off"
has err 'ends without'
slices=$(python3 "$directory/check.py" "$directory/chrome") || fail "nesting"
[ "$slices" -gt 3000 ] || fail "only $slices slices"
grep -q 'events lost' "$directory/chrome" || fail "no losses"
run 0 export --html "$directory/log" -o "$directory/page"
python3 "$directory/page.py" "$directory/page" >"$directory/out" || fail "the page of a log that is cut off"

# calls beside a loss are not stacked up, and other tracks go on
python3 - >"$directory/events" <<'PYTHON'
print('block 0\n1000 method-entry "A" "a" "f" 1 1\n1100 pause-begin "gc"')
for time in range(1500, 2500, 10):
    print(time, 'method-entry "T" "t" "f" 1 1')
print('loss method-return 100 1500 2500\n2600 pause-end "gc"')
print('3000 method-entry "B" "b" "f" 1 1\n4000 method-return "B" "b" "f" 1 1\nend')
PYTHON
make_log "$directory/events"
run 0 export --chrome "$directory/log" -o "$directory/chrome"
has err '100 events were lost.*--lossless'
python3 - "$directory/chrome" <<'PYTHON' || fail "calls beside a loss: $(cat "$directory/chrome")"
import json, sys
events = json.load(open(sys.argv[1]))
events = events if isinstance(events, list) else events["traceEvents"]
begun = [e["name"] for e in events if e["ph"] == "B"]
ended = sorted(round(e["ts"] * 1000) % 10000 for e in events if e["ph"] == "E")
assert not [name for name in begun if name.startswith("T")], begun
assert len(begun) == 3 and ended == [1500, 2600, 4000], (begun, ended)
PYTHON

# names of all bytes
python3 - >"$directory/events" <<'PYTHON'
import sys
out = sys.stdout.buffer
quoted = {ord('"'): b'\\"', ord("\\"): b"\\\\", 10: b"\\n"}
every = b"".join(quoted.get(c, bytes([c])) for c in range(1, 256))
long = b"x" * 20000 + b"\xe6\xbc"
out.write(b"block 0\n")
time = 0
for name in (every, long, b"", "漢字\u2028".encode(), b"\xed\xa0\x80</script>"):
    for text in (b'method-entry "%s" "%s" "f" 1 1', b'user-msg "%s%s"', b'raise "%s%s" "f" 1 1 "m"',
            b'thread-label 1 "%s%s"', b'lock-wait 1 5 "%s%s"', b'pause-begin "%s%s"',
            b'parse-begin "%s%s" 1'):
        time += 10
        out.write(b"%d " % time + text % (name, name) + b"\n")
out.write(b"end\n")
PYTHON
make_log "$directory/events"
both 20

# errors
run 2 export "$directory/log" -o "$directory/chrome"
has err '^vmtap export: no form is named: --html'
# the file's name says the form, unless an option does
for form in html perfetto chrome; do
	case $form in perfetto) name=a.pftrace ;; chrome) name=a.json ;; *) name=a.html ;; esac
	run 0 export "$directory/log" -o "$directory/$name"
	run 0 export --$form "$directory/log" -o "$directory/b"
	cmp -s "$directory/$name" "$directory/b" || fail "$name has another form than --$form"
done
run 0 export --chrome "$directory/log" -o "$directory/c.html"
cmp -s "$directory/c.html" "$directory/b" || fail "the name counts for more than the option"
run 2 export --chrome --chrome "$directory/log" -o "$directory/chrome"
run 2 export --chrome "$directory/log"
has err 'no file is named'
run 2 export --chrome -o "$directory/chrome"
run 3 export --chrome "$directory/none" -o "$directory/new"
has err 'No such file'
[ -e "$directory/new" ] && fail "a file without a log"
run 3 export --chrome "$directory/log" -o "$directory/none/new"
run 3 export --chrome "$directory/log" -o /dev/full
has err '/dev/full: No space left'
head -c 1000 /dev/zero >"$directory/zero"
run 3 export --chrome "$directory/zero" -o "$directory/new"
[ -e "$directory/new" ] && fail "a file of what is no log"
exit 0
