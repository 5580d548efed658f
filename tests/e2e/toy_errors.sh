#!/bin/bash
# Errors of toy programs: file, line, message, exit 1; wrong usage: exit 2. Deep
# recursion and a full heap can be caught; if they are not, the program ends with an error.
set -u
toy=${TOY:-build/toy}
temp=$(mktemp -d) || exit 1
trap 'rm -rf "$temp"' EXIT
failures=0

fail() {
	echo "$1"
	failures=$((failures + 1))
}

# expect STATUS MESSAGE [OPTION...]: runs $temp/p.toy, which is read from standard input.
# MESSAGE is all of standard error, with FILE for the program's path.
expect() {
	local status=$1 message=$2
	shift 2
	cat >"$temp/p.toy"
	timeout "${COMMAND_SECONDS:-300}" "$toy" "$@" "$temp/p.toy" >"$temp/out" 2>"$temp/err"
	local got=$?
	local said
	said=$(sed "s|$temp/p.toy|FILE|g; s|$temp|DIR|g" "$temp/err")
	[ "$got" -eq "$status" ] || fail "exit $got, not $status: $message"
	[ "$said" = "$message" ] || fail "message is: $said
  should be: $message"
}

expect 1 'FILE:2: SyntaxError: expression expected before "*"' <<'T'
print(1)
x = *
T
# another VM of the process: its error is told, and its status is the process's if the first one's is 0
echo 'raise Error.new("boom")' >"$temp/bad.toy"
expect 1 'DIR/bad.toy:1: Error: boom' <<'T'
VM.start("bad", File.beside("bad.toy"))
T
expect 3 'DIR/bad.toy:1: Error: boom' <<'T'
VM.start("bad", File.beside("bad.toy"))
exit(3)
T
expect 1 'FILE:1: LoadError: no/such.toy: No such file or directory' <<'T'
VM.start("none", "no/such.toy")
T
expect 1 'FILE:4: SyntaxError: "end" expected, the file ends here' <<'T'
if true
  print(1)

T
expect 1 'FILE:1: SyntaxError: string without an end' <<'T'
print("abc
T
expect 1 'FILE:2: SyntaxError: break outside a loop' <<'T'
print(1)
break
T
expect 1 'FILE:2: SyntaxError: class and def stand at the top level of a file only' <<'T'
if true
  def x
  end
end
T
expect 1 'FILE:2: NameError: no method missing for Int' <<'T'
x = 1
print(x.missing())
T
expect 1 'FILE:2: NameError: no method undefined_name for Nil' <<'T'

undefined_name
T
expect 1 'FILE:1: NameError: Nowhere is not defined' <<'T'
Nowhere.new()
T
expect 1 'FILE:2: Error: by hand' <<'T'
def f
  raise "by hand"
end
f()
T
expect 1 'FILE:4: ArgumentError: f takes 2 arguments, not 1' <<'T'
def f(a, b)
  a
end
f(1)
T
expect 1 'FILE:1: ZeroDivisionError: division by zero' <<'T'
1 / 0
T
expect 1 'FILE:1: TypeError: a number + String is not possible' <<'T'
1 + "a"
T
expect 1 'FILE:1: RangeError: integer overflow' <<'T'
140737488355327 + 1
T
expect 1 'FILE:2: StackError: calls nested too deeply' <<'T'
def deep(n)
  deep(n + 1) + 1
end
deep(0)
T
expect 1 'FILE:4: OutOfMemoryError: the heap is full' --heap=4M <<'T'
pile = []
i = 0
while true
  pile << "x" * 100000
end
T
expect 1 'FILE:1: LoadError: no file nowhere to require' <<'T'
require("nowhere")
T
expect 1 'FILE:1: ThreadError: deadlock: every thread waits for another' --caps=2 <<'T'
Queue.new(1).pop()
T
expect 7 '' <<'T'
def f
  exit(7)
end
begin
  f()
ensure
  print("not run")
end
T
[ -s "$temp/out" ] && fail "exit() has run an ensure body"

printf 'x = (\n' >"$temp/broken.toy"
expect 1 'FILE:1: SyntaxError: DIR/broken.toy:2: expression expected, the file ends here' <<'T'
require("broken")
T
# A missing file.
"$toy" "$temp/none.toy" >"$temp/out" 2>"$temp/err"
[ $? -eq 1 ] && grep -q "none.toy: No such file" "$temp/err" || fail "a program that is not there"

# Nested too deeply to be parsed: an error, not a crash.
python3 -c 'print("x = " + "(" * 100000)' >"$temp/deep.toy"
"$toy" "$temp/deep.toy" 2>"$temp/err"
[ $? -eq 1 ] && grep -q "deep.toy:1: SyntaxError: nested too deeply" "$temp/err" ||
	fail "deep parentheses: $(head -1 "$temp/err")"
python3 -c 'print("x = 1" + " + 1" * 100000)' >"$temp/deep.toy"
"$toy" "$temp/deep.toy" 2>"$temp/err"
[ $? -eq 1 ] && grep -q "deep.toy:1: SyntaxError: nested too deeply" "$temp/err" ||
	fail "long sum: $(head -1 "$temp/err")"

# Caught: the program goes on and can use the memory again.
expect 0 '' --heap=4M <<'T'
def deep(n)
  deep(n + 1) + 1
end
for i in 1..3
  begin
    deep(0)
  rescue StackError => error
    print(error.message)
  end
  begin
    pile = []
    while true
      pile << [1, 2, 3]
    end
  rescue OutOfMemoryError => error
    pile = nil
    print(error.message)
  end
end
print("x" * 1000000 == "x" * 1000000)
T
[ "$(grep -c 'the heap is full' "$temp/out")" -eq 3 ] || fail "a full heap was not caught thrice"
[ "$(grep -c 'nested too deeply' "$temp/out")" -eq 3 ] || fail "deep calls were not caught thrice"

for usage in "--caps=0" "--caps=x" "--heap=1" "--heap=12Q" "--stats=xml" "--nonsense" ""; do
	# shellcheck disable=SC2086
	"$toy" $usage >"$temp/out" 2>"$temp/err"
	[ $? -eq 2 ] && [ -s "$temp/err" ] || fail "usage '$usage' is not refused"
done
"$toy" --help | grep -q "usage: toy" || fail "--help"
"$toy" --version | grep -q "^toy [0-9]" || fail "--version"
exit $((failures > 0))
