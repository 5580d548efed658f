-- Patterns of lpeg and re (package lua-lpeg), as in their tests: arithmetic, JSON, captures, errors.
local lpeg = require "lpeg"
local re = require "re"
local P, R, S, V, C, Ct, Cg, Cf, Cc, Cmt = lpeg.P, lpeg.R, lpeg.S, lpeg.V, lpeg.C, lpeg.Ct, lpeg.Cg,
	lpeg.Cf, lpeg.Cc, lpeg.Cmt
local rounds = tonumber(arg and arg[1]) or 1

local space = S " \n\t" ^ 0
local number = C(P "-" ^ -1 * R "09" ^ 1 * (P "." * R "09" ^ 1) ^ -1) / tonumber * space
local function fold(a, op, b)
	if op == "+" then return a + b elseif op == "-" then return a - b
	elseif op == "*" then return a * b else return a / b end
end
local expression = P {"E",
	E = Cf(V "T" * Cg(C(S "+-") * space * V "T") ^ 0, fold),
	T = Cf(V "F" * Cg(C(S "*/") * space * V "F") ^ 0, fold),
	F = number + P "(" * space * V "E" * P ")" * space}
local json = re.compile([[
	value <- %s* (object / array / string / number / literal) %s*
	object <- {| '{' %s* (pair (',' %s* pair)*)? '}' |}
	pair <- {| string %s* ':' value |}
	array <- {| '[' (value (',' value)*)? %s* ']' |}
	string <- '"' {([^"\] / '\' .)*} '"'
	number <- {'-'? [0-9]+ ('.' [0-9]+)?} -> tonumber
	literal <- {'true' / 'false' / 'null'}
]], {tonumber = tonumber})
local function count(t) if type(t) ~= "table" then return 1 end local n = 1 for _, v in ipairs(t) do n = n + count(v) end return n end

local results
for round = 1, rounds do
	results = {}
	local function say(...) results[#results + 1] = table.concat({...}, " ") end
	say(lpeg.match(space * expression * -1, "1 + 2 * (3 - 4) / 5 - -6"))
	local parts = {}
	for i = 1, 60 do parts[i] = string.format('{"key%d": [%d, "%s", true, {"x": null}]}', i, i, ("y"):rep(i % 7)) end
	say(count(json:match("[" .. table.concat(parts, ", ") .. "]")))
	say(re.gsub("hello world", "[aeiou]", string.upper), re.find("the number 423", "[0-9]+"))
	say(tostring(pcall(re.compile, "x <- y")), tostring(select(2, pcall(P, {V "x", x = V "x"})):match("left recursive")))
	local seen = 0
	local dynamic = Cmt(P(1), function(s, i) seen = seen + 1 return i % 5 ~= 0 end) ^ 0
	say(tostring(dynamic:match(("z"):rep(100))), seen)
	say(tostring(pcall(lpeg.match, Cmt(P(true), function() error("in a pattern", 0) end), "x")))
	say(table.concat(Ct((C(R "az" ^ 1) + 1) ^ 0):match("ab1cd 2ef"), ","))
end
print(table.concat(results, "\n"))
