/* SPDX-License-Identifier: Apache-2.0 */
/* expat.c - parse a document of a few megabytes several times */
#include <expat.h>
#include <stdio.h>
#include "corpus.h"

static size_t elements, characters;

static void start(void *user, const char *name, const char **attributes)
{
	(void)user;
	(void)name;
	for (elements++; *attributes; attributes += 2)
		characters += strlen(attributes[1]);
}

static void text(void *user, const char *s, int n)
{
	(void)user;
	characters += corpus_hash(s, n > 8 ? 8 : n) & 1;
	characters += n;
}

int main(int argc, char **argv)
{
	size_t size = corpus_size(argc, 8 << 20), at = 0, part = 0;
	char *words = corpus_text(1 << 16), *doc = malloc(size + 1024);

	(void)argv;
	at += sprintf(doc, "<?xml version='1.0'?><doc>");
	while (at < size) {
		part = (part + 61) % 60000;
		at += sprintf(doc + at, "<p id='%zu' class='x&amp;y'>%.60s<b>&lt;%.10s</b></p>\n", part, words + part,
			words + part / 2);
	}
	at += sprintf(doc + at, "</doc>");
	for (int i = 0; i < 6; i++) {
		XML_Parser p = XML_ParserCreate(NULL);

		XML_SetHashSalt(p, 1);
		XML_SetStartElementHandler(p, start);
		XML_SetCharacterDataHandler(p, text);
		if (XML_Parse(p, doc, (int)at, 1) != XML_STATUS_OK)
			return 1;
		XML_ParserFree(p);
	}
	printf("%zu %zu\n", elements, characters);
	return 0;
}
