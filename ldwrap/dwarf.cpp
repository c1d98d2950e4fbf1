// SPDX-License-Identifier: Apache-2.0
//
// dwarf.cpp - LLVM's reader of debug information, for the verifier; see verify/dwarf.h
#include "verify/dwarf.h"

#include "llvm/DebugInfo/DWARF/DWARFCompileUnit.h"
#include "llvm/DebugInfo/DWARF/DWARFContext.h"
#include "llvm/DebugInfo/DWARF/DWARFDebugAbbrev.h"
#include "llvm/DebugInfo/DWARF/DWARFDebugArangeSet.h"
#include "llvm/DebugInfo/DWARF/DWARFDebugFrame.h"
#include "llvm/DebugInfo/DWARF/DWARFDebugLine.h"
#include "llvm/DebugInfo/DWARF/DWARFExpression.h"
#include "llvm/DebugInfo/DWARF/DWARFListTable.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/TargetParser/Triple.h"

#include <memory>
#include <vector>

using namespace llvm;

struct dwarf_file {
	unsigned word;
	bool little;
	std::unique_ptr<DWARFContext> context;
	DWARFDebugLine::LineTable lines;
	bool bad = false; // a warning, too

	// the current unit and entry; the last list and expression
	DWARFUnit *unit = nullptr;
	const DWARFAbbreviationDeclarationSet *abbrevs = nullptr;
	uint64_t at = 0;
	std::vector<dwarf_value> value;
	DWARFLocationExpressionsVector location;
	DWARFDebugArangeSet set;
	std::vector<dwarf_range> range;
	std::vector<dwarf_op> op;

	// the last FDE
	std::unique_ptr<DWARFDebugFrame> frames;
	std::unique_ptr<dwarf::UnwindTable> rules;
	std::vector<const dwarf::UnwindRow *> row;
	std::vector<uint64_t> args; // by row: DW_CFA_GNU_args_size

	dwarf_file(const StringMap<std::unique_ptr<MemoryBuffer>> &sections, unsigned word,
		bool little)
	    : word(word), little(little),
	      context(DWARFContext::create(sections, static_cast<uint8_t>(word), little, handler(),
		      handler()))
	{
	}

	std::function<void(Error)> handler()
	{
		return [this](Error e) { fails(std::move(e)); };
	}

	// Is it an error?
	bool fails(Error e)
	{
		bool failed = bool(e);
		consumeError(std::move(e));
		bad |= failed;
		return failed;
	}

	DWARFDataExtractor reader(const DWARFSection &s)
	{
		return {context->getDWARFObj(), s, little, static_cast<uint8_t>(word)};
	}
};

static struct dwarf_file *open(const struct dwarf_section *s, size_t n, unsigned word, bool big)
{
	StringMap<std::unique_ptr<MemoryBuffer>> sections;
	for (size_t i = 0; i < n; i++)
		sections[StringRef(s[i].name).drop_front()] = MemoryBuffer::getMemBuffer(
			{reinterpret_cast<const char *>(s[i].data), s[i].size}, s[i].name, false);
	return new dwarf_file(sections, word, !big);
}

static void close(struct dwarf_file *d)
{
	delete d;
}

// Line tables

static bool lines(struct dwarf_file *d, uint64_t off, struct dwarf_lines *l)
{
	uint64_t end = off;
	DWARFDataExtractor r = d->reader(d->context->getDWARFObj().getLineSection());
	d->lines.clear();
	// what it can go on after is the same in both objects, or shows in the rows
	if (d->fails(d->lines.parse(r, &end, *d->context, nullptr,
		    [](Error e) { consumeError(std::move(e)); })))
		return false;
	const DWARFDebugLine::Prologue &p = d->lines.Prologue;
	*l = {off, off + p.getLength(), end, p.sizeofTotalLength(), d->lines.Rows.size(),
		p.FileNames.size()};
	return true;
}

static struct dwarf_row row(const struct dwarf_file *d, size_t i)
{
	const DWARFDebugLine::Row &r = d->lines.Rows[i];
	return {r.Address.Address, r.Line, r.File, r.Column, r.Isa, r.Discriminator, r.OpIndex,
		bool(r.IsStmt), bool(r.BasicBlock), bool(r.EndSequence), bool(r.PrologueEnd),
		bool(r.EpilogueBegin)};
}

// Entries

static bool units(struct dwarf_file *d, size_t *n)
{
	auto all = d->context->info_section_units();
	*n = static_cast<size_t>(all.end() - all.begin());
	return !d->bad;
}

static bool unit(struct dwarf_file *d, size_t i, struct dwarf_unit *u)
{
	DWARFUnit *now = d->unit = d->context->info_section_units().begin()[i].get();
	d->at = now->getOffset() + now->getHeaderSize();
	*u = {now->getOffset(), d->at, now->getNextUnitOffset(),
		dwarf::getUnitLengthFieldByteSize(now->getFormat()), now->getVersion()};
	d->abbrevs = now->getAbbreviations();
	return now->getUnitDIE().isValid() && d->abbrevs && !d->bad;
}

static enum dwarf_class offset_class(dwarf::Attribute name, dwarf::Form form)
{
	switch (unsigned(name)) {
	case dwarf::DW_AT_stmt_list: return DWARF_LINES;
	case dwarf::DW_AT_ranges:
	case dwarf::DW_AT_start_scope: return DWARF_RANGES;
	case 0x2137: return DWARF_VIEWS; // DW_AT_GNU_locviews
	default: break;
	}
	if (DWARFAttribute::mayHaveLocationList(name))
		return DWARF_LOCATIONS;
	return form == dwarf::DW_FORM_sec_offset ? DWARF_OFFSET : DWARF_CONSTANT;
}

// Set class, x, data and size of a.
static void set_value(const struct dwarf_file *d, const DWARFFormValue &v, dwarf_value *a)
{
	dwarf::Form form = v.getForm();
	a->x = v.getRawUValue();
	if (v.isFormClass(DWARFFormValue::FC_Address)) {
		auto address = v.getAsSectionedAddress();
		a->kind = form == dwarf::DW_FORM_addr ? DWARF_ADDRESS : DWARF_INDEXED;
		a->x = address ? address->Address : a->x;
	} else if (form == dwarf::DW_FORM_loclistx || form == dwarf::DW_FORM_rnglistx) {
		bool loc = form == dwarf::DW_FORM_loclistx;
		auto index = static_cast<uint32_t>(a->x);
		auto off = loc ? d->unit->getLoclistOffset(index)
			       : d->unit->getRnglistOffset(index);
		a->kind = loc ? DWARF_LOCATIONS : DWARF_RANGES;
		a->x = off ? *off : ~UINT64_C(0);
	} else if (v.isFormClass(DWARFFormValue::FC_SectionOffset)) {
		a->kind = offset_class(dwarf::Attribute(a->name), form);
	} else if (auto off = v.getAsRelativeReference()) {
		a->kind = DWARF_ENTRY;
		a->x = d->unit->getOffset() + *off;
	} else if (auto off = v.getAsDebugInfoReference()) {
		a->kind = DWARF_ENTRY;
		a->x = *off;
	} else if (form == dwarf::DW_FORM_data16) {
		a->kind = DWARF_OTHER;
	} else if (auto block = v.getAsBlock()) {
		a->kind = DWARF_BLOCK;
		a->data = block->data();
		a->size = block->size();
	} else if (v.isFormClass(DWARFFormValue::FC_Constant)) {
		a->kind = DWARF_CONSTANT;
	}
}

static bool entry(struct dwarf_file *d, struct dwarf_entry *e)
{
	DWARFDataExtractor r = d->unit->getDebugInfoExtractor();
	Error bad = Error::success();
	*e = {d->at, 0, 0, false, 0, nullptr};
	uint64_t code = r.getULEB128(&d->at, &bad);
	if (d->fails(std::move(bad)))
		return false;
	const DWARFAbbreviationDeclaration *abbrev = code
		? d->abbrevs->getAbbreviationDeclaration(static_cast<uint32_t>(code))
		: nullptr;
	if (code && !abbrev)
		return false;
	d->value.clear();
	if (abbrev)
		for (const auto &spec : abbrev->attributes()) {
			DWARFFormValue v = spec.getFormValue();
			dwarf_value a = {spec.Attr, spec.Form, DWARF_OTHER, d->at, 0, 0, nullptr,
				0};
			if (spec.Form != dwarf::DW_FORM_implicit_const &&
				!v.extractValue(r, &d->at, d->unit->getFormParams(), d->unit))
				return false;
			a.end = d->at;
			set_value(d, v, &a);
			d->value.push_back(a);
		}
	*e = {e->off, d->at, abbrev ? unsigned(abbrev->getTag()) : 0,
		abbrev && abbrev->hasChildren(), d->value.size(), d->value.data()};
	return d->at <= d->unit->getNextUnitOffset();
}

// Lists

static bool ranges(struct dwarf_file *d, uint64_t off)
{
	auto all = d->unit->findRnglistFromOffset(off);
	if (d->fails(all.takeError()))
		return false;
	for (const DWARFAddressRange &r : *all)
		d->range.push_back({r.LowPC, r.HighPC, false, nullptr, 0});
	return true;
}

static bool locations(struct dwarf_file *d, uint64_t off)
{
	auto all = d->unit->findLoclistFromOffset(off);
	if (d->fails(all.takeError()))
		return false;
	d->location = std::move(*all);
	for (const DWARFLocationExpression &l : d->location)
		d->range.push_back({l.Range ? l.Range->LowPC : 0, l.Range ? l.Range->HighPC : 0,
			!l.Range, l.Expr.data(), l.Expr.size()});
	return true;
}

static bool list(struct dwarf_file *d, enum dwarf_class c, uint64_t off,
	const struct dwarf_range **range, size_t *n)
{
	d->range.clear();
	bool good = c == DWARF_RANGES ? ranges(d, off) : locations(d, off);
	*range = d->range.data();
	*n = d->range.size();
	return good;
}

static bool table(struct dwarf_file *d, enum dwarf_class c, uint64_t off, struct dwarf_set *s)
{
	const DWARFObject &o = d->context->getDWARFObj();
	DWARFListTableHeader header("", "");
	uint64_t at = off;
	DWARFDataExtractor r = d->reader(
		c == DWARF_RANGES ? o.getRnglistsSection() : o.getLoclistsSection());
	if (d->fails(header.extract(r, &at)))
		return false;
	unsigned head = dwarf::getUnitLengthFieldByteSize(header.getFormat());
	*s = {off, off + DWARFListTableHeader::getHeaderSize(header.getFormat()),
		off + head + header.getLength(), head, 0, 0, nullptr};
	return true;
}

static bool aranges(struct dwarf_file *d, uint64_t off, struct dwarf_set *s)
{
	uint64_t end = off;
	DWARFDataExtractor r(d->context->getDWARFObj().getArangesSection(), d->little,
		static_cast<uint8_t>(d->word));
	// a warning is of an entry that ends the set and is not the last
	if (d->fails(d->set.extract(r, &end, [](Error e) { consumeError(std::move(e)); })))
		return false;
	d->range.clear();
	for (const auto &a : d->set.descriptors())
		d->range.push_back({a.Address, a.Address + a.Length, false, nullptr, 0});
	const DWARFDebugArangeSet::Header &h = d->set.getHeader();
	unsigned head = dwarf::getUnitLengthFieldByteSize(h.Format);
	end = off + head + h.Length;
	*s = {off, end - (d->range.size() + 1) * 2 * d->word, end, head, h.CuOffset,
		d->range.size(), d->range.data()};
	return true;
}

// Expressions

// Those that LLVM does not know: an entry's offset and, of pointers, a distance.
static bool entry_op(const DataExtractor &r, dwarf_op *x, uint64_t at)
{
	enum { IMPLICIT_POINTER = 0xa0, GNU_IMPLICIT_POINTER = 0xf2, GNU_VARIABLE_VALUE = 0xfd };
	DataExtractor::Cursor c(at);
	uint8_t code = r.getU8(c);
	bool pointer = code == IMPLICIT_POINTER || code == GNU_IMPLICIT_POINTER;
	uint64_t entry = r.getU32(c), distance = 0;
	if (pointer)
		distance = static_cast<uint64_t>(r.getSLEB128(c));
	*x = {code, static_cast<uint8_t>(1 + pointer), {entry, distance},
		static_cast<size_t>(c.tell())};
	bool good = !errorToBool(c.takeError());
	return good && (pointer || code == GNU_VARIABLE_VALUE);
}

static bool known_op(const DataExtractor &r, struct dwarf_file *d, dwarf_op *x, size_t at)
{
	DataExtractor rest(r.getData().substr(at), d->little, static_cast<uint8_t>(d->word));
	DWARFExpression e(rest, static_cast<uint8_t>(d->word), dwarf::DWARF32);
	DWARFExpression::iterator first = e.begin();
	const DWARFExpression::Operation &o = *first;
	if (o.isError())
		return false;
	*x = {o.getCode(), static_cast<uint8_t>(o.getNumOperands()), {0, 0},
		at + static_cast<size_t>(o.getEndOffset())};
	for (unsigned i = 0; i < 2 && i < x->n; i++)
		x->operand[i] = o.getRawOperand(i);
	return true;
}

static bool ops(struct dwarf_file *d, const uint8_t *p, size_t size, const struct dwarf_op **op,
	size_t *n)
{
	DataExtractor r(ArrayRef<uint8_t>(p, size), d->little, static_cast<uint8_t>(d->word));
	d->op.clear();
	for (size_t at = 0; at < size; at = d->op.back().end) {
		dwarf_op x;
		if (!entry_op(r, &x, at) && !known_op(r, d, &x, at))
			return false;
		d->op.push_back(x);
	}
	*op = d->op.data();
	*n = d->op.size();
	return true;
}

// Frames

// By row: the last DW_CFA_GNU_args_size, which is no rule.  Each advance makes a row.
static std::vector<uint64_t> args_of(const dwarf::FDE &fde, bool *set_loc)
{
	enum { ADVANCE_LOC8 = 0x1d }; // of one psABI
	std::vector<uint64_t> all;
	uint64_t now = 0;
	*set_loc = false;
	for (const auto &i : fde.cfis()) {
		unsigned op = i.Opcode & 0xc0 ? i.Opcode & 0xc0 : i.Opcode;
		*set_loc |= op == dwarf::DW_CFA_set_loc;
		if (op == dwarf::DW_CFA_GNU_args_size)
			now = i.Ops[0];
		else if (op == dwarf::DW_CFA_advance_loc || op == dwarf::DW_CFA_advance_loc1 ||
			op == dwarf::DW_CFA_advance_loc2 || op == dwarf::DW_CFA_advance_loc4 ||
			op == ADVANCE_LOC8)
			all.push_back(now);
	}
	all.push_back(now);
	return all;
}

static bool same_row(const dwarf::UnwindRow &a, const dwarf::UnwindRow &b)
{
	return a.getCFAValue() == b.getCFAValue() &&
		a.getRegisterLocations() == b.getRegisterLocations();
}

static bool read_rows(struct dwarf_file *d, const dwarf::FDE &fde, bool *set_loc)
{
	auto all = dwarf::UnwindTable::create(&fde);
	if (d->fails(all.takeError()))
		return false;
	d->rules = std::make_unique<dwarf::UnwindTable>(std::move(*all));
	d->row.clear();
	d->args.clear();
	std::vector<uint64_t> args = args_of(fde, set_loc);
	for (size_t i = 0; i < d->rules->size() && i < args.size(); i++) {
		const dwarf::UnwindRow &r = (*d->rules)[i];
		if (i && same_row(r, *d->row.back()) && args[i] == d->args.back())
			continue;
		d->row.push_back(&r);
		d->args.push_back(args[i]);
	}
	return true;
}

static bool frame(struct dwarf_file *d, const struct dwarf_section *s, uint64_t address,
	const char *triple, struct dwarf_frame *f)
{
	StringRef data(reinterpret_cast<const char *>(s->data), s->size);
	bool eh = StringRef(s->name) == ".eh_frame";
	d->frames = std::make_unique<DWARFDebugFrame>(Triple(triple).getArch(), eh, address);
	if (d->fails(d->frames->parse(
		    DWARFDataExtractor(data, d->little, static_cast<uint8_t>(d->word)))))
		return false;
	for (const dwarf::FrameEntry &e : *d->frames) {
		const auto *fde = dyn_cast<dwarf::FDE>(&e);
		const dwarf::CIE *cie = fde ? fde->getLinkedCIE() : nullptr;
		if (!cie)
			continue;
		auto table = fde->getLSDAAddress();
		*f = {fde->getInitialLocation(), fde->getAddressRange(), table ? *table : 0,
			bool(table), cie->getAugmentationString().contains('S'), false, 0};
		if (!read_rows(d, *fde, &f->set_loc))
			return false;
		f->n = d->row.size();
		return true;
	}
	return false;
}

static uint64_t row_address(const struct dwarf_file *d, size_t i)
{
	return d->row[i]->getAddress();
}

// Is b the operation a, with the stack pointer down bytes lower?
static bool same_op(const DWARFExpression::Operation &a, const DWARFExpression::Operation &b,
	unsigned stack, uint32_t down)
{
	unsigned op = a.getCode();
	if (a.isError() || b.isError() || op != b.getCode() || op == dwarf::DW_OP_bra ||
		op == dwarf::DW_OP_skip)
		return false;
	SmallVector<uint64_t> want(a.getRawOperands());
	if (op == dwarf::DW_OP_breg0 + stack)
		want[0] += down;
	else if (op == dwarf::DW_OP_bregx && want[0] == stack)
		want[1] += down;
	return ArrayRef<uint64_t>(want) == b.getRawOperands();
}

static bool same_location(const dwarf::UnwindLocation &a, const dwarf::UnwindLocation &b,
	unsigned stack, uint32_t down)
{
	auto x = a.getDWARFExpressionBytes(), y = b.getDWARFExpressionBytes();
	if (!down || !x || !y || a.getLocation() != b.getLocation())
		return a == b;
	auto i = x->begin(), k = y->begin();
	for (; i != x->end() && k != y->end(); ++i, ++k)
		if (!same_op(*i, *k, stack, down))
			return false;
	return i == x->end() && k == y->end();
}

static bool same_cfa(const dwarf::UnwindLocation &a, const dwarf::UnwindLocation &b, unsigned stack,
	uint32_t down)
{
	dwarf::UnwindLocation want = a;
	if (a.getLocation() == dwarf::UnwindLocation::RegPlusOffset && a.getRegister() == stack)
		want.setOffset(a.getOffset() + static_cast<int32_t>(down));
	return same_location(want, b, stack, down);
}

static bool same_rules(const struct dwarf_file *a, size_t i, const struct dwarf_file *b, size_t k,
	unsigned stack, uint32_t down)
{
	const dwarf::UnwindRow &x = *a->row[i], &y = *b->row[k];
	if (a->args[i] != b->args[k] || !same_cfa(x.getCFAValue(), y.getCFAValue(), stack, down))
		return false;
	if (!down)
		return x.getRegisterLocations() == y.getRegisterLocations();
	enum { REGISTERS = 256 };
	size_t found = 0;
	for (unsigned r = 0; r < REGISTERS; r++) {
		auto p = x.getRegisterLocations().getRegisterLocation(r),
		     q = y.getRegisterLocations().getRegisterLocation(r);
		if (bool(p) != bool(q) || (p && !same_location(*p, *q, stack, down)))
			return false;
		found += bool(p);
	}
	return found == x.getRegisterLocations().size() && found == y.getRegisterLocations().size();
}

const struct dwarf_reader dwarf_reader = {open, close, lines, row, units, unit, entry, list, table,
	aranges, ops, frame, row_address, same_rules};
