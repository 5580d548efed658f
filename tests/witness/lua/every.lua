-- Fires every probe that the module has: what vmtap check --live runs.
local vmtap = require "vmtap"
local folder = (arg and arg[0] or ""):match("^(.*)/") or "."
package.path = folder .. "/?.lua;" .. package.path

vmtap.message("begins")
vmtap.marker("mark")
vmtap.label("main")

local part = require "part"
print(part.double(21))
print(pcall(require, "no.such.module") == false)
print(load("return 1 + 1", "=chunk")())
print(load("return +", "=bad"))
print(loadfile(folder .. "/part.lua") ~= nil)
print(dofile(folder .. "/part.lua").double(2))
print(pcall(dofile, "/no/such/file.lua") == false)

-- tail calls
local function last(n)
	if n == 0 then
		return "done"
	end
	return last(n - 1)
end
print(last(100))
print((function(...) return select("#", ...) end)(1, 2, 3))

-- errors
print(pcall(error, "one"))
print(pcall(error, {code = 2}) == false)
print(pcall(function() local none = nil; return none.field end))
print(xpcall(function() error("two", 0) end, function(text) return text .. "!" end))
print(select(2, pcall(assert, false, "three")))
print(select(2, pcall(assert, nil)))
print(pcall(string.rep))

-- coroutines
local generate = coroutine.wrap(function(n)
	for i = 1, n do
		coroutine.yield(i)
	end
	return "end"
end)
print(generate(3), generate(), generate(), generate())
local inner = coroutine.create(function()
	print(pcall(function()
		coroutine.yield("in pcall")
		error("after yield")
	end))
	return "finished"
end)
vmtap.label(inner, "inner")
print(coroutine.resume(inner))
print(coroutine.resume(inner))
print(coroutine.resume(inner))
local closed = coroutine.create(function() coroutine.yield() end)
coroutine.resume(closed)
print(coroutine.close(closed), coroutine.status(closed))
print(coroutine.resume(coroutine.create(function() error("in coroutine") end)))

-- memory
do
	for i = 1, 100 do
		local object = setmetatable({i}, {__gc = function() end, __name = "Thing"})
		object.other = {tostring(i)}
	end
	local abandoned = coroutine.create(function() coroutine.yield(string.rep("x", 100)) end)
	coroutine.resume(abandoned)
end
collectgarbage()
collectgarbage("step")
for i = 1, 20000 do
	local garbage = {i, tostring(i)}
end
collectgarbage("collect")

local lines = 0
debug.sethook(function() lines = lines + 1 end, "l")
lines = lines + 0
lines = lines + 0
debug.sethook()
print(lines >= 2, debug.gethook())
warn("@off")
warn("nothing is seen of this")
print("ends")
