/* Branches for branch.py, without a C library; with -DHOSTED, with one whose directions are known. */
static unsigned seed = 1;
static unsigned next(void) { return seed = seed * 1103515245u + 12345, seed >> 16; }
static int list[3000], other[3000];
__attribute__((noipa)) void sort(int *v, int n)
{
	for (int gap = n / 2; gap; gap /= 2)
		for (int i = gap; i < n; i++)
			for (int j = i; j >= gap && v[j - gap] > v[j]; j -= gap) {
				int t = v[j];
				v[j] = v[j - gap], v[j - gap] = t;
			}
}
__attribute__((noipa)) unsigned crc(const int *v, int n)
{
	unsigned c = 0;
	for (int i = 0; i < n; i++)
		for (int bit = 0; bit < 8; bit++)
			c = (c ^ v[i] >> bit) & 1 ? c >> 1 ^ 0xedb88320u : c >> 1;
	return c;
}
__attribute__((noipa)) int run(const unsigned char *code, int n)
{
	int a = 0, b = 1;
	for (int pc = 0; pc < n; pc++)
		switch (code[pc] % 6) {
		case 0: a += b; break;
		case 1: b ^= a; break;
		case 2: if (a & 1) pc++; break;
		case 3: a -= b > 7 && a > b ? 3 : 1; break;
		case 4: b = a * 5 % 11; break;
		default: if (!b || a < -100) a = b; break;
		}
	return a + b;
}
__attribute__((noipa)) int search(const int *v, int n, int what)
{
	int lo = 0, hi = n;
	while (lo < hi) {
		int mid = (lo + hi) / 2;
		if (v[mid] < what)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < n && v[lo] == what;
}
__attribute__((noipa)) int tail(int n) { return n > 3 ? search(list, 3000, n) : crc(other, n); }
static unsigned char code[5000];
int work(void)
{
	int found = 0;
	for (int i = 0; i < 3000; i++)
		list[i] = next() % 5000, other[i] = next();
	for (int i = 0; i < 5000; i++)
		code[i] = next();
	sort(list, 3000);
	for (int i = 0; i < 3000; i++)
		found += search(list, 3000, other[i] & 4095) + tail(i % 7);
	for (int i = 0; i < 20; i++)
		found += run(code, 5000 - i);
	return (found ^ crc(other, 3000)) & 63;
}
#ifdef HOSTED
__attribute__((noipa)) unsigned known(void)
{
	unsigned x = 1, n = 0;
	for (int i = 0; i < 2000; i++) {
		x = x * 1103515245u + 12345;
		if (x >> 20 & 3)
			__asm__ volatile("" : "+r"(n));
		else
			__asm__ volatile("" : "+r"(x));
	}
	return n;
}
int main(void)
{
	return known() + 24;
}
#else
void start(void)
{
	long r;
	int status = work();
	__asm__ volatile("syscall" : "=a"(r) : "0"(231), "D"(status) : "rcx", "r11", "memory");
}
__asm__(".globl _start\n_start: and $-16,%rsp; call start; hlt");
#endif
