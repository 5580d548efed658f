"""
Traces a program (trace_pairs.c) by every pair of event sources, without a target, by -p, by -c and
by --follow, and compares what each clause counts with what the program does:

    trace_pairs.py VMTAP PROGRAM FILE FUNCTION FIRST END

Several runs go on at the same time, since a trace waits for the kernel most of the time. Each has a
program with a name of its own, and only those that count reads of the file, one at a time, read it.
FUNCTION is one of the kernel's that getpgrp() calls once; "": the kernel refuses programs there.
FIRST and END are the sectors of the file, which has eight blocks; "": they are not known.
"""
import concurrent.futures
import itertools
import os
import queue
import signal
import subprocess
import sys
import threading

vmtap, original, file, function, first, end = sys.argv[1:7]
ROUNDS = 8
AT_ONCE = 6
LIMIT = float(os.environ.get("COMMAND_SECONDS", "60"))

# What each source counts in a round. Samples and ticks come when they are due: some must.
probes = {
    "stream": "vm*:::gc-idle",
    "usdt": "pairs*:::hit",
    "pid": "pid$target:%s:work_once:entry",
    "profile": "profile-997",
    "tick": "tick-2ms",
    "syscall": "syscall::getpgrp:entry",
    "sched": "sched:::surrender",
    "io": "io:::start",
    "proc": "proc:::create",
    "sdt": "sdt:::signal_generate",
    "fbt": "fbt::%s:entry" % function,
}
skipped = []
if not first:
    del probes["io"]
    skipped.append("io: the file system says nothing of a file's blocks")
if not function:
    del probes["fbt"]
    skipped.append("fbt: the kernel refuses programs at its functions")
at_times = {"profile", "tick"}
# These are of one source. One mode suffices for two of them.
of_machine = {"syscall", "sched", "io", "proc", "sdt", "fbt"}


def clause(kind, name):
    probe = probes[kind] % name if kind == "pid" else probes[kind]
    condition = 'execname == "%s"' % name
    if kind == "tick":
        condition = "1"
    elif kind == "io":  # any thread of the kernel may give a request to the device
        condition = "args[0]->b_blkno >= %s && args[0]->b_blkno < %s" % (first, end)
    elif kind == "sdt":  # the end of a round's child is a signal, too
        condition += " && args[0] == %d" % signal.SIGWINCH
    return '%s /%s/ { @["%s"] = count(); }' % (probe, condition, kind)


def start(program, file, milliseconds):
    tested = subprocess.Popen([program, file, str(ROUNDS), milliseconds], stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE, text=True)
    assert tested.stdout.readline() == "ready\n", "the program does not start"
    return tested


def trace(program, file, mode, pair):
    """Returns the trace's exit status, what it prints, and its messages."""
    name = os.path.basename(program)
    script = 'BEGIN { printf("begun\\n"); }' + "".join(clause(kind, name) for kind in pair)
    milliseconds = "50" if at_times & set(pair) else "0"
    command = [vmtap, "trace", "-q", "-n", script]
    if mode in ("-c", "--follow"):
        words = "%s %s %d %s" % (program, file, ROUNDS, milliseconds)
        if mode == "--follow":
            command.append("--follow")
            words += " again"
        done = subprocess.run(command + ["-c", words], stdin=subprocess.DEVNULL, text=True,
                              capture_output=True, timeout=LIMIT)
        return done.returncode, done.stdout, done.stderr
    tested = start(program, file, milliseconds)
    if mode == "-p":
        command += ["-p", str(tested.pid)]
    tracer = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        line = tracer.stdout.readline()
        if line != "begun\n":
            return tracer.wait(LIMIT), line + tracer.stdout.read(), tracer.stderr.read()
        tested.stdin.write("go\n")
        tested.stdin.close()
        assert tested.wait(LIMIT) == 0, "the program fails"
        if mode == "none":
            if tracer.poll() is not None:
                return -1, "", "the trace has ended before it was asked to"
            tracer.send_signal(signal.SIGINT)
        out, err = tracer.communicate(timeout=LIMIT)
        return tracer.returncode, out, err
    finally:
        for process in (tested, tracer):
            if process.poll() is None:
                process.kill()


names = queue.SimpleQueue()  # programs that no run uses now
for number in range(AT_ONCE):
    names.put("%s.%d" % (original, number))
    os.link(original, "%s.%d" % (original, number))
reading = threading.Lock()


def check(mode, pair):
    """Returns what is wrong; "" if nothing is."""
    program = names.get()
    try:
        if "io" in pair:
            with reading:
                status, out, err = trace(program, file, mode, pair)
        else:
            status, out, err = trace(program, "-", mode, pair)
    except subprocess.TimeoutExpired:
        status, out, err = -1, "", "it hangs"
    names.put(program)
    rows = [line.split() for line in out.splitlines()]
    counts = {row[0]: int(row[1]) for row in rows if len(row) == 2 and row[0] in probes}
    wanted = ROUNDS * (2 if mode == "--follow" else 1)
    # other VMs that are traced, too, may lose events
    wrong = status != 0 or (mode != "none" and "drop" in err)
    for kind in pair:
        expected = wanted
        if kind == "proc" and mode == "--follow":
            expected += 1  # the child that executes the program again
        count = counts.get(kind, 0)
        wrong |= count == 0 if kind in at_times else count != expected
    return "%s, %s and %s: status %d, %s\n%s" % (mode, *pair, status, counts, err) if wrong else ""


def is_of_use(mode, pair):
    if "pid" in pair and mode == "none":
        return False  # functions of every process cannot be probed
    return mode == "none" or not of_machine >= set(pair)


runs = [(mode, pair) for mode in ("none", "-p", "-c", "--follow")
        for pair in itertools.combinations(probes, 2) if is_of_use(mode, pair)]
with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
    failures = [failure for failure in pool.map(lambda run: check(*run), runs) if failure]
for failure in failures:
    print(failure)
print("%d runs, %d wrong" % (len(runs), len(failures)))
for line in skipped:
    print("skipped", line)
sys.exit(bool(failures))
