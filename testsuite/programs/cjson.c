/* SPDX-License-Identifier: Apache-2.0 */
/* cjson.c - parse and print a document of a few megabytes */
#include <cJSON.h>
#include <stdio.h>
#include "corpus.h"

int main(int argc, char **argv)
{
	size_t size = corpus_size(argc, 8 << 20), at = 1, part = 0, printed = 0;
	char *words = corpus_text(1 << 16), *doc = malloc(size + 1024);

	(void)argv;
	for (char *s = words; *s; s++)
		*s = *s == '\n' ? ' ' : *s;
	*doc = '[';
	while (at < size) {
		part = (part + 61) % 60000;
		at += sprintf(doc + at, "{\"id\": %zu, \"text\": \"%.60s\", \"list\": [1.5, null, true, %zu], \"x\": {}},\n", part,
			words + part, part / 7);
	}
	strcpy(doc + at, "0]");
	for (int i = 0; i < 4; i++) {
		cJSON *json = cJSON_Parse(doc);
		char *text = json ? cJSON_PrintUnformatted(json) : NULL;
		if (!text)
			return 1;
		printed += strlen(text) + cJSON_GetArraySize(json);
		free(text);
		cJSON_Delete(json);
	}
	printf("%zu\n", printed);
	return 0;
}
