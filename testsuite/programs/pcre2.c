/* SPDX-License-Identifier: Apache-2.0 */
/* pcre2.c - find patterns in text, without machine code made for them */
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <stdio.h>
#include "corpus.h"

static const char *const patterns[] = {
	"[aeiou]{3}", "(t|s)(h|t)e+\\s", "\\b(\\w)\\w*\\1\\b", "(?i)Ed\\b.*?\\bt", "([a-m]+[n-z]){3,}", "x.y|z[^ ]q"};

int main(int argc, char **argv)
{
	size_t size = corpus_size(argc, 8 << 20);
	char *text = corpus_text(size);
	unsigned long found = 0;

	(void)argv;
	for (unsigned i = 0; i < sizeof patterns / sizeof *patterns; i++) {
		int error;
		size_t at;
		pcre2_code *c = pcre2_compile((PCRE2_SPTR)patterns[i], PCRE2_ZERO_TERMINATED, 0, &error, &at, NULL);
		pcre2_match_data *m = pcre2_match_data_create_from_pattern(c, NULL);
		size_t *ends = pcre2_get_ovector_pointer(m);
		for (at = 0; pcre2_match(c, (PCRE2_SPTR)text, size, at, 0, m, NULL) > 0; at = ends[1] + 1)
			found += ends[1] - ends[0];
		pcre2_match_data_free(m);
		pcre2_code_free(c);
	}
	printf("%lu\n", found);
	return 0;
}
