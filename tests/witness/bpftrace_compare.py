"""Helpers for bpftrace_toy.sh: a bpftrace program generated from the contract, and the comparison
of its results with what the toy VM itself has counted and logged.

    bpftrace_compare.py script BINARY [READY]
                                a program that counts each probe and its string arguments,
                                and sums the other arguments. It prints "first" and "last"
                                when the binary READY fires startup and shutdown. These are
                                the program's first and last probes, so when both have
                                fired, all are attached, in whichever order it attaches.
    bpftrace_compare.py script-counts BINARY [READY]
                                the same, but only the counts
    bpftrace_compare.py compare SEEN STATS LOG
                                compares bpftrace's JSON with the VM's counters (of all runs
                                in STATS), and with its event log unless LOG is "-"; prints
                                the probes that fired; exit status 1 if they differ
"""
import collections
import json
import re
import sys

# bpftrace keeps 64 bytes of a string, including the NUL.
TEXT_BYTES = 63
# It refuses arguments that are not passed in registers; gc-stats has such.
ARGUMENTS = 6


def contract():
    """[(name, [is it a string])] of probes/vm.d, in its order."""
    text = re.sub(r"/\*.*?\*/", " ", open("probes/vm.d").read(), flags=re.S)
    return [(name, ["char" in argument for argument in arguments.split(",")])
            for name, arguments in re.findall(r"probe\s+(\w+)\s*\((.*?)\)\s*;", text, flags=re.S)]


def script(binary, arguments, ready=None):
    if ready:
        print(f'usdt:{ready}:vm:startup {{ printf("first\\n"); }}')
    for name, strings in contract():
        print(f"usdt:{binary}:vm:{name} {{")
        print(f'  @count["{name}"] = count();')
        for index, is_string in enumerate(strings[:ARGUMENTS] if arguments else []):
            if is_string:
                print(f'  @text["{name}", {index}, str(arg{index})] = count();')
            else:
                print(f'  @sum["{name}", {index}] = sum(arg{index});')
        print("}")
    if ready:
        print(f'usdt:{ready}:vm:shutdown {{ printf("last\\n"); }}')


def seen(file):
    """bpftrace's maps, {name: {key: value}}; other output is ignored."""
    maps = {"@count": {}, "@text": {}, "@sum": {}}
    content = open(file, "rb").read()
    # Its JSON represents a byte above 127 as \uffffffNN.
    content = re.sub(rb"(?<!\\)\\uffffff([89a-f][0-9a-f])",
                     lambda match: bytes([int(match[1], 16)]), content)
    for line in content.decode("utf-8", "surrogateescape").split("\n"):
        document = json.loads(line, strict=False) if line.startswith("{") else {}
        if document.get("type") in ("map", "stats"):
            maps.update(document["data"])
    return maps


def logged(file):
    """The same from the VM's event log, with texts truncated as bpftrace does it."""
    texts, sums = collections.Counter(), collections.Counter()
    word = re.compile(rb'"((?:[^"\\]|\\.)*)"|(\S+)')
    escape = re.compile(rb"\\(x[0-9a-f]{2}|.)")
    # A program logs the same lines again and again: parse each one once.
    lines = collections.Counter(open(file, "rb").read().splitlines())
    for line, count in lines.items():
        probe, _, rest = line.partition(b" ")
        name = probe.decode().replace("-", "__")
        for index, match in zip(range(ARGUMENTS), word.finditer(rest)):
            if match[2] is not None:
                sums[f"{name},{index}"] += int(match[2]) * count
                continue
            text = escape.sub(
                lambda m: bytes([int(m[1][1:], 16)]) if len(m[1]) == 3 else m[1], match[1])
            text = text[:TEXT_BYTES].decode("utf-8", "surrogateescape")
            texts[f"{name},{index},{text}"] += count
    return texts, sums


def differences(what, expected, got):
    for key in sorted(set(expected) | set(got)):
        if expected.get(key, 0) != got.get(key, 0):
            yield f"{what} {key!r}: the VM says {expected.get(key, 0)}, bpftrace {got.get(key, 0)}"


def compare(seen_file, stats_file, log_file):
    maps = seen(seen_file)
    stats = collections.Counter()
    for line in open(stats_file, errors="replace"):
        if line.startswith('{"startup"'):
            stats.update(json.loads(line))
    if not stats:
        print("the VM printed no counters")
        return 1
    counts = {name: stats[name.replace("__", "-")] for name, _ in contract()}
    wrong = list(differences("count of", counts, maps["@count"]))
    if log_file != "-":
        texts, sums = logged(log_file)
        unsigned = {key: value % 2**64 for key, value in sums.items()}
        got = {key: value % 2**64 for key, value in maps["@sum"].items()}
        wrong += differences("text of argument", texts, maps["@text"])
        wrong += differences("sum of argument", unsigned, got)
    for line in wrong[:20]:
        print(line)
    if len(wrong) > 20:
        print(f"... and {len(wrong) - 20} more")
    if not wrong:
        print(" ".join(name for name, count in counts.items() if count))
    return 1 if wrong else 0


if __name__ == "__main__":
    if sys.argv[1] == "compare":
        sys.exit(compare(*sys.argv[2:5]))
    script(sys.argv[2], sys.argv[1] == "script", *sys.argv[3:4])
