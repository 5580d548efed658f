-- Functions of the libraries that the module looks at: their results are not changed.
print(select("#", collectgarbage()), collectgarbage("isrunning"), collectgarbage("incremental"))
print(collectgarbage("generational"), collectgarbage("stop"), collectgarbage("isrunning"), collectgarbage("restart"))
print(pcall(collectgarbage, "nonsense"))
print(type(collectgarbage("count")), collectgarbage("step", 0) ~= nil)
print(load("x ="), type(load(function() return nil end)), pcall(load, nil))
print(load(string.dump(function() return 7 end, true), "stripped")())
print(pcall(load(string.dump(function() error("x") end, true))))
print(pcall(load(string.dump(function() local y = nil; return y.z end, true))))
local parts = {"return ", "1", " + ", "2"}
print(load(function() return table.remove(parts, 1) end)())
print(load("return ...", "=name", "t", {})(1, 2))
print(pcall(loadfile, nil, "b"))
print(select("#", dofile("/dev/null")))
package.preload.mine = function(...) return {...} end
print(require("mine")[1], select(2, require("mine")))
package.searchers[#package.searchers + 1] = function(name) return name == "virtual" and function(...) return table.pack(...) end or nil, "extra" end
print(require("virtual")[1], require("virtual")[2])
print(pcall(require, "absent") == false, package.loaded.absent)
package.preload.broken = function() error("broken module") end
print(pcall(require, "broken"))
print(pcall(error)) print(pcall(error, nil)) print(pcall(error, 1)) print(pcall(error, "x", 0))
print(pcall(assert)) print(pcall(assert, nil)) print(pcall(assert, false, {}) == false) print(assert(1, 2, 3))
print(pcall(pcall)) print(pcall(xpcall)) print(pcall(xpcall, print))
print(pcall(setmetatable)) print(pcall(setmetatable, {}, 1)) print(getmetatable(setmetatable({}, nil)))
print(string.format("%q", load("return 'a\\nb'")()))
print(table.concat(table.move({1, 2, 3}, 1, 3, 2), ","))
for k, v in pairs(setmetatable({}, {__pairs = function(t) return function(_, k) if not k then return 1, 2 end end, t, nil end})) do print(k, v) end
goto over
do print("never") end
::over::
print((select(2, ("x"):rep(3):gsub("x", {x = "y"}))))
print(rawequal(coroutine.resume, coroutine.resume), type(debug.getinfo(coroutine.wrap).func))
print(pcall(string.dump, coroutine.resume))
local names = {}
for name in pairs(coroutine) do names[#names + 1] = name end
table.sort(names)
print(table.concat(names, " "))
print(tostring(print):match("^builtin") or tostring(print):match("^function"))
