// SPDX-License-Identifier: Apache-2.0
// forms.cpp - do ldx's decoders know every instruction that changes control or names a place, and
// its registers?
//
//	forms CPU [random words]
//
// LLVM, with all features that it has for the CPU, is asked for every instruction in its tables: an
// encoding of each with plain operands, then others that differ in single bits and in several; and
// for random words.  Whatever LLVM decodes as a branch, a call, a return or with a pc-relative
// operand is to be the same to ldx, or no instruction at all; whatever it decodes as something else
// is to be nothing of the kind.  Of the others, ldx knows what registers they read and change, or
// takes them to use all.  Written in C++, the only language that LLVM's tables of
// instructions can be read in.
#include "testsuite/targets/forms_ours.h"

#include "llvm/MC/MCAsmInfo.h"
#include "llvm/MC/MCCodeEmitter.h"
#include "llvm/MC/MCContext.h"
#include "llvm/MC/MCDisassembler/MCDisassembler.h"
#include "llvm/MC/MCInst.h"
#include "llvm/MC/MCInstPrinter.h"
#include "llvm/MC/MCInstrAnalysis.h"
#include "llvm/MC/MCInstrInfo.h"
#include "llvm/MC/MCRegisterInfo.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"

#include <cstdio>
#include <cstring>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

using namespace llvm;
using bytes = std::vector<uint8_t>;

enum { X86 = 62, AARCH64 = 183, RISCV = 243 };

// In sets of registers: all flags of a CPU that LLVM knows as one register; those flags in ldx's
// sets (x86's direction flag is another one); a general register that only APX has.
static const ours_set FLAGS = (ours_set)1 << 64, STATUS = (ours_set)0x3f << 64,
		      APX = (ours_set)1 << 127;
enum { VECTOR = 32 };

struct Cpu {
	const char *name;
	unsigned machine, word;
	bool big;
	const char *triple, *cpu, *features;
	unsigned unit; // bytes of the smallest instruction
};

static const Cpu cpus[] = {
	{"x86_64", 62, 8, false, "x86_64-linux-gnu", "", "", 1},
	{"aarch64", 183, 8, false, "aarch64-linux-gnu", "", "+all", 4},
	{"riscv64", 243, 8, false, "riscv64-linux-gnu", "", "+64bit", 2},
	{"mips", 8, 4, true, "mips-linux-gnu", "mips32r2", "+dspr2,+msa", 4},
	{"mipsel", 8, 4, false, "mipsel-linux-gnu", "mips32r2", "+dspr2,+msa", 4},
	{"mips64el", 8, 8, false, "mips64el-linux-gnuabi64", "mips64r2", "+dspr2,+msa", 4},
	{"octeon", 8, 8, false, "mips64el-linux-gnuabi64", "octeon+", "", 4},
};

struct Llvm {
	MCTargetOptions options;
	std::unique_ptr<MCRegisterInfo> reg;
	std::unique_ptr<MCAsmInfo> as;
	std::unique_ptr<MCInstrInfo> insn;
	std::unique_ptr<MCSubtargetInfo> sub;
	std::unique_ptr<MCContext> ctx;
	std::unique_ptr<MCDisassembler> dis;
	std::unique_ptr<MCCodeEmitter> emit;
	std::unique_ptr<MCInstrAnalysis> what;
	std::unique_ptr<MCInstPrinter> print;

	Llvm(const Cpu &c, const std::string &features)
	{
		std::string error;
		const Target *t = TargetRegistry::lookupTarget(c.triple, error);
		if (!t) {
			fprintf(stderr, "%s\n", error.c_str());
			exit(1);
		}
		reg.reset(t->createMCRegInfo(c.triple));
		as.reset(t->createMCAsmInfo(*reg, c.triple, options));
		insn.reset(t->createMCInstrInfo());
		sub.reset(t->createMCSubtargetInfo(c.triple, c.cpu, features));
		ctx.reset(new MCContext(Triple(c.triple), as.get(), reg.get(), sub.get()));
		dis.reset(t->createMCDisassembler(*sub, *ctx));
		emit.reset(t->createMCCodeEmitter(*insn, *ctx));
		what.reset(t->createMCInstrAnalysis(insn.get()));
		print.reset(t->createMCInstPrinter(Triple(c.triple), 0, *as, *insn, *reg));
	}

	std::string text(const MCInst &i)
	{
		std::string s;
		raw_string_ostream out(s);
		print->printInst(&i, 0, "", *sub, out);
		for (char &c : s)
			c = c == '\t' ? ' ' : c;
		return s;
	}
};

// An instruction with plain operands; what cannot be encoded may crash LLVM, so that it is done in
// another process.
static bytes encode(Llvm &l, unsigned opcode)
{
	const MCInstrDesc &d = l.insn->get(opcode);
	MCInst i;
	i.setOpcode(opcode);
	for (unsigned k = 0; k < d.getNumOperands(); k++) {
		const MCOperandInfo &o = d.operands()[k];
		int tied = d.getOperandConstraint(k, MCOI::TIED_TO);
		if (tied >= 0)
			i.addOperand(i.getOperand((unsigned)tied));
		else if (o.RegClass >= 0 && !o.isLookupPtrRegClass())
			i.addOperand(MCOperand::createReg(
				*l.reg->getRegClass((unsigned)o.RegClass).begin()));
		else if (o.OperandType == MCOI::OPERAND_REGISTER ||
			o.OperandType == MCOI::OPERAND_MEMORY)
			i.addOperand(MCOperand::createReg(o.RegClass < 0 ? 0u : 1u));
		else
			i.addOperand(MCOperand::createImm(0));
	}
	SmallVector<char, 16> code;
	SmallVector<MCFixup, 4> fixups;
	l.emit->encodeInstruction(i, code, fixups, *l.sub);
	return bytes(code.begin(), code.end());
}

static void send(int fd, unsigned opcode, const bytes &b)
{
	uint8_t row[36] = {};
	memcpy(row, &opcode, 4);
	row[4] = (uint8_t)b.size();
	memcpy(row + 5, b.data(), b.size() < 30 ? b.size() : 30);
	if (write(fd, row, sizeof row) != sizeof row)
		_exit(1);
}

static std::vector<bytes> encode_all(Llvm &l)
{
	std::vector<bytes> all;
	unsigned n = l.insn->getNumOpcodes();
	for (unsigned from = 0; from < n;) {
		int fd[2];
		if (pipe(fd))
			exit(1);
		pid_t pid = fork();
		if (!pid) {
			close(2);
			for (unsigned k = from; k < n; k++) {
				send(fd[1], k, {}); // about to be tried
				if (!l.insn->get(k).isPseudo())
					send(fd[1], k, encode(l, k));
			}
			_exit(0);
		}
		close(fd[1]);
		uint8_t row[36];
		while (read(fd[0], row, sizeof row) == sizeof row) {
			memcpy(&from, row, 4);
			if (row[4] && row[4] <= 30)
				all.emplace_back(row + 5, row + 5 + row[4]);
		}
		from++;
		close(fd[0]);
		waitpid(pid, nullptr, 0);
	}
	return all;
}

static const char *const kinds[] = {"to ldx it changes nothing", "to ldx a jump", "to ldx a branch",
	"to ldx a call", "to ldx an indirect jump", "to ldx an indirect call", "to ldx a return",
	"to ldx a trap", "to ldx a system call"};

struct Check {
	Llvm &l;
	struct ours *ours;
	const Cpu &cpu;
	std::set<unsigned> seen, known, control;
	std::map<std::string, std::pair<unsigned, std::string>>
		wrong; // by name: how often, the first one
	unsigned long decoded = 0, refused = 0;

	Check(Llvm &llvm, const Cpu &c) : l(llvm), ours(ours_open(c.machine, c.word, c.big)), cpu(c)
	{
	}

	void complain(const MCInst &i, const bytes &b, const char *what)
	{
		std::string name = std::string(l.insn->getName(i.getOpcode())) + ": " + what;
		auto &w = wrong[name];
		if (!w.first++) {
			char hex[3];
			for (uint8_t x : b)
				snprintf(hex, sizeof hex, "%02x", x), w.second += hex;
			w.second += " " + l.text(i);
		}
	}

	bool is_linking(const MCInst &i) const
	{
		StringRef name = l.insn->getName(i.getOpcode());
		return cpu.machine == RISCV &&
			(name == "JAL" || name == "JALR" || name == "C_JR" || name == "C_JALR");
	}

	static bool has_pc(const MCInstrDesc &d)
	{
		for (const MCOperandInfo &o : d.operands())
			if (o.OperandType == MCOI::OPERAND_PCREL)
				return true;
		return false;
	}

	void word(const bytes &b)
	{
		MCInst i;
		uint64_t size;
		bytes padded = b;
		padded.resize(b.size() + 16);
		if (l.dis->getInstruction(i, size, padded, 0, nulls()) != MCDisassembler::Success ||
			size > b.size() || l.insn->getName(i.getOpcode()).ends_with("PREFIX"))
			return;
		const MCInstrDesc &d = l.insn->get(i.getOpcode());
		struct answer a;
		decoded++;
		seen.insert(i.getOpcode());
		// RISC-V's jal, jalr, c.jr and c.jalr are nothing to LLVM: what they are depends on
		// a register
		bool linking = is_linking(i);
		bool pc = has_pc(d), leads = d.isBranch() || d.isCall() || d.isReturn() || linking;
		if (pc || leads)
			control.insert(i.getOpcode());
		if (!ours_decode(ours, padded.data(), padded.size(), &a)) {
			refused++;
			return;
		}
		known.insert(i.getOpcode());
		if (a.size != size)
			complain(i, b, "its length");
		compare(i, b, d, a, pc);
		if (!a.vague && !leads)
			effects(i, b, d, a);
		uint64_t target;
		if (leads && pc && a.field && l.what &&
			l.what->evaluateBranch(i, 0, size, target) && (int64_t)target != a.distance)
			complain(i, b, "where it leads");
	}

	bool is_of(unsigned r, std::initializer_list<const char *> classes) const
	{
		for (unsigned c = 0; c < l.reg->getNumRegClasses(); c++) {
			const MCRegisterClass &rc = l.reg->getRegClass(c);
			StringRef name = l.reg->getRegClassName(&rc);
			for (const char *want : classes)
				if (name == want && rc.contains(r))
					return true;
		}
		return false;
	}

	// The bit of a register in ldx's sets, FLAGS for all flags; 0: ldx does not track it.
	ours_set bit(unsigned r) const
	{
		if (!r)
			return 0;
		StringRef name = l.reg->getName(r);
		ours_set one = (ours_set)1 << (l.reg->getEncodingValue(r) & 31);
		if (name == "EFLAGS" || name == "NZCV")
			return FLAGS;
		if (cpu.machine == X86 && is_of(r, {"VR128X", "VR256X", "VR512"}))
			return one << VECTOR;
		if (cpu.machine == X86 && is_of(r, {"GR8"}) && name.ends_with("H"))
			return one >> 4;
		if (cpu.machine == X86)
			return !is_of(r, {"GR64", "GR32", "GR16", "GR8"}) || name.contains("IP") ? 0
				: one < 0x10000 ? one
						: APX;
		if (name == "XZR" || name == "WZR")
			return 0;
		if (is_of(r, {"WSeqPairsClass", "XSeqPairsClass"}))
			return one * 3 & 0x7fffffff;
		if (cpu.machine == AARCH64)
			return is_of(r, {"GPR64all", "GPR32all"}) ? one : 0;
		return is_of(r, {"GPR", "GPR32", "GPR64"}) ? one & ~1ull : 0;
	}

	// What LLVM says is more, or less, than what is so.
	bool is_agreed(StringRef name) const
	{
		static const std::initializer_list<const char *> x86 = {"SH", "RO", "RC",
			"SA",				       // by 0 bits
			"XOR", "SUB", "SBB",		       // of a register from itself
			"PXOR", "PCMPEQ", "CDQ", "CQO", "CWD", // rax is only read
			"CLAC", "STAC", "CLC", "STC",	       // another flag, or only one
			"LEAVE64", "SYSCALL"};		       // rsp; rcx and r11 are known
		static const std::initializer_list<const char *> aarch64 = {"CCM", "CS", "FCCMP",
			"FCSEL",	 // al, nv
			"MRS",		 // rndr changes flags, others do not
			"SYSLxt", "GCS", // their register is only written
			"AUTI"};	 // lr is known
		static const std::initializer_list<const char *> mips = {"CLZ",
			"CLO"}; // rd is not rt
		for (const char *p : cpu.machine == X86	 ? x86
				: cpu.machine == AARCH64 ? aarch64
							 : mips)
			if (name.starts_with(p))
				return true;
		return false;
	}

	// Of other CPUs than x86-64 general registers only.
	ours_set join_flags(ours_set set) const
	{
		ours_set known = cpu.machine == X86 ? FLAGS - 1 : ((ours_set)1 << VECTOR) - 1;
		return (set & known) | (set & STATUS ? FLAGS : 0);
	}

	// Registers and flags: all that is read or changed is known, and nothing is thought to be
	// overwritten that is not.
	void effects(const MCInst &i, const bytes &b, const MCInstrDesc &d, const answer &a)
	{
		ours_set use = 0, def = 0;
		for (unsigned k = 0; k < i.getNumOperands(); k++)
			if (i.getOperand(k).isReg())
				(k < d.getNumDefs() ? def : use) |= bit(i.getOperand(k).getReg());
		for (MCPhysReg r : d.implicit_uses())
			use |= bit(r);
		for (MCPhysReg r : d.implicit_defs())
			def |= bit(r);
		if (is_agreed(l.insn->getName(i.getOpcode())))
			return;
		if (use & ~join_flags(a.reads))
			complain(i, b, "it reads more");
		if (def & ~join_flags(a.clobbers))
			complain(i, b, "it changes more");
		if (join_flags(a.writes) & ~def)
			complain(i, b, "it overwrites less");
	}

	void compare(const MCInst &i, const bytes &b, const MCInstrDesc &d, const answer &a,
		bool pc)
	{
		enum control c = a.control;
		bool call = c == CONTROL_CALL || c == CONTROL_CALL_IND;
		bool indirect = c == CONTROL_JUMP_IND || c == CONTROL_RET;
		bool direct = c == CONTROL_JUMP || c == CONTROL_BRANCH;
		StringRef name = l.insn->getName(i.getOpcode());
		// `bal 8' loads the address behind it
		if (pc && !a.field && name != "BGEZAL")
			complain(i, b, "a pc-relative field is not seen");
		// MIPS's jalr.hb is a branch to LLVM
		bool right = is_linking(i)     ? call || indirect || direct
			: d.isReturn()	       ? indirect
			: d.isCall()	       ? call || name == "BGEZAL"
			: d.isIndirectBranch() ? indirect || call
			: d.isBranch()	       ? direct
					       : !call && !indirect && !direct;
		// what returns from the kernel is no return to LLVM
		if (!right && !name.starts_with("SYSRET") && !name.starts_with("SYSEXIT"))
			complain(i, b, kinds[c]);
	}
};

// All extensions that fit together.
static std::string extensions(Llvm &l, const Cpu &c)
{
	std::string all = c.features;
	if (c.machine != RISCV)
		return all;
	for (const SubtargetFeatureKV &f : l.sub->getAllProcessorFeatures())
		if (strcmp(f.Key, "32bit") && strcmp(f.Key, "e") && !strstr(f.Key, "inx") &&
			strcmp(f.Key, "xwchc"))
			all += std::string(",+") + f.Key;
	// these take encodings of other extensions
	for (const char *other : {"zcmp", "zcmt", "xcvbi", "xcvmem", "xcvalu", "xcvbitmanip",
		     "xcvelw", "xcvmac", "xcvsimd"})
		all += std::string(",-") + other;
	return all;
}

int main(int argc, char **argv)
{
	InitializeAllTargetInfos();
	InitializeAllTargetMCs();
	InitializeAllDisassemblers();
	const Cpu *c = nullptr;
	for (const Cpu &x : cpus)
		if (argc > 1 && !strcmp(x.name, argv[1]))
			c = &x;
	if (!c) {
		fprintf(stderr, "usage: forms CPU [random words]\n");
		return 2;
	}
	unsigned long random = argc > 2 ? strtoul(argv[2], nullptr, 10) : 100000;
	Llvm plain(*c, c->features), l(*c, extensions(plain, *c));
	Check check(l, *c);
	std::mt19937 rng(1);
	for (const bytes &b : encode_all(l)) {
		check.word(b);
		for (size_t bit = 0; bit < b.size() * 8; bit++) {
			bytes v = b;
			v[bit / 8] ^= (uint8_t)(1 << bit % 8);
			check.word(v);
		}
		for (int n = 0; n < 64; n++) {
			bytes v = b;
			for (int k = 0; k < 4; k++)
				v[rng() % v.size()] ^= (uint8_t)(1 << rng() % 8);
			check.word(v);
		}
	}
	for (unsigned long n = 0; n < random; n++) {
		uint32_t w = (uint32_t)rng();
		bytes v(4);
		memcpy(v.data(), &w, 4);
		check.word(v);
	}
	for (const auto &w : check.wrong)
		printf("%s: %u times, first %s\n", w.first.c_str(), w.second.first,
			w.second.second.c_str());
	if (getenv("FORMS_REFUSED"))
		for (unsigned k : check.seen)
			if (!check.known.count(k))
				printf("refused: %s\n", l.insn->getName(k).str().c_str());
	printf("%s: %zu instructions, %zu of control or with a place; %lu encodings, %lu refused; %zu wrong\n",
		c->name, check.seen.size(), check.control.size(), check.decoded, check.refused,
		check.wrong.size());
	return !check.wrong.empty() || check.seen.size() < 100;
}
