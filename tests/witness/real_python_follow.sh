#!/bin/bash
# Debian's python3 and what it starts: programs that fork, spawn and execute others count their own
# calls, and trace --follow must count the same in each process.
. tests/witness/real_python_common

cat >"$directory/program.py" <<'END'
import os, subprocess, sys

known, words = sys.argv[1], sys.argv[2:]
calls = 0

def w_call(n):
    global calls
    calls += 1
    return w_call(n - 1) if n % 7 else n

def work(count):
    for i in range(count):
        w_call(i)

def tell():
    global calls
    with open(known, "a") as file: # one write, so that lines do not mix
        file.write("%d %d\n" % (os.getpid(), calls))
    calls = 0

def run(*words):
    return [sys.executable, __file__, known, *words]

work(20)
for word in words:
    if word == "fork":
        for i in range(3):
            child = os.fork()
            if not child:
                calls = 0
                work(5 + i)
                tell()
                os._exit(0)
            os.waitpid(child, 0)
    elif word == "spawn":
        os.waitpid(os.posix_spawn(sys.executable, run("fork"), os.environ), 0)
    elif word == "run":
        subprocess.run(run("spawn"), check=True)
    elif word == "shell":
        subprocess.run("true; " + " ".join(run()), shell=True, check=True)
    elif word == "orphan":
        end, line = os.pipe()
        child = os.fork()
        if not child:
            if not os.fork():
                os.read(end, 1)
                calls = 0
                work(11)
                tell()
            os._exit(0)
        os.waitpid(child, 0)
        os.write(line, b"x")
    elif word == "exec":
        tell()
        os.execv(sys.executable, run("fork"))
tell()
END
add_up() { awk '{ calls[$1] += $2 } END { for (pid in calls) print pid, calls[pid] }' | sort; }

# Python 3.11 needs somebody who asks for lines for function-entry; 3.12 and later have no such probe.
for reduce in yes no; do
	rm -f "$directory/known" "$directory/traced" # both are appended to
	run 0 trace -q --follow -x reduce=$reduce \
		-c "$python $directory/program.py $directory/known fork spawn run shell orphan exec" \
		-n 'python$target:::function-entry, python$target:::function-return
		/copyinstr(arg1) == "w_call"/ { @[probename, pid] = count(); }
		python$target:::line /0/ { }
		END { printa("%s %d %@d\n", @); }' -o "$directory/traced"
	add_up <"$directory/known" >"$directory/expected"
	for probe in function-entry function-return; do
		[ $probe = function-entry ] && ! grep -q "^$probe" "$directory/traced" &&
			! [[ $(readlink -f $python) = *python3.11 ]] && continue
		sed -n "s/^$probe //p" "$directory/traced" | sort >"$directory/got"
		same "$directory/expected" "$directory/got" "$probe in each process (reduce=$reduce)"
	done
	[ "$(wc -l <"$directory/expected")" -ge 16 ] || fail "fewer processes than were started"
done
exit 0
