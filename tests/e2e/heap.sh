#!/bin/bash
# vmtap heap: the objects and bytes of a VM's classes and sites are those that the guest program holds,
# and their growth is right, of a process and of a log; hostile names, damaged logs, errors.
# tests: src/cli/heap
. tests/e2e/common
program=$directory/points.toy
cat >"$program" <<'T'
class Point
  def init(x)
    @x = x
  end
end
$points = []
def fill(count)
  for i in 0...count
    $points << Point.new(i)
  end
end
fill(1000)
while File.read(VM.arguments()[0]) == "one"
end
fill(2000)
while File.read(VM.arguments()[0]) == "two"
end
T
say() {
	printf %s "$1" >"$directory/next"
	mv "$directory/next" "$directory/phase"
}
start() { # options of the toy
	say one
	"$TOY" "$@" "$program" "$directory/phase" >/dev/null 2>"$directory/toy.err" &
	pid=$!
	pids+=("$pid")
	await_stream "$pid"
}
row() { # label: its row, the fields separated by single blanks
	awk -v label="$1" '$NF == label { $1 = $1; print }' "$directory/out"
}
has_points() { # arguments of heap, pattern of the row
	"$VMTAP" heap "${@:1:$#-1}" >"$directory/out" 2>/dev/null
	row Point | grep -qE "${!#}"
}

# of a process: a class has as many objects as the program has made, each of the same size
start
await "1000 points" has_points --once "$pid" ' 1000 Point$'
run 0 heap --once "$pid"
has out '^sample [0-9]+: [0-9]+ bytes in [0-9]+ objects, [0-9]+ classes$'
has out '^ +BYTES  SHARE     OBJECTS  CLASS$'
has_not out MORE
bytes=$(row Point | cut -d ' ' -f 1)
[ $((bytes % 1000)) = 0 ] && [ "$bytes" -ge 8000 ] || fail "$bytes bytes of 1000 points"
awk '/^sample/ { bytes = $3; objects = $6 } $2 ~ /%$/ { seen += $1; counted += $3 }
	END { exit bytes != seen || objects != counted }' "$directory/out" || fail "the sum of the rows"

# growth, in a log and of the process: 2000 points more
"$VMTAP" record -p "$pid" --heap-profile=5ms -n 'vm*:::startup' -o "$directory/log" 2>/dev/null &
recorder=$!
pids+=("$recorder")
await "a sample in the log" has_points "$directory/log" ' 1000 '
"$VMTAP" heap --interval 300000 "$pid" >/dev/null 2>&1 &
waiting=$!
pids+=("$waiting")
say two
await "growth" has_points "$directory/log" "^$((3 * bytes)) [0-9.]+% 3000 \+$((2 * bytes)) \+2000 Point$"
run 0 heap --interval 1 --sort growth --rows 1 "$pid"
has out '^sample [0-9]+, [0-9.]+ s after sample [0-9]+: '
has out '^and [0-9]+ more$'
[ "$(grep -c '%' "$directory/out")" = 1 ] || fail "--rows"
kill -INT "$recorder"
wait "$recorder"
kill "$waiting"

# the order; samples by number
run 0 heap --sort objects "$directory/log"
[ "$(awk '/%/ { print $3 }' "$directory/out")" = "$(awk '/%/ { print $3 }' "$directory/out" | sort -rn)" ] || fail "--sort objects"
run 0 heap --sort growth "$directory/log"
[ "$(awk '/%/ { print $4 + 0 }' "$directory/out")" = "$(awk '/%/ { print $4 + 0 }' "$directory/out" | sort -rn)" ] || fail "--sort growth"
run 0 heap "$directory/log"
read -r first last < <(sed -nE 's/^sample ([0-9]+), .* after sample ([0-9]+):.*/\2 \1/p' "$directory/out")
run 0 heap --from "$first" --to "$first" "$directory/log"
has_not out MORE
[ "$(row Point)" = "$(row Point | sed -E 's/^[0-9]+/'"$bytes"'/')" ] || fail "--to: $(row Point)"
run 0 heap --from "$last" --to "$first" "$directory/log"
row Point | grep -q ' 1000 -[0-9]* -2000 Point' || fail "backwards: $(row Point)"
run 3 heap --to 1000000 "$directory/log"
has err 'there is no sample 1000000'
run 3 heap --from 1000000 "$directory/log"
has err 'there is no sample 1000000'
cp "$directory/out" "$directory/before"
"$VMTAP" heap - <"$directory/log" >"$directory/out" 2>&1 || fail "the standard input"
row Point | grep -q ' 3000 ' || fail "the standard input"

# by site; a VM that ends
say end
wait "$pid"
run 3 heap "$pid"
has err "$pid"
start --census=site
has_site() {
	"$VMTAP" heap --once "$pid" >"$directory/out" && grep -qE ' 1000  .*points.toy:9$' "$directory/out"
}
await "the points' site" has_site
has out '  SITE$'
"$VMTAP" heap --interval 300000 "$pid" >"$directory/out" 2>"$directory/err" &
waiting=$!
pids+=("$waiting")
await "the first sample" grep -q . "/proc/$waiting/stat"
say end
wait "$pid"
wait "$waiting"
[ $? = 3 ] || fail "the process has ended"

# a process that counts no objects of its own
run 3 heap 999999999
run 3 heap /nonexistent
has err '/nonexistent'
run 0 record -n 'vm*:::startup' -o "$directory/none" -c "$TOY examples/toy/programs/queens.toy"
run 3 heap "$directory/none"
has err 'no samples of a heap'
printf 'no log' >"$directory/bad"
run 0 heap --help
for wrong in "" "a b" "--rows 0 1" "--rows x 1" "--sort size 1" "--interval 1" "--interval 0 1" "--nothing 1" "--from 1 1" "4294967296"; do
	# shellcheck disable=SC2086
	run 2 heap $wrong
done

# a process that is stopped, and one without the library: one line each
start
kill -STOP "$pid"
run 3 heap -p "$pid"
[ "$(cat "$directory/err")" = "vmtap: process $pid (toy) is stopped and cannot answer: \`kill -CONT $pid\` lets it go on" ] ||
	fail "the line of a stopped process"
kill -CONT "$pid"
run 0 heap -p "$pid" --once
run 3 heap -p $$
has err "^vmtap: process $$ \(.*\) serves no event stream: heap shows VMs that contain libvmtap and count their objects"
[ "$(wc -l <"$directory/err")" = 1 ] || fail "more than one line"
run 2 heap -p $$ -p $$

# hostile names, samples that are cut, numbers of objects where none belong: a log made here
python3 - "$directory" <<'P' || fail "the crafted logs"
import random, struct, subprocess, sys, os
directory = sys.argv[1]
vmtap = os.environ.get("VMTAP", "build/vmtap")
types = {18: (14, b"Block marker"), 160: (0xffff, b"begin"), 162: (8, b"sample"), 164: (0xffff, b"label"),
         165: (8, b"end"), 410: (8, b"objects")}
header = b"hdrb" + b"hetb"
for number, (size, text) in types.items():
    header += b"etb\0" + struct.pack(">HHI", number, size, len(text)) + text + struct.pack(">I", 0) + b"ete\0"
header += b"hete" + b"hdre" + b"datb"
def event(number, payload):
    size = struct.pack(">H", len(payload)) if types[number][0] == 0xffff else b""
    return struct.pack(">HQ", number, 1000) + size + payload
def label(text, count):
    return event(164, b"\0" + struct.pack(">Q", count) + text + b"\0")
begin = event(160, b"\0" + struct.pack(">QI", 0, 7) + b"\0" * 7)
def sample(number, rows):
    data = event(162, struct.pack(">Q", number))
    for text, count, objects in rows:
        data += label(text, count) + (event(410, struct.pack(">Q", objects)) if objects else b"")
    return data + event(165, struct.pack(">Q", number))
hostile = [(b"\x1b]0;title\x07", 10, 1), (b"\xff\xfe\x80", 9, 1), ("a\u202eb\u200f".encode(), 8, 2),
           (b"line\nbreak\r", 7, 0), ("\u6f22\u5b57".encode(), 6, 1), (b"", 5, 1), (b"x" * 5000, 1 << 63, 1)]
def show(data, *options):
    path = directory + "/crafted"
    open(path, "wb").write(data)
    done = subprocess.run([vmtap, "heap", *options, path], capture_output=True)
    return done.returncode, done.stdout
log = header + begin + sample(1, hostile) + sample(2, hostile[:3])
status, out = show(log + b"\xff\xff")
assert status == 0, status
rows = out.decode()
assert not any(c < " " and c != "\n" or c in "\x7f\u202e\u200f" for c in rows), rows
for name in ("?]0;title?", "???", "a?b?", "line?break?", "\u6f22\u5b57"):
    assert any(line.endswith("  " + name) for line in rows.splitlines()), (name, rows)
# a sample that is cut is not shown
status, out = show(header + begin + sample(1, [(b"A", 5, 1)]) + sample(2, [(b"A", 50, 1)])[:-20])
assert status == 0 and b"+" not in out and b" 1  A" in out, out
# objects after no label, twice, or outside a sample do not count
stray = event(410, struct.pack(">Q", 77))
data = stray + event(162, struct.pack(">Q", 3)) + stray + label(b"A", 5) + stray + stray + label(b"B", 6)
status, out = show(header + begin + data + event(165, struct.pack(">Q", 3)) + stray)
assert status == 0 and b" 77  A" in out and out.count(b"77") == 2 and b" -  B" in out, out
# nothing but cost centres; no bytes at all of a log that is none
status, _ = show(b"no log")
assert status == 3
# whatever the bytes are, it ends in order
seed = random.Random(1)
for _ in range(150):
    damaged = bytearray(log)
    for _ in range(seed.randrange(1, 8)):
        damaged[seed.randrange(len(header) - 60, len(damaged))] = seed.choice((0, 1, 0xff, seed.randrange(256)))
    status, _ = show(bytes(damaged[:seed.randrange(len(header), len(damaged) + 1)]))
    assert status in (0, 3), status
P
exit 0
