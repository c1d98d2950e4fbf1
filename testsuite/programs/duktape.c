/* SPDX-License-Identifier: Apache-2.0 */
/* duktape.c - run a script: numbers, strings, objects, sorting */
#include <duktape.h>
#include <stdio.h>
#include "corpus.h"

static const char script[] =
	"function run(n) {\n"
	"  var words = {}, list = [], sum = 0;\n"
	"  for (var i = 0; i < n; i++) {\n"
	"    var w = (i * 7919 % 1009).toString(36);\n"
	"    words[w] = (words[w] || 0) + i % 17;\n"
	"    if (i % 50 === 0) list.push({key: w, n: i % 1013});\n"
	"    sum = (sum * 31 + w.length) % 1000003;\n"
	"  }\n"
	"  list.sort(function (a, b) { return a.n - b.n || (a.key < b.key ? -1 : 1); });\n"
	"  for (var k in words) sum = (sum + words[k]) % 1000003;\n"
	"  return sum + JSON.stringify(list).length;\n"
	"}";

int main(int argc, char **argv)
{
	duk_context *d = duk_create_heap_default();

	(void)argv;
	if (!d || duk_peval_string(d, script))
		return 1;
	duk_get_global_string(d, "run");
	duk_push_uint(d, (unsigned)corpus_size(argc, 800000));
	if (duk_pcall(d, 1))
		return 1;
	printf("%.0f\n", duk_get_number(d, -1));
	duk_destroy_heap(d);
	return 0;
}
