"""Helpers for the tests of the compatible providers. Independently of the contracts in
probes/compat, the table below says which event of the toy VM fires each of their probes and which
of the event's arguments the probe has; both must agree.

    compat.py script             prints a D script that prints every probe with every argument
    compat.py bpftrace BINARY READY
                                 prints a bpftrace program that counts each probe and its string
                                 arguments, and sums the other arguments; it prints "first" and
                                 "last" when READY fires
    compat.py log LOG            prints the VM's event log as probes of the compatible providers
    compat.py probes             prints "PROVIDER:PROBE EVENT" for each probe
    compat.py seen FILE LOG      compares bpftrace's JSON with that log of probes
"""
import collections
import os
import re
import sys

# probe: event, the numbers of its arguments ("s" after those that are strings), condition
ALWAYS = lambda arguments: True
TABLE = {
    "HaskellEvent": {
        "create-thread": ("thread-create", "0 1"),
        "run-thread": ("thread-run", "0 1"),
        "stop-thread": ("thread-stop", "0 1 2"),
        "thread-runnable": ("thread-runnable", "0 1"),
        "migrate-thread": ("thread-migrate", "0 1 2"),
        "run-spark": ("spark-run", "0 1"),
        "steal-spark": ("spark-steal", "0 1 2"),
        "shutdown": ("shutdown", "0"),
        "thread_wakeup": ("thread-wakeup", "0 1 2"),
        "gc-start": ("gc-start", "0"),
        "gc-end": ("gc-end", "0"),
        "request-seq-gc": ("gc-request", "0", lambda a: a[1] == "0"),
        "request-par-gc": ("gc-request", "0", lambda a: a[1] == "1"),
        "create-spark-thread": ("spark-thread-create", "0 1"),
        "startup": ("startup", "0"),
        "user-msg": ("user-msg", "0 1s"),
        "gc-idle": ("gc-idle", "0"),
        "gc-work": ("gc-work", "0"),
        "gc-done": ("gc-done", "0"),
    },
    "ruby": {
        "method-entry": ("method-entry", "0s 1s 2s 3"),
        "method-return": ("method-return", "0s 1s 2s 3"),
        "cmethod-entry": ("native-entry", "0s 1s 2s 3"),
        "cmethod-return": ("native-return", "0s 1s 2s 3"),
        "require-entry": ("require-entry", "0s 1s 2"),
        "require-return": ("require-return", "0s 1s 2", lambda a: a[3] == "0"),
        "find-require-entry": ("find-require-entry", "0s 1s 2"),
        "find-require-return": ("find-require-return", "0s 1s 2"),
        "load-entry": ("load-entry", "0s 1s 2"),
        "load-return": ("load-return", "0s 1s 2", lambda a: a[3] == "0"),
        "raise": ("raise", "0s 1s 2"),
        "object-create": ("object-create", "0s 2s 3"),
        "array-create": ("array-create", "0 1s 2"),
        "hash-create": ("hash-create", "0 1s 2"),
        "string-create": ("string-create", "0 1s 2"),
        "symbol-create": ("symbol-create", "0s 1s 2"),
        "parse-begin": ("parse-begin", "0s 1"),
        "parse-end": ("parse-end", "0s 1"),
        "gc-mark-begin": ("gc-mark-begin", ""),
        "gc-mark-end": ("gc-mark-end", ""),
        "gc-sweep-begin": ("gc-sweep-begin", ""),
        "gc-sweep-end": ("gc-sweep-end", ""),
        "method-cache-clear": ("method-cache-clear", "0s 1s 2"),
    },
    "ccl": {
        "gc-start": ("gc-start", "3", lambda a: a[2] == "1"),
        "gc-finish": ("gc-end", "3", lambda a: a[2] == "1"),
        "egc-start": ("gc-start", "3 1", lambda a: a[2] == "0"),
        "egc-finish": ("gc-end", "3 1", lambda a: a[2] == "0"),
        "create-thread": ("thread-create", "2"),
    },
}


def probes():
    """(provider, probe, event, [(index, is a string)], condition)"""
    for provider, table in TABLE.items():
        for probe, (event, arguments, *condition) in table.items():
            yield (provider, probe, event,
                   [(int(a.rstrip("s")), a.endswith("s")) for a in arguments.split()],
                   condition[0] if condition else ALWAYS)


def script():
    print("#pragma D option quiet\n#pragma D option strsize=8k")
    for provider, probe, _, arguments, _ in probes():
        formats = "".join(' \\"%s\\"' if is_string else " %d" for _, is_string in arguments)
        values = "".join(f", copyinstr(arg{i})" if is_string else f", args[{i}]"
                         for i, (_, is_string) in enumerate(arguments))
        print(f'{provider}$target:::{probe} {{ printf("{provider}:{probe}{formats}\\002\\n"{values}); }}')


def bpftrace(binary, ready):
    print(f'usdt:{ready}:HaskellEvent:startup {{ printf("first\\n"); }}')
    for provider, probe, _, arguments, _ in probes():
        name = probe.replace("-", "__")
        print(f"usdt:{binary}:{provider}:{name} {{")
        print(f'  @count["{provider}:{name}"] = count();')
        for i, (_, is_string) in enumerate(arguments):
            if is_string:
                print(f'  @text["{provider}:{name}", {i}, str(arg{i})] = count();')
            else:
                print(f'  @sum["{provider}:{name}", {i}] = sum(arg{i});')
        print("}")
    print(f'usdt:{ready}:HaskellEvent:shutdown {{ printf("last\\n"); }}')


def log(path):
    """The lines of the VM's log, as the probes that its events fire."""
    word = re.compile(rb'"(?:[^"\\]|\\.)*"|\S+')
    events = collections.defaultdict(list)
    for entry in probes():
        events[entry[2]].append(entry)
    for line in open(path, "rb"):
        event, _, rest = line.rstrip(b"\n").partition(b" ")
        served = events.get(event.decode(), [])
        given = word.findall(rest) if served else []
        for provider, probe, _, arguments, condition in served:
            if condition([a.decode("latin-1") for a in given]):
                yield b" ".join([f"{provider}:{probe}".encode()] + [given[i] for i, _ in arguments])


def seen(file, probe_log):
    sys.path.insert(0, os.path.join(os.path.dirname(sys.argv[0]), "..", "witness"))
    import bpftrace_compare
    maps = bpftrace_compare.seen(file)
    texts, sums = bpftrace_compare.logged(probe_log)
    counts = collections.Counter(
        line.split(b" ", 1)[0].decode().replace("-", "__") for line in open(probe_log, "rb"))
    counts = {name.strip(): count for name, count in counts.items()}
    wrong = list(bpftrace_compare.differences("count of", counts, maps["@count"]))
    wrong += bpftrace_compare.differences("text of argument", texts, maps["@text"])
    wrong += bpftrace_compare.differences(
        "sum of argument", {k: v % 2**64 for k, v in sums.items()},
        {k: v % 2**64 for k, v in maps["@sum"].items()})
    for line in wrong[:20]:
        print(line)
    never = [f"{provider}:{probe}" for provider, probe, *_ in probes()
             if f"{provider}:{probe}".replace("-", "__") not in counts]
    if never:
        print("did not occur:", *never)
    return 1 if wrong or never else 0


if __name__ == "__main__":
    command = sys.argv[1]
    if command == "script":
        script()
    elif command == "bpftrace":
        bpftrace(*sys.argv[2:4])
    elif command == "log":
        for entry in log(sys.argv[2]):
            sys.stdout.buffer.write(entry + b"\n")
    elif command == "probes":
        for provider, probe, event, _, _ in probes():
            print(f"{provider}:{probe} {event}")
    elif command == "seen":
        sys.exit(seen(*sys.argv[2:4]))
