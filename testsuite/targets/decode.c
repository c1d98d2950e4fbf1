/* SPDX-License-Identifier: Apache-2.0 */
/*
 * decode.c - compare our decoder with a disassembly
 *
 * Reads what `objdump -dw --show-raw-insn' or `llvm-objdump -d' prints on
 * standard input: for each instruction the length, and where direct branches
 * lead, must be the same; what the cache answers must equal what is found
 * without it.  -v lists the vague ones, -b measures.  Status 1: they differ.
 */
#include "disasm.h"
#include "targets/x86_64/x86_64.h"

#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static struct {
	VEC(struct disasm_line) line;
	struct buf bytes;
	struct decoder *d;
	unsigned long insns, lengths, targets, undecoded, vague, uncached;
	bool list_vague, bench;
} t;

static void complain(const struct disasm_line *l, const char *what, const struct insn *in)
{
	static int shown;

	if (shown++ > 60)
		return;
	printf("%s: %llx len %u (ours %u):", what, (unsigned long long)l->addr, l->len, in->len);
	for (int i = 0; i < l->len; i++)
		printf(" %02x", l->bytes[i]);
	printf("  %s\n", l->text);
}

static void check_target(const struct disasm_line *l, const struct insn *in)
{
	if (!in->pc_size || in->flags & INSN_OPERAND_PC || !l->has_target)
		return;
	if (l->addr + (uint64_t)target_x86_64.form->distance(in, l->bytes, in->len) != l->target) {
		t.targets++;
		complain(l, "target", in);
	}
}

static void check_line(const struct disasm_line *l, const uint8_t *p, size_t readable)
{
	struct insn in = {0}, plain = {0};
	bool ok = target_x86_64.decode(t.d, p, readable, &in);

	if (ok != x86_decode_uncached(t.d, p, readable, &plain) ||
		(ok && memcmp(&in, &plain, sizeof in))) {
		t.uncached++;
		complain(l, "cache", &in);
	}
	if (!ok) {
		t.undecoded++;
		complain(l, "undecoded", &in);
		return;
	}
	/* objdump takes fwait for a part of the x87 instruction behind it. */
	if (p[0] == 0x9b && in.len == 1 && l->len > 1)
		return;
	if (in.len != l->len) {
		t.lengths++;
		complain(l, "length", &in);
		return;
	}
	check_target(l, &in);
	if (in.flags & INSN_VAGUE && in.kind != INSN_TRAP) {
		t.vague++;
		if (t.list_vague)
			printf("vague\t%s\n", l->text);
	}
}

/* The lines seen are one run of code. */
static void flush(void)
{
	size_t at = 0;

	t.insns += t.line.n;
	for (size_t i = 0; i < t.line.n; at += t.line.v[i++].len)
		if (!t.line.v[i].data)
			check_line(&t.line.v[i], t.bytes.v + at, t.bytes.n - at);
	t.line.n = 0;
	t.bytes.n = 0;
}

static double cpu_seconds(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

static void measure(void)
{
	for (int round = 0; round < 4; round++) {
		double start = cpu_seconds();
		unsigned long n = 0;
		struct insn in;

		for (size_t at = 0; at < t.bytes.n; at += in.len, n++)
			if (!target_x86_64.decode(t.d, t.bytes.v + at, t.bytes.n - at, &in))
				in.len = 1;
		start = cpu_seconds() - start;
		printf("%lu instructions in %.3f s: %.1f M/s\n", n, start, (double)n / start / 1e6);
	}
}

int main(int argc, char **argv)
{
	struct disasm_line l;
	bool gap;
	int c;

	while ((c = getopt(argc, argv, "bv")) != -1) {
		t.bench |= c == 'b';
		t.list_vague |= c == 'v';
	}
	t.d = target_x86_64.decoder_new();
	while (disasm_next(stdin, &l, &gap)) {
		if (gap && !t.bench)
			flush();
		buf_put(&t.bytes, l.bytes, l.len);
		if (!t.bench)
			vec_push(&t.line, l);
	}
	if (t.bench) {
		measure();
		return 0;
	}
	flush();
	printf("%lu instructions: %lu wrong lengths, %lu wrong targets, %lu not decoded, "
	       "%lu vague, %lu differ without cache\n",
		t.insns, t.lengths, t.targets, t.undecoded, t.vague, t.uncached);
	target_x86_64.decoder_free(t.d);
	return t.lengths || t.targets || t.undecoded || t.uncached || !t.insns;
}
