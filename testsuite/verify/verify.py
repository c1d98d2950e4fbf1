#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""verify.py REWRITE VERIFY BREAK GROUP [PLACES]: what the verifier says of good and of damaged objects.

Real combined objects are rewritten in each mode and must pass; then each kind of
damage is done to a rewritten one, at several places, and must be found.  GROUP: one
of GROUPS, the compilers and CPUs.  PLACES: how many are tried, of each kind (all).
"""
import functools, os, shutil, struct, subprocess, sys, tempfile

SRC = r'''
#include <map>
#include <stdexcept>
#include <stdio.h>
#include <string>
#ifdef FRAMES
asm(".cfi_sections .eh_frame, .debug_frame");
#endif
struct guard { ~guard() { puts("left"); } };
__attribute__((noinline)) int thrower(int x) { if (x > 3) throw std::runtime_error("x"); return x; }
__attribute__((noinline)) int sw(int x) {
  switch (x) { case 0: return thrower(3); case 1: puts("1"); return 17; case 2: puts("2"); return 1;
    case 3: puts("3"); return 99; case 4: puts("4"); return 6; case 5: puts("5"); return 8;
    case 6: puts("6"); return thrower(12); default: return 0; } }
__attribute__((noinline)) unsigned long sum(const unsigned long *p, long n) {
  unsigned long s = 0; unsigned char c = 0;
#ifdef __x86_64__
  for (long i = 0; i < n; i++) c = __builtin_ia32_addcarryx_u64(c, s, p[i], (unsigned long long *)&s);
#else
  for (long i = 0; i < n; i++) s += p[i] ^ s >> 3;
#endif
  return s + c; }
__attribute__((noinline)) long find(const int *v, long n, int x) {
  long i = 0; while (i < n && v[i] != x) { if (v[i] == -x) return -i; i += v[i] & 1 ? 2 : 1; } return i; }
__attribute__((noinline)) int cmp(long a, long b) { return a < b ? -1 : a > b ? thrower(1) : 0; }
#ifdef __x86_64__ // flags alive and no register free: a counter moves the stack pointer
asm(".text; .type tight, @function; tight: .cfi_startproc; cmpq $0, (%rdi); jg 1f; je 2f; incq (%rdi);"
    "1: decq (%rdi); 2: ret; .cfi_endproc; .size tight, .-tight;"
    ".type keeps, @function; keeps: .cfi_startproc; call tight; movq %r11, %rax; ret; .cfi_endproc; .size keeps, .-keeps");
#endif
int (*const table[])(int) = {sw, thrower};
static void *labels(int i) {
  static void *const go[] = {&&a, &&b, &&c};
  goto *go[i]; a: puts("a"); return 0; b: puts("b"); c: puts("c"); return (void *)go; }
int main(int argc, char **argv) {
  std::map<std::string, int> m; unsigned long v[3] = {1, 2, 3};
  for (int i = 0; i < argc; i++) m[argv[i]] = i;
  try { guard g; m["x"] += sw(argc + 5) + table[argc & 1](argc) + cmp(argc, 2) + find((int *)v, 6, argc); }
  catch (std::runtime_error &e) { puts(e.what()); }
  catch (...) { puts("other"); throw; }
  labels(argc % 3);
  return (int)(m.size() + sum(v, 3)); }
'''


def run(*cmd, ok=(0,)):
    p = subprocess.run(cmd, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if p.returncode not in ok:
        sys.exit('%s: status %d\n%s' % (' '.join(cmd), p.returncode, p.stdout))
    return p


# False claims of the code that was inserted.
LIES = ['claim-lost', 'claim-place', 'claim-length', 'claim-counter', 'claim-purpose', 'claim-more', 'claim-base']
# False facts about the old code: a register is missing.  They are tried in all modes.
FACTS = ['fact-use', 'fact-pass', 'fact-ret']
ALL = (1 << 128) - 1
# False values, tables of scaled distances and what calls change: of another instruction, more or less, lost.  Likewise.
TABLES = ['value-maker', 'value-more', 'value-less', 'compared-more', 'compared-whole', 'table-target', 'table-part',
          'table-lost', 'changes-less']
# False halves of addresses: of another instruction, in another register, of another page.
HALVES = ['value-half', 'half-register', 'half-page']
# Tables of words: a target less, or one too many; another table, or none; a jump by distances of which nothing is stated.
WORDS = ['words-less', 'words-more', 'words-place', 'jump-table', 'jump-place', 'jump-lost', 'value-table']
# False labels and numbers that are added to them: another label, one that is uncertain, none, a smaller number; and labels
# that are said not to be in memory.
SUMS = ['sum-label', 'sum-weak', 'sum-lost', 'sum-less', 'stored-lost']
# And a function that is said never to return.
VALUES = TABLES + HALVES + WORDS + SUMS + ['endless-more']
# What is tried on an object in each mode; None: all there is.
KINDS = {'cover': ['counter-addend', 'counter-twice', 'map-bytes', 'info'] + LIES, 'edges': None,
         'places': ['table-past', 'table-entry', 'counter-addend', 'edge-to', 'claim-purpose'],
         'order': ['code-addend', 'reloc-symbol', 'reloc-lost', 'fde-start', 'fde-range', 'symbol-value',
                   'symbol-swapped', 'map-block', 'claim-purpose', 'line-address', 'line-row', 'entry-length',
                   'address-range', 'range-pair', 'location-pair'],
         # not what leads to the next one of several no-ops
         'ways': ['instruction', 'lost-instruction', 'reloc-moved', 'reloc-symbol', 'reloc-lost', 'fde-range', 'symbol-size',
                  'claim-lost', 'claim-place', 'claim-length', 'claim-purpose'],
         'every': ['live-flags', 'stack-row', 'claim-purpose'],
         'threads': ['lost-check', 'check-cell', 'info', 'counter-symbol', 'claim-purpose', 'row-place', 'row-word'],
         'turned': ['lost-check', 'check-cell', 'turn', 'info', 'counter-addend']}

MODES = ['none', 'functions', '1', '2', '3', 'blocks', 'every', 'threads', 'turned', 'cover', 'places', 'order', 'ways', 'edges']
HERE = os.path.dirname(os.path.abspath(__file__))
# Other CPUs, which are tried in few modes and places.  Their plain counters take several instructions.
OTHERS = ['aarch64-linux-gnu-g++ -O2 -g', 'clang++-19 --target=aarch64-linux-gnu -O1 -DFRAMES']
OTHER_MODES, OTHER_PLACES = ['none', 'functions', 'cover', 'places', 'order', 'every', 'ways', 'threads', 'edges'], 8
# Those with halves of addresses, and hints for the last link.
SPLIT = ['mips-linux-gnu-g++ -O2 -fPIC -g -DFRAMES', 'mips64el-linux-gnuabi64-g++ -O2 -g', 'riscv64-linux-gnu-g++ -O2 -g']
SPLIT_MODES, SPLIT_PLACES = ['functions', 'cover', 'edges'], 4
SPLIT_KINDS = ['branch', 'instruction', 'lost-instruction', 'code-addend', 'counter-addend', 'counter-half', 'counter-bit',
               'halves-swapped', 'reloc-near', 'reloc-moved', 'reloc-symbol', 'reloc-lost', 'hint-lost', 'hint-moved', 'hint-callee',
               'data-addend', 'fde-start', 'fde-range', 'fde-row', 'frame-start', 'frame-range', 'frame-row', 'line-address',
               'line-row', 'entry-address', 'range-pair', 'location-pair', 'symbol-value', 'symbol-swapped', 'map-block', 'edge-to',
               'site-term', 'map-term', 'block-call', 'block-entry'] + LIES
# Entries of debug information that grow with the code, registers that count, jumps by several tables, branches to other
# functions, labels that memory may hold: cases, and how they are compiled.
CASES = [(os.path.join(HERE, '../cases', c), cc) for c, cc in
         (('debug-lengths.s', 'gcc -g'), ('step.s', 'gcc'), ('table-own.s', 'gcc'), ('branch-out.c', 'gcc -O2'), ('switch-nested.c', 'gcc -O1'),
          ('label-or-mask.s', 'gcc'), ('vla.c', 'gcc -O2'))]


# Addresses of tables in registers and in the frame; indices that several branches ask about.
KEPT, COMPARED = (os.path.join(HERE, '../cases', c) for c in ('scaled-kept.s', 'scaled-compared.s'))


# Halves of addresses in registers, of two pages.
FLOW = os.path.join(HERE, '../cases/half-flow.c')

# Numbers that are added to labels, in C.
PLAIN = ['aarch64-linux-gnu-gcc -O2', 'riscv64-linux-gnu-gcc -O2']
PASSED, HELD = (os.path.join(HERE, '../cases', c) for c in ('code-passed.c', 'held.c'))

# By group: the sources, how they are compiled, and the kinds of damage that only this group can do.  The first must do all
# others.
SOURCE = None
GROUPS = {
    'gcc': ([(SOURCE, 'g++ -O2 -g -Wa,--gsframe')] + CASES, ()),
    'branch-protection': ([(SOURCE, 'g++ -O1 -fcf-protection')], ['lost-landing']),
    'clang': ([(SOURCE, 'clang++-19 -O2 -g -fPIC -DFRAMES')], ['frame-start', 'frame-range', 'frame-row']),
    'sections': ([(SOURCE, 'g++ -O0 -g -ffunction-sections')], ()),
    'aarch64': ([(SOURCE, cc) for cc in OTHERS] + [(KEPT, OTHERS[0]), (COMPARED, OTHERS[0]), (PASSED, PLAIN[0]), (HELD, PLAIN[0])],
                ['claim-base', 'row-place', 'row-word'] + TABLES),
    'halves': ([(SOURCE, cc) for cc in SPLIT] + [(FLOW, SPLIT[0]), (PASSED, PLAIN[1]), (HELD, PLAIN[1])],
               HALVES + SUMS + ['counter-half', 'counter-bit', 'halves-swapped', 'hint-lost', 'hint-moved', 'hint-callee', 'claim-base',
                             'site-term', 'map-term']),
}


def must_try(brk, group):
    """The kinds that must have a place to try in this group."""
    own = GROUPS[group][1]
    if group != 'gcc':
        return set(own)
    return set(run(brk).stdout.split() + LIES + FACTS + VALUES) - {k for _, kinds in GROUPS.values() for k in kinds}


def lie(kind, n, claims, out):
    """Write to out what the claims become by a lie of this kind about the n-th; False: there is none to tell."""
    lines = [[int(w) for w in line.split()] for line in open(claims)]
    SEC, AT, LEN, COUNTER, KIND, HOLD, REG, BY, BASE, MAKES = range(10)
    fit = [c for c in lines if (c[LEN] or kind != 'claim-purpose') and (c[MAKES] or kind != 'claim-base')]
    if n >= len(fit):
        return False
    c = fit[n]
    if kind == 'claim-lost':
        lines.remove(c)
    elif kind == 'claim-place':
        c[AT] += 1
    elif kind == 'claim-length':
        c[LEN] += 1
    elif kind == 'claim-counter':
        c[COUNTER] += 8
    elif kind == 'claim-purpose':
        c[KIND], c[HOLD] = (0, 0) if c[KIND] else (1, 2)
    elif kind == 'claim-base':
        c[MAKES] = 0
    elif kind == 'claim-more':
        # what is really an old instruction, or another claim's code
        lines.append(c[:AT] + [c[AT] + c[LEN]] + c[LEN:])
    with open(out, 'w') as f:
        f.writelines('%s\n' % ' '.join(map(str, x)) for x in lines)
    return True


def unstate(kind, n, facts, out):
    """Write to out the facts without a register in one of them, the n-th of those where this matters; False: there is none."""
    lines = [line.split() for line in open(facts)]
    sets = [[int(high, 16) << 64 | int(low, 16) for high, low in (w.split(':') for w in line[2:])] for line in lines]
    everywhere = functools.reduce(lambda a, x: a & x[2], sets, -1)
    USE, PASS, RET = range(3)
    of = FACTS.index(kind)
    # of opaque code every register is passed, whatever is stated
    loss = [(x[USE], x[PASS] & ~x[USE] & x[RET] if x[PASS] != ALL else 0, x[RET] & ~everywhere)[of] for x in sets]
    fit = [i for i, x in enumerate(loss) if x]
    if n >= len(fit):
        return False
    i = fit[n * 7919 % len(fit)]
    sets[i][of] &= ~(loss[i] & -loss[i])
    if of == USE:
        sets[i][PASS] &= sets[i][USE] | ~(loss[i] & -loss[i])
    lines[i][2:] = ['%x:%x' % (x >> 64, x & (1 << 64) - 1) for x in sets[i]]
    with open(out, 'w') as f:
        f.writelines('%s\n' % ' '.join(x) for x in lines)
    return True


def functions(comb):
    """Sections and offsets of the functions of an object."""
    symbols = [line.split() for line in run('readelf', '-sW', comb).stdout.splitlines()]
    return sorted({(int(s[-2]), int(s[1], 16)) for s in symbols if s[3:4] == ['FUNC'] and s[-2].isdigit()})


def write(lines, out):
    with open(out, 'w') as f:
        f.writelines('%s\n' % ' '.join(map(str, x)) for x in lines)
    return True


def endless(n, comb, lines, out):
    """Say of another function that it never returns."""
    fit = [f for f in functions(comb) if ['endless', *f] not in lines]
    return n < len(fit) and write(lines + [['endless', *fit[n * 7919 % len(fit)]]], out)


def page_of(comb, sec, off):
    """What a high half of a big-endian object of 32 bits has in its field."""
    data = open(comb, 'rb').read()
    headers, = struct.unpack_from('>I', data, 32)
    start, = struct.unpack_from('>I', data, headers + 40 * sec + 16)
    return struct.unpack_from('>H', data, start + off + 2)[0]


def constants(comb):
    """The sections .rodata* of an object: in code that is independent of its place, tables there have distances."""
    names = [line.replace('[ ', '[').split() for line in run('readelf', '-SW', comb).stdout.splitlines()]
    return {int(x[0][1:-1]) for x in names if x[1:] and x[1].startswith('.rodata') and x[0][1:-1].isdigit()}


def miscount(kind, n, comb, lines, out):
    """Say something false of tables of words, and how jumps use them."""
    words, jumps = ([x for x in lines if x[0] == key] for key in ('words', 'jump'))
    SEC, OFF, N, HOLDS, TABLE, TARGET, ANY = 1, 2, 3, 5, 9, 12, (1 << 32) - 1
    held = [x for x in lines if x[0] == 'held' and TABLE <= x[HOLDS] <= TARGET]
    several = len(words) > 1
    by_distance = [x for x in jumps if kind == 'jump-lost' and x[N] < ANY and words[x[N]][SEC] in constants(comb)]
    fit = {'jump-table': jumps if several else [], 'jump-place': jumps, 'jump-lost': by_distance,
           'value-table': held if several else []}.get(kind, words)
    if n >= len(fit):
        return False
    x = fit[n]
    if kind in ('jump-table', 'value-table'):
        x[N] = (x[N] + 1) % len(words) if x[N] < ANY else 0
    elif kind in ('words-place', 'jump-place'):
        x[OFF] += 4
    elif kind == 'jump-lost':
        lines.remove(x)
    else:
        x[N] += 1 if kind == 'words-more' else -1
    return write(lines, out)


def missum(kind, n, lines, changed, out):
    """Say something false of a label or number of code that has changed."""
    SEC, OFF, SUM, PLACE, HOLDS = range(1, 6)
    HI, KIND, FLAGS, NUMBER, LABEL, WEAK, STORED = 4, 5, 6, 0, 1, 4, 14
    sums = [x for x in lines if x[0] == 'sum']
    stated = [x for x in lines if x[0] == 'sums' and x[SEC] in changed]
    labels = [x for x in stated for s in [sums[x[SUM]]] if s[KIND] == LABEL and s[SEC] in changed]
    if kind == 'stored-lost':
        fit = [x for x in lines if x[0] == 'held' and x[HOLDS] == STORED and x[SEC] in {y[SEC] for y in labels}]
    elif kind == 'sum-less':
        fit = [x for x in stated if sums[x[SUM]][KIND] == NUMBER]
    else:
        fit = [x for x in labels if not sums[x[SUM]][FLAGS] & WEAK]
    if n >= len(fit):
        return False
    x = fit[n * 7919 % len(fit)]
    if kind == 'stored-lost':
        lines.remove(x)
    else:
        new = list(sums[x[SUM]]) if kind != 'sum-lost' else ['sum', 0, 0, 0, 0, NUMBER, 0]
        field, by = {'sum-label': (OFF, 4), 'sum-weak': (FLAGS, WEAK), 'sum-less': (HI, -1), 'sum-lost': (HI, 0)}[kind]
        new[field] += by
        x[SUM] = len(sums)
        lines.append(new)
    return write(lines, out)


def misstate(kind, n, comb, values, out):
    """Write to out what the values become by a false one of this kind, the n-th; False: there is none."""
    lines = [[int(w) if w.lstrip('-').isdigit() else w for w in line.split()] for line in open(values)]
    if kind == 'endless-more':
        return endless(n, comb, lines, out)
    if kind in WORDS:
        return miscount(kind, n, comb, lines, out)
    if kind in SUMS:
        changed = {int(line.split()[0]) for line in open(values[:-len('values')] + 'claims')}
        return missum(kind, n, lines, changed, out)
    tables = [x for x in lines if x[0] == 'table']
    SEC, OFF, N, PLACE, HOLDS = range(1, 6)
    RESULT, SAME, UP_TO, LOW_UP_TO, COMPARED, LOW_COMPARED, HIGH = 1, 2, 3, 4, 6, 7, 8
    PARTS, ENTRIES, CLOSED, PROVED = 6, 8, 9, 10
    made = [x for x in lines if x[0] == 'held' and x[HOLDS] in (RESULT, SAME)]
    numbers = [x for x in lines if x[0] == 'held' and x[HOLDS] in (UP_TO, LOW_UP_TO)]
    compared = [x for x in lines if x[0] == 'held' and x[HOLDS] in (COMPARED, LOW_COMPARED)]
    bounds = {(x[SEC], x[ENTRIES] - 1) for x in tables if not x[CLOSED]}
    # functions that a call leads to have one set: that of the first one is no larger than it must be
    changes = [x for x in lines if x[0] == 'changes']
    changes = [x for i, x in enumerate(changes) if x[-1] != '0:0' and (not i or x[-1] != changes[i - 1][-1])]
    highs = [x for x in lines if x[0] == 'held' and x[HOLDS] == HIGH]
    halves = [x for x in lines if x[0] == 'half']
    pages = {x[N]: page_of(comb, x[SEC], x[N]) for x in halves}
    fit = {'value-half': highs, 'half-register': highs, 'half-page': halves,
           'changes-less': changes, 'value-maker': made, 'value-less': [x for x in numbers if x[N]],
           'compared-more': compared, 'compared-whole': [x for x in compared if x[HOLDS] == LOW_COMPARED],
           'value-more': [x for x in numbers if (x[SEC], x[N]) in bounds],
           'table-part': [x for x in tables for _ in range(PARTS)]}.get(kind, [x for x in tables if x[PROVED]])
    if n >= len(fit):
        return False
    x = fit[n]
    if kind == 'changes-less':
        high, low = (int(w, 16) for w in x[-1].split(':'))
        high, low = (high, low & low - 1) if low else (high & high - 1, low)
        x[-1] = '%x:%x' % (high, low)
    elif kind == 'half-register':
        x[PLACE] ^= 8
    elif kind == 'half-page':
        x[N] = next(high for high in pages if pages[high] != pages[x[N]])
    elif kind.endswith('-lost'):
        lines.remove(x)
    elif kind == 'compared-whole':
        x[HOLDS] = COMPARED
    elif kind == 'table-part':
        x[OFF + n % PARTS] += 4
    elif kind == 'table-target':
        x[ENTRIES] -= 1
    else:
        x[N] += {'value-maker': 4, 'value-half': 4, 'value-more': 1, 'value-less': -1, 'compared-more': 1}[kind]
    return write(lines, out)


def hurts(brk, kind, n, objects):
    """Do this damage to the n-th place of the object, or of what is claimed of it; False: there is none."""
    comb, out, hurt = objects
    for end in ('', '.claims', '.facts', '.values'):
        shutil.copy(out + end, hurt + end)
    if kind in FACTS:
        return unstate(kind, n, out + '.facts', hurt + '.facts')
    if kind in VALUES:
        return misstate(kind, n, comb, out + '.values', hurt + '.values')
    if kind in LIES:
        return lie(kind, n, out + '.claims', hurt + '.claims')
    return run(brk, kind, str(n), out, hurt, ok=(0, 3)).returncode == 0


def damage(brk, check, objects, places, title, kinds, more, tried):
    """How often the verifier does not see what is done to the rewritten object.  tried: by kind, how often."""
    comb, out, hurt = objects
    bad = 0
    for kind in (run(brk).stdout.split() + LIES if kinds is None else list(kinds)) + FACTS + more:
        n = missed = 0
        while n < places and hurts(brk, kind, n, objects):
            if run(*check, comb, hurt, ok=(0, 1)).returncode == 0:
                missed += 1
                print('not found: %s, %s, place %d' % (title, kind, n))
            n += 1
        print('%-30s %-20s %d of %d found' % (title, kind, n - missed, n), flush=True)
        bad += missed
        tried[kind] = tried.get(kind, 0) + n
    return bad


def main():
    rewrite, verify, brk, group = sys.argv[1:5]
    places = int(sys.argv[5]) if sys.argv[5:] else 1000000
    bad, tried = 0, {}
    with tempfile.TemporaryDirectory(prefix='ldx-verify.') as d:
        src, obj, comb, out, hurt = (os.path.join(d, n) for n in ('a.cc', 'a.o', 'comb.o', 'out.o', 'hurt.o'))
        open(src, 'w').write(SRC)
        for file, cc in GROUPS[group][0]:
            split, other = cc in SPLIT + PLAIN[1:], cc in OTHERS + SPLIT + PLAIN
            kinds = dict(KINDS, edges=SPLIT_KINDS) if split else KINDS
            modes, most = (SPLIT_MODES, min(places, SPLIT_PLACES)) if split else (OTHER_MODES, min(places, OTHER_PLACES)) if other else (MODES, places)
            run(*cc.split(), '-c', file or src, '-o', obj)
            run('ld.lld-19', '-r', '--unique', '-o', comb, obj)
            for mode in modes:
                check = [verify] + ['-alone'] * other + ['-turned'] * (mode == 'turned')
                run(rewrite, mode, comb, out)
                p = run(*check, comb, out, ok=(0, 1))
                if p.returncode:
                    bad += 1
                    print('FAIL %s, %s:\n%s' % (cc, mode, p.stdout))
                # a table that is lost matters where something has moved
                more = [k for k in VALUES if k != 'table-lost' or mode != 'none']
                bad += damage(brk, check, [comb, out, hurt], most, ' '.join(filter(None, (cc, mode, file and os.path.basename(file)))), kinds.get(mode, ()), more, tried)
    for kind in sorted(k for k in must_try(brk, group) if not tried.get(k)):
        bad += 1
        print('FAIL nowhere to try: %s' % kind)
    return bad != 0


if __name__ == "__main__":
    sys.exit(main())
