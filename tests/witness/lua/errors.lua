-- Error messages, positions, tracebacks and levels are those of Lua without the module.
local function show(...)
	local values = table.pack(...)
	for i = 1, values.n do
		values[i] = tostring(values[i]):gsub("0x%x+", "ADDRESS")
	end
	print(table.concat(values, "\t"))
end

local function deep(n, how)
	if n == 0 then
		return how() .. ""
	end
	return (deep(n - 1, how))
end
for _, how in ipairs {
	function() error("plain") end,
	function() error("level 2", 2) end,
	function() error({}) end,
	function() error() end,
	function() error(setmetatable({}, {__tostring = function() return "object" end})) end,
	function() return {} + 1 end,
	function() return #nil end,
	function() return nil .. "x" end,
	function() return 1 < "x" end,
	function() return undefined.field end,
	function() undefined() end,
	function() ("x"):nomethod() end,
	function() string.rep("x", -1, {}, 4):bad() end,
	function() return math.floor("x") end,
	function() return 1 // 0 end,
	function() for i = 1, 10, 0 do end end,
	function() return setmetatable({}, 1) end,
	function() return coroutine.resume(1) end,
	function() return coroutine.resume() end,
	function() return coroutine.wrap(1) end,
	function() return coroutine.create() end,
	function() return coroutine.close(1) end,
	function() return coroutine.close(coroutine.running()) end,
	function() return coroutine.yield() end,
	function() return debug.sethook(1, "c") end,
	function() return debug.sethook(print, {}) end,
	function() return debug.sethook(print, "c", "x") end,
	function() return select(0) end,
	function() return require({}) end,
	function() return load(1) end,
	function() return table.concat({1, {}, 3}) end,
	function() return string.format("%d", 1.5) end,
	function() local t <close> = 1 end,
} do
	show(pcall(deep, 3, how))
	show(xpcall(deep, debug.traceback, 2, how))
	local co = coroutine.create(deep)
	show(coroutine.resume(co, 2, how))
	show(debug.traceback(co))
	show(coroutine.close(co))
	show(pcall(coroutine.wrap(deep), 2, how))
end

-- handlers that fail, and errors in them
show(xpcall(error, function() error("again") end, "x"))
show(xpcall(error, function(e) return e .. " handled at " .. debug.getinfo(2, "S").what end, "x"))
show(xpcall(function() local x <close> = setmetatable({}, {__close = function(_, e)
	print("closes", e); error("in close", 0) end}); error("first", 0) end, function(e) return e end))

-- levels
local function levels()
	local found = {}
	for level = 0, 20 do
		local info = debug.getinfo(level, "Snlt")
		if not info then
			break
		end
		found[#found + 1] = string.format("%s/%s/%s/%d%s", info.what, info.name, info.namewhat,
			info.currentline, info.istailcall and "/tail" or "")
	end
	return table.concat(found, " ")
end
show(levels())
show(pcall(levels))
show(coroutine.wrap(levels)())
show(coroutine.wrap(function() return levels() end)())
show(coroutine.resume(coroutine.create(function() local x = levels() return x end)))
local info = debug.getinfo(coroutine.resume)
show(info.what, info.short_src, info.nups, info.nparams, info.isvararg)
info = debug.getinfo(coroutine.wrap(print))
show(info.what, info.short_src, info.nups, info.nparams, info.isvararg)

-- stack overflow, in Lua and in C
local function recurse() return 1 + recurse() end
show((select(2, pcall(recurse)):match("stack overflow")))
local function c_recurse() return string.gsub("x", "x", c_recurse) end
show((select(2, pcall(c_recurse)):match("C stack overflow")))
local function nest(n) return coroutine.wrap(function() return nest(n + 1) end)() end
show((tostring(select(2, pcall(nest, 1))):match("C stack overflow")))
local meta = setmetatable({}, {__index = function(t, k) return t[k + 1] end})
show((tostring(select(2, pcall(function() return meta[1] end))):match("stack overflow")))
show((tostring(select(2, xpcall(recurse, function(e) return recurse() end)))))

-- yields across pcall, metamethods and iterators
local co = coroutine.wrap(function()
	local ok, e = pcall(function()
		local t = setmetatable({}, {__add = function(a, b) return coroutine.yield("add") end,
			__index = function(_, k) return coroutine.yield(k) end})
		local x = t + 1
		local y = t.field
		for v in function() return coroutine.yield("iterator") end do
			error(v)
		end
	end)
	coroutine.yield(ok, e)
	return xpcall(function() coroutine.yield("x"); error("y", 0) end, function(e) return e .. e end)
end)
show(co()) show(co(1)) show(co(2)) show(co("stop")) show(co()) show(co()) show(pcall(co))

-- resuming what cannot be resumed
local running = coroutine.running()
show(coroutine.resume(running))
local normal
normal = coroutine.create(function()
	return coroutine.wrap(function() return coroutine.resume(normal) end)()
end)
show(coroutine.resume(normal))
show(coroutine.status(normal), coroutine.isyieldable(), coroutine.running() == running)
show(pcall(coroutine.wrap(function() coroutine.yield(table.unpack({}, 1, 250)) end)))
show(pcall(coroutine.resume, coroutine.create(function(...) return select("#", ...) end),
	table.unpack({}, 1, 240)))
