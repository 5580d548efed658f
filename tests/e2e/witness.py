"""Helpers for the end-to-end tests: D scripts generated from the contract, and comparisons of
`vmtap trace`'s output with what the toy VM itself has counted and logged.

    witness.py script              prints a D script that prints every probe with every argument
    witness.py arguments LOG OUT   compares the VM's event log with that script's output
    witness.py counts JSON OUT DROPS
                                   compares the VM's counters with "NAME COUNT" lines plus, if
                                   DROPS is a file, the drops reported on standard error
    witness.py bundled NAME JSON BY OUT
                                   compares a bundled script's output with the VM's counters
"""
import collections
import json
import re
import sys


def contract():
    """[(name, [(type, argument)])] of probes/vm.d, in its order."""
    text = re.sub(r"/\*.*?\*/", " ", open("probes/vm.d").read(), flags=re.S)
    probes = []
    for name, parameters in re.findall(r"probe\s+(\w+)\s*\((.*?)\)\s*;", text, flags=re.S):
        arguments = []
        for parameter in parameters.split(","):
            kind, argument = re.match(r"\s*(.*?)(\w+)\s*$", parameter, flags=re.S).groups()
            arguments.append((" ".join(kind.split()), argument))
        probes.append((name.replace("__", "-"), arguments))
    return probes


def script():
    print("#pragma D option quiet\n#pragma D option strsize=8k")
    for name, arguments in contract():
        formats, values = [], []
        for index, (kind, _) in enumerate(arguments):
            if "char" in kind:
                formats.append('\\"%s\\"')
                values.append(f"copyinstr(arg{index})")
            else:
                formats.append("%d" if kind in ("int", "long") else "%u")
                values.append(f"args[{index}]")
        print(f'vm$target:::{name} {{ printf("{name} {" ".join(formats)}\\002\\n", {", ".join(values)}); }}')


def unescape(line):
    return re.sub(rb"\\(x[0-9a-f]{2}|.)",
                  lambda m: bytes([int(m[1][1:], 16)]) if len(m[1]) == 3 else m[1], line)


def fail(message):
    print(message)
    sys.exit(1)


def arguments(log, out):
    expected = collections.Counter(
        unescape(line) for line in open(log, "rb").read().split(b"\n") if line)
    # each line ends with \002, since a string may contain a newline; tracing ends with a newline
    seen = collections.Counter(
        line for line in open(out, "rb").read().removesuffix(b"\n").split(b"\002\n") if line)
    if not expected:
        fail("the VM logged nothing")
    missing, more = expected - seen, seen - expected
    for title, lines in (("missing", missing), ("unexpected", more)):
        for line, count in list(lines.items())[:10]:
            print(f"{title}, {count} times: {line!r}")
    if missing or more:
        fail(f"{sum(missing.values())} events missing, {sum(more.values())} unexpected, "
             f"of {sum(expected.values())}")
    print(f"{sum(expected.values())} events equal")


def drops(path):
    return sum(int(count) for count in re.findall(r"^dtrace: (\d+) drops? on CPU", open(path).read(), flags=re.M))


def last_json(path):
    """The JSON object that the VM printed on standard error, ignoring other output."""
    return json.loads([line for line in open(path).read().splitlines() if line.startswith("{")][-1])


def counts(stats, out, errors=None):
    vm = {k: v for k, v in last_json(stats).items() if v and k in dict(contract())}
    seen = {name: int(count) for name, count in re.findall(r"^\s*(\S+)\s+(\d+)$", open(out).read(), flags=re.M)}
    lost = drops(errors) if errors else 0
    for name in sorted(set(vm) | set(seen)):
        have, want = seen.get(name, 0), vm.get(name, 0)
        if have > want or (not lost and have != want):
            fail(f"{name}: {have} seen, the VM counted {want}")
    if sum(seen.values()) + lost != sum(vm.values()):
        fail(f"{sum(seen.values())} seen and {lost} dropped, the VM counted {sum(vm.values())}")
    print(f"{sum(seen.values())} seen, {lost} dropped, {sum(vm.values())} counted by the VM")


def equal(what, have, want):
    if have != want:
        if isinstance(have, dict):
            for key in sorted(set(have) | set(want), key=str):
                if have.get(key) != want.get(key):
                    fail(f"{what}: {key}: {have.get(key)}, the VM counted {want.get(key)}")
        fail(f"{what}: {have}, the VM counted {want}")


def by_key(path, probe):
    """What the VM counted by key: {key: (count, sum)}."""
    result = {}
    for line in open(path):
        entry = json.loads(line)
        if entry["probe"] == probe:
            key = tuple(entry["key"])
            result[key if len(key) > 1 else key[0]] = (entry["count"], entry.get("sum"))
    return result


def rows(out, columns):
    """The table's lines: the last columns are numbers, the others are the key. A share is left out."""
    found = {}
    for line in open(out):
        line = re.sub(r"\s+\d+%$", "", line)
        match = re.match(r"(.*?)" + r"\s+(-?\d+)" * columns + r"\s*$", line)
        if match and not line.startswith(" " * 12):
            key = tuple(match[1].split())
            found[key] = tuple(int(n) for n in match.groups()[1:])
    return found


def by_class(by):
    """Bytes and objects that the VM counted, by class; arrays etc. as (array)."""
    made = {k: (s, n) for k, (n, s) in by_key(by, "object-create").items()}
    for kind in ("array", "hash", "string"):
        counted = by_key(by, f"{kind}-create").values()
        if counted:
            made[f"({kind})"] = (sum(s for _, s in counted), sum(n for n, _ in counted))
    return made


def bundled(name, stats, by, out):
    vm = collections.Counter(last_json(stats))
    if name == "method_count":
        want = {k: (n,) for k, (n, _) in by_key(by, "method-entry").items()}
        equal(name, rows(out, 1), want)
    elif name == "method_time":
        want = {k: n for k, (n, _) in by_key(by, "method-return").items()}
        equal(name, {k: v[2] for k, v in rows(out, 3).items()}, want)
        for key, (own, whole, _) in rows(out, 3).items():
            if not 0 <= own <= whole:
                fail(f"{name}: {key}: exclusive {own}, inclusive {whole}")
    elif name == "gc_pause":
        counted = collections.Counter()
        for line in open(out):
            match = re.match(r"(\S+)\s+(-?\d+)\s+(\d+)\s+(\d+)\s+(\d+)\s+\d+%$", line)
            if match:
                counted[match[1]] += int(match[3])
        equal(name, dict(counted), {k: n for k, (n, _) in by_key(by, "pause-end").items()})
    elif name == "alloc_by_class":
        equal(name, rows(out, 2), {(k,): v for k, v in by_class(by).items()})
    elif name == "alloc_by_site":
        have = collections.defaultdict(lambda: [0, 0])
        for key, values in rows(out, 2).items():
            have[key[-1]] = [a + b for a, b in zip(have[key[-1]], values)]
        equal(name, {k: tuple(v) for k, v in have.items()}, by_class(by))
    elif name == "lock_wait":
        want = {(k,): n for k, (n, _) in by_key(by, "lock-wait").items()}
        equal(name, {k: v[0] for k, v in rows(out, 3).items()}, want)
    elif name == "sched_latency":
        ran = sum(n for n, _ in by_key(by, "thread-run").values())
        waits = [int(k) for k in re.findall(r"^ +\d+ +(\d+) +\d+ +\d+$", open(out).read(), flags=re.M)]
        bars = sum(map(int, re.findall(r"\|[@ ]{40} (\d+)\s*$", open(out).read(), flags=re.M)))
        if not waits or sum(waits) != bars or bars > ran:
            fail(f"{name}: {waits} waits, {bars} in the distributions, the VM ran threads {ran} times")
        threads = re.findall(r"^ +(\d+) +\d+$", open(out).read().split("THREAD")[1], flags=re.M)
        if not threads or len(threads) > 20 or set(threads) - {str(k) for k in by_key(by, "thread-run")}:
            fail(f"{name}: threads {threads}")
    elif name == "stat":
        totals = [0] * 8
        for line in open(out):
            if re.match(r"(\s*\d+){8}$", line):
                totals = [a + int(b) for a, b in zip(totals, line.split())]
        made = [sum(s or 0 for _, s in by_key(by, p).values())
                for p in ("object-create", "array-create", "hash-create", "string-create")]
        equal(name, totals[:7], [
            vm["method-entry"], vm["native-entry"],
            vm["object-create"] + vm["array-create"] + vm["hash-create"] + vm["string-create"],
            sum(made), vm["thread-run"], vm["raise"], vm["gc-end"]])
    else:
        fail(f"no comparison for {name}")
    print(f"{name}: equal")


if __name__ == "__main__":
    {"script": script, "arguments": arguments, "counts": counts, "bundled": bundled}[sys.argv[1]](*sys.argv[2:])
