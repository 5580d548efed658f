#!/bin/bash
# The manual's tables of event types agree with the header of a stream, including sizes.
# tests: src/wire/event_types.h
. tests/e2e/common
command -v python3 >/dev/null || { echo "python3 is missing" && exit 77; }
VMTAP_LOG=$directory/log "$TOY" tests/toy/probes/startup.toy >/dev/null || fail "the toy VM"
python3 - "$directory/log" "$BUILD/man/vmtap-eventlog.5" <<'P' || fail "the manual does not say what the header declares"
import re, sys
stream = open(sys.argv[1], "rb")
number = lambda size: int.from_bytes(stream.read(size), "big")
declared, sizes, problems = {}, {}, []
stream.read(8)
while stream.read(4) == b"etb\0":
    kind, size = number(2), number(2)
    text = stream.read(number(4)).decode()
    stream.read(number(4) + 4)
    if text == "vmtap: spare":
        continue
    sizes[kind] = size
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
    # only if the VM asks for it; only in logs that vmtap makes
    if kind not in declared and kind not in (31, 413):
        problems.append("%d is not declared" % kind)
# The fields of a type that carries no probe come first in the row: "u32 capset, text: ...".
for kind, (name, rest) in manual.items():
    fields = re.match(r"(?:(?:u\d+ \w+|string \w+|text \w+|text)(?:, |(?=:|$)))+", rest)
    if not fields:
        continue
    size = sum(int(bits) for bits in re.findall(r"\bu(\d+)", fields.group(0))) // 8
    variable = re.search(r"string|text", fields.group(0))
    if kind in sizes and sizes[kind] != (0xffff if variable else size):
        problems.append("%d has another size than %s" % (kind, fields.group(0)))
    sizes.pop(kind, None)
if sum(kind >= 400 and not declared[kind] for kind in sizes):
    problems.append("the fields of vmtap's own types are not given")
print("\n".join(problems))
sys.exit(bool(problems))
P
