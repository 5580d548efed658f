-- A program that uses much of penlight (package lua-penlight).
local List = require "pl.List"
local pretty = require "pl.pretty"
local stringx = require "pl.stringx"
local tablex = require "pl.tablex"
local class = require "pl.class"
local template = require "pl.template"
local lexer = require "pl.lexer"
local data = require "pl.data"
local Date = require "pl.Date"
local seq = require "pl.seq"

local rounds = tonumber(arg and arg[1]) or 1
local Animal = class()
function Animal:_init(name) self.name = name end
function Animal:__tostring() return self.name .. ": " .. self:speak() end
local Dog = class(Animal)
function Dog:speak() return "bark" end

local out
for round = 1, rounds do
	out = {}
	local function say(...) out[#out + 1] = table.concat({...}, "\t") end
	local l = List.range(1, 200):map(function(x) return x * x end):filter(function(x) return x % 3 == 1 end)
	say(tostring(l:slice(1, 10)), l:reduce("+"))
	say(pretty.write({a = 1, b = {2, 3, {c = "x"}}, [10] = true}, ""))
	say(stringx.join(",", stringx.split("a b  c")), stringx.center("x", 9, "-"), stringx.replace("aXbX", "X", "--"))
	say(tostring(Dog "Fido"), tostring(Dog:class_of(Dog "x")))
	say(template.substitute([[
# for i, v in ipairs(list) do
$(i): $(v:upper())
# end]], {ipairs = ipairs, list = {"one", "two"}}))
	local kinds = {}
	for kind, value in lexer.lua("local x = function(y) return y + 1.5 .. 'text' end -- comment") do
		kinds[#kinds + 1] = kind
	end
	say(table.concat(kinds, " "))
	say(tostring(tablex.deepcompare(tablex.deepcopy({1, {2}}), {1, {2}})),
		table.concat(tablex.keys(tablex.makeset {"k"}), ","))
	say(tostring(pcall(pretty.load, "{1,", nil)))
	say(seq.reduce("+", seq.map(function(x) return x + 1 end, seq.list {1, 2, 3})))
	for i = 1, 20 do
		local ok, e = pcall(function() return List.new(5) end)
		say(tostring(ok))
	end
	local parsed = data.read(require "pl.stringio".open "x,y\n1,2\n3,4\n")
	say(parsed:column_by_name("y"):join("+"))
end
print(table.concat(out, "\n"))
