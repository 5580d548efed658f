#!/bin/bash
# The bundled scripts that combine a VM's probes with the kernel's, on the toy: by its event stream and
# through the kernel alone. What the program does in each method is known; so are the sizes of its files.
set -u
. tests/e2e/common
need_kernel

mkdir "$directory/lib"
printf 'require("inner")\ndef part_work() 1 end\n' >"$directory/lib/part.toy"
{ printf '# '; head -c 9000 /dev/zero | tr '\0' 'y'; printf '\ndef inner_work() 2 end\n'; } >"$directory/lib/inner.toy"
cat >"$directory/work.toy" <<'TOY'
require("lib/part")
class Reader
  def init(path)
    @path = path
  end
  def read_one()
    File.read(@path)
  end
  def read_two()
    self.read_one()
    self.read_one()
  end
end
def read_other(path) File.read(path) end
def read_often(path, count)
  for i in 1..count
    Thread.yield()
    File.read(path)
  end
end
def read_slowly(path, count)
  for i in 1..count
    Thread.yield()
    File.read(path)
    Thread.yield()
  end
end
def big() "x" * 8000000 end
def small() "x" * 2000000 end
here = File.beside("work.toy")
reader = Reader.new(here)
for i in 1..100
  reader.read_two()
end
for i in 1..50
  read_other(here)
end
# Two threads that share an OS thread.
one = Thread.new(fn() read_often(here, 40) end)
other = Thread.new(fn() read_slowly(here, 30) end)
one.join()
other.join()
a = big()
b = small()
TOY

# Runs a script; its table is in $directory/table. The buffer is large enough for a busy machine, where
# vmtap may not run for a while.
script() { # name, how, command, arguments
	rm -f "$directory/table"
	run 0 trace -b 32m $2 "$1" -o "$directory/table" -c "$3" "${@:4}"
	has_not err 'drop|error'
}
cell() { # column, the line's first words
	awk -v column="$1" -v first="$2" '{ $1 = $1 } index($0, first " ") == 1 { print $column }' "$directory/table"
}
is() { # what, expected, got
	[ "$3" = "$2" ] || { cat "$directory/table"; fail "$1: '$3', not '$2'"; }
}
within() { # what, least, most, got
	[ -n "$4" ] && [ "$4" -ge "$2" ] && [ "$4" -le "$3" ] || { cat "$directory/table"; fail "$1: '$4', not $2 to $3"; }
}

for how in --lossless --via=kernel; do
	script syscalls_by_method $how "$TOY $directory/work.toy"
	is "opens in Reader.read_one" 200 "$(cell 4 'Reader read_one openat')"
	is "opens in Reader.read_two" '' "$(cell 4 'Reader read_two openat')"
	is "opens in read_other" 50 "$(cell 4 'Object read_other openat')"
	is "opens in read_often" 40 "$(cell 4 'Object read_often openat')"
	is "opens in read_slowly" 30 "$(cell 4 'Object read_slowly openat')"
	is "closes in read_slowly" 30 "$(cell 4 'Object read_slowly close')"

	script io_by_require $how "$TOY $directory/work.toy"
	is "opens for lib/part" '1 1' "$(cell 2 lib/part) $(cell 3 lib/part)"
	is "bytes for lib/part" "$(stat -c %s "$directory/lib/part.toy")" "$(cell 4 lib/part)"
	is "bytes for inner" "$(stat -c %s "$directory/lib/inner.toy")" "$(cell 4 inner)"
	is "lines" 3 "$(grep -c . "$directory/table")"

	# With huge pages there are fewer faults.
	script faults_by_site $how "$TOY $directory/work.toy"
	if ! grep -q '\[always\]' /sys/kernel/mm/transparent_hugepage/enabled 2>/dev/null; then
		page=$(getconf PAGESIZE)
		file=$(awk '$2 == 28 && $3 == "(string)" { print $1 }' "$directory/table")
		more=40
		[ "${VMTAP_SANITIZED:-0}" = 0 ] || more=1000 # shadow memory
		within "faults of 8,000,000 bytes" $((8000000 / page)) $((8000000 / page + more)) "$(cell 4 "$file 28 (string)")"
		within "faults of 2,000,000 bytes" $((2000000 / page)) $((2000000 / page + more)) "$(cell 4 "$file 29 (string)")"
	else
		echo "left out: the number of faults: the kernel uses huge pages"
	fi
	read -r all _ _ late _ < <(tail -n 2 "$directory/table")
	is "the sum" "$((all - late))" "$(awk '$NF ~ /^[0-9]+$/ && $2 ~ /^[0-9]+$/ { sum += $NF } END { print sum }' "$directory/table")"
done

# Time off the processor: another program keeps this one waiting, 50 ms for each of five lines.
mkfifo "$directory/fifo"
cat >"$directory/wait.toy" <<'TOY'
def waits(path) File.read(path) end
def works(n)
  total = 0
  for i in 1..n
    total += i
  end
  total
end
for i in 1..5
  waits(VM.arguments()[0])
end
works(1000)
TOY
for how in --lossless --via=kernel; do
	for i in 1 2 3 4 5; do
		sleep 0.05
		echo line >"$directory/fifo"
	done &
	writer=$!
	pids+=("$writer")
	before=$(date +%s%N)
	script off_cpu_by_method $how "$TOY $directory/wait.toy $directory/fifo" us
	after=$(date +%s%N)
	wait "$writer"
	off=$(awk '$2 == "waits" { sum += $4 } END { print sum + 0 }' "$directory/table")
	within "time off the processor in waits()" 180000 $(((after - before) / 1000)) "$off"
	within "times in waits()" 4 1000000 "$(cell 6 'Object waits waits')"
	[ "$(cell 5 'Object waits waits')" -le "$(cell 4 'Object waits waits')" ] || fail "the longest is longer than all"
	is "works() waits" '' "$(cell 4 'Object works waits')"
done

# A VM that runs already.
cat >"$directory/gate.toy" <<'TOY'
def read_one(path) File.read(path) end
read_one(VM.arguments()[0])
for i in 1..70
  read_one(VM.arguments()[1])
end
TOY
"$TOY" "$directory/gate.toy" "$directory/fifo" "$directory/work.toy" &
vm=$!
pids+=("$vm")
await_stream "$vm"
rm -f "$directory/table"
"$VMTAP" trace --lossless syscalls_by_method -p "$vm" -o "$directory/table" \
	-n 'tick-10ms /!told/ { told = 1; printf("tracing\n"); }' >"$directory/out" 2>"$directory/err" </dev/null &
tracer=$!
pids+=("$tracer")
await "no tick" grep -q tracing "$directory/table"
echo >"$directory/fifo"
wait "$vm"
wait "$tracer" || fail "the end of the VM: status $?"
is "opens of a VM that runs" 70 "$(cell 4 'Object read_one openat')"

# What has no system calls is refused, although some of its probes may be missing.
"$VMTAP" record -o "$directory/log" -c "$TOY $directory/gate.toy /dev/null $directory/work.toy" >/dev/null 2>&1
run 1 trace syscalls_by_method --log "$directory/log"
has err 'provider syscall comes from the kernel'
run 1 trace syscalls_by_method --via=stream -c "$TOY $directory/work.toy"
has err 'provider syscall comes from the kernel'

# Without privilege: one line, before the VM starts.
if [ "$(id -u)" = 0 ] && setpriv --reuid 65534 --clear-groups test -x "$VMTAP"; then
	for name in syscalls_by_method off_cpu_by_method faults_by_site io_by_require; do
		setpriv --reuid 65534 --regid 65534 --clear-groups "$VMTAP" trace $name -c 'echo started' \
			>"$directory/out" 2>"$directory/err" </dev/null && fail "$name is allowed"
		[ "$(wc -l <"$directory/err")" = 1 ] || fail "$name: not one line"
		has err 'CAP_BPF'
		has_not out started
	done
else
	echo "left out: without privilege: only root can give it up, and setpriv does it, and the build is open to others"
fi
exit 0
