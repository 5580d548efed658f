#!/bin/bash
# The module for Debian's lua5.4 (src/modules/lua): programs print the same without it, with it, and
# while they are traced; their events pair; the numbers, names and places are those of the programs;
# tracers come and go while a program runs; and dumps show where it is.
set -u
. tests/e2e/common
programs=$PWD/tests/witness/lua
module=$PWD/$BUILD/modules/lua5.4
absent=$PWD/src/modules/lua/absent
command -v lua5.4 >/dev/null || { echo "lua5.4 is missing"; exit 77; }
[ "${VMTAP_SANITIZED:-0}" = 0 ] || { echo "lua5.4 has no sanitizer"; exit 77; }
[ -e "$module/vmtap.so" ] || { echo "make lua has not been run"; exit 77; }
export LUA_CPATH="$module/?.so;;"
VMTAP=$(realpath "$VMTAP")
cd "$programs" || exit 1

# ---- output ----

# Runs a program in three ways and compares what it prints and its status.
same() { # program, arguments
	local plain status
	timeout "${COMMAND_SECONDS:-300}" lua5.4 "$@" >"$directory/plain" 2>&1 </dev/null
	plain=$?
	timeout "${COMMAND_SECONDS:-300}" lua5.4 -l vmtap "$@" >"$directory/out" 2>&1 </dev/null
	status=$?
	: >"$directory/err"
	[ "$status" = "$plain" ] || fail "$*: status $plain, with the module $status"
	diff "$directory/plain" "$directory/out" >"$directory/err" || fail "$*: prints other things with the module"
	VMTAP_LOG=$directory/log timeout "${COMMAND_SECONDS:-300}" lua5.4 -l vmtap "$@" >"$directory/out" 2>&1 </dev/null
	status=$?
	[ "$status" = "$plain" ] || fail "$*: status $plain, traced $status"
	diff "$directory/plain" "$directory/out" >"$directory/err" || fail "$*: prints other things when it is traced"
	[ -s "$directory/log" ] || fail "$*: no events"
}

# Its events begin and end as they should; not all probes need to fire.
pairs() { # command
	"$VMTAP" check --live -a "$absent" -c "$1" >"$directory/out" 2>"$directory/err" </dev/null
	sed -i '/: never fired$/d' "$directory/out"
	[ ! -s "$directory/out" ] || fail "$1: events do not pair"
}

for program in errors hooks coroutines finalizers libraries "leave plain" "leave close" "leave bad" "leave error"; do
	set -- $program
	set -- "$1.lua" ${2+"$2"}
	same "$@"
	pairs "lua5.4 -l vmtap $*"
done

# ---- every probe ----

run 0 check --live -a "$absent" -c "lua5.4 -l vmtap every.lua"
[ ! -s "$directory/out" ] || fail "findings of every.lua"

# ---- programs of others ----

real=0
has_module() {
	lua5.4 -e "require '$1'" >/dev/null 2>&1
}
has_module pl.List && same penlight.lua && pairs "lua5.4 -l vmtap penlight.lua" && real=$((real + 1))
has_module re && same grammar.lua && pairs "lua5.4 -l vmtap grammar.lua" && real=$((real + 1))
# Debian's package is for older versions of Lua, but the program is not.
for version in 4 1; do
	LUA_PATH="${LUA_PATH:-}/usr/share/lua/5.$version/?.lua;/usr/share/lua/5.$version/?/init.lua;"
done
export LUA_PATH
if [ -e /usr/bin/luacheck ] && has_module luacheck.main; then
	same /usr/bin/luacheck --no-cache --no-config -q ./*.lua
	pairs "lua5.4 -l vmtap /usr/bin/luacheck --no-cache --no-config -q penlight.lua"
	real=$((real + 1))
fi
unset LUA_PATH

# ---- numbers, names and places ----

cat >"$directory/small.lua" <<'END'
local function fib(n)
	if n < 2 then return n end
	return fib(n - 1) + fib(n - 2)
end
function loop(n) if n > 0 then return loop(n - 1) end end
local Account = {}
Account.__index = Account
function Account:deposit(n)
	self.sum = (self.sum or 0) + n
	return math.floor(self.sum)
end
fib(10)
loop(50)
local account = setmetatable({}, Account)
for i = 1, 7 do
	account:deposit(i)
end
pcall(function()
	error("lost")
end)
pcall(function()
	local x = nil + 1
end)
local thread = coroutine.create(function() coroutine.yield(1, 2) end)
coroutine.resume(thread)
coroutine.resume(thread)
string.rep(string.rep("ab", 30), 10)
END
lua="lua5.4 -l vmtap $directory/small.lua"
run 0 trace -q --lossless -c "$lua" -n 'method-entry { @[copyinstr(arg0), copyinstr(arg1), basename(copyinstr(arg2)), arg3] = count(); }
	method-return { @ends[copyinstr(arg1)] = count(); }'
has out '^ +small +\(main\) +\(native\) +0 +1$'
has out '^ +small +fib +small.lua +12 +1$'
has out '^ +small +fib +small.lua +3 +176$'
has out '^ +_G +loop +small.lua +13 +1$'
has out '^ +_G +loop +small.lua +5 +50$'
has out '^ +small +deposit +small.lua +16 +7$'
has out '^ +fib +177$'
has out '^ +loop +51$'
run 0 trace -q --lossless -c "$lua" -n 'native-entry { @[copyinstr(arg0), copyinstr(arg1), arg3] = count(); }
	lua*:::tail-call { @tail[copyinstr(arg1), arg3] = count(); }
	raise { printf("raise %s %d %s\n", copyinstr(arg0), arg2, copyinstr(arg4)); }
	rescue { printf("rescue %s %d\n", copyinstr(arg0), arg2); }
	lua*:::coroutine-resume { printf("resume %d\n", arg3); }
	lua*:::coroutine-yield { printf("yield %d\n", arg3); }
	lua*:::coroutine-end { printf("end %s %d\n", args[3]->text, args[3]->status == LUA_STATUS_OK); }'
has out '^ +math +floor +10 +7$'
has out '^ +_G +pcall +18 +1$'
has out '^ +coroutine +yield +24 +1$'
has out '^ +loop +5 +50$'
has out '^raise string 19 lost$'
has out '^rescue string 18$'
has out '^raise string 22 .*small.lua:22: attempt to perform arithmetic on a nil value$'
has out '^rescue string 21$'
has out '^resume 0$'
has out '^yield 2$'
has out '^end finished 1$'
run 0 trace -q --lossless -c "$lua" -n 'string-create /arg0 >= 60/ { @[arg0, arg2, arg3 > arg0, copyinstr(arg4)] = count(); }
	hash-create { tables[arg6] = 1; } object-free /tables[arg2]/ { @freed = count(); }
	object-create /copyinstr(arg0) == "thread"/ { printf("thread %d %d\n", arg3, arg1 > 0); }'
has out '^ +60 +27 +1 +string +1$'
has out '^ +600 +27 +1 +string +1$'
has out '^thread [0-9]+ 1$'

# ---- stacks ----

cat >"$directory/stack.lua" <<'END'
local M = {}
local function inner(n)
	return (setmetatable({n, "object"}, {}))
end
function M.middle(n)
	local x = inner(n)
	return x
end
local function outer()
	for i = 1, 3 do
		M.middle(i)
	end
end
outer()
local wrapped = coroutine.wrap(function()
	local y = inner(5)
	coroutine.yield(y)
end)
wrapped()
END
chain='stack#inner:3 stack#middle:6 stack#outer:11 stack#(main):14 3'
lines() { # puts each stack and its count on a line
	sed -E 's/ *(.*) \(.*:([0-9]+)\)/\1:\2/; s/ \(\(native\)\)//; s/^ *//' "$directory/out" | tr '\n' ' ' | sed -E 's/ ([0-9]+)  /\ \1\n/g; s/ ([0-9]+) $/ \1\n/' >"$directory/lines"
}
for clause in 'native-entry /copyinstr(arg1) == "setmetatable"/' 'hash-create /arg2 == 2/' 'method-return /copyinstr(arg1) == "inner"/'; do
	run 0 trace -q --lossless -c "lua5.4 -l vmtap $directory/stack.lua" -n "$clause { @[jstack()] = count(); }"
	lines
	wanted=$chain
	case $clause in
	native*) wanted="_G#setmetatable $chain" ;;
	hash*) wanted=${chain/inner:3/inner:2} wanted=${wanted% 3}' 6' ;; # the line is approximate
	esac
	grep -qF "$wanted" "$directory/lines" || { cat "$directory/lines"; fail "$clause: no stack $wanted"; }
	! grep -q 'inner.*middle.*coroutine' "$directory/lines" || fail "a coroutine has the stack of another thread"
done
run 0 trace -q --lossless -c "lua5.4 -l vmtap $directory/stack.lua" -n 'lua*:::coroutine-yield { jstack(); }'
has out '^ *yield '
has out 'stack.lua:17'

# ---- samples ----

cat >"$directory/hot.lua" <<'END'
local function cold(n) local s = 0 for i = 1, n do s = s + i end return s end
local function hot(n) local s = 0 for i = 1, n do s = s + i % 7 end return s end
local function work()
	for i = 1, 400 do
		local sum = hot(90000) + cold(10000)
	end
end
work()
local list = {}
coroutine.wrap(function()
	work()
	for i = 1, 2000 do list[i] = {i} end
end)()
END
run 0 trace --via=stream -q -c "lua5.4 -l vmtap $directory/hot.lua" -n 'profile-97 { @ns[jstack(1)] = sum(arg2); @samples = count(); }
	END { printa("%k %@d\n", @ns); printa("samples %@d\n", @samples); }'
python3 - "$directory/out" <<'P' || fail "profile-97"
import re, sys
text = open(sys.argv[1]).read()
ns = {}
for name, line, sum in re.findall(r"hot#(\w+|\(\w+\)) \(\S*hot.lua:(\d+)\)\s+(\d+)", text):
    ns[name] = ns.get(name, 0) + int(sum)
samples = int(re.search(r"samples (\d+)", text)[1])
sys.exit(not (samples > 5 and ns.get("hot", 0) > 2 * (ns.get("cold", 0) + ns.get("(main)", 0))))
P
run 0 trace --via=stream -q -x sample=alloc:1k -c "lua5.4 -l vmtap $directory/hot.lua" -n 'sample { @[jstack(1)] = sum(arg2); @all = sum(arg2); }'
has out 'hot.lua:12\)$'

# ---- several states, several OS threads ----

if $CC -O1 -rdynamic -o "$directory/host" host.c $(pkg-config --cflags --libs lua5.4) -pthread 2>"$directory/err"; then
	lua5.4 coroutines.lua >"$directory/one" || fail "coroutines.lua"
	"$directory/host" coroutines.lua 2 3 2>&1 | sort >"$directory/out"
	for i in $(seq 9); do cat "$directory/one"; done | sort | diff - "$directory/out" >"$directory/err" ||
		fail "several states print other things"
	pairs "$directory/host coroutines.lua 2 3"
	run 0 trace -q -c "$directory/host $directory/small.lua 2 2" -n 'cap-create { @caps = count(); @[arg1] = count(); }
		method-entry /copyinstr(arg1) == "fib"/ { @calls = count(); }'
	has out '^ +6$'
	has out '^ +0 +1$'
	has out '^ +5 +1$'
	has out "^ +$((7 * 177))\$"
else
	fail "host.c is not built"
fi

# ---- memory runs out ----

$CC -O1 -rdynamic -o "$directory/starved" starved.c $(pkg-config --cflags --libs lua5.4) 2>"$directory/err" || fail "starved.c is not built"
timeout "${COMMAND_SECONDS:-300}" "$directory/starved" starved.lua 400 >"$directory/out" 2>"$directory/err" || fail "starved"
has out '^some failed$'
VMTAP_LOG=$directory/log timeout "${COMMAND_SECONDS:-300}" "$directory/starved" starved.lua 400 >"$directory/out" 2>"$directory/err" || fail "starved, traced"
has out '^some failed$'

# ---- tracers come and go ----

touch "$directory/stop"
lua5.4 -l vmtap toggled.lua "$directory/stop" >"$directory/toggled" 2>&1 &
pid=$!
pids+=("$pid")
await_stream "$pid"
for round in 1 2 3; do
	for clause in 'method-entry, native-return' 'object-create, object-free, string-create' \
		'thread-run, thread-stop, finalize-begin' 'raise, rescue, gc-start, heap, lua*:::'; do
		run 0 trace -q -p "$pid" -n "$clause { @ = count(); events++; } tick-10ms /events > 1000/ { exit(0); }"
		run 0 dump "$pid"
		has out '^thread [0-9]+: runs$'
	done
done
rm "$directory/stop"
wait "$pid" || fail "toggled.lua: $(cat "$directory/toggled")"
[ "$(tail -n 1 "$directory/toggled")" = "$(printf 'true\ttrue')" ] || fail "toggled.lua: $(cat "$directory/toggled")"

# ---- verbs ----

# What has been allocated only grows, and is more than what is in use, also if nothing else of memory is
# traced.
cat >"$directory/tables.lua" <<'L'
while true do local t = {} for i = 1, 100 do t[i] = {i} end end
L
lua5.4 -l vmtap "$directory/tables.lua" &
pid=$!
pids+=("$pid")
await_stream "$pid"
run 0 trace -qp "$pid" -n 'BEGIN { last = 0LL; } vm$target:::heap /arg1 < last/ { printf("%d after %d", arg1, last); exit(1); }
	vm$target:::heap { last = arg1; }
	vm$target:::heap /arg1 > 20 * arg2 && arg1 > 10000000/ { exit(0); }'

# ---- dumps ----

# dumped.lua has written where its threads are.
begun() { # what has begun
	dumped=$!
	pids+=("$dumped")
	await "dumped.lua, $1, has begun" test -e "$directory/where"
	pid=$(sed -n '/^== pid/{n;p}' "$directory/where")
}
end_dumped() {
	rm "$directory/stop" "$directory/where"
	wait "$dumped" || fail "dumped.lua: $(cat "$directory/program")"
	diff "$directory/plain" "$directory/program" >"$directory/err" || fail "dumped.lua prints other things"
	run 3 dump "$pid"
	has err "^vmtap: process $pid does not exist"
}
matches() {
	python3 dumped.py "$directory/where" "$directory/out" 2>"$directory/err" ||
		fail "the dump differs from debug.traceback()"
}
stopped="dumped.lua $directory/where $directory/stop"
rm -f "$directory/stop"
timeout "${COMMAND_SECONDS:-300}" lua5.4 $stopped >"$directory/plain" 2>&1 || fail "dumped.lua"

# a process that nobody traces: one dump after the other, and several at once
rm -f "$directory/where"
touch "$directory/stop"
lua5.4 -l vmtap $stopped >"$directory/program" 2>&1 &
begun untraced
for i in 1 2; do
	run 0 dump "$pid"
	matches
done
for i in 1 2 3; do
	"$VMTAP" dump "$pid" >"$directory/other.$i" &
	others[i]=$!
done
for i in 1 2 3; do
	wait "${others[i]}" || fail "a dump beside others"
	cp "$directory/other.$i" "$directory/out"
	matches
done
end_dumped

# one that is traced
touch "$directory/stop"
"$VMTAP" trace -q --lossless -o "$directory/traced" -c "lua5.4 -l vmtap $stopped" \
	-n 'thread-create { created++; } method-entry { entries++; } END { printf("created %d %d\n", created, entries > 10); }' >"$directory/program" 2>&1 &
begun traced
for i in 1 2; do
	run 0 dump "$pid"
	matches
done
end_dumped
grep -q '^created 6 1$' "$directory/traced" || fail "the trace beside dumps: $(cat "$directory/traced")"

# coroutines that are hard to reach: in a metatable of userdata, in a local variable of another one, in
# a key, in an upvalue of a function that has not begun; but no coroutine that has ended
cat >"$directory/hidden.lua" <<'END'
local function wait() coroutine.yield() end
local function begin(f) local c = coroutine.create(f) coroutine.resume(c) return c end
getmetatable(io.stdout).hidden = {begin(function() wait() return 3 end)}
global = begin(function() local inner = begin(function() wait() return 4 end) wait() return inner end)
setmetatable(_G, {[{[begin(function() wait() return 5 end)] = true}] = true})
package.loaded.waits = (function(...)
	local first = begin(function() wait() return 7 end)
	return coroutine.wrap(function() return first end)
end)()
ended = {begin(print), begin(error)}
io.open(arg[1], "w"):close()
while true do end
END
lua5.4 -l vmtap "$directory/hidden.lua" "$directory/runs" >/dev/null &
pid=$!
pids+=("$pid")
await "hidden.lua" test -e "$directory/runs"
for i in 1 2; do
	run 0 dump "$pid"
	{ # the function that each suspended coroutine has begun with, or will
		awk '/^thread/ { resume = / resume$/ } /^$/ && resume { print last } { last = $NF }
			END { if (resume && last) print last }' "$directory/out" |
			sed 's/.*://; s/)//' | sort -n | tr '\n' ' '
		grep -c '^thread' "$directory/out"
	} >"$directory/lines"
	[ "$(cat "$directory/lines")" = '3 4 4 5 7 8 7' ] || fail "hidden.lua: $(cat "$directory/lines")"
done
kill -9 "$pid"

# one that runs C code
mkfifo "$directory/fifo"
lua5.4 -l vmtap -e "print(os.execute('touch $directory/executes; read line <$directory/fifo'))" >"$directory/program" 2>&1 &
pid=$!
pids+=("$pid")
await "os.execute" test -e "$directory/executes"
run 0 dump "$pid"
echo "thread 1: waits for C code" | diff <(sed '/^$/d' "$directory/out") - || fail "a dump of C code"
echo line >"$directory/fifo"
wait "$pid" || fail "os.execute: $(cat "$directory/program")"
grep -q '^true.exit.0$' "$directory/program" || fail "os.execute: $(cat "$directory/program")"

# several states: one on each of two OS threads, and two on the main one, of which one runs
echo 'coroutine.wrap(function() while true do end end)()' >"$directory/endless.lua"
"$directory/host" "$directory/endless.lua" 2 1 &
pid=$!
pids+=("$pid")
await_stream "$pid"
three_run() {
	"$VMTAP" dump "$pid" >"$directory/out" 2>"$directory/err" &&
		[ "$(grep -c '^thread .*: runs' "$directory/out")" = 3 ] &&
		[ "$(grep -c '^thread .*: waits for coroutine (thread ' "$directory/out")" = 3 ]
}
await "all states run" three_run
[ "$(grep -c '^thread .*: waits for C code' "$directory/out")" = 1 ] || fail "the state that does not run"
kill -9 "$pid"

# states that are opened and closed, or run out of memory, all the time
"$directory/starved" starved.lua 1000000 >/dev/null 2>&1 &
pid=$!
pids+=("$pid")
await_stream "$pid"
for i in 1 2 3 4 5; do
	run 0 dump "$pid"
	has out '^thread [0-9]+: '
done
kill -9 "$pid"

# ---- what is wrong ----

VMTAP_SOCKET=/nonexistent/vmtap lua5.4 -l vmtap -e 'print("runs")' >"$directory/out" 2>"$directory/err" || fail "no socket"
has out '^runs$'
has err '^vmtap: the event stream is not served: No such file or directory$'
[ "$(wc -l <"$directory/err")" = 1 ] || fail "more than one line about the socket"
if command -v lua5.3 >/dev/null; then
	LUA_CPATH="$module/?.so;;" lua5.3 -l vmtap -e 'print("runs")' >"$directory/out" 2>"$directory/err" && fail "lua5.3"
	has err 'version|undefined symbol'
fi
echo "programs of others: $real of 3"
[ "$real" -gt 0 ] || exit 77
exit 0
