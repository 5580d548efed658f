#!/bin/bash
# bpftrace, which nobody tells the module of, sees the calls of a Lua program: it raises the guards
# of a copy of the module, the module notices, and the strings and numbers are those of the program.
# It attaches before the program starts, and to one that runs.
set -u
. tests/witness/bpftrace
need_bpftrace
command -v lua5.4 >/dev/null || { echo "lua5.4 is missing"; exit 77; }
[ "${VMTAP_SANITIZED:-0}" = 0 ] || { echo "lua5.4 has no sanitizer"; exit 77; }
[ -e "$BUILD/modules/lua5.4/vmtap.so" ] || { echo "make lua has not been run"; exit 77; }
cp "$BUILD/modules/lua5.4/vmtap.so" "$TMPDIR/vmtap.so"
export LUA_CPATH="$TMPDIR/?.so;;"
site=usdt:$TMPDIR/vmtap.so

cat >"$TMPDIR/fib.lua" <<'END'
local function fib(n)
	if n < 2 then return n end
	return fib(n - 1) + fib(n - 2)
end
fib(15)
for i = 1, 10 do coroutine.wrap(function() error("bad") end) end
pcall(error, "thrown")
local function last(n) if n > 0 then return last(n - 1) end end
last(20)
END
bpftrace -B none -e "
	$site:vm:method__entry { @calls[str(arg0), str(arg1), arg3] = count(); }
	$site:vm:method__return { @returns[str(arg1)] = count(); }
	$site:vm:raise { @raise[str(arg0), str(arg4)] = count(); }
	$site:lua:tail__call { @tail[str(arg1)] = count(); }
	$site:vm:user__marker { printf(\"%s\\n\", str(arg1)); }" >"$TMPDIR/seen" 2>"$TMPDIR/tracer" </dev/null &
tracer=$!
children+=("$tracer")
until grep -qx ready "$TMPDIR/seen"; do
	kill -0 "$tracer" 2>/dev/null || { echo "bpftrace: $(cat "$TMPDIR/tracer")"; exit 1; }
	lua5.4 -l vmtap -e 'vmtap.marker("ready")'
	sleep 0.05
done
lua5.4 -l vmtap "$TMPDIR/fib.lua" || exit 1
end_tracers "$tracer"
for line in '@calls\[fib, fib, 5\]: 1' '@calls\[fib, fib, 3\]: 1972' '@returns\[fib\]: 1973' \
	'@raise\[string, thrown\]: 1' '@tail\[last\]: 20'; do
	grep -qx "$line" "$TMPDIR/seen" || { echo "no $line in"; cat "$TMPDIR/seen" "$TMPDIR/tracer"; exit 1; }
done

# A program that runs already, in a coroutine that never yields.
cat >"$TMPDIR/loop.lua" <<'END'
local stop = arg[1]
local function step(n) return n + 1 end
coroutine.wrap(function()
	local n = 0
	repeat
		for i = 1, 1000 do n = step(n) end
		local file = io.open(stop)
		if file then file:close() end
	until not file
	print("sum", n % 1000)
end)()
END
touch "$TMPDIR/stop"
lua5.4 -l vmtap "$TMPDIR/loop.lua" "$TMPDIR/stop" >"$TMPDIR/out" 2>&1 &
program=$!
children+=("$program")
bpftrace -B none -p "$program" -e "$site:vm:method__entry { @[str(arg1)] = count(); }
	$site:vm:native__return { @natives[str(arg1)] = count(); }
	interval:ms:100 { @ticks++; print(@); print(@natives); }" >"$TMPDIR/seen" 2>&1 </dev/null &
tracer=$!
children+=("$tracer")
wait_line '@natives\[open\]: ' "$TMPDIR/seen" "$tracer" && wait_line '@\[step\]: ' "$TMPDIR/seen" "$tracer" ||
	{ echo "bpftrace sees nothing of a running program"; tail -n 5 "$TMPDIR/seen"; exit 1; }
end_tracers "$tracer"
rm "$TMPDIR/stop"
wait "$program" || { cat "$TMPDIR/out"; exit 1; }
grep -qx "$(printf 'sum\t0')" "$TMPDIR/out" || { cat "$TMPDIR/out"; exit 1; }
children=()
exit 0
