-- Coroutines that end in every way: finished, failed, closed, collected, abandoned.
local total = 0
local function producer(n)
	return coroutine.wrap(function()
		for i = 1, n do
			coroutine.yield(i)
		end
	end)
end
for v in producer(100) do total = total + v end
print(total)

local function tree(n)
	if n == 0 then coroutine.yield("leaf") return end
	tree(n - 1)
	tree(n - 1)
end
local leaves = 0
for _ in coroutine.wrap(function() tree(8) end) do leaves = leaves + 1 end
print(leaves)

-- many that are never finished
for i = 1, 2000 do
	local co = coroutine.create(function(...)
		local x <close> = setmetatable({}, {__close = function() total = total + 1 end})
		coroutine.yield(...)
	end)
	coroutine.resume(co, i)
	if i % 3 == 0 then coroutine.close(co) end
	if i % 500 == 0 then collectgarbage() end
end
print(total)

-- a scheduler
local queue, order = {}, {}
local function spawn(f, ...) local co = coroutine.create(f) queue[#queue + 1] = {co, ...} end
local function worker(name, n)
	for i = 1, n do
		order[#order + 1] = name .. i
		if i % 2 == 0 and n > 3 then spawn(worker, name .. "/", n - 3) end
		coroutine.yield()
	end
	if #name == 3 then error("worker " .. name) end
end
spawn(worker, "a", 6) spawn(worker, "b", 5)
while #queue > 0 do
	local task = table.remove(queue, 1)
	local ok, e = coroutine.resume(table.unpack(task))
	if not ok then order[#order + 1] = e
	elseif coroutine.status(task[1]) ~= "dead" then queue[#queue + 1] = {task[1]} end
end
print(table.concat(order, " "))

-- errors through several coroutines
local function chain(n)
	if n == 0 then error("bottom") end
	local co = coroutine.wrap(chain)
	co(n - 1)
end
print(pcall(chain, 10))
print(coroutine.resume(coroutine.create(function() chain(3) end)))

-- resumed in a finalizer, in a metamethod, in a sort, in a gsub
local co = coroutine.wrap(function() while true do coroutine.yield(1) end end)
setmetatable({}, {__gc = function() total = total + co() end})
collectgarbage()
table.sort({3, 2, 1}, function(a, b) co() return a < b end)
print((("abc"):gsub(".", function(c) co() return c:upper() end)), total)
print(pcall(table.sort, {3, 2, 1}, function(a, b) error("in sort") end))
print(pcall(coroutine.wrap(function() table.sort({3, 2, 1}, coroutine.yield) end)))

-- closing with errors
local bad = coroutine.create(function()
	local x <close> = setmetatable({}, {__close = function() error("in close", 0) end})
	coroutine.yield()
end)
coroutine.resume(bad)
print(coroutine.close(bad), coroutine.status(bad))
local wrapped = coroutine.wrap(function()
	local x <close> = setmetatable({}, {__close = function(_, e) print("closing", e) end})
	error("wrapped", 0)
end)
print(pcall(wrapped))
print(pcall(wrapped))
-- closed in the middle of nested calls, and from another coroutine
local target = coroutine.create(function() pcall(pcall, function() coroutine.yield(1) end) end)
print(coroutine.resume(target))
print(coroutine.wrap(function() return coroutine.close(target) end)())
-- a coroutine within one that is abandoned at the end of the program
rest = coroutine.wrap(function() coroutine.wrap(function() pcall(coroutine.yield) end)() coroutine.yield() end)
rest()
