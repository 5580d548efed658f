#!/usr/bin/env python3
"""A client of the event stream, written from vmtap-eventlog(5): stream_client.py SOCKET"""
import socket, struct, sys

vm = socket.socket(socket.AF_UNIX)
vm.connect(sys.argv[1])
stream = vm.makefile("rb")
number = lambda size: int.from_bytes(stream.read(size), "big")

types = {}  # number: (payload size, description)
assert stream.read(8) == b"hdrbhetb"
while stream.read(4) == b"etb\0":
    kind, size = number(2), number(2)
    types[kind] = size, stream.read(number(4)).decode()
    stream.read(number(4) + 4)
assert stream.read(8) == b"hdredatb"

wanted = [k for k, (_, text) in types.items() if text.startswith("vm:::gc-start(")] + [162]
vm.sendall(b"VMTP\0\0" + struct.pack(">IH%dH" % len(wanted), 7, len(wanted), *wanted))
asks = iter([b"GCTL\3", b"\xf0\x9e\x97\x8c\0\x0feventlog-socket\5"])
while (kind := number(2)) != 0xffff:
    time, size = number(8), types[kind][0]
    payload = stream.read(number(2) if size == 0xffff else size)
    if kind == 18:
        cap = int.from_bytes(payload[12:], "big")
    elif kind in wanted[:-1]:
        print("gc-start", cap, *struct.unpack_from(">IHQ", payload))
    elif kind == 164:
        print("band", int.from_bytes(payload[1:9], "big"), payload[9:-1].decode())
    elif kind == 160 or kind == 165:
        print("by" if kind == 160 else "sample", int.from_bytes(payload[9:13] or payload, "big"))
    if kind == 405 or kind == 165:  # subscribed; a sample is complete
        vm.sendall(next(asks, b"VMTP\0\4" + bytes(6)))
