"""Helpers for the end-to-end tests: D scripts generated from the contract, and comparisons of
`vmtap trace`'s output with what the toy VM itself has counted and logged.

    witness.py script              prints a D script that prints every probe with every argument
    witness.py arguments LOG OUT   compares the VM's event log with that script's output
    witness.py counts JSON OUT DROPS
                                   compares the VM's counters with "NAME COUNT" lines plus, if
                                   DROPS is a file, the drops reported on standard error
    witness.py bundled NAME JSON BY OUT
                                   compares a bundled script's output with the VM's counters, and
                                   some with the VM's event log, BY.log
    witness.py with-log            prints the names of those bundled scripts
"""
import collections
import json
import re
import sys


def method_text(key):
    """A class and a method as scripts write them."""
    name, method = key
    if name == "(none)":
        return method
    return name[:-len("class")] + method if name.endswith(".class") else f"{name}#{method}"


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
    # most lines occur many times
    expected = collections.Counter()
    for line, count in collections.Counter(open(log, "rb").read().split(b"\n")).items():
        if line:
            expected[unescape(line)] += count
    # each line ends with \002, since a string may contain a newline; tracing ends with a newline
    seen = collections.Counter(open(out, "rb").read().removesuffix(b"\n").split(b"\002\n"))
    del seen[b""]
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


# ---- scripts by question: each compares its table with the counters and with the VM's own log ----


class Log:
    """The arguments of each event in the VM's log, which lies beside the counters by key: log[PROBE]."""

    def __init__(self, by):
        self.lines = collections.defaultdict(list)
        self.events = {}
        with open(by + ".log", "rb") as log:
            for line in log.read().split(b"\n"):
                self.lines[line.partition(b" ")[0]].append(line)

    def __getitem__(self, probe):
        if probe not in self.events:
            lines = (line.decode(errors="surrogateescape") for line in self.lines[probe.encode()])
            words = (re.findall(r'"(?:[^"\\]|\\.)*"|\S+', line)[1:] for line in lines)
            self.events[probe] = [[w[1:-1] if w[0] == '"' else int(w) for w in line] for line in words]
        return self.events[probe]


def count(by, probe):
    return {k: n for k, (n, _) in by_key(by, probe).items()}


def bars(text):
    """The numbers of a distribution added up, by its title."""
    sums, title = collections.Counter(), None
    for line in text.splitlines():
        match = re.search(r"\|[@ ]{40} (\d+)\s*$", line)
        if match:
            sums[title] += int(match[1])
        elif line.endswith(":"):
            title = line[:-1]
    return dict(sums)


def totals(found, column, key=lambda k: k):
    sums = collections.Counter()
    for k, values in found.items():
        sums[key(k)] += values[column]
    return dict(sums)


def positive(counter):
    return {k: n for k, n in counter.items() if n}


def check(truth, what, *details):
    if not truth:
        fail(f"{what}: {details}")


REASONS = {1: "heap", 2: "stack", 3: "yield", 5: "finished", 6: "foreign call", 7: "lock or queue",
           8: "evaluation", 9: "read", 10: "write", 11: "delay"}


def method_cpu(vm, by, out, text, log):
    equal("calls", {k: v[2] for k, v in rows(out, 3).items()}, count(by, "method-return"))
    for key, (own, whole, _) in rows(out, 3).items():
        check(0 <= own <= whole, "CPU time", key, own, whole)


def method_distribution(vm, by, out, text, log):
    equal("calls", bars(text), {method_text(k): n for k, n in count(by, "method-return").items()})


def method_flow(vm, by, out, text, log):
    for arrow, probe in (("->", "method-entry"), ("<-", "method-return")):
        seen = collections.Counter(re.findall(rf"^ *\d+ +\d+ +{arrow} (\S+)", text, flags=re.M))
        equal(probe, dict(seen), {method_text(k): n for k, n in count(by, probe).items()})


def call_log(vm, by, out, text, log):
    for arrows, end in (("[-=]>", "entry"), ("<[-=]", "return")):
        seen = collections.Counter(re.findall(rf"^ *\d+ +\d+ +\d+ +\d+ {arrows} (\S+)$", text, flags=re.M))
        want = collections.Counter()
        for kind in ("method", "native"):
            for key, number in count(by, f"{kind}-{end}").items():
                want[method_text(key)] += number
        equal(end, dict(seen), dict(want))


def call_sites(vm, by, out, text, log):
    want = collections.Counter((e[2], str(e[3]), e[0], e[1]) for e in log["method-return"])
    equal("calls", totals(rows(out, 3), 0), dict(want))


def native_time(vm, by, out, text, log):
    equal("calls", {k: v[2] for k, v in rows(out, 3).items()}, count(by, "native-return"))


def slowest_calls(vm, by, out, text, log):
    sites = {(e[0], e[1], e[2], str(e[3])) for e in log["method-return"]}
    found = rows(out, 1)
    check(len(found) == min(20, len(found)) and found or not sites, "sites", found)
    check({k[:4] for k in found} <= sites, "sites", found)
    check([v for v, in found.values()] == sorted(v for v, in found.values()), "order", found)


def gc_phases(vm, by, out, text, log):
    want = {("mark",): vm["gc-mark-end"], ("sweep",): vm["gc-sweep-end"], ("whole",): vm["gc-end"],
            ("release", "(concurrent)"): vm["gc-phase-end"] - vm["gc-mark-end"] - vm["gc-sweep-end"]}
    equal("phases", {k: v[0] for k, v in rows(out, 3).items()}, positive(want))
    equal("distributions", bars(text), {" ".join(k): n for k, n in positive(want).items()})


def gc_overhead(vm, by, out, text, log):
    lines = [list(map(int, line.replace("%", "").split())) for line in text.splitlines()
             if re.match(r"[\s\d]+%$", line)]
    full = sum(e[2] for e in log["gc-end"])
    equal("sums", [sum(line[i] for line in lines) for i in (1, 2, 3)],
          [vm["gc-end"], full, vm["pause-end"]])


def gc_bytes(vm, by, out, text, log):
    want = [(e[1], "yes" if e[2] else "no", s[3], e[3], s[3] - e[3])
            for s, e in zip(log["gc-start"], log["gc-end"])]
    have = [(int(w[1]), w[2], int(w[3]), int(w[4]), int(w[5])) for w in map(str.split, text.splitlines())
            if len(w) == 7 and w[0].isdigit()]
    equal("collections", sorted(have), sorted(want))


def gc_requests(vm, by, out, text, log):
    equal("requests", sum(v for v, in rows(out, 1).values()), vm["gc-request"])
    methods = {m for _, m in count(by, "method-entry")} | {"method)"}
    check({k[-1] for k in rows(out, 1)} <= methods, "methods", rows(out, 1))


def gc_survivors(vm, by, out, text, log):
    first, second = text.split("GENERATION")
    created = collections.Counter(count(by, "object-create"))
    for kind in ("array", "hash", "string"):
        created[kind.capitalize()] += vm[kind + "-create"]
    freed = count(by, "object-free")
    found = {w[0]: tuple(map(int, w[1:])) for w in map(str.split, first.splitlines()[1:]) if w}
    equal("created", {k: v[0] for k, v in found.items()}, positive(created))
    equal("freed", positive({k: v[1] + v[2] for k, v in found.items()}), freed)
    equal("still there", {k: v[3] for k, v in found.items()},
          {k: n - freed.get(k, 0) for k, n in positive(created).items()})
    collected = collections.Counter(e[1] for e in log["gc-end"])
    survived = collections.Counter()
    for e in log["gc-stats"]:
        survived[e[1]] += e[2]
    equal("generations", {int(a): (int(b), int(c)) for a, b, c in re.findall(r"^ *(\d+) +(\d+) +(\d+)$", second, flags=re.M)},
          {g: (n, survived[g]) for g, n in collected.items()})


def object_lifetimes(vm, by, out, text, log):
    created = count(by, "object-create")
    want = {k: n for k, n in count(by, "object-free").items() if k in created}
    equal("freed", {k[0]: v[0] for k, v in rows(out, 3).items()}, want)
    equal("distributions", bars(text), want)


def alloc_by_size(vm, by, out, text, log):
    equal("objects", bars(text), {k: n for k, (_, n) in by_class(by).items()})


def alloc_rate(vm, by, out, text, log):
    sums = collections.defaultdict(lambda: [0, 0])
    for line in text.splitlines():
        words = line.split()
        if len(words) == 3 and words[1].isdigit():
            sums[words[0]] = [sums[words[0]][0] + int(words[1]), sums[words[0]][1] + int(words[2])]
    equal("bytes and objects", {k: tuple(v) for k, v in sums.items() if v != [0, 0]}, by_class(by))


def alloc_by_stack(vm, by, out, text, log):
    sums = collections.Counter()
    for stack, amount in re.findall(r"^(all;.*) (\d+)$", text, flags=re.M):
        sums[stack.rpartition(";")[2]] += int(amount)
    equal("bytes", dict(sums), {k: s for k, (s, _) in by_class(by).items()})
    methods = {method_text(k) for k in count(by, "method-entry")} | {"all", "(no method)"}
    for stack, _ in re.findall(r"^(all;.*) (\d+)$", text, flags=re.M):
        *frames, last, _ = stack.split(";")
        check(set(frames) <= methods, "methods", stack[:200])
        # the last one of a long stack may be cut
        check(last in methods or len(stack) > 2000 and any(m.startswith(last) for m in methods), "method", last)


def alloc_count(vm, by, out, text, log):
    want = collections.Counter((e[2], str(e[3]), e[0]) for e in log["object-create"])
    for kind in ("array", "hash", "string"):
        want.update((e[1], str(e[2]), f"({kind})") for e in log[kind + "-create"])
    equal("objects", totals(rows(out, 1), 0), dict(want))


def sched_runs(vm, by, out, text, log):
    want = collections.Counter(REASONS.get(e[2], "other") for e in log["thread-stop"])
    table = text.split("STOPPED BECAUSE")[1].splitlines()[1:]
    have = {m[1]: int(m[2]) for m in (re.match(r"(.*?) +(\d+) +\d+ +\d+ +\d+$", l) for l in table) if m}
    equal("runs", have, dict(want))
    equal("distributions", bars(text),
          {f"capability {c}": n for c, n in collections.Counter(e[0] for e in log["thread-stop"]).items()})


def sched_migrations(vm, by, out, text, log):
    first, second = text.split("LABEL")
    want = collections.Counter((e[0], e[2]) for e in log["thread-migrate"])
    equal("moves", {(int(a), int(b)): int(n) for a, b, n in re.findall(r"^ *(\d+) +(\d+) +(\d+)$", first, flags=re.M)}, dict(want))
    moved = collections.Counter(e[1] for e in log["thread-migrate"])
    lines = re.findall(r"^ *\d+ +(\d+) .*?(\d+)$", second, flags=re.M)
    found = collections.Counter()
    for thread, moves in lines:  # a thread that has been given a name meanwhile has two lines
        found[int(thread)] += int(moves)
    check(found == moved or len(lines) == 20 and found <= moved, "threads", found, moved)


def blocked_by_reason(vm, by, out, text, log):
    most = collections.Counter(REASONS.get(e[2], "other") for e in log["thread-stop"] if e[2] >= 6)
    most.update(e[2] for e in log["thread-park"])
    most.update("lock " + e[3] for e in log["lock-wait"])
    table = text.split("BLOCKED ON")[1].splitlines()[1:]
    have = {m[1]: int(m[2]) for m in (re.match(r"(.*?) +(\d+) +\d+ +\d+ +\d+$", l) for l in table) if m}
    check(have.keys() <= most.keys() and all(n <= most[k] for k, n in have.items()), "times", have, most)
    check(bool(have) or not vm["thread-wakeup"], "nothing", most)
    parked = sum(n for k, n in have.items() if k in {e[2] for e in log["thread-park"]})
    check(parked or not vm["thread-park"], "no reason of thread-park", have)
    equal("distributions", bars(text), have)


def blocked_by_waker(vm, by, out, text, log):
    have = sum(v[0] for v in rows(out, 4).values())
    check(have <= vm["thread-wakeup"] and (have or not vm["thread-wakeup"]), "wake-ups", have, vm["thread-wakeup"])
    for key in rows(out, 4):
        check(int(key[0]) in {e[1] for e in log["thread-wakeup"]}, "thread", key)


def lock_holders(vm, by, out, text, log):
    equal("waits", totals(rows(out, 3), 0, lambda k: k[0]), count(by, "lock-wait"))
    for key in rows(out, 3):
        check(int(key[1]) in {e[1] for e in log["lock-wait"]}, "waiter", key)


def cap_use(vm, by, out, text, log):
    first, second = text.split("WORLD STOPPED")
    runs = collections.Counter(e[0] for e in log["thread-stop"])
    found = re.findall(r"^ *\d+ +(\d+) +(\d+) +\d+ +(\d+)%$", first, flags=re.M)
    equal("runs", {int(c): int(n) for c, n, _ in found}, dict(runs))
    check(all(0 <= int(use) <= 100 for _, _, use in found), "use", found)
    equal("pauses", {r: int(n) for r, n in re.findall(r"^ *\d+ (\S+) +(\d+) +\d+ +\d+%$", second, flags=re.M)},
          count(by, "pause-end"))


def spark_use(vm, by, out, text, log):
    first, second = text.split("THIEF")
    own, stolen, threads = (collections.Counter(e[0] for e in log[p])
                            for p in ("spark-run", "spark-steal", "spark-thread-create"))
    found = {int(c): tuple(map(int, v)) for c, *v in re.findall(r"^ *(\d+) +(\d+) +(\d+) +(\d+) +(\d+)$", first, flags=re.M)}
    equal("sparks", found, {c: (own[c] + stolen[c], own[c], stolen[c], threads[c])
                            for c in set(own) | set(stolen) | set(threads)})
    equal("thefts", {(int(a), int(b)): int(n) for a, b, n in re.findall(r"^ *(\d+) +(\d+) +(\d+)$", second, flags=re.M)},
          dict(collections.Counter((e[0], e[2]) for e in log["spark-steal"])))


def load_tree(vm, by, out, text, log):
    for kind in ("require", "load"):
        equal(kind, len(re.findall(rf"^ +{kind} \S+ \(\S+:\d+\)$", text, flags=re.M)), vm[kind + "-entry"])
        equal(kind, len(re.findall(rf"^ *\d+ +{kind} \S+ has ended$", text, flags=re.M)), vm[kind + "-return"])
    parsed = collections.Counter(re.findall(r"^ *\d+ +parse (\S+)$", text, flags=re.M))
    equal("parsed", dict(parsed), count(by, "parse-end"))


def parse_time(vm, by, out, text, log):
    equal("parses", {k[0]: v[0] for k, v in rows(out, 4).items()}, count(by, "parse-end"))


def compile_time(vm, by, out, text, log):
    compiled, size = collections.Counter(), collections.Counter()
    for _, *key, _, _, level, _, amount in log["compile-end"]:
        compiled[(*key, level)] += 1
        size[(*key, level)] += amount
    found = {}
    for line in text.splitlines():
        match = re.match(r"(.*?) +(\S+) +(\d+) +(\d+) +\d+ +\d+ +(\d+)$", line)
        if match:
            found[(match[1], match[2], int(match[3]))] = (int(match[4]), int(match[5]))
    equal("compiled", found, {k: (n, size[k]) for k, n in compiled.items()})


def failed_searches(vm, by, out, text, log):
    failed = collections.Counter(e[0] for e in log["require-return"] if e[3])
    equal("failed", totals(rows(out, 2), 0, lambda k: k[0]), dict(failed))
    searched = re.search(r"^searches +(\d+)$", text, flags=re.M)
    equal("searches", int(searched[1]) if searched else 0, vm["find-require-return"])


def exceptions_by_site(vm, by, out, text, log):
    want = collections.Counter((e[0], e[1], str(e[2])) for e in log["raise"])
    equal("raised", totals(rows(out, 1), 0), dict(want))


def exception_storms(vm, by, out, text, log):
    # with the argument 1, so each site has a storm
    sites = {(e[0], e[1], str(e[2])) for e in log["raise"]}
    equal("sites", set(rows(out, 1)), sites)
    equal("lines", set(re.findall(r"^ *\d+ +(\S+) raised in (\S+):(\d+)$", text, flags=re.M)), sites)


def exceptions_swallowed(vm, by, out, text, log):
    first, second = text.split("NOT CAUGHT")
    raised, caught = count(by, "raise"), count(by, "rescue")
    found = {c: tuple(map(int, v)) for c, *v in re.findall(r"^(\S+) +(\d+) +(\d+) +(-?\d+)$", second, flags=re.M)}
    equal("classes", found, {c: (n, caught.get(c, 0), n - caught.get(c, 0)) for c, n in raised.items()})
    swallowed = collections.Counter()
    for c, n in re.findall(r"^(\S+) +\S+ +\d+ +\S+ +\d+ +(\d+)$", first, flags=re.M):
        swallowed[c] += int(n)
    check(all(0 < n <= caught[c] for c, n in swallowed.items()), "caught", swallowed, caught)


def snoop(vm, by, out, text, log):
    for pattern, probe in ((r"thread \d+ created$", "thread-create"), (r"thread \d+ has ended$", "thread-exit"),
                           (r"thread \d+ is ", "thread-label"), ("collection of generation", "gc-end"),
                           ("the world was stopped for", "pause-end"), (r"thread \d+ raises", "raise"),
                           ("message: ", "user-msg"), ("marker: ", "user-marker"), ("require ", "require-entry"),
                           ("load ", "load-entry"), ("redefinition of", "method-cache-clear"),
                           ("startup", "startup"), ("shutdown", "shutdown")):
        seen = re.findall(rf"^ *\d+ +\d+ +(?:\d+ +)?{pattern}", text, flags=re.M)
        equal(probe, len(seen), vm[probe])
    check(len(re.findall(r" raises \S+ in \S+:\d+: .", text)) == vm["raise"], "messages", vm["raise"])


def top_exact(vm, by, out, text, log):
    calls = collections.Counter()
    for line in text.splitlines():
        match = re.match(r"\s+\d+\s+(\S+)\s+(\S+)\s+(\d+)$", line)
        if match:
            calls[(match[1], match[2])] += int(match[3])
    equal("calls", dict(calls), {k: n for k, (n, _) in by_key(by, "method-entry").items()})
    figures = [int(n) for n in re.findall(r"^ +\d+ +toy +(-?\d+)$", text, flags=re.M)]
    equal("pauses", figures[1], vm["pause-begin"])
    equal("threads", figures[3], vm["thread-create"] - vm["thread-exit"])


def top(vm, by, out, text, log):
    figures = [int(n) for n in re.findall(r"^ +\d+ +toy +(-?\d+)$", text, flags=re.M)]
    equal("pauses", figures[1], vm["pause-begin"])
    if not re.search(r"^ +(\S+#\S+|\(file\)) .*\n +\d+$", text, flags=re.M):
        fail("no stack has time")


SCRIPTS = {function.__name__: function for function in (
    method_cpu, method_distribution, method_flow, call_log, call_sites, native_time, slowest_calls,
    gc_phases, gc_overhead, gc_bytes, gc_requests, gc_survivors, object_lifetimes, alloc_by_size, alloc_rate,
    alloc_by_stack, alloc_count, sched_runs, sched_migrations, blocked_by_reason, blocked_by_waker,
    lock_holders, cap_use, spark_use, load_tree, parse_time, compile_time, failed_searches, exceptions_by_site,
    exception_storms, exceptions_swallowed, snoop, top, top_exact)}


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
            match = re.match(r"(\S+)\s+(-|\d+)\s+(\d+)\s+(\d+)\s+(\d+)\s+\d+%$", line)
            if match:
                counted[match[1]] += int(match[3])
        equal(name, dict(counted), {k: n for k, (n, _) in by_key(by, "pause-end").items()})
    elif name == "metrics":
        seen = collections.Counter()
        for line in open(out):
            match = re.match(r"\s+\d+\s+toy\s+([A-Z]\w*Error|Error)\s+(\d+)$", line)
            if match:
                seen[match[1]] += int(match[2])
        equal(name, dict(seen), {k: n for k, (n, _) in by_key(by, "raise").items()})
        bars = sum(map(int, re.findall(r"\|[@ ]{40} (\d+)\s*$", open(out).read(), flags=re.M)))
        equal(name, bars, vm["pause-end"])
        gcs = re.findall(r"^\s+\d+\s+toy\s+[01]\s+(\d+)$", open(out).read(), flags=re.M)
        equal(name, sum(map(int, gcs)), vm["gc-end"])
    elif name == "metrics_calls":
        seen, want = collections.Counter(), collections.Counter()
        for line in open(out):
            match = re.match(r"\s+\d+\s+toy\s+(\S+)\s+(\d+)$", line)
            if match:
                seen[match[1]] += int(match[2])
        for key, (n, _) in by_key(by, "method-entry").items():
            want[key[0]] += n
        equal(name, dict(seen), dict(want))
        natives = re.findall(r"^\s+\d+\s+toy\s+(\d+)$", open(out).read(), flags=re.M)
        equal(name, sum(map(int, natives)), vm["native-entry"])
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
    elif name in SCRIPTS:
        SCRIPTS[name](vm, by, out, open(out).read(), Log(by))
    else:
        fail(f"no comparison for {name}")
    print(f"{name}: equal")


if __name__ == "__main__":
    {"script": script, "arguments": arguments, "counts": counts, "bundled": bundled,
     "with-log": lambda: print(*SCRIPTS)}[sys.argv[1]](*sys.argv[2:])
