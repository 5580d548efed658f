"""A VM in Python, which loads libvmtap_ffi.so with ctypes: ffi.py LIBRARY SOCKET COUNT [loop]

Fires COUNT times method-entry with names that have no NUL, and gc-start, behind their guards.
Counts how many guards vmtap_poll() reports as open; with no client there must be none.
With "loop" the library has no thread: a loop with selectors takes its turns.
"""
import ctypes
import os
import selectors
import sys

library, socket, count = sys.argv[1], sys.argv[2].encode(), int(sys.argv[3])
has_loop = sys.argv[4:] == ["loop"]
vmtap = ctypes.CDLL(library)
vmtap.vmtap_guard.restype = ctypes.POINTER(ctypes.c_uint32)
vmtap.vmtap_fire.restype = ctypes.c_void_p
vmtap.vmtap_name_new.restype = ctypes.c_void_p
vmtap.vmtap_name_new.argtypes = [ctypes.c_char_p, ctypes.c_size_t]
vmtap.vmtap_name_free.argtypes = [ctypes.c_void_p]


class Options(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("runtime", ctypes.c_char_p), ("socket", ctypes.c_char_p),
                ("argument_count", ctypes.c_int), ("arguments", ctypes.POINTER(ctypes.c_char_p)),
                ("caps", ctypes.c_uint16), ("ring_bytes", ctypes.c_uint32), ("name_bytes", ctypes.c_uint32),
                ("queue_bytes", ctypes.c_uint32), ("flush_ms", ctypes.c_uint32),
                ("send_environment", ctypes.c_int), ("lossless_ms", ctypes.c_int32),
                ("serve_children", ctypes.c_int), ("without_thread", ctypes.c_int)]


class Probe:
    """guard.contents.value is the guard; fire() the fire function."""

    def __init__(self, name, *types):
        text = name.encode()
        self.number = vmtap.vmtap_probe_number(text, len(text))
        assert self.number >= 0, name
        self.guard = vmtap.vmtap_guard(self.number)
        self.fire = ctypes.CFUNCTYPE(None, *types)(vmtap.vmtap_fire(self.number))

    def __call__(self, *arguments):
        if self.guard.contents.value:
            self.fire(*arguments)


def name(text, length):
    made = vmtap.vmtap_name_new(text, length)
    assert made
    return made


assert vmtap.vmtap_probe_number(b"gc-start and more", 17) == -1
assert vmtap.vmtap_probe_number(b"gc-star", 7) == -1
pointer = ctypes.c_void_p
method_entry = Probe("method-entry", pointer, pointer, pointer, ctypes.c_int, ctypes.c_uint32)
gc_start = Probe("gc-start", ctypes.c_uint16, ctypes.c_uint32, ctypes.c_uint16, ctypes.c_uint64, pointer,
                 ctypes.c_uint64)
# The texts go on after the name.
names = [name(b"PointAndMore", 5), name(b"move(x)", 4), name("zwölf.py".encode() + b"!", 9)]
cause = name(b"requested", 7)

state = (ctypes.c_uint64 * 16)()
assert vmtap.vmtap_poll(state, None) == 0
method_entry(*names, 1, 1)  # nobody listens
options = Options(ctypes.sizeof(Options), b"python", socket, without_thread=has_loop)
assert vmtap.vmtap_start(ctypes.byref(options)) == 0
selector = selectors.DefaultSelector()
if has_loop:
    selector.register(vmtap.vmtap_descriptor(), selectors.EVENT_READ)
    while vmtap.vmtap_poll(state, None) == 0:
        selector.select()
        assert vmtap.vmtap_turn() == 0
    assert len(os.listdir("/proc/self/task")) == 1
else:
    assert vmtap.vmtap_descriptor() < 0
    assert vmtap.vmtap_poll(state, None) >= 2
for i in range(count):
    method_entry(*names, i, 7)
    gc_start(3, 1, 0, 2**40 + i, cause, i + 1)
    if has_loop and selector.select(0):
        assert vmtap.vmtap_turn() == 0
selector.close()
assert vmtap.vmtap_stop() == 0
for made in names + [cause]:
    vmtap.vmtap_name_free(made)
