/* SPDX-License-Identifier: Apache-2.0 */
/* lua.c - an interpreter at work: loops, tables, strings, closures, coroutines */
#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>
#include <stdio.h>
#include "corpus.h"

static const char program[] =
	"local function fib(n) if n < 2 then return n end return fib(n-1) + fib(n-2) end\n"
	"print(fib(27 - small * 4))\n"
	"local t = {} for i = 1, 200000 // (1 + 7 * small) do t[i] = (i * 7919) % 100003 end\n"
	"table.sort(t) print(t[1], t[#t // 2])\n"
	"local s = {} for i = 1, 50000 // (1 + 7 * small) do s[#s+1] = string.format('%d:%x', i, i*i) end\n"
	"print(#table.concat(s, ','))\n"
	"local n = 0 for w in table.concat(s, ' '):gmatch('%x+') do n = n + #w end print(n)\n"
	"local n = 300000 // (1 + 7 * small)\n"
	"local co = coroutine.wrap(function() for i = 1, n do coroutine.yield(i) end end)\n"
	"local sum = 0 for i = 1, n do sum = sum + co() end print(sum)\n";

int main(int argc, char **argv)
{
	lua_State *l = luaL_newstate();

	(void)argv;
	luaL_openlibs(l);
	lua_pushinteger(l, argc > 1);
	lua_setglobal(l, "small");
	if (luaL_dostring(l, program)) {
		fprintf(stderr, "%s\n", lua_tostring(l, -1));
		return 1;
	}
	lua_close(l);
	return 0;
}
