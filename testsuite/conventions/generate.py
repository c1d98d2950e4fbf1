# SPDX-License-Identifier: Apache-2.0
"""Random programs in assembly whose functions follow calling conventions of their own.

A convention says in which registers and flags its functions take arguments and return results, and
which other registers they may change: general ones and vector registers alike, the psABI's names
for them do not matter.  Several functions share each one, so that they can be called through tables
and registers and by tail calls of all kinds.  Functions keep values over calls in whatever their
callees leave alone, and restore what they change beyond their own convention.  A program folds all
that it computes into `state', and always ends: functions call those of the next level only, or
themselves as often as `depth' lets them.
"""
import random

GENERAL = "rax rcx rdx rbx rbp rsi rdi r8 r9 r10 r11 r12 r13 r14 r15".split()
VECTOR = ["xmm%d" % i for i in range(16)]
LOW = {r: "e" + r[1:] for r in GENERAL[:7]}
LOW.update({r: r + "d" for r in GENERAL[7:]})
BYTE = {"rax": "al", "rcx": "cl", "rdx": "dl", "rbx": "bl", "rbp": "bpl", "rsi": "sil", "rdi": "dil"}
BYTE.update({r: r + "b" for r in GENERAL[7:]})
# what may be asked of the flags: all of a comparison's, or only the carry
CODES = {"all": "e ne l g le ge b a be ae s ns o no p np".split(), "carry": ["c", "nc"]}
LEVELS = 4


def is_vector(reg):
    return reg.startswith("xmm")


class Convention:
    def __init__(self, r, number):
        self.number = number
        some = r.sample(GENERAL, r.randrange(5, 12)) + r.sample(VECTOR, r.choice([0, 2, 4, 8]))
        self.args = r.sample(some, r.randrange(0, 4))
        self.rets = r.sample(some, r.randrange(0, 4))
        # a function may leave its arguments as they are
        kept = {a for a in self.args if a not in self.rets and r.random() < .3}
        self.changed = [x for x in some if x not in kept]
        # flags: what is taken and returned (CODES or None); kept: the function changes none
        self.flags_in = r.choice([None, None, "all", "carry"])
        self.flags_out = r.choice([None, None, "all", "carry"])
        self.flags_kept = self.flags_in is None and self.flags_out is None and r.random() < .3
        # one that other code may call as the psABI says, though nobody does
        self.exported = r.random() < .4


class Function:
    def __init__(self, name, convention, level, program):
        r = program.r
        self.name, self.convention, self.level = name, convention, level
        self.exported = convention.exported and r.random() < .8
        # what has no type and is not called by name is not known to be code, nor what it shares a section with
        self.typed = self.exported or not program.sections or r.random() < .95


class Body:
    """One function: the values that registers hold, by what may be read and what may be changed."""

    def __init__(self, program, f):
        self.p, self.r, self.f, self.c = program, program.r, f, f.convention
        self.known = set(self.c.args)	# registers with a value that is the same in every run
        self.own = set(self.c.changed)	# that may be changed
        self.flags = self.c.flags_in	# what may be asked of them
        self.saved = []
        self.calls = 0
        self.slots = set()	# below the stack pointer, of functions that call nothing
        self.leaf = f.level == LEVELS - 1 or self.r.random() < .2

    def e(self, line):
        self.p.text.append("\t" + line)

    def label(self, l):
        self.p.text.append(l + ":")

    def number(self):
        return self.r.choice([1, 2, 3, 7, 8, -1, -5, 64, 1000, self.r.randrange(1 << 31)])

    def general(self, of):
        return [x for x in GENERAL if x in of]

    def vectors(self, of):
        return [x for x in VECTOR if x in of]

    # values ------------------------------------------------------------

    def set(self, reg):
        """Give a register a value, and change no flags."""
        sources = self.general(self.known)
        if is_vector(reg):
            same = self.vectors(self.known)
            if same and self.r.random() < .4:
                self.e("movdqa %%%s,%%%s" % (self.r.choice(same), reg))
            elif sources:
                self.e("movq %%%s,%%%s" % (self.r.choice(sources), reg))
            else:
                self.e("movq constants+%d(%%rip),%%%s" % (8 * self.r.randrange(8), reg))
        elif sources and self.r.random() < .5:
            a, b = self.r.choice(sources), self.r.choice(sources)
            self.e(self.r.choice(["mov %%%s,%%%s" % (a, reg), "lea %d(%%%s,%%%s),%%%s" % (self.number(), a, b, reg)]))
        elif self.vectors(self.known) and self.r.random() < .3:
            self.e("movq %%%s,%%%s" % (self.r.choice(self.vectors(self.known)), reg))
        elif self.r.random() < .3:
            self.e("mov constants+%d(%%rip),%%%s" % (8 * self.r.randrange(8), reg))
        else:
            self.e("mov $%d,%%%s" % (self.number(), reg))
        self.known.add(reg)

    def quiet(self):
        """An instruction that changes no flags."""
        regs = sorted(self.own)
        if not regs:
            return
        reg = self.r.choice(regs)
        if is_vector(reg) and reg in self.known and self.vectors(self.known) and self.r.random() < .6:
            self.e("%s %%%s,%%%s" % (self.r.choice(["paddq", "pxor", "psubq"]),
                                     self.r.choice(self.vectors(self.known)), reg))
        elif self.slots is not None and self.leaf and self.r.random() < .2:
            self.slot(reg)
        else:
            self.set(reg)

    def slot(self, reg):
        """What leaf functions may keep below the stack pointer."""
        n, mov = 8 * self.r.randrange(1, 9), "movq" if is_vector(reg) else "mov"
        if n in self.slots and self.r.random() < .6:
            self.e("%s -%d(%%rsp),%%%s" % (mov, n, reg))
            self.known.add(reg)
        elif reg in self.known:
            self.e("%s %%%s,-%d(%%rsp)" % (mov, reg, n))
            self.slots.add(n)

    def loud(self):
        """An instruction that sets flags, all of which are as the values say."""
        known, own = self.general(self.known), self.general(self.known & self.own)
        kind = self.r.randrange(6)
        if not known:
            self.e("cmpq $%d,constants+%d(%%rip)" % (self.number(), 8 * self.r.randrange(8)))
        elif not own or kind == 0:
            self.e("cmp %%%s,%%%s" % (self.r.choice(known), self.r.choice(known)))
        elif kind == 1:
            self.e("%s $%d,%%%s" % (self.r.choice(["add", "sub", "cmp"]), self.number(), LOW[self.r.choice(own)]))
        elif kind == 2:
            self.e("test %%%s,%%%s" % (self.r.choice(known), self.r.choice(known)))
        elif kind == 3 and self.flags:
            self.e("%s %%%s" % (self.r.choice(["inc", "dec"]), self.r.choice(own)))
        else:
            op = self.r.choice(["add", "sub", "xor", "and"])
            self.e("%s %%%s,%%%s" % (op, self.r.choice(known), self.r.choice(own)))
        if kind != 3 or not known or not own or self.flags != "carry":
            self.flags = "all"
        # behind inc, the carry is still what it was, and all others are new

    def carry(self):
        self.e(self.r.choice(["stc", "clc"]) if not self.general(self.known) or self.r.random() < .3 else
               "bt $%d,%%%s" % (self.r.randrange(40), self.r.choice(self.general(self.known))))
        self.flags = "carry"

    def make_flags(self, what):
        if what == "carry" and self.r.random() < .6:
            self.carry()
        else:
            self.loud()
            if self.flags != "all":
                self.e("cmpq $%d,constants(%%rip)" % self.number())
                self.flags = "all"

    def code(self):
        return self.r.choice(CODES[self.flags])

    def ask(self):
        """Let the flags decide a value."""
        known, own = self.general(self.known), self.general(self.own)
        both = [x for x in own if x in self.known]
        kind = self.r.randrange(3)
        if kind == 0 and both:
            self.e("cmov%s %%%s,%%%s" % (self.code(), self.r.choice(known), self.r.choice(both)))
        elif kind == 1 and both:
            self.e("set%s %%%s" % (self.code(), BYTE[self.r.choice(both)]))
        elif both and not self.c.flags_kept:
            self.e("%s $%d,%%%s" % (self.r.choice(["adc", "sbb"]), self.r.randrange(100), self.r.choice(both)))
            self.flags = "all"
        else:
            self.e("set%s asked+%d(%%rip)" % (self.code(), self.r.randrange(64)))

    def fold(self, reg=None):
        """Add a value to the state."""
        known = sorted(self.known)
        if not known:
            return
        reg = reg or self.r.choice(known)
        place = "state+%d(%%rip)" % (8 * self.r.randrange(8))
        if is_vector(reg):
            temp = [x for x in self.general(self.own) if x not in self.known]
            if not temp:
                self.e("movq %%%s,state+%d(%%rip)" % (reg, 64 + 8 * self.r.randrange(8)))
                return
            self.e("movq %%%s,%%%s" % (reg, temp[0]))
            reg = temp[0]
        if self.c.flags_kept:
            self.e("mov %%%s,state+%d(%%rip)" % (reg, 64 + 8 * self.r.randrange(8)))
            return
        self.e("%s %%%s,%s" % (self.r.choice(["add", "xor"]), reg, place))
        self.e("rolq $%d,%s" % (self.r.randrange(1, 30), place))
        self.flags = None

    # control -----------------------------------------------------------

    def simple(self, n):
        for _ in range(n):
            k = self.r.random()
            if k < .45 or self.c.flags_kept:
                self.quiet()
            elif k < .65:
                self.loud()
            elif k < .7:
                self.carry()
            elif k < .85 and self.flags:
                self.ask()
            else:
                self.fold()

    def branch(self, depth):
        if self.c.flags_kept and not self.flags:
            return self.simple(2)
        if not self.flags:
            self.loud()
            for _ in range(self.r.randrange(3)):
                self.quiet()
        other, end = self.p.new(), self.p.new()
        self.e("j%s %s" % (self.code(), other))
        before = set(self.known), self.flags, set(self.slots)
        self.sequence(depth - 1)
        two = self.r.random() < .6
        if two:
            self.e("jmp " + end)
        first, first_flags, first_slots = self.known, self.flags, self.slots
        self.known, self.flags, self.slots = set(before[0]), before[1], set(before[2])
        self.label(other)
        if two:
            self.sequence(depth - 1)
            self.label(end)
        self.known &= first
        self.slots &= first_slots
        self.flags = self.flags if self.flags == first_flags else None

    def loop(self, depth):
        counters = [x for x in self.general(self.own) if x in self.own]
        if self.c.flags_kept or len(counters) < 2:
            return self.simple(3)
        c, step, top = self.r.choice(counters), self.r.choice([1, 2, 8, 3, 5, 7, 4096, 1 << 20]), self.p.new()
        hot = self.r.random() < .6
        n = self.r.choice([5, 20, 60]) if hot else self.r.randrange(1, 4)
        down = self.r.random() < .5
        self.e("mov $%d,%%%s" % (n * step if down else -n * step, c))
        self.known.add(c)
        self.own.discard(c)
        self.label(top)
        before, self.flags, slots = set(self.known), None, set(self.slots)
        calls, self.calls = self.calls, 99 if hot else max(self.calls, 1)
        self.sequence(min(depth - 1, 1) if hot else depth - 1)
        self.calls = calls if hot else max(self.calls, calls)
        for x in sorted(before - self.known):
            self.set(x)
        self.slots |= slots
        self.own.add(c)
        self.e("%s $%d,%%%s" % ("sub" if down else "add", step, c))
        self.e("jne " + top)
        self.known, self.flags = before, "all"

    def callee(self):
        """A function of the next level, or a table of those of one convention, that can be called here."""
        fit = [c for c in self.p.conventions if self.fits(c)]
        return self.r.choice(fit) if fit else None

    def fits(self, c):
        """Is everything that it needs and changes this function's to change, or set already?"""
        return all(a in self.own or a in self.known for a in c.args) and \
            all(x in self.own for x in c.changed) and (c.flags_kept or not self.c.flags_kept)

    def lead(self, c, how, tail=False):
        """Prepare a call of a function with convention c; return its operands."""
        members = self.p.members(c, self.f.level + 1)
        f = self.r.choice(members)
        free = [x for x in self.general(self.own) if x not in c.args]
        if tail:  # nor what has been restored
            free = [x for x in free if x in self.c.changed and x not in self.dirty]
        table = self.p.table(c, self.f.level + 1)
        if how == "register" and free:
            x = self.r.choice(free)
            self.known.discard(x)
            self.e(self.r.choice(["lea %s(%%rip),%%%s" % (f.name, x), "mov %s+%d(%%rip),%%%s" % (
                table, 8 * members.index(f), x)]))
            return ["*%" + x]
        if how == "index" and len(free) > 1 and not c.flags_kept:
            x, y = self.r.sample(free, 2)
            known = [k for k in self.general(self.known)]
            self.e("mov %%%s,%%%s" % (self.r.choice(known), y) if known else "mov $1,%%%s" % LOW[y])
            self.e("and $%d,%%%s" % (len(members) - 1, LOW[y]))
            self.e("lea %s(%%rip),%%%s" % (table, x))
            self.known -= {x, y}
            self.flags = None
            if self.r.random() < .5:
                return ["*(%%%s,%%%s,8)" % (x, y)]
            self.e("mov (%%%s,%%%s,8),%%%s" % (x, y, y))
            return ["*%" + y]
        if how == "memory":
            return ["*%s+%d(%%rip)" % (table, 8 * members.index(f))]
        return [f.name, self.r.choice(members).name]

    def arguments(self, c):
        for a in c.args:
            if a not in self.known or (a in self.own and self.r.random() < .5):
                self.set(a)
        if c.flags_in:
            while self.flags not in (c.flags_in, "all"):
                self.make_flags(c.flags_in)
            for _ in range(self.r.randrange(3)):
                x = [x for x in sorted(self.own) if x not in c.args and x not in self.targets]
                if x:
                    self.set(self.r.choice(x))

    def call(self):
        c = self.callee()
        if self.leaf or self.calls >= 3 or not c:
            return self.simple(2)
        self.calls += 1
        if not c.flags_kept and self.r.random() < .5:
            self.flags = None
        ways = self.lead(c, self.r.choice(["direct", "direct", "register", "index", "memory"]))
        self.targets = {x for x in GENERAL if "%" + x in ways[0]}
        if c.flags_kept and not self.flags and not self.c.flags_kept and self.r.random() < .5:
            self.loud_around(c)
        self.arguments(c)
        self.e("call " + ways[0])
        self.called(c)

    def loud_around(self, c):
        """Flags that stay over a call."""
        self.e("cmpq $%d,constants+%d(%%rip)" % (self.number(), 8 * self.r.randrange(8)))
        self.flags = "all"

    def called(self, c):
        self.known = (self.known - set(c.changed)) | set(c.rets)
        if not c.flags_kept:
            self.flags = c.flags_out
        # ask at once, or later
        for _ in range(self.r.randrange(3)):
            self.quiet()
        if self.flags and self.r.random() < .7:
            self.ask()
        for x in c.rets:
            if self.r.random() < .6 and x in self.known:
                self.fold(x)

    def recurse(self):
        """Call this function itself, a bounded number of times."""
        c = self.c
        if c.flags_kept or self.leaf or self.calls or not self.fits(c):
            return
        self.calls = 2
        end = self.p.new()
        self.e("decq depth(%rip)")
        self.e("js " + end)
        self.flags, self.targets, before = None, set(), set(self.known)
        self.arguments(c)
        self.e("call " + self.f.name)
        self.called(c)
        self.label(end)
        self.e("incq depth(%rip)")
        self.flags = None
        self.known &= before

    def sequence(self, depth):
        for _ in range(self.r.randrange(1, 4)):
            k = self.r.random()
            if depth <= 0 or k < .35:
                self.simple(self.r.randrange(1, 5))
            elif k < .5:
                self.branch(depth)
            elif k < .66:
                self.loop(depth)
            else:
                self.call()

    # the whole ---------------------------------------------------------

    def prologue(self):
        """Save some registers, to use them beyond the convention."""
        extra = [x for x in GENERAL + VECTOR if x not in self.own and x not in self.known]
        self.r.shuffle(extra)
        if self.leaf:
            extra = []
        for x in extra[:self.r.choice([0, 2, 5, 12])]:
            if is_vector(x):
                self.e("lea -16(%rsp),%rsp")
                self.e("movups %%%s,(%%rsp)" % x)
            else:
                self.e("push %" + x)
            self.saved.append(x)
            self.own.add(x)

    def epilogue(self):
        for x in reversed(self.saved):
            if is_vector(x):
                self.e("movups (%%rsp),%%%s" % x)
                self.e("lea 16(%rsp),%rsp")
            else:
                self.e("pop %" + x)
        self.known -= set(self.saved)
        self.own -= set(self.saved)

    def leave(self):
        """Return, or go on in a function that returns for this one."""
        c = self.c
        tails = [t for t in self.p.conventions if self.tail_fits(t)]
        if self.f.level + 1 < LEVELS and tails and self.r.random() < .35:
            t, self.dirty = self.r.choice(tails), set()
            how = self.r.choice(["direct", "register", "index", "memory", "branch", "branch"])
            if how == "branch" and (c.flags_kept or t.flags_in == "carry"):
                how = "direct"
            self.epilogue()
            ways = self.lead(t, how, True)
            self.targets = {x for x in GENERAL if "%" + x in ways[0]}
            self.arguments(t)
            if how == "branch":
                if self.flags != "all":
                    self.make_flags("all")
                self.e("j%s %s" % (self.code(), ways[0]))
                self.e("jmp " + ways[1])
            else:
                self.e("jmp " + ways[0])
            return
        for x in c.rets:
            if x not in self.known:
                self.set(x)
        if c.flags_out:
            self.flags = None if self.r.random() < .7 else self.flags
            while self.flags not in (c.flags_out, "all"):
                self.make_flags(c.flags_out)
        self.epilogue()
        self.e("ret")

    def tail_fits(self, t):
        c = self.c
        mine = set(c.changed)
        return set(c.rets) <= set(t.rets) and set(t.changed) <= mine and t.flags_out == c.flags_out and \
            all(a in mine or a in c.args for a in t.args) and (t.flags_kept or not c.flags_kept) and \
            not set(t.args) & set(self.saved)

    def make(self):
        f = self.f
        out = self.p.text
        if self.p.sections:
            out.append('\t.section .text.%s,"ax",@progbits' % f.name)
        out.append("\t.p2align %d" % self.r.choice([0, 4, 4]))
        if f.exported:
            out.append("\t.globl %s" % f.name)
        if f.typed:
            out.append("\t.type %s,@function" % f.name)
        self.label(f.name)
        if self.r.random() < .3:
            self.e("endbr64")
        free = [x for x in self.general(self.own) if x not in self.known]
        if free and self.r.random() < .04:  # where this leads is not understood: the function moves whole
            over = self.p.new()
            self.e("lea %s-1(%%rip),%%%s" % (over, free[0]))
            self.e("lea 1(%%%s),%%%s" % (free[0], free[0]))
            self.e("jmp *%" + free[0])
            self.label(over)
        self.prologue()
        if self.flags and self.r.random() < .7:
            for _ in range(self.r.randrange(3)):
                self.quiet()
            self.ask()
        if self.c.flags_kept or self.r.random() < .2:
            self.simple(3)
        if self.r.random() < .15:
            self.recurse()
        self.sequence(3)
        for x in sorted(self.known):
            if self.r.random() < .6:
                self.fold(x)
        self.leave()
        if f.typed:
            out.append("\t.size %s,.-%s" % (f.name, f.name))


class Program:
    def __init__(self, seed):
        self.r = random.Random(seed)
        self.text, self.tables, self.labels = ["\t.text"], {}, 0
        self.sections = self.r.random() < .5	# one for each function
        self.conventions = [Convention(self.r, i) for i in range(self.r.choice([2, 3, 4]))]
        self.levels = [[Function("f%d_%d_%d" % (level, c.number, k), c, level, self)
                        for c in self.conventions for k in range(2)] for level in range(LEVELS)]
        for level in self.levels:
            for f in level:
                Body(self, f).make()
                if self.r.random() < .1:
                    self.table(f.convention, f.level)  # addresses that may never be used
        self.driver()
        self.data()

    def new(self):
        self.labels += 1
        return ".L%d" % self.labels

    def members(self, c, level):
        return [f for f in self.levels[level] if f.convention is c]

    def table(self, c, level):
        return self.tables.setdefault((c.number, level), "table_%d_%d" % (c.number, level))

    def driver(self):
        """void run(void): calls the functions of the first level, for code of the psABI."""
        self.text += ["\t.text", "\t.p2align 4", "\t.globl run", "\t.type run,@function", "run:"]
        saved = ["rbx", "rbp", "r12", "r13", "r14", "r15"]
        for x in saved:
            self.text.append("\tpush %" + x)
        for f in self.levels[0]:
            c = f.convention
            for i, a in enumerate(c.args):
                self.text.append("\t%s constants+%d(%%rip),%%%s" % ("movq" if is_vector(a) else "mov", 8 * i, a))
            self.text.append("\tcmpq $%d,constants+%d(%%rip)" % (self.r.randrange(1 << 20), 8 * self.r.randrange(8)))
            self.text.append("\tcall " + f.name)
            for x in (["carry"] if c.flags_out else []):
                self.text.append("\tsetc asked(%rip)")
            for x in c.rets:
                if is_vector(x):
                    self.text.append("\tmovq %%%s,state+%d(%%rip)" % (x, 64 + 8 * self.r.randrange(8)))
                else:
                    self.text.append("\txor %%%s,state+%d(%%rip)" % (x, 8 * self.r.randrange(8)))
        for x in reversed(saved):
            self.text.append("\tpop %" + x)
        self.text += ["\tret", "\t.size run,.-run"]

    def data(self):
        out = self.text
        for (number, level), name in sorted(self.tables.items()):
            out.append("\t.section %s\n\t.balign 8\n%s:" % (self.r.choice([
                '.data.rel.ro,"aw"', '.data']), name))
            for f in self.members(self.conventions[number], level):
                out.append("\t.quad " + f.name)
        out.append("\t.data\n\t.balign 16\n\t.globl state, asked\nstate:\t.skip 128\nasked:\t.skip 64")
        out.append("depth:\t.quad 3\nconstants:")
        for _ in range(8):
            out.append("\t.quad %d" % self.r.randrange(1 << 62))
        out.append('\t.section .note.GNU-stack,"",@progbits')


MAIN = """#include <stdio.h>
extern unsigned long state[16];
extern unsigned char asked[64];
void run(void);
int main(void)
{
	unsigned long h = 1;
	for (int i = 0; i < 3; i++)
		run();
	for (int i = 0; i < 16; i++) {
		printf("%lx\\n", state[i]);
		h = h * 31 + state[i];
	}
	for (int i = 0; i < 64; i++)
		h = h * 31 + asked[i];
	printf("%lx\\n", h);
	return (int)(h >> 20 & 63);
}
"""


def generate(seed):
    return "\n".join(Program(seed).text) + "\n"
