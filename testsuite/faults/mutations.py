# SPDX-License-Identifier: Apache-2.0
"""The malformed and odd objects of the fault corpus: good.o, changed in one place each."""
import os
import random
import struct
import subprocess

SRC = r'''
#include <stdexcept>
#include <stdio.h>
#include <string.h>
extern "C" int printf(const char *, ...);
static thread_local int tls1 = 5;
__thread int tls2;
struct A { virtual ~A() {} virtual int f(int x) { return x + 1; } };
struct B : A { int f(int x) override { return x * 2; } };
template <class T> T tmax(T a, T b) { return a > b ? a : b; }
inline int comdat_inline(int x) { static int n; return n += x; }
__attribute__((noinline)) int sw(int x) {
  switch (x) { case 0: return 3; case 1: return 17; case 2: return 1; case 3: return 99; case 4: return 6;
               case 5: return 8; case 6: return 12; case 7: return 5; default: return 0; } }
__attribute__((noinline)) int thrower(int x) { if (x > 3) throw std::runtime_error("x"); return x; }
int data[10] = {1, 2, 3};
int bss[100];
const char *strs[] = {"one", "two", "three"};
int (*fptrs[])(int) = {sw, thrower};
__attribute__((weak)) int weakfn(int x) { return x; }
int main(int argc, char **argv) {
  int s = 0;
  for (int i = 0; i < 9; i++) s += sw(i) + fptrs[i & 1](i & 3);
  try { thrower(argc + 5); } catch (std::exception &e) { s += (int)strlen(e.what()); }
  B b; A *a = &b;
  s += a->f(4) + tmax(s, 3) + comdat_inline(2) + tls1 + tls2 + data[1] + bss[3] + weakfn(1);
  printf("%d %s\n", s, strs[argc & 1]);
  return 0;
}
'''
U16, U32, U64, S64 = "<H", "<I", "<Q", "<q"
EH = {
    "type": (16, U16),
    "machine": (18, U16),
    "version": (20, U32),
    "entry": (24, U64),
    "phoff": (32, U64),
    "shoff": (40, U64),
    "flags": (48, U32),
    "ehsize": (52, U16),
    "phentsize": (54, U16),
    "phnum": (56, U16),
    "shentsize": (58, U16),
    "shnum": (60, U16),
    "shstrndx": (62, U16),
}
SH = {
    "name": (0, U32),
    "type": (4, U32),
    "flags": (8, U64),
    "addr": (16, U64),
    "offset": (24, U64),
    "size": (32, U64),
    "link": (40, U32),
    "info": (44, U32),
    "addralign": (48, U64),
    "entsize": (56, U64),
}
SY = {
    "name": (0, U32),
    "info": (4, "<B"),
    "other": (5, "<B"),
    "shndx": (6, U16),
    "value": (8, U64),
    "size": (16, U64),
}
RA = {"offset": (0, U64), "type": (8, U32), "sym": (12, U32), "addend": (16, S64)}
M64 = (1 << 64) - 1


class Obj:
    """a 64-bit little-endian relocatable object that can be poked field by field"""

    def __init__(self, b):
        self.b = bytearray(b)
        (self.shoff,) = struct.unpack_from(U64, self.b, 40)
        (self.shnum,) = struct.unpack_from(U16, self.b, 60)
        (strndx,) = struct.unpack_from(U16, self.b, 62)
        so = self.sec(strndx, "offset")
        self.names = []
        for i in range(self.shnum):
            o = so + self.sec(i, "name")
            self.names.append(self.b[o : self.b.index(0, o)].decode())

    def get(self, tab, base, f):
        o, t = tab[f]
        return struct.unpack_from(t, self.b, base + o)[0]

    def put(self, tab, base, f, v):
        o, t = tab[f]
        n = struct.calcsize(t) * 8
        v &= (1 << n) - 1
        struct.pack_into(t.upper() if t != "<B" else t, self.b, base + o, v)

    def hdr(self, f, v):
        self.put(EH, 0, f, v)
        return self

    def sec(self, i, f):
        return self.get(SH, self.shoff + 64 * i, f)

    def setsec(self, i, f, v):
        self.put(SH, self.shoff + 64 * i, f, v)
        return self

    def find(self, name, n=0):
        l = [i for i, x in enumerate(self.names) if x == name or x.startswith(name + ".") and name != ".rela"]
        return l[n]

    def bytype(self, t):
        return [i for i in range(self.shnum) if self.sec(i, "type") == t]

    def entry(self, i, n, size):
        return self.sec(i, "offset") + n * size

    def sym(self, n, f, v):
        self.put(SY, self.entry(self.bytype(2)[0], n, 24), f, v)
        return self

    def nsyms(self):
        return self.sec(self.bytype(2)[0], "size") // 24

    def rel(self, s, n, f, v):
        self.put(RA, self.entry(s, n, 24), f, v)
        return self

    def getrel(self, s, n, f):
        return self.get(RA, self.entry(s, n, 24), f)

    def poke(self, sec, off, data):
        o = self.sec(sec, "offset") + off
        self.b[o : o + len(data)] = data
        return self


def asm(text, tmp, name, extra=()):
    s = os.path.join(tmp, name + ".s")
    o = os.path.join(tmp, name + ".o")
    open(s, "w").write(text)
    subprocess.run(["as", "-o", o, s] + list(extra), check=True, stderr=subprocess.DEVNULL)
    return open(o, "rb").read()


def cases(good, rng, nrandom, tmp):
    """yield (name, expectation, {file name: bytes}) ; expectation: bad, ok, any.
    The first file is on the command line with the others only if listed in order."""
    G = lambda: Obj(good)
    g = G()

    def c(name, exp, o):
        return (name, exp, bytes(o.b if isinstance(o, Obj) else o))

    # ---------------------------------------------------------- files that are no objects
    yield c("file/empty", "bad", b"")
    yield c("file/one-byte", "bad", b"\x7f")
    yield c("file/text", "bad", b"hello, this is no object\n" * 10)
    yield c("file/zeros", "bad", bytes(4096))
    yield c("file/random", "bad", bytes(random.Random(5).randrange(256) for _ in range(5000)))
    yield c("file/magic-only", "bad", b"\x7fELF")
    yield c("file/elf-ident-only", "bad", good[:16])
    yield c("file/linker-script-unterminated", "bad", b"INPUT ( a.o \n")
    yield c("file/linker-script-garbage", "bad", b"SECTIONS { .text : { *(.te")
    yield c("file/linker-script-include-itself", "bad", b"INCLUDE @SELF@\n")
    yield c("file/bitcode-truncated", "bad", b"BC\xc0\xde" + bytes(20))
    for n in sorted(
        {1, 3, 5, 15, 17, 40, 63, 64, 65}
        | {len(good) * k // 25 for k in range(1, 25)}
        | {len(good) - 1, len(good) - 64, len(good) - 63, g.shoff, g.shoff + 1, g.shoff + 64}
    ):
        yield c("truncate/%d" % n, "bad", good[:n])
    yield c("append/garbage", "ok", good + b"trailing garbage" * 100)
    # ---------------------------------------------------------- ELF header
    for f, vals, exp in [
        ("type", [(0, "any"), (2, "bad"), (3, "bad"), (4, "bad"), (0xFE00, "any"), (0xFFFF, "any")], 0),
        ("machine", [(0, "bad"), (3, "bad"), (183, "bad"), (243, "bad"), (8, "bad"), (0xFFFF, "bad")], 0),
        ("version", [(0, "any"), (2, "any")], 0),
        (
            "shoff",
            [
                (0, "any"),
                (1, "bad"),
                (g.shoff + 1, "bad"),
                (len(good), "bad"),
                (len(good) - 1, "bad"),
                (1 << 62, "bad"),
                (M64, "bad"),
                (M64 - 63, "bad"),
            ],
            0,
        ),
        ("shnum", [(0, "bad"), (1, "bad"), (g.shnum + 1, "bad"), (0xFEFF, "bad"), (0xFFFF, "bad")], 0),
        ("shentsize", [(0, "any"), (1, "any"), (63, "any"), (65, "any"), (0xFFFF, "any")], 0),
        (
            "shstrndx",
            [
                (0, "any"),
                (g.shnum, "bad"),
                (0xFEFF, "bad"),
                (0xFFFF, "bad"),
                (g.find(".symtab"), "any"),
                (g.find(".bss"), "any"),
            ],
            0,
        ),
        ("phoff", [(1, "any"), (M64, "any")], 0),
        ("phnum", [(5, "any"), (0xFFFF, "any")], 0),
        ("ehsize", [(0, "any"), (0xFFFF, "any")], 0),
        ("flags", [(0xFFFFFFFF, "any")], 0),
    ]:
        for v, e in vals:
            yield c("ehdr/%s=%#x" % (f, v), e, G().hdr(f, v))
    for off, v, n, e in [
        (4, 1, "class32", "bad"),
        (4, 0, "class-none", "bad"),
        (4, 3, "class3", "bad"),
        (5, 2, "big-endian", "bad"),
        (5, 0, "data-none", "bad"),
        (6, 0, "ident-version0", "any"),
        (7, 255, "osabi255", "any"),
        (7, 9, "osabi-freebsd", "any"),
        (0, 0, "magic", "bad"),
        (8, 7, "abiversion", "any"),
    ]:
        o = G()
        o.b[off] = v
        yield c("ehdr/" + n, e, o)
    # ---------------------------------------------------------- section headers
    S = g.shnum
    L = len(good)
    secs = [
        ".text",
        ".rodata",
        ".data",
        ".bss",
        ".eh_frame",
        ".rela.text",
        ".rela.eh_frame",
        ".symtab",
        ".strtab",
        ".shstrtab",
        ".group",
        ".gcc_except_table",
        ".rodata.str1.1",
        ".debug_info",
        ".tdata",
        ".comment",
    ]
    for sn in secs:
        try:
            i = g.find(sn)
        except IndexError:
            continue
        nob = sn == ".bss"
        crit = sn in (".text", ".symtab", ".rela.text", ".eh_frame", ".strtab", ".data", ".rodata", ".group")
        bad = "bad" if crit else "any"
        for f, vals in {
            "name": [(0xFFFFFFFF, "any"), (len(good), "any")],
            "type": [
                (0, "any"),
                (8, "any"),
                (2, "any"),
                (4, "any"),
                (9, "any"),
                (17, "any"),
                (18, "any"),
                (11, "any"),
                (0x6FFFFFF6, "any"),
                (0x70000001, "any"),
                (0xFFFFFFFF, "any"),
                (0x12345, "any"),
            ],
            "offset": [
                (L, "any" if nob else bad),
                (L - 1, "any" if nob else bad),
                (M64, "any" if nob else bad),
                (M64 - 4, "any" if nob else bad),
                (1 << 40, "any" if nob else bad),
                (0, "any"),
                (3, "any"),
            ],
            "size": [
                (0, "any"),
                (1, "any"),
                (L * 2, "any" if nob else bad),
                (M64, "any" if nob else bad),
                (1 << 62, "any" if nob else bad),
                (g.sec(i, "size") + 1, "any"),
                (max(g.sec(i, "size"), 1) - 1, "any"),
            ],
            "link": [(S, "any"), (0xFFFFFFFF, "any"), (0xFF00, "any"), (i, "any"), (0, "any"), (1, "any")],
            "info": [(S, "any"), (0xFFFFFFFF, "any"), (i, "any"), (0, "any"), (1, "any")],
            "addralign": [
                (3, "any"),
                (0, "any"),
                (1 << 63, "any"),
                (1 << 32, "any"),
                (M64, "any"),
                (1 << 20, "any"),
            ],
            "entsize": [(0, "any"), (1, "any"), (7, "any"), (M64, "any"), (23, "any"), (1 << 40, "any")],
            "flags": [
                (0, "any"),
                (M64, "any"),
                (0x800 | g.sec(i, "flags"), "any"),
                (0x80 | g.sec(i, "flags"), "any"),
                (0x30 | g.sec(i, "flags"), "any"),
                (0x200 | g.sec(i, "flags"), "any"),
                (0x400 | g.sec(i, "flags"), "any"),
                (0x7, "any"),
                (0x80000000 | g.sec(i, "flags"), "any"),
            ],
        }.items():
            for v, e in vals:
                yield c("shdr/%s/%s=%#x" % (sn, f, v), e, G().setsec(i, f, v))
    a, b = g.find(".text"), g.find(".rodata")
    yield c("shdr/overlap-text-rodata", "any", G().setsec(b, "offset", g.sec(a, "offset")))
    yield c("shdr/overlap-header", "any", G().setsec(a, "offset", 0))
    yield c("shdr/two-symtabs", "any", G().setsec(g.find(".comment"), "type", 2))
    yield c("shdr/all-names-zero", "any", _all(G(), "name", 0))
    yield c("shdr/all-align-huge", "any", _all(G(), "addralign", 1 << 48))
    yield c("shdr/section0-not-null", "any", G().setsec(0, "type", 1).setsec(0, "size", 100))
    yield c("shdr/shnum-extended-huge", "bad", G().hdr("shnum", 0).setsec(0, "size", 1 << 40))
    yield c("shdr/shnum-extended-right", "ok", G().hdr("shnum", 0).setsec(0, "size", S))
    yield c("shdr/shstrndx-extended-bad", "bad", G().hdr("shstrndx", 0xFFFF).setsec(0, "link", S + 5))
    # ---------------------------------------------------------- symbols
    st = g.bytype(2)[0]
    n = g.nsyms()
    first_glob = g.sec(st, "info")
    glob = n - 3
    mainsym = next(
        k
        for k in range(first_glob, n)
        if g.get(SY, g.entry(st, k, 24), "shndx") not in (0,)
        and g.get(SY, g.entry(st, k, 24), "info") & 15 == 2
    )
    secsym = next(k for k in range(1, n) if g.get(SY, g.entry(st, k, 24), "info") == 3)
    for k, kn in ((mainsym, "func"), (secsym, "section"), (n - 1, "undef"), (0, "null")):
        for f, vals in {
            "name": [
                (0xFFFFFFFF, "any"),
                (g.sec(g.sec(st, "link"), "size"), "any"),
                (g.sec(g.sec(st, "link"), "size") - 1, "any"),
            ],
            "shndx": [
                (S, "any"),
                (0xFEFF, "any"),
                (0xFF00, "any"),
                (0xFFF1, "any"),
                (0xFFF2, "any"),
                (0xFFFF, "any"),
                (0xFF20, "any"),
                (0xFFF3, "any"),
                (st, "any"),
            ],
            "value": [
                (M64, "any"),
                (1 << 40, "any"),
                (g.sec(a, "size"), "any"),
                (g.sec(a, "size") + 1, "any"),
                (1, "any"),
            ],
            "size": [(M64, "any"), (1 << 40, "any"), (0, "any"), (1, "any")],
            "info": [
                (0xFF, "any"),
                (0x7F, "any"),
                (0x0F, "any"),
                (0x16, "any"),
                (0x26, "any"),
                (0x1A, "any"),
                (0xA2, "any"),
                (0x14, "any"),
                (0x13, "any"),
                (0x02, "any"),
            ],
            "other": [(0xFF, "any"), (1, "any"), (3, "any")],
        }.items():
            for v, e in vals:
                if kn == "func" and f == "shndx" and v in (S, 0xFEFF):
                    e = "bad"
                if kn in ("func",) and f == "name" and v == 0xFFFFFFFF:
                    e = "bad"
                yield c("sym/%s/%s=%#x" % (kn, f, v), e, G().sym(k, f, v))
    yield c("sym/sh_info=0", "any", G().setsec(st, "info", 0))
    yield c("sym/sh_info=count", "any", G().setsec(st, "info", n))
    yield c("sym/sh_info=count+1", "bad", G().setsec(st, "info", n + 1))
    yield c("sym/all-same-name", "any", _allsyms(G(), "name", 1, first_glob))
    yield c("sym/all-mid-instruction", "any", _allsyms(G(), "value", 3, 1))
    yield c("sym/all-size-huge", "any", _allsyms(G(), "size", 1 << 33, 1))
    yield c("sym/all-zero-size", "any", _allsyms(G(), "size", 0, 1))
    o = G()
    sz = g.sec(g.sec(st, "link"), "size")
    o.poke(g.sec(st, "link"), sz - 1, b"x")
    yield c("sym/strtab-unterminated", "any", o)
    o = G()
    o.poke(g.find(".shstrtab"), g.sec(g.find(".shstrtab"), "size") - 1, b"x")
    yield c("sym/shstrtab-unterminated", "any", o)
    # ---------------------------------------------------------- relocations
    for sn in (".rela.text", ".rela.eh_frame", ".rela.data", ".rela.debug_info"):
        try:
            i = g.find(sn)
        except IndexError:
            continue
        nr = g.sec(i, "size") // 24
        tsz = g.sec(g.sec(i, "info"), "size")
        dbg = "debug" in sn
        for k, kn in ((0, "first"), (nr // 2, "mid"), (nr - 1, "last")):
            for f, vals in {
                "offset": [
                    (tsz, "any" if dbg else "bad"),
                    (tsz - 1, "any" if dbg else "bad"),
                    (tsz - 2, "any"),
                    (M64, "any" if dbg else "bad"),
                    (M64 - 3, "any" if dbg else "bad"),
                    (1 << 32, "any" if dbg else "bad"),
                    (0, "any"),
                ],
                "sym": [(n, "bad"), (0xFFFFFFFF, "bad"), (0x7FFFFFFF, "bad"), (0, "any")],
                "type": [
                    (0, "any"),
                    (5, "any"),
                    (6, "any"),
                    (7, "any"),
                    (8, "any"),
                    (12, "any"),
                    (14, "any"),
                    (18, "any"),
                    (19, "any"),
                    (20, "any"),
                    (22, "any"),
                    (25, "any"),
                    (26, "any"),
                    (32, "any"),
                    (34, "any"),
                    (35, "any"),
                    (37, "any"),
                    (41, "any"),
                    (42, "any"),
                    (43, "any"),
                    (200, "bad"),
                    (0xFFFFFFFF, "bad"),
                ],
                "addend": [
                    (1 << 40, "any"),
                    (-1 << 63, "any"),
                    ((1 << 63) - 1, "any"),
                    (0x7FFFFFFF, "any"),
                    (-1 << 31, "any"),
                ],
            }.items():
                for v, e in vals:
                    yield c("reloc/%s/%s/%s=%#x" % (sn, kn, f, v), e, G().rel(i, k, f, v))
        yield c("reloc/%s/all-same-offset" % sn, "any", _allrels(G(), i, "offset", 4))
        yield c("reloc/%s/all-offset-huge" % sn, "any" if dbg else "bad", _allrels(G(), i, "offset", 1 << 50))
        yield c("reloc/%s/reversed" % sn, "any", _revrels(G(), i))
        yield c("reloc/%s/as-REL" % sn, "any", G().setsec(i, "type", 9).setsec(i, "entsize", 16))
        for t in (".symtab", ".strtab", ".shstrtab", ".bss", ".rela.text", ".group"):
            yield c("reloc/%s/target=%s" % (sn, t), "any", G().setsec(i, "info", g.find(t)))
        yield c("reloc/%s/target=itself" % sn, "any", G().setsec(i, "info", i))
        yield c(
            "reloc/%s/two-for-one-target" % sn,
            "any",
            G().setsec(i, "info", g.sec(g.find(".rela.data"), "info")),
        )
    # ---------------------------------------------------------- groups
    gi = g.bytype(17)
    if gi:
        i = gi[0]
        for v in (0, S, 0xFFFFFFFF, i, st, g.find(".text"), 0xFFFF):
            yield c("group/member=%#x" % v, "bad" if v >= S else "any", G().poke(i, 4, struct.pack(U32, v)))
        for v in (0, 2, 0xFFFFFFFF, 0x100):
            yield c("group/flags=%#x" % v, "any", G().poke(i, 0, struct.pack(U32, v)))
        for v in (0, 1, 3, 4, 5, 7):
            yield c("group/size=%d" % v, "any", G().setsec(i, "size", v))
        yield c("group/signature=%d" % n, "bad", G().setsec(i, "info", n))
        yield c("group/signature=0", "any", G().setsec(i, "info", 0))
        if len(gi) > 1:
            yield c(
                "group/circular",
                "any",
                G().poke(gi[0], 4, struct.pack(U32, gi[1])).poke(gi[1], 4, struct.pack(U32, gi[0])),
            )
            m = struct.unpack_from(U32, g.b, g.sec(gi[0], "offset") + 4)[0]
            yield c("group/section-in-two", "any", G().poke(gi[1], 4, struct.pack(U32, m)))
            yield c("group/same-signature", "any", G().setsec(gi[1], "info", g.sec(gi[0], "info")))
    # ---------------------------------------------------------- .eh_frame, LSDA, notes
    e = g.find(".eh_frame")
    esz = g.sec(e, "size")
    eo = g.sec(e, "offset")
    recs, p = [], 0
    while p + 4 <= esz:
        (ln,) = struct.unpack_from(U32, g.b, eo + p)
        if ln == 0:
            break
        recs.append((p, ln, struct.unpack_from(U32, g.b, eo + p + 4)[0]))
        p += 4 + ln
    cie = recs[0]
    fdes = [r for r in recs if r[2]]
    for rn, r in (("cie", cie), ("fde", fdes[0]), ("last-fde", fdes[-1])):
        for v in (
            0,
            1,
            3,
            4,
            7,
            r[1] - 1,
            r[1] + 1,
            r[1] + 4,
            esz,
            0x7FFFFFFF,
            0xFFFFFFFE,
            0xFFFFFFFF,
            0xFFFFFFF0,
        ):
            yield c("eh_frame/%s/length=%#x" % (rn, v), "any", G().poke(e, r[0], struct.pack(U32, v)))
        for v in (0, 1, r[0] + 5, 0x7FFFFFFF, 0xFFFFFFFF):
            yield c("eh_frame/%s/id=%#x" % (rn, v), "any", G().poke(e, r[0] + 4, struct.pack(U32, v)))
        for off in range(8, min(28, r[1] + 4)):
            for v in (0xFF, 0x00):
                yield c("eh_frame/%s/byte%d=%#x" % (rn, off, v), "any", G().poke(e, r[0] + off, bytes([v])))
    yield c(
        "eh_frame/leb-unterminated", "any", G().poke(e, cie[0] + 8, b"\x01zPLR\0" + b"\xff" * (cie[1] - 10))
    )
    yield c("eh_frame/augmentation-unterminated", "any", G().poke(e, cie[0] + 9, b"z" * (cie[1] - 5)))
    yield c("eh_frame/all-ff", "any", G().poke(e, 0, b"\xff" * esz))
    yield c("eh_frame/all-zero", "any", G().poke(e, 0, bytes(esz)))
    yield c("eh_frame/cut-mid-record", "any", G().setsec(e, "size", fdes[0][0] + 9))
    yield c("eh_frame/cut-one-byte", "any", G().setsec(e, "size", esz - 1))
    yield c("eh_frame/no-relocs", "any", G().setsec(g.find(".rela.eh_frame"), "size", 0))
    for sn in (
        ".gcc_except_table",
        ".note.gnu.property",
        ".debug_info",
        ".debug_line",
        ".debug_abbrev",
        ".debug_str",
        ".debug_rnglists",
        ".debug_aranges",
    ):
        try:
            i = g.find(sn)
        except IndexError:
            continue
        z = g.sec(i, "size")
        for nm, by in (
            ("ff", b"\xff" * z),
            ("zero", bytes(z)),
            ("random", bytes(random.Random(z).randrange(256) for _ in range(z))),
        ):
            yield c("content/%s=%s" % (sn, nm), "any", G().poke(i, 0, by))
        for v in (1, 3, z // 2, z - 1):
            yield c("content/%s-size=%d" % (sn, v), "any", G().setsec(i, "size", v))
        for k in range(0, min(z, 24), 2):
            yield c("content/%s[%d]=ff" % (sn, k), "any", G().poke(i, k, b"\xff"))
    # ---------------------------------------------------------- code that no disassembler expects
    t = g.find(".text")
    tz = g.sec(t, "size")
    rr = random.Random(7)
    for nm, by in (
        ("zeros", bytes(tz)),
        ("ff", b"\xff" * tz),
        ("invalid-06", b"\x06" * tz),
        ("prefixes-66", b"\x66" * tz),
        ("lock", b"\xf0" * tz),
        ("evex", b"\x62" * tz),
        ("vex", b"\xc5" * tz),
        ("rex", b"\x4f" * tz),
        ("e8", b"\xe8" * tz),
        ("eb-fe", (b"\xeb\xfe" * tz)[:tz]),
        ("jmp-mid", (b"\xeb\xff\xc0" * tz)[:tz]),
        ("random", bytes(rr.randrange(256) for _ in range(tz))),
        ("0f", b"\x0f" * tz),
        ("int3", b"\xcc" * tz),
    ):
        yield c("code/text=" + nm, "any", G().poke(t, 0, by))
    yield c("code/cut-last-instruction", "any", G().setsec(t, "size", tz - 1))
    yield c("code/jump-out-of-section", "any", G().poke(t, 0, b"\xe9\x00\x00\x00\x70"))
    yield c("code/jump-before-section", "any", G().poke(t, 0, b"\xe9\x00\x00\x00\x90"))
    yield c("code/jcc-rel8-mid", "any", G().poke(t, 0, b"\x75\x01\xe8\x90\x90\x90\x90"))
    i = g.find(".rodata")
    yield c("code/jump-table=ff", "any", G().poke(i, 0, b"\xff" * g.sec(i, "size")))
    yield c("code/text-not-executable", "any", G().setsec(t, "flags", 2))
    yield c("code/text-writable", "any", G().setsec(t, "flags", 7))
    yield c("code/text-nobits", "any", G().setsec(t, "type", 8))
    yield c("code/rodata-executable", "any", G().setsec(i, "flags", 6))
    # ---------------------------------------------------------- valid but unusual
    yield c("valid/unchanged", "ok", G())
    H = ".globl main\n.text\nmain: xor %eax,%eax\n ret\n"
    yield c(
        "valid/zero-size-sections",
        "ok",
        asm(H + "".join('.section .z%d,"a%s"\n' % (k, "wx"[k % 2]) for k in range(20)), tmp, "zs"),
    )
    yield c("valid/no-exec-sections", "any", asm(".data\n.long 1\n", tmp, "nx"))
    yield c(
        "valid/sections-70000",
        "ok",
        asm(H + "".join('.section .text.f%d,"ax"\n f%d: ret\n' % (k, k) for k in range(70000)), tmp, "many"),
    )
    yield c(
        "valid/symbols-100000",
        "ok",
        asm(H + "".join(' .globl g%d\n g%d: nop\n' % (k, k) for k in range(100000)), tmp, "msym"),
    )
    yield c("valid/relocs-100000", "ok", asm(H + ".data\n" + ".quad main\n" * 100000, tmp, "mrel"))
    yield c("valid/long-symbol-name", "ok", asm(H + "x" * 200000 + ": nop\n", tmp, "lname"))
    yield c(
        "valid/odd-names",
        "ok",
        asm(
            H
            + '.section "a b\tc","ax"\n nop\n "sy m": nop\n.section "\u00e4","a"\n .byte 1\n .section ".text.","ax"\n nop\n',
            tmp,
            "odd",
        ),
    )
    yield c("valid/align-1M", "ok", asm(H + ".balign 1048576\n f: ret\n", tmp, "al"))
    yield c("valid/empty-text", "ok", asm('.data\n.globl main\nmain: .byte 0xc3\n', tmp, "et"))
    yield c(
        "valid/function-overlap",
        "ok",
        asm(
            H
            + ".type f,@function\nf: nop\n.type g,@function\ng: nop\n nop\n ret\n .size f,.-f\n .size g,.-g\n h: ret\n .size main,.-main\n",
            tmp,
            "ov",
        ),
    )
    yield c(
        "valid/data-in-text",
        "ok",
        asm(H + ".rept 100\n .quad 0x0606060606060606\n.endr\nf: ret\n .ascii \"text in text\"\n", tmp, "dt"),
    )
    yield c(
        "valid/one-giant-block", "ok", asm(H + "f: .rept 60000\n addq $1,%rax\n .endr\n ret\n", tmp, "gb")
    )
    yield c(
        "valid/jumps-100000", "ok", asm(H + "f: .rept 50000\n jne 1f\n 1: nop\n .endr\n ret\n", tmp, "mj")
    )
    yield c(
        "valid/far-jumps",
        "ok",
        asm(H + "f: jne g\n jmp g\n.rept 40000\n nop\n nop\n nop\n nop\n.endr\ng: jne f\n ret\n", tmp, "fj"),
    )
    yield c(
        "valid/loop-jrcxz",
        "ok",
        asm(H + "f: jrcxz 1f\n 2: loop 2b\n loope 2b\n loopne 2b\n jecxz 1f\n 1: ret\n", tmp, "lj"),
    )
    yield c("valid/bss-1G", "any", asm(H + ".bss\n.zero 1000000000\n", tmp, "bss"))
    yield c("valid/unwind-type-eh_frame", "ok", Obj(good).setsec(e, "type", 0x70000001))
    yield c("valid/exclude-flag", "ok", asm(H + '.section .ex,"e"\n .byte 1\n', tmp, "ex"))
    yield c(
        "valid/tls-ifunc-common",
        "ok",
        asm(
            H
            + '.section .tdata,"awT",@progbits\n t: .long 1\n .comm c,100,64\n .text\n .type i,@gnu_indirect_function\n i: lea main(%rip),%rax\n ret\n call i@PLT\n',
            tmp,
            "tic",
        ),
    )
    yield c(
        "valid/cfi-escape",
        "ok",
        asm(
            H
            + 'f: .cfi_startproc\n .cfi_escape 0x0f,3,0x77,8,6\n nop\n .cfi_remember_state\n .cfi_def_cfa_offset 100000\n nop\n .cfi_restore_state\n ret\n .cfi_endproc\n',
            tmp,
            "cfi",
        ),
    )

    # ---------------------------------------------------------- archives
    def ar(members, magic=b"!<arch>\n", size=None):
        out = magic
        for nm, b in members:
            out += (
                b"%-16s%-12d%-6d%-6d%-8o%-10d`\n" % (nm, 0, 0, 0, 0o644, len(b) if size is None else size)
                + b
                + (b"\n" if len(b) & 1 else b"")
            )
        return out

    obj = bytes(good)
    aa = ar([(b"a.o/", obj)])
    yield ("archive/no-index", "any", aa)
    yield ("archive/empty", "bad", b"!<arch>\n")
    yield ("archive/magic-cut", "bad", b"!<arch")
    yield ("archive/header-cut", "bad", aa[:40])
    yield ("archive/member-cut", "bad", aa[:2000])
    yield ("archive/size-huge", "bad", ar([(b"a.o/", obj)], size=9999999999))
    yield ("archive/size-not-number", "bad", aa[:56] + b"xxxxxxxxxx" + aa[66:])
    yield ("archive/size-negative", "bad", aa[:56] + b"-5        " + aa[66:])
    yield ("archive/fmag-wrong", "bad", aa[:66] + b"xx" + aa[68:])
    idx = struct.pack(">II", 1, 68 + 8 + 4 + 5 + 60) + b"main\0"
    for nm, d in (
        ("index-offset-beyond", struct.pack(">II", 1, 1 << 30) + b"main\0"),
        ("index-count-huge", struct.pack(">II", 0xFFFFFFFF, 8) + b"main\0"),
        ("index-cut", b"\0\0"),
        ("index-names-unterminated", struct.pack(">II", 1, 8) + b"main"),
        ("index-offset-itself", struct.pack(">II", 1, 8) + b"main\0"),
        ("index-offset-odd", struct.pack(">II", 1, 71) + b"main\0"),
        ("index-empty", struct.pack(">I", 0)),
    ):
        yield ("archive/" + nm, "any", ar([(b"/", d), (b"a.o/", obj)]))
    yield ("archive/long-name-no-table", "any", ar([(b"/0", obj)]))
    yield ("archive/long-name-beyond", "any", ar([(b"//", b"a.o/\n"), (b"/9999", obj)]))
    yield ("archive/thin-missing-member", "bad", ar([(b"nonexistent.o/", b"")], magic=b"!<thin>\n", size=100))
    yield ("archive/member-not-elf", "any", ar([(b"a.txt/", b"hello\n"), (b"a.o/", obj)]))
    yield ("archive/member-truncated-elf", "any", ar([(b"a.o/", obj[:500])]))
    yield ("archive/nested", "any", ar([(b"n.a/", aa)]))
    # ---------------------------------------------------------- random
    fields = []
    for i in range(g.shnum):
        fields += [("sec%d(%s).%s" % (i, g.names[i], f), g.shoff + 64 * i + o, t) for f, (o, t) in SH.items()]
    for k in range(n):
        fields += [("sym%d.%s" % (k, f), g.entry(st, k, 24) + o, ty) for f, (o, ty) in SY.items()]
    for i in g.bytype(4):
        for k in range(g.sec(i, "size") // 24):
            fields += [("rel%d[%d].%s" % (i, k, f), g.entry(i, k, 24) + o, ty) for f, (o, ty) in RA.items()]
    fields += [("eh_frame[%d]" % k, eo + k, "<B") for k in range(esz)]
    for k in range(nrandom):
        o = G()
        what = []
        for _ in range(rng.choice((1, 1, 1, 2, 3))):
            nm, off, ty = rng.choice(fields)
            bits = struct.calcsize(ty) * 8
            cur = struct.unpack_from(ty.upper() if ty != "<B" else ty, o.b, off)[0]
            v = rng.choice(
                [
                    0,
                    1,
                    (1 << bits) - 1,
                    1 << (bits - 1),
                    (1 << (bits - 1)) - 1,
                    cur + 1,
                    cur - 1,
                    cur ^ (1 << rng.randrange(bits)),
                    rng.randrange(1 << bits),
                    rng.randrange(256),
                    len(good),
                    g.shnum,
                ]
            )
            v &= (1 << bits) - 1
            struct.pack_into(ty.upper() if ty != "<B" else ty, o.b, off, v)
            what.append("%s=%#x" % (nm, v))
        yield c("random/%d:%s" % (k, ",".join(what)), "any", o)


def _all(o, f, v):
    for i in range(1, o.shnum):
        o.setsec(i, f, v)
    return o


def _allsyms(o, f, v, frm):
    for k in range(frm, o.nsyms()):
        o.sym(k, f, v)
    return o


def _allrels(o, s, f, v):
    for k in range(o.sec(s, "size") // 24):
        o.rel(s, k, f, v)
    return o


def _revrels(o, s):
    a, z = o.sec(s, "offset"), o.sec(s, "size")
    r = [bytes(o.b[a + k : a + k + 24]) for k in range(0, z, 24)][::-1]
    o.b[a : a + z] = b"".join(r)
    return o
