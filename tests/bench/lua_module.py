#!/usr/bin/env python3
"""Measures what the module costs Lua programs, and prints a table.

    make lua && python3 tests/bench/lua_module.py [RUNS]

Each program runs RUNS times (9) in each form, by turns, and the least CPU time counts. Without a
tracer the programs differ only in the module. Traced, a script counts the calls of each function,
beside a hook that does so in Lua (debug.sethook, as in "Programming in Lua").
"""
import os
import resource
import subprocess
import sys
import tempfile

RUNS = int(sys.argv[1]) if len(sys.argv) > 1 else 9
BUILD = os.environ.get("BUILD", "build")
LUA = "lua5.4"
PROGRAMS = "tests/witness/lua"
PENLIGHT = "/usr/share/lua/5.4/pl"

RESUME = """
local co = coroutine.create(function() while true do coroutine.yield() end end)
local resume = coroutine.resume
for i = 1, 3000000 do resume(co) end
"""
WRAP = """
local co = coroutine.wrap(function() while true do coroutine.yield() end end)
for i = 1, 3000000 do co() end
"""
CREATE = "local f = function() end for i = 1, 600000 do coroutine.wrap(f)() end"
PCALL = "local f = function() end for i = 1, 10000000 do pcall(f) end"
FIB = """
local function fib(n) if n < 2 then return n end return fib(n - 1) + fib(n - 2) end
fib(29)
"""
COUNTER = """
local counts, names = {}, {}
debug.sethook(function()
	local f = debug.getinfo(2, "f").func
	if counts[f] then
		counts[f] = counts[f] + 1
	else
		counts[f] = 1
		names[f] = debug.getinfo(2, "Sn")
	end
end, "c")
"""


def cpu_time(command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def least(forms):
    """The least time of each form; the forms take turns."""
    times = [[] for _ in forms]
    for _ in range(RUNS):
        for i, form in enumerate(forms):
            times[i].append(form())
    return [min(t) for t in times]


def plain_and_module(arguments):
    return least([lambda: cpu_time([LUA] + arguments),
                  lambda: cpu_time([LUA, "-l", "vmtap"] + arguments)])


def row(what, target, measured, good):
    print("%-42s %-10s %-34s %s" % (what, target, measured, "ok" if good else "MISSED"))


def untraced(what, arguments, limit):
    plain, module = plain_and_module(arguments)
    percent = (module / plain - 1) * 100
    row("not traced: " + what, "<= %d %%" % limit,
        "%+.1f %% (%.0f ms)" % (percent, plain * 1000), percent <= limit)


def traced(folder):
    """CPU time of the program alone, that of the tracer apart."""
    fib = os.path.join(folder, "fib.lua")
    counter = os.path.join(folder, "counter.lua")
    with open(fib, "w") as file:
        file.write(FIB + 'io.stderr:write(os.clock() .. "\\n")\n')
    with open(counter, "w") as file:
        file.write(COUNTER)
    os.environ["LUA_PATH"] = folder + "/?.lua;;"

    def clock(command):
        lines = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                               check=True, text=True).stderr.split("\n")
        return next(float(line) for line in lines if line.replace(".", "", 1).isdigit())

    script = "method-entry { @[copyinstr(arg0), copyinstr(arg1)] = count(); }"
    plain, hook, stream = least([
        lambda: clock([LUA, fib]), lambda: clock([LUA, "-l", "counter", fib]),
        lambda: clock([BUILD + "/vmtap", "trace", "-q", "-c", LUA + " -l vmtap " + fib, "-n", script])])
    row("calls of each function counted", "< hook",
        "%.1f x, a hook in Lua %.1f x" % (stream / plain, hook / plain), stream < hook)


def main():
    if not os.path.exists(BUILD + "/modules/lua5.4/vmtap.so"):
        sys.exit("make lua has not been run")
    os.environ["LUA_CPATH"] = os.path.abspath(BUILD) + "/modules/lua5.4/?.so;;"
    if os.path.exists("/usr/bin/luacheck"):
        # Debian's package is for older versions of Lua, but the program is not.
        os.environ["LUA_PATH"] = ("/usr/share/lua/5.4/?.lua;/usr/share/lua/5.4/?/init.lua;"
                                  "/usr/share/lua/5.1/?.lua;/usr/share/lua/5.1/?/init.lua")
        untraced("lua-check, on penlight", ["/usr/bin/luacheck", "--no-cache", "--no-config", "-q",
                                            PENLIGHT], 2)
        del os.environ["LUA_PATH"]
    if os.path.isdir(PENLIGHT):
        untraced("lua-penlight", [PROGRAMS + "/penlight.lua", "2000"], 2)
    if os.path.exists("/usr/share/lua/5.4/re.lua"):
        untraced("lua-lpeg", [PROGRAMS + "/grammar.lua", "3000"], 2)
    with tempfile.TemporaryDirectory() as folder:
        for what, text in (("coroutine.resume", RESUME), ("coroutine.wrap", WRAP),
                           ("coroutine.wrap, created each time", CREATE), ("pcall", PCALL)):
            path = os.path.join(folder, "micro.lua")
            with open(path, "w") as file:
                file.write(text)
            untraced(what, [path], 10)
        traced(folder)


if __name__ == "__main__":
    main()
