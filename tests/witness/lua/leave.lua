-- os.exit in the middle of everything; the argument says whether the state is closed.
local how = arg and arg[1]
local function inner()
	setmetatable({}, {__gc = function() print("finalizer") end})
	pcall(function()
		coroutine.wrap(function()
			print("leaving")
			if how == "bad" then
				print(pcall(os.exit, "nonsense"))
			end
			if how == "error" then
				error("uncaught")
			end
			os.exit(3, how == "close")
		end)()
	end)
	error({})
end
inner()
