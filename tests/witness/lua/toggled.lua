-- Runs until the file that is its argument is gone: for tracers that come and go. It ends with what it
-- has counted, and says if anything was wrong on the way.
local stop = arg[1]
local function exists(name)
	local file = io.open(name)
	if file then file:close() end
	return file ~= nil
end
local hooked = 0
local function fib(n) if n < 2 then return n end return fib(n - 1) + fib(n - 2) end
local function worker()
	local sum = 0
	while true do
		sum = sum + fib(8)
		coroutine.yield(sum)
	end
end
local rounds = 0
local Class = {}
Class.__index = Class
Class.__gc = function() hooked = hooked end
local function round()
	local live = {}
	for i = 1, 20 do live[i] = coroutine.wrap(worker) end
	for _ = 1, 5 do
		for i = 1, 20 do assert(live[i]() % 21 == 0) end
	end
	assert(not pcall(error, "x"))
	assert(select(2, pcall(fib)):match("toggled.lua:%d+: attempt to compare"))
	for i = 1, 50 do setmetatable({tostring(i)}, Class) end
	table.sort({5, 4, 3, 2, 1}, function(a, b) return a < b end)
	debug.sethook(function() hooked = hooked + 1 end, "c")
	fib(3)
	assert(debug.gethook())
	debug.sethook()
	assert(not debug.gethook())
end
local outer = coroutine.wrap(function()
	while exists(stop) do
		coroutine.wrap(round)()
		rounds = rounds + 1
		if rounds % 50 == 0 then coroutine.yield() end
	end
	return "stopped"
end)
io.stdout:setvbuf("line")
print("runs")
while outer() ~= "stopped" do end
print(hooked == rounds * 8, rounds > 0)
