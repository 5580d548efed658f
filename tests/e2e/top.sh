#!/bin/bash
# vmtap top: what it shows of a VM adds up, by samples and exactly, as lines and on a terminal; keys,
# scripts of one's own, hostile names, VMs that come and go, and wrong options.
# tests: src/cli/top
. tests/e2e/common
trees=examples/toy/programs/binary_trees.toy

# a single table of a whole run: every call of build makes one tree
run 0 top --exact --lossless --interval 3600000 --rows 100 -c "$TOY $trees 8"
has out '^[0-9]+ toy: GC [0-9.]+ %, pauses [0-9]+/s [0-9.]+ %, threads [0-9]+, allocated [0-9.]+[MG]? bytes/s$'
has out '^ >SELF %  TOTAL %    CALLS/s    BYTES/s  METHOD$'
python3 - "$directory/out" <<'P' || fail "the table"
import sys
rows = {}
for line in open(sys.argv[1]):
    words = line.split(maxsplit=4)
    if len(words) == 5 and words[0][0].isdigit() and "%" not in line:
        try:
            rows[words[4].strip()] = [float(w) for w in words[:4]]
        except ValueError:
            pass
build, init = rows["Tree.build"], rows["Tree#init"]
assert abs(build[2] - init[2]) <= 1 and build[2] > 0, (build, init)
assert build[3] > 0 and init[3] == 0, (build, init)
for name, (own, total, _, _) in rows.items():
    assert own <= total + 0.1 and total <= 110, (name, own, total)
assert build[1] >= build[0] + init[0] - 0.2, (build, init)
own = [r[0] for r in rows.values()]
assert own == sorted(own, reverse=True) and sum(own) <= 110, own
P

# samples: the time of the same methods, no calls
cat >"$directory/busy.toy" <<'TOY'
class Busy
  def leaf
    i = 0
    while i < 3000
      i = i + 1
    end
  end
  def branch
    leaf
  end
end
b = Busy.new
while true
  b.branch
end
TOY
{ "$VMTAP" scripts top; echo 'vm*:::sample /++n == 50/ { exit(0); }'; } >"$directory/samples.d"
run 0 top --interval 3600000 --sort total -s "$directory/samples.d" -c "$TOY $directory/busy.toy"
has out '^[0-9]+ toy: threads 1$'
has out '^  SELF % >TOTAL %  METHOD$'
read -r self total name < <(grep -m1 -E '#leaf$' "$directory/out")
[ "$self $name" = "$total Busy#leaf" ] || fail "the leaf of the samples"
awk '/#leaf$/ { leaf = $2 } /#branch$/ { branch = $2; own = $1 } / \(file\)$/ { file = $2 }
	END { exit !(leaf > 0 && branch >= leaf && file >= branch && own <= branch - leaf + 0.2) }' "$directory/out" ||
	fail "the shares of the samples"

# columns, order, filter, rows; a script of one's own
cat >"$directory/own.d" <<'D'
#pragma D option quiet
tick-1ms
{
	this->a = "\033]0;title\007\302\233";
	this->b = "x\342\200\256y\377";
	@calls[1, "A", "first"] = sum(5000);
	@calls[1, "B", "second"] = sum(9000);
	@bytes[1, "A", "first"] = sum(70);
	@self[1, this->a, this->b] = sum(1000000);
	@other[1, "not", "shown"] = sum(1);
	@paused[1, this->a] = sum(1);
}
D
run 0 top -s "$directory/own.d" --sort calls -n 'tick-50ms { exit(0); }'
has out '>CALLS/s'
has out '  \?]0;title\?\?#x\?y\?$'
has out '^1 \?]0;title\?\?: pauses 0/s 0\.0 %$'
has_not out shown
LC_ALL=C grep -qP '[\x00-\x09\x0b-\x1f\x7f-\xff]' "$directory/out" && fail "a control character went through"
[ "$(grep -oE '(second|first)$' "$directory/out" | head -2 | tr '\n' ' ')" = "second first " ] || fail "the order"
# what has no row, or no name, is a row all the same: the rows add up to what was measured
run 0 top -s "$directory/own.d" --sort calls --rows 1 -n 'tick-50ms { exit(0); }'
has out '^ +[0-9.]+ +[0-9.]+M? +[1-9][0-9.]*M?  \[other\]$'
cat >"$directory/many.d" <<'D'
#pragma D option quiet
#pragma D option aggsize=64m
tick-1ms
/i < 700/
{
	i++;
	@self[1, lltostr(i)] = sum(1000000);
	@self[1, ""] = sum(1000000);
	@calls[1, lltostr(i)] = sum(1);
}
tick-1ms
/i == 700/
{
	exit(0);
}
D
run 0 top -s "$directory/many.d" --rows 3 --interval 3600000 --plain
awk '/SELF/ { rows = 0 } NF == 3 && $3 != "METHOD" { self[rows++] = $1; name = $3 } NF == 4 && $4 == "method)" { self[rows++] = $1; none++ }
	END { exit !(rows == 4 && none == 1 && name == "[other]" && self[0] > 0 && self[3] > 0.9 * self[0]) }' "$directory/out" ||
	fail "the row of all others"
run 0 top -s "$directory/own.d" --sort name --filter st --rows 1 -n 'tick-50ms { exit(0); }'
[ "$(grep -cE '  A#first$' "$directory/out")" = 1 ] || fail "--rows"
has_not out 'second|title.*x'

# several VMs: the pid is a column
cat >"$directory/two" <<V
#!/bin/sh
"$TOY" $trees 6 &
exec "$TOY" $trees 6
V
chmod +x "$directory/two"
run 0 top --exact --lossless --interval 3600000 --follow -c "$directory/two"
has out '^     PID  >SELF %'
[ "$(grep -cE '^ +[0-9]+ .* Tree#init$' "$directory/out")" = 2 ] || fail "two VMs"

# --count ends it; the VM goes on
"$TOY" tests/toy/loop.toy >/dev/null 2>&1 &
pid=$!
pids+=("$pid")
await_stream "$pid"
run 0 top --interval 50 --count 3 -p "$pid"
[ "$(grep -c '>SELF' "$directory/out")" = 3 ] || fail "--count"
kill -0 "$pid" || fail "the VM has ended"
# a closed pipe ends it; a reader that has seen enough needs no message
timeout "${COMMAND_SECONDS:-300}" "$VMTAP" top --interval 50 -p "$pid" 2>"$directory/err" | head -n 1 >"$directory/out"
[ "${PIPESTATUS[0]}" = 141 ] || fail "a closed pipe does not end it"
is_silent || fail "a closed pipe"

# Events that are lost while the table is not read are counted in its interval. The other trace ends
# when the VM has fired more of them than any queue holds; that it loses one itself, on a machine that
# is busy, is no matter.
lose() { # the pid of a top that has begun
	kill -STOP "$1"
	"$VMTAP" trace --lossless -qn 'vm$target:::method-entry /++n == 1500000/ { exit(0); }' -p "$pid" 2>/dev/null
	kill -CONT "$1"
}
"$VMTAP" top --exact --interval 100 -p "$pid" >"$directory/lines" 2>"$directory/messages" &
top=$!
pids+=("$top")
await "top shows nothing" grep -q 'Worker#work' "$directory/lines"
lose "$top"
await "top says nothing of losses" grep -qE '^[1-9][0-9]+ events lost in this interval, the figures are wrong: with --lossless the VM waits, and samples lose fewer$' "$directory/lines"
kill -INT "$top"
wait "$top" || fail "top has failed"
run 0 top --exact --lossless --interval 50 --count 3 -p "$pid"
has_not out 'lost'

# nothing to show yet
echo 'tick-1s { @x = count(); }' >"$directory/idle.d"
run 0 top --interval 50 --count 1 -p "$pid" -s "$directory/idle.d"
has out '^no events yet$'

# wrong options
for wrong in "--interval 0" "--interval" "--count x" "--sort size" "--rows -1" "--log x" "-o x" "-l" "-e" \
	"--filter $(printf '%0100d' 0)"; do
	# shellcheck disable=SC2086
	run 2 top $wrong
	has err "vmtap top"
done
run 0 top --help
run 3 top --count 1 -p 999999999

# on a terminal
ldd "$VMTAP" 2>/dev/null | grep -q ncurses || { echo "left out: the screen: built without ncurses" && exit 0; }
PYTHONPATH=tests/e2e python3 - "$VMTAP" "$pid" "$TOY" "$directory" <<'P' || fail "the screen"
import os, re, signal, subprocess, sys
from screen import Screen
vmtap, pid, toy, directory = sys.argv[1:]

def shows(text):
    return lambda lines: any(text in line for line in lines)

with Screen([vmtap, "top", "--interval", "100", "-p", pid]) as screen:
    screen.wait(lambda lines: shows(pid + " toy: ")(lines) and shows("#")(lines))
    # samples have no calls and no bytes: neither columns nor keys for them
    assert not shows("/s  METHOD")(screen.lines()) and not shows(" - ")(screen.lines()), screen.lines()
    for key, name in (("t", ">TOTAL"), ("cb", ">TOTAL"), ("n", ">METHOD"), ("s", ">SELF")):
        screen.type(key)
        screen.wait(shows(name))
    screen.type("?")
    screen.wait(lambda lines: shows("sort by own time")(lines) and shows("quit")(lines) and not shows("SELF %")(lines))
    assert not shows("sort by calls")(screen.lines()), screen.lines()
    screen.type("x")
    screen.wait(shows(">SELF %"))
    screen.type("p")
    screen.wait(shows("   paused"))
    screen.type(" ")
    screen.wait(lambda lines: not shows("   paused")(lines) and shows("quit")(lines))
    screen.type("/no such\x7f\x7f method")
    screen.wait(shows("contain: no su method_"))
    screen.type("\r")
    screen.wait(lambda lines: shows("only 'no su method'")(lines) and not any("#" in line for line in lines))
    screen.type("\x1b")
    screen.wait(lambda lines: shows("#")(lines) and not shows("only")(lines))
    screen.resize(8, 70)
    screen.wait(lambda lines: shows("SELF %")(lines) and shows("#")(lines) and len(lines) == 8)
    screen.type("\x1b[6~zq")
    assert screen.end() == 0
    # the last table stays, once, with what has room
    lines = screen.lines()
    assert sum(">SELF %" in line for line in lines) == 1 and not shows("keys")(lines), lines
    assert any(line.startswith(pid + " toy") for line in lines) and any(re.match(" +[0-9.]+ +[0-9.]+  [^ ]", line) for line in lines), lines

# it stays also when the command ends by itself
with Screen([vmtap, "top", "--exact", "--lossless", "--interval", "100", "-c",
             f"{toy} examples/toy/programs/binary_trees.toy 7"]) as screen:
    assert screen.end() == 0
    lines = screen.lines()
    assert sum(">SELF %" in line for line in lines) == 1 and shows("METHOD")(lines), lines

# on a narrow terminal, columns go before methods, and names lose their front
open(directory + "/long.d", "w").write('''
#pragma D option quiet
tick-10ms
{
	@self[1, "com.example.a.rather.long.package.Name", "theMethodItself"] = sum(1000000);
	@total[1, "com.example.a.rather.long.package.Name", "theMethodItself"] = sum(1000000);
	@calls[1, "com.example.a.rather.long.package.Name", "theMethodItself"] = sum(1000000);
	@bytes[1, "com.example.a.rather.long.package.Name", "theMethodItself"] = sum(1000000);
}
''')
with Screen([vmtap, "top", "--interval", "50", "-s", directory + "/long.d"], columns=40) as screen:
    screen.wait(lambda lines: any(line.endswith(" …Name#theMethodItself") for line in lines))
    assert shows("TOTAL %  METHOD")(screen.lines()) and not shows("CALLS")(screen.lines()), screen.lines()
    screen.type("b")
    screen.wait(lambda lines: shows(">BYTES/s ")(lines) and shows("#theMethodItself")(lines))
    screen.resize(24, 20)
    screen.wait(lambda lines: any(line.endswith(" …dItself") for line in lines))
    screen.resize(24, 120)
    screen.wait(shows("com.example.a.rather.long.package.Name#theMethodItself"))
    screen.type("?")
    screen.wait(shows("sort by bytes allocated"))
    screen.type("q")
    assert screen.end() == 0

# colors where the terminal has them, unless they are not wanted; other sequences are those of vt100
class Colored(Screen):
    def feed(self, data):
        pass
def colored(environment):
    with Colored([vmtap, "top", "--interval", "50", "-s", directory + "/long.d"], environment=environment) as screen:
        end = 0
        while b"Itself" not in screen.raw[end:]:
            assert screen.read(1)
        screen.type("q")
        assert screen.end() == 0
        return bool(re.search(rb"\x1b\[([0-9;]*;)?3[0-7]m", screen.raw))
assert colored([("TERM", "xterm-256color")])
assert not colored([("TERM", "xterm-256color"), ("NO_COLOR", "1")])
with Screen([vmtap, "top", "--count", "1", "--interval", "50", "-p", pid], environment=[("TERM", "dumb")]) as screen:
    assert screen.end() == 0
    assert b"\x1b" not in screen.raw and b"METHOD" in screen.raw and b"cannot" not in screen.raw, screen.raw

# losses are on the screen, too
with Screen([vmtap, "top", "--exact", "--interval", "100", "-p", pid]) as screen:
    screen.resize(24, 120)
    screen.wait(shows("#"))
    os.kill(screen.pid, signal.SIGSTOP)
    subprocess.run([vmtap, "trace", "--lossless", "-p", pid, "-qn",
                    "vm$target:::method-entry /++n == 1500000/ { exit(0); }"], stderr=subprocess.DEVNULL)
    os.kill(screen.pid, signal.SIGCONT)
    screen.wait(shows("events lost in this interval, the figures are wrong: with --lossless the VM waits"))
    screen.type("q")
    assert screen.end() == 0

# ^C ends it too; what a command prints does not disturb the screen, its errors are shown and kept
open(directory + "/noisy.toy", "w").write("i = 0\nwhile true\n  print(\"NOISE\")\n  i.abs()\nend\n")
with Screen([vmtap, "top", "--via=stream", "--interval", "100", "-c", f"sh -c 'echo HELLO >&2; exec {toy} {directory}/noisy.toy'"]) as screen:
    screen.wait(lambda lines: shows("HELLO")(lines) and shows("(file)")(lines))
    assert not shows("NOISE")(screen.lines())
    screen.type("\x03")
    assert screen.end() == 0, screen.lines()
    assert b"HELLO\r\n" in screen.raw

# hostile names
with Screen([vmtap, "top", "--interval", "50", "-s", directory + "/own.d"]) as screen:
    screen.wait(shows("?]0;title??#x?y?"))
    assert b"\x1b]0;" not in screen.raw and b"\xc2\x9b" not in screen.raw and b"\xe2\x80\xae" not in screen.raw
    screen.type("q")
    assert screen.end() == 0

# a terminal that cannot be used: lines (ncurses itself keeps some memory then); one that goes away: it ends
nothing = [("TERM", "nothing"), ("ASAN_OPTIONS", "detect_leaks=0")]
with Screen([vmtap, "top", "--count", "1", "--interval", "50", "-p", pid], environment=nothing) as screen:
    assert screen.end() == 0
    assert b"lines are printed instead" in screen.raw and b"METHOD" in screen.raw
screen = Screen([vmtap, "top", "--interval", "50", "-p", pid])
screen.wait(shows("METHOD"))
os.close(screen.terminal)
os.waitpid(screen.pid, 0)
P
kill -0 "$pid" || fail "the VM has ended"
exit 0
