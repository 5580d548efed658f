#!/bin/bash
# Option format=json: every line is JSON for a parser of other people, whatever bytes the program's
# names and messages contain; text and values agree with what the text format prints; losses and
# faults are records; a full output is reported.
# tests: src/engine/output/json_writer.c
set -u
. tests/e2e/common

cat >"$directory/events.py" <<'PYTHON'
import sys
out = sys.stdout.buffer
quoted = {ord('"'): b'\\"', ord("\\"): b"\\\\", 10: b"\\n"}
def text(data):
    return b'"' + b"".join(quoted.get(c, bytes([c])) for c in data) + b'"'
every = [bytes([c]) for c in range(1, 256)]
names = every + [bytes(range(1, 256)), "漢字 \u2028\u2029\U0001f600".encode(), b"\xed\xa0\x80",
    b"\xc0\xaf", b"\xf4\x90\x80\x80", b"</script><!--", b"\xf0\x9f\x98", b"{\"a\":1}\n{\"b\":2}", b""]
out.write(b"block 0\n")
for number, name in enumerate(names):
    out.write(b'%d method-entry %s "m" "f" 1 1\n' % (1000 + number, text(name)))
    out.write(b'%d user-msg %s\n' % (1000 + number, text(name)))
out.write(b"loss method-entry 7\nend\n")
PYTHON
python3 "$directory/events.py" >"$directory/events"
make_log "$directory/events"
clauses='method-entry { printf("%s|", copyinstr(arg0)); @[copyinstr(arg0)] = count(); }
	user-msg { trace(copyinstr(arg1)); }'
run 0 trace -q -n "$clauses"' END { trunc(@); }' --log "$directory/log"
cp "$directory/out" "$directory/text"
run 0 trace -q -x format=json -n "$clauses"' END { trace(*(int *)0); }' --log "$directory/log"
[ "$(cat "$directory/err")" = "vmtap: the log lost events: 'vmtap record --lossless' loses none" ] ||
	fail "losses and faults go to the output"
cat >"$directory/check.py" <<'PYTHON'
import json, sys
lines = open(sys.argv[1], "rb").read().split(b"\n")
assert lines.pop() == b"", "the last line has no end"
records = [json.loads(line.decode("utf-8", "strict")) for line in lines]
assert not any(c < 32 or c == 127 for line in lines for c in line), "a control character"
assert not any(b"</" in line for line in lines)
text = "".join(str(r.get("text", r.get("value"))) for r in records
    if r["type"] in ("printf", "trace", "printa"))
# each byte that is not of a character becomes one replacement character
def decode(data):
    out, at = "", 0
    while at < len(data):
        for size in (1, 2, 3, 4):
            try:
                out += data[at:at + size].decode()
                at += size
                break
            except UnicodeDecodeError:
                pass
        else:
            out += "\ufffd"
            at += 1
    return out
expected = decode(open(sys.argv[2], "rb").read())
assert text.strip() == expected.strip(), "text and JSON differ"
kinds = [r["type"] for r in records]
count = 255 + 9
assert kinds.count("printf") == kinds.count("trace") == count, kinds
assert kinds.count("printa") == 0 and kinds.count("error") == 1, "a fault discards its clause"
[rows] = [r for r in records if r["type"] == "aggregation"]
assert len(rows["rows"]) == count and all(r["values"] == [1] for r in rows["rows"])
[drop] = [r for r in records if r["type"] == "drop"]
assert drop["count"] == 7 and drop["kind"] == "PRINCIPAL"
[error] = [r for r in records if r["type"] == "error"]
assert error["name"] == "END" and error["fault"] == 1 and "invalid address" in error["text"]
PYTHON
python3 "$directory/check.py" "$directory/out" "$directory/text" || fail "the JSON"

# a fault of the script and a full output
run 0 trace -x format=json -o "$directory/file" -n 'BEGIN { exit(0); } END { printf("x"); }'
grep -q '^{"type":"probe".*}$' "$directory/file" || fail "a clause that prints nothing"
[ -s "$directory/out" ] && fail "-o"
run 1 trace -q -x format=json -o /dev/full -n 'BEGIN { printf("x"); exit(0); }'
has err 'failed to write to /dev/full: No space left'
run 1 trace -x format=yaml -n BEGIN
has err 'failed to set -x format: Invalid value'

# from a running VM, ended by a signal: whole lines, and the aggregation
"$TOY" tests/toy/loop.toy >/dev/null 2>&1 &
pids+=("$!")
await_stream "$!"
"$VMTAP" trace -q -x format=json -n 'vm$target:::method-entry { @[copyinstr(arg1)] = count(); }
	BEGIN { printf("begun"); }' -p "$!" >"$directory/out" 2>"$directory/err" </dev/null &
tracer=$!
pids+=("$tracer")
await "no first line" grep -q begun "$directory/out"
kill -INT "$tracer"
wait "$tracer"
kill -KILL "${pids[0]}"
wait "${pids[0]}" 2>/dev/null
grep -q '^{"type":"aggregation",' "$directory/out" || fail "no aggregation at the end"
python3 -c 'import json, sys
for line in open(sys.argv[1]): json.loads(line)' "$directory/out" || fail "a line that is not JSON"
exit 0
