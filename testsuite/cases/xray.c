/* Places for a tracer, of which clang keeps a map: they stay what they are, where the map says. */
/* hazard: probe in a no-op. */
//# targets: x86_64 aarch64; the sleds are compared with those of these
//# cc:     clang-19
//# each: -fxray-instrument -fxray-instruction-threshold=1 -fno-xray-link-deps | -fxray-instrument -fxray-instruction-threshold=1 -fno-xray-link-deps -ffunction-sections
//# opaque: main twice
//# stdout: sleds are in order
#include <stdio.h>
struct sled { long address, function; unsigned char kind, always, version, rest[13]; };
extern const struct sled __start_xray_instr_map[], __stop_xray_instr_map[];
__attribute__((noinline)) int twice(int x)
{
	return x > 2 ? x + x : x;
}
int main(int argc, char **argv)
{
	(void)argv;
	int wrong = twice(argc) != 1;
	for (const struct sled *s = __start_xray_instr_map; s < __stop_xray_instr_map; s++) {
		const unsigned char *p = (const unsigned char *)&s->address + s->address;
#ifdef __aarch64__
		/* a jump over seven no-ops */
		wrong += p[0] != 8 || p[1] || p[2] || p[3] != 0x14;
#else
		/* a jump over nine bytes at an entry, a return with ten no-ops behind it at an exit */
		wrong += s->kind == 0 ? p[0] != 0xeb || p[1] != 9 : s->kind == 1 ? p[0] != 0xc3 : 0;
#endif
	}
	puts(wrong ? "sleds are elsewhere" : "sleds are in order");
	return 0;
}
