//# each: -O2 | -Os | -O3
//# stdout: 2 9 1 -1
/* A loop that begins in its middle, with a switch whose table is named in front of it. */
#include <stdio.h>

struct mode {
	int level, kind, flags, direct;
};

__attribute__((noinline)) static int parse(struct mode *m, const char *s)
{
	m->kind = m->flags = m->direct = 0, m->level = -1;
	for (; *s; s++) {
		if (*s >= '0' && *s <= '9')
			m->level = *s - '0';
		else
			switch (*s) {
			case 'r': m->kind = 1; break;
			case 'w': m->kind = 2; break;
			case 'a': m->kind = 3; break;
			case '+': return -1;
			case 'b': break;
			case 'e': m->flags |= 1; break;
			case 'x': m->flags |= 2; break;
			case 'f': m->direct = 4; break;
			case 'h': m->direct = 8; break;
			case 'R': m->direct = 16; break;
			case 'F': m->direct = 32; break;
			case 'T': m->direct = 1; break;
			}
	}
	return 0;
}

int main(void)
{
	struct mode m, bad;
	int r = parse(&m, "wb9eT") + parse(&bad, "r+");
	printf("%d %d %d %d\n", m.kind, m.level, m.direct, r);
	return 0;
}
