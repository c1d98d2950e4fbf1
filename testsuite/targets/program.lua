-- SPDX-License-Identifier: Apache-2.0
-- what an interpreter has: each part of the language and of its libraries, and the errors of both
local function try(f, ...)
  local r = table.pack(pcall(f, ...))
  for i = 2, r.n do r[i] = tostring(r[i]):gsub("0x%x+", "@"):gsub("^.-:%d+: ", "") end
  print(table.unpack(r, 1, r.n))
end

-- arithmetic, comparison, bits, strings as numbers
for _, v in ipairs { 0, 1, -7, 3.5, -0.0, 1e300, math.maxinteger, math.mininteger, 1 / 0, "10", "0x1p4" } do
  try(function() return v + 1, v * 3, v - 0.5, v / 4, v // 3, v % 3, -v, v ^ 2, v == 10, v .. "" end)
  try(function() return v < 5, v <= 3.5, v & 0xff, v | 1, v ~ 3, v << 3, v >> 60, ~v end)
end
for i = 1, 300 do
  local a, b = i * 7919 % 1013 - 500, i % 17 - 8
  if b ~= 0 then assert(a == (a // b) * b + a % b) end
end

-- strings
for w, n in ("one=1, two=22,three = 333"):gmatch("(%w+)%s*=%s*(%d+)") do print(w, n + 0) end
print(("hello world"):gsub("o", { o = "0" }), ("abc"):rep(3, "-"), ("x"):byte(), ("%bxy"):len(), ("THE (quick) fox"):find("%((%a+)%)"))
print(string.format("%5d|%-8s|%08.3f|%x|%q|%g|%a|%i|%c|%%", 42, "ab", math.pi, 255, "a\nb\0c", 1e20, 1, 7, 65))
print(("a,b,,c"):gsub(",", "%0%0"), ("abc"):upper():reverse(), ("  trim "):match("^%s*(.-)%s*$"), ("f(a(b)c)d"):match("%b()"), ("THE"):gsub("%f[%a]%a+", string.lower))
print(string.unpack("<i4>i2z", string.pack("<i4>i2z", -2, 513, "end")), #string.pack("!8 b d j s1", 1, 2.5, 3, "abc"))
for _, c in utf8.codes("aé√𝄞") do io.write(c, " ") end print(utf8.char(233, 8730, 119070), utf8.len("aé√"), utf8.offset("aé√", 3))
try(string.rep, "x", -1) try(string.format, "%d", 1.5) try(string.gsub, "x", "(", "") try(string.pack, "i17", 1) try(utf8.codepoint, "\xff")

-- tables, sorting, metatables, garbage
local t = {}
for i = 1, 2000 do t[i] = i * 7919 % 2003 end
table.sort(t) print(t[1], t[1000], t[2000], #t)
table.sort(t, function(a, b) return a % 100 > b % 100 or a % 100 == b % 100 and a < b end) print(t[1], t[1000], t[2000])
table.move(t, 1, 50, 10) table.insert(t, 1, "first") print(table.remove(t, 1), table.concat(t, ",", 1, 12), select("#", table.unpack(t, 1, 100)))
try(table.sort, { 3, 1, "x" }) try(table.concat, { {}, 1 }) try(table.insert, {}, 5, 1)
local V = {}
V.__index = V
function V.new(x, y) return setmetatable({ x = x, y = y }, V) end
V.__add = function(a, b) return V.new(a.x + b.x, a.y + b.y) end
V.__eq = function(a, b) return a.x == b.x and a.y == b.y end
V.__lt = function(a, b) return a.x < b.x end
V.__le = function(a, b) return a.x <= b.x end
V.__tostring = function(a) return "(" .. a.x .. "," .. a.y .. ")" end
V.__call = function(a, k) return a.x * k end
V.__len = function() return 2 end
V.__concat = function(a, b) return tostring(a) .. "&" .. tostring(b) end
V.__close = function(a) print("closed", a) end
V.__idiv, V.__band, V.__unm = function() return "idiv" end, function() return "band" end, function(a) return V.new(-a.x, -a.y) end
do
  local a <close>, b <const> = V.new(1, 2), V.new(3, 4)
  print(a + b, a == V.new(1, 2), a < b, a <= b, a(10), #a, a .. b, a // 2, a & 1, -b)
end
local missing = setmetatable({}, { __index = function(_, k) return k .. "?" end, __newindex = function(s, k, v) rawset(s, k, v .. "!") end })
missing.a = "b" print(missing.a, missing.zz, rawget(missing, "zz"), rawlen(missing), next(missing))
local weak, dead = setmetatable({}, { __mode = "k" }), 0
for i = 1, 500 do weak[setmetatable({}, { __gc = function() dead = dead + 1 end })] = i end
collectgarbage() collectgarbage() print(next(weak), dead)
collectgarbage("generational") for i = 1, 3000 do t[i] = { i, tostring(i) } end
collectgarbage("incremental") for i = 1, 3000 do t[i] = nil end collectgarbage("step", 50)

-- control: goto, varargs, closures, recursion, tail calls, coroutines
for i = 1, 3 do for j = 1, 3 do if j == 2 then goto continue end io.write(i, j, " ") ::continue:: end end print()
local function count(n, ...) if n == 0 then return select("#", ...), ... end return count(n - 1, n, ...) end
print(count(10))
local function loop(n) if n > 0 then return loop(n - 1) end return "done" end print(loop(20000))
local function fib(n) return n < 2 and n or fib(n - 1) + fib(n - 2) end print(fib(17))
local function permute(a, n) if n == 0 then coroutine.yield(a) else for i = 1, n do a[i], a[n] = a[n], a[i] permute(a, n - 1) a[i], a[n] = a[n], a[i] end end end
local sum = 0 for p in coroutine.wrap(function() permute({ 1, 2, 3, 4, 5, 6 }, 6) end) do sum = sum + p[1] * 10 + p[6] end print(sum)
local co = coroutine.create(function(a) local b = coroutine.yield(a + 1) error({ code = b }) end)
print(coroutine.resume(co, 1)) print(select("#", coroutine.resume(co, 2)), coroutine.status(co), coroutine.resume(co))
local deep = coroutine.wrap(function() return pcall(function() coroutine.yield("in pcall") error("after") end) end) print(deep()) try(deep)

-- errors, also of the compiler and of the stack
try(error, "plain") try(error, nil) try(function() local x = nil; return x.y end) try(function() return 1 < "2" end) try(function() return #5 end)
try(function() return {} .. "x" end) try(function() return 1 // 0 end) try(function() return 2 ^ 53 | 0, 1.5 | 0 end) try(function() undefined.field() end)
try(function() local function f() return 1 + f() end return f() end) try(setmetatable, 1, {}) try(function() for i = 1, 10, 0 do end end)
print(xpcall(function() error("handled") end, function(m) return "<" .. m:gsub("^.-:%d+: ", "") .. ">" end))
for _, s in ipairs { "return 1 +", "x = = 1", "goto nowhere", "for i = 1 do end", "return '\\400'", "local x <const> = 1; x = 2", "break", "return .. 1", "[[", "return 0x", "--[==[" } do print(select(2, load(s, "=s"))) end
print(load("local a, b = ... return a * b + (function() return 1 end)()")(6, 7))
local f = load(string.dump(function(a) local s = 0 for i = 1, a do s = s + i end return s end)) print(f(100))
local parts = { "return {" } for i = 1, 300 do parts[#parts + 1] = "{" .. i .. ",'s" .. i .. "',k" .. i .. "=" .. i / 4 .. "}," end
local big = load(table.concat(parts) .. "}")() print(#big, big[300].k300, big[7][2])

-- the other libraries
print(math.floor(-3.5), math.ceil(3.2), math.fmod(-7, 3), math.tointeger(3.0), math.ult(1, -1), math.type(1), math.abs(-4), math.max(1, 5, 3))
print(("%.9f %.9f %.9f %.9f"):format(math.sin(1), math.exp(1), math.log(10, 2), math.sqrt(2)))
math.randomseed(42) local r = {} for i = 1, 5 do r[i] = math.random(100) end print(table.concat(r, " "), math.random() < 1)
print(os.time { year = 2020, month = 2, day = 29, hour = 12 } - os.time { year = 2020, month = 2, day = 28, hour = 12 }, os.date("!%Y-%m-%d %H:%M:%S", 86400), os.getenv("NOTHING"))
local name = os.tmpname() local file = assert(io.open(name, "w")) file:setvbuf("full", 64) file:write("line 1\n", 2, " ", 3.5, "\nlast") print(file:seek("cur"), io.type(file)) file:close()
for l in io.lines(name) do io.write("[", l, "]") end print() file = io.open(name) print(file:read("l", "n", "n", "a")) file:close() print(io.type(file)) try(file.read, file) os.remove(name) print((select(2, io.open(name)):gsub("^.-: ", "")))
debug.sethook(function() sum = sum + 1 end, "", 1000) fib(12) debug.sethook() print(sum > 0, debug.getinfo(try, "S").what, debug.getlocal(function(a, b) end, 2))
local env = setmetatable({}, { __index = _G }) local g = load("y = 1; return print ~= nil, y", "c", "t", env) print(g(), env.y, rawget(_G, "y")) package.preload.m = function(n) return { name = n } end print(require("m").name)
