-- Allocates in every way that the module has to do with; see starved.c.
local function f(n)
	if n == 0 then
		return {}
	end
	return f(n - 1)
end
for i = 1, 3 do
	local co = coroutine.wrap(function()
		for j = 1, 3 do
			coroutine.yield(f(j))
		end
		error("x")
	end)
	pcall(function() while true do co() end end)
	local t = setmetatable({}, {__gc = function() f(2) end})
	t = nil
	collectgarbage()
	debug.sethook(function() end, "crl")
	f(3)
	debug.sethook()
	pcall(require, "nothing.here")
	load("return 1")()
	local closed = coroutine.create(function()
		local x <close> = setmetatable({}, {__close = function() f(1) end})
		coroutine.yield()
	end)
	coroutine.resume(closed)
	coroutine.close(closed)
end
