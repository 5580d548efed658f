#!/bin/bash
# The bundled scripts that combine a VM's probes with the kernel's, on Debian's python3: what the
# program knows of its own calls, waits, page faults and files.
. tests/witness/real_python_common
cat >"$directory/program.py" <<'END'
import os, resource, sys, threading, time

known = {}

def w_calls(count):
    for i in range(count):
        os.read(zero, 10)
    os.getppid()

def w_both(count): # what it calls does not count for it
    w_calls(count)
    os.lseek(zero, 0, os.SEEK_SET)

def w_sleep(count, seconds):
    for i in range(count):
        time.sleep(seconds)

def w_memory(size):
    return bytearray(size)

def faults():
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt

zero = os.open("/dev/zero", os.O_RDONLY)
w_calls(100)
w_both(30)
start = time.monotonic()
w_sleep(5, 0.02)
known["slept"] = int((time.monotonic() - start) * 1e6)
# Two threads that wait in methods of their own.
def w_one(): w_sleep(3, 0.03)
def w_other():
    for i in range(3):
        time.sleep(0.03)
threads = [threading.Thread(target=w_one), threading.Thread(target=w_other)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
memory = []
for name, size in ("small", 1 << 20), ("big", 8 << 20):
    before = faults()
    memory.append(w_memory(size))
    known[name] = faults() - before
sys.path.insert(0, sys.argv[2])
import w_outer
known["outer"] = os.stat(w_outer.__cached__).st_size
known["inner"] = os.stat(w_outer.w_inner.__cached__).st_size
with open(sys.argv[1], "w") as file:
    for name, value in known.items():
        file.write("%s %d\n" % (name, value))
END
mkdir "$directory/modules"
echo 'import w_inner' >"$directory/modules/w_outer.py"
{ echo 'def w_inner(): pass'; for i in {1..500}; do echo "value_$i = $i"; done; } >"$directory/modules/w_inner.py"
unset PYTHONDONTWRITEBYTECODE PYTHONPYCACHEPREFIX
command="$python $directory/program.py $directory/known $directory/modules"
$command || fail "the program" # it also writes what it has compiled

script() { # name, arguments
	rm -f "$directory/traced" "$directory/known"
	run 0 trace "$1" -c "$command" -o "$directory/traced" "${@:2}"
	has_not err 'drop|error'
}
cell() { # column, the line's first words
	awk -v column="$1" -v first="$2" '{ $1 = $1 } index($0, first " ") == 1 { print $column }' "$directory/traced"
}
knows() {
	sed -n "s/^$1 //p" "$directory/known"
}
within() { # what, least, most, got
	[ -n "$4" ] && [ "$4" -ge "$2" ] && [ "$4" -le "$3" ] || { cat "$directory/traced"; fail "$1: '$4', not $2 to $3"; }
}

script syscalls_by_method us
within "reads" 130 130 "$(cell 4 'program.py w_calls read')"
within "getppid" 2 2 "$(cell 4 'program.py w_calls getppid')"
within "lseek" 1 1 "$(cell 4 'program.py w_both lseek')"
[ -z "$(cell 4 'program.py w_both read')" ] || fail "reads of w_both"
within "naps" 8 8 "$(cell 4 'program.py w_sleep clock_nanosleep')"
within "naps of another thread" 3 3 "$(cell 4 'program.py w_other clock_nanosleep')"
within "time of these" 90000 10000000 "$(cell 5 'program.py w_other clock_nanosleep')"

# Waiting for the interpreter's lock is waiting, too.
script off_cpu_by_method us
within "naps" 8 1000 "$(cell 6 'program.py w_sleep waits')"
within "their time" 180000 $(($(knows slept) + 100000000)) "$(cell 4 'program.py w_sleep waits')"
within "naps of another thread" 3 1000 "$(cell 6 'program.py w_other waits')"
within "their time" 85000 100000000 "$(cell 4 'program.py w_other waits')"

# With huge pages the number of faults is small and differs.
line=$(grep -n 'return bytearray' "$directory/program.py" | cut -d: -f1)
script faults_by_site
got=$(awk -v line="$line" '$1 == "program.py" && $2 == line { print $4 }' "$directory/traced")
known=$(($(knows small) + $(knows big)))
within "page faults" $((known - 4)) $((known + 4)) "$got"

script io_by_require us
within "bytes of the outer module" "$(knows outer)" "$(knows outer)" "$(cell 4 w_outer)"
within "bytes of the inner module" "$(knows inner)" "$(knows inner)" "$(cell 4 w_inner)"
within "loads" 1 1 "$(cell 2 w_inner)"
exit 0
