-- The program's own hooks work as without the module.
local log = {}
local function note(event, line)
	local info = debug.getinfo(2, "Sn")
	if info.short_src:match("hooks%.lua$") or info.what == "C" then
		log[#log + 1] = event .. ":" .. tostring(line) .. ":" .. tostring(info.name)
	end
end
local function flush(title)
	print(title, table.concat(log, " "))
	log = {}
end
local function work(n)
	local sum = 0
	for i = 1, n do
		sum = sum + i
	end
	return math.floor(sum)
end
local function tail(n) return work(n) end

debug.sethook(note, "l") work(2) debug.sethook() flush("line")
debug.sethook(note, "c") work(2) tail(1) debug.sethook() flush("call")
debug.sethook(note, "r") work(2) tail(1) debug.sethook() flush("return")
debug.sethook(note, "crl") tail(2) debug.sethook() flush("all")

local count = 0
debug.sethook(function() count = count + 1 end, "", 100)
for i = 1, 100000 do end
debug.sethook()
print("count", count > 900 and count < 1200)

print(debug.gethook())
debug.sethook(note, "crl", 7)
local hook, mask, n = debug.gethook()
debug.sethook()
print(hook == note, mask, n)
log = {}

-- of another coroutine
local co = coroutine.create(function() work(1) coroutine.yield() work(1) end)
debug.sethook(co, note, "cr")
print(select(2, debug.gethook(co)), debug.gethook())
coroutine.resume(co)
flush("coroutine")
debug.sethook(co)
coroutine.resume(co)
flush("removed")
print(debug.gethook(co))

-- a new coroutine has no hook function of its own
debug.sethook(note, "c")
coroutine.wrap(function() work(1) end)()
debug.sethook()
flush("inherited")

-- an error in a hook
print(pcall(function()
	debug.sethook(function() debug.sethook() error("from hook", 0) end, "c")
	work(1)
end))
print(debug.gethook())
-- a time limit
local limit = 0
print(pcall(function()
	debug.sethook(function() limit = limit + 1 if limit > 10 then debug.sethook() error("limit", 0) end end, "", 1000)
	while true do end
end))
-- a traceback from a hook
debug.sethook(function() debug.sethook() print((debug.traceback("in hook"):gsub("%d+:", "N:"))) end, "c")
work(1)
