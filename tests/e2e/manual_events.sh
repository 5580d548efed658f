#!/bin/bash
# The manual's tables of event types are what a stream's header declares.
. tests/e2e/common
command -v python3 >/dev/null || { echo "python3 is missing" && exit 77; }
VMTAP_LOG=$directory/log "$TOY" tests/toy/probes/startup.toy >/dev/null || fail "the toy VM"
python3 - "$directory/log" src/man/vmtap-eventlog.5 <<'P' || fail "the manual does not say what the header declares"
import re, sys
stream = open(sys.argv[1], "rb")
number = lambda size: int.from_bytes(stream.read(size), "big")
declared, problems = {}, []
stream.read(8)
while stream.read(4) == b"etb\0":
    kind, size = number(2), number(2)
    text = stream.read(number(4)).decode()
    stream.read(number(4) + 4)
    declared[kind] = re.match(r"vm:::([\w-]+)", text)
rows = re.findall(r"^\.It (\d+) Ta (\S+)(?: Ta (.*))?$", open(sys.argv[2]).read(), re.M)
manual = {}
for kind, name, rest in rows:
    manual.setdefault(int(kind), (name, rest))
for kind, probe in declared.items():
    if kind not in manual:
        problems.append("%d is not in the manual" % kind)
    elif probe and probe.group(1) not in manual[kind][0] + " " + manual[kind][1]:
        problems.append("%d carries %s" % (kind, probe.group(1)))
for kind in manual:
    if kind not in declared and kind != 31: # only when the VM's author asks
        problems.append("%d is not declared" % kind)
print("\n".join(problems))
sys.exit(bool(problems))
P
