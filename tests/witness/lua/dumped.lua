-- Stays in one line of nested coroutines until a file is gone, after writing where all of them are as
-- debug.traceback() says, and its process's number, into another file.
local where, stop = arg[1], arg[2]
local file = io.open(where .. ".part", "w")
local threads, stopped = {}, false
local function report()
	for _, one in ipairs(threads) do
		local thread, title = one[1], one[2]
		local text = thread == coroutine.running() and debug.traceback("", 2) or debug.traceback(thread)
		file:write("== ", title, "\n", text, "\n")
	end
	file:write("== pid\n", io.open("/proc/self/stat"):read("n"), "\n")
	file:close()
	os.rename(where .. ".part", where)
end
local function add(thread, title) threads[#threads + 1] = {thread, title} return thread end

local Queue = {}
Queue.__index = Queue
function Queue:take(n)
	if n > 0 then
		return 1 + self:take(n - 1)
	end
	return coroutine.yield("taken")
end
local queue = setmetatable({}, Queue)
local suspended = coroutine.create(function() return pcall(queue.take, queue, 3) end)
assert(coroutine.resume(suspended))
local fresh = coroutine.create(function() return "never" end)
local gone = coroutine.create(function() error("gone") end)
coroutine.resume(gone)

local function hook() stopped = not io.open(stop) end
local function spin() report() while not stopped do end end
local function inner()
	debug.sethook(hook, "", 100000)
	spin()
	local own, mask, count = debug.gethook()
	print("hook", own == hook, mask, count)
end
local function middle()
	local run = coroutine.wrap(function()
		add(coroutine.running(), "running")
		table.sort({2, 1}, function() if not stopped then inner() end return false end)
	end)
	local results = {pcall(run)}
	return results[1]
end
local outer = coroutine.create(function() return middle() end)
add(coroutine.running(), "main")
add(outer, "outer")
add(suspended, "suspended")
add(fresh, "fresh")
print(coroutine.resume(outer))
print(coroutine.resume(suspended, "value"))
print(coroutine.status(fresh), coroutine.resume(fresh))
print(select("#", debug.gethook()), collectgarbage() == 0)
