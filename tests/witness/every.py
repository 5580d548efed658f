"""For tests of builds with bpftrace: every probe of provider vm and of the compatible providers.

    every.py script FILE PART PARTS
                             a bpftrace program that prints each event of FILE's probes with its
                             arguments, "PROVIDER:PROBE ARGUMENT...", and "attached" when gc-work
                             with capability 0 shows that it sees them all
    every.py expected LIST PART PARTS
                             the same lines of the events in LIST, as tests/shim/every.c prints
                             them, sorted

Of the probes, those whose number is PART modulo PARTS are meant.
"""
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(sys.argv[0]), "..", "e2e"))
import bpftrace_compare
import compat

# bpftrace refuses arguments that are not passed in registers.
ARGUMENTS = bpftrace_compare.ARGUMENTS


def wanted(part, parts):
    """(provider, probe, [is it a string])"""
    probes = [("vm", name.replace("__", "-"), strings)
              for name, strings in bpftrace_compare.contract()]
    probes += [(provider, probe, [is_string for _, is_string in arguments])
               for provider, probe, _, arguments, _ in compat.probes()]
    return [probe for number, probe in enumerate(probes) if number % int(parts) == int(part)]


def script(file, part, parts):
    # In whichever order bpftrace attaches, the others lie between these two.
    guard = (f"usdt:{file}:vm:gc__work /arg0 == 0/ {{ @%s = 1; "
             'if (@a + @b == 2 && @said == 0) { @said = 1; printf("attached\\n"); } }')
    print(guard % "a")
    for provider, probe, strings in wanted(part, parts):
        strings = list(enumerate(strings[:ARGUMENTS]))
        formats = "".join(' \\"%s\\"' if is_string else " %lu" for _, is_string in strings)
        values = "".join(f", str(arg{i})" if is_string else f", arg{i}" for i, is_string in strings)
        name = probe.replace("-", "__")
        only = " /arg0 != 0/" if name == "gc__work" else ""
        print(f'usdt:{file}:{provider}:{name}{only} {{ printf("{provider}:{probe}{formats}\\n"{values}); }}')
    print(guard % "b")
    print("END { clear(@a); clear(@b); clear(@said); }")


def expected(events, part, parts):
    word = re.compile(rb'"(?:[^"\\]|\\.)*"|\S+')
    lines = list(compat.log(events))
    for line in open(events, "rb"):
        lines.append(b"vm:" + b" ".join(word.findall(line)[:ARGUMENTS + 1]))
    names = {f"{provider}:{probe}".encode() for provider, probe, _ in wanted(part, parts)}
    for line in sorted(lines):
        if line.split(b" ", 1)[0] in names:
            sys.stdout.buffer.write(line.rstrip() + b"\n")


{"script": script, "expected": expected}[sys.argv[1]](*sys.argv[2:])
