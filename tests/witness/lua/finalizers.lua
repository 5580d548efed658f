-- Finalizers: order, errors, resurrection, metatables that are shared and changed.
local order = {}
local function object(name, more)
	local meta = {__gc = function(o) order[#order + 1] = o.name end, __name = "Object"}
	for k, v in pairs(more or {}) do meta[k] = v end
	return setmetatable({name = name}, meta)
end
do local a, b, c = object "a", object "b", object "c" end
collectgarbage()
print(table.concat(order, " "))
do local bad = object("bad", {__gc = function() error("in finalizer") end}) end
collectgarbage()
local saved
do local phoenix = object("phoenix", {__gc = function(o) saved = o end}) end
collectgarbage()
print(saved and saved.name)
local count = 0
local class = {__gc = function() count = count + 1 end}
class.__index = class
for i = 1, 1000 do setmetatable({}, class) end
collectgarbage()
print(count)
class.__gc = function() count = count + 1000 end
for i = 1, 3 do setmetatable({}, class) end
class.__gc = nil
collectgarbage()
print(count)
local placeholder = setmetatable({}, {__gc = true})
placeholder = nil
collectgarbage()
print(pcall(setmetatable, setmetatable({}, {__metatable = "locked"}), {}))
local file = io.tmpfile()
file:write("x")
print(getmetatable(file).__name, pcall(getmetatable(file).__gc, file))
file = nil
collectgarbage()
local nested = setmetatable({}, {__gc = function() setmetatable({}, {__gc = function() order[#order + 1] = "nested" end}) collectgarbage() end})
nested = nil
collectgarbage() collectgarbage()
print(order[#order])
last = setmetatable({}, {__gc = function() print("at the end") end})
