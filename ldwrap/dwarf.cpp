// SPDX-License-Identifier: Apache-2.0
//
// dwarf.cpp - LLVM's reader of debug information, for the verifier; see verify/dwarf.h
#include "verify/dwarf.h"

#include "llvm/DebugInfo/DWARF/DWARFContext.h"
#include "llvm/DebugInfo/DWARF/DWARFDebugLine.h"
#include "llvm/Support/MemoryBuffer.h"

#include <memory>

using namespace llvm;

struct dwarf_file {
	std::unique_ptr<DWARFContext> context;
	DWARFDataExtractor line;
	DWARFDebugLine::LineTable table;
	bool bad = false;

	dwarf_file(const StringMap<std::unique_ptr<MemoryBuffer>> &sections, unsigned word, bool little)
	    : context(DWARFContext::create(sections, static_cast<uint8_t>(word), little,
		      [this](Error e) { fail(std::move(e)); },
		      [this](Error e) { fail(std::move(e)); })),
	      line(context->getDWARFObj(), context->getDWARFObj().getLineSection(), little,
		      static_cast<uint8_t>(word))
	{
	}

	void fail(Error e)
	{
		consumeError(std::move(e));
		bad = true;
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

static bool lines(struct dwarf_file *d, uint64_t off, struct dwarf_lines *l)
{
	uint64_t end = off;
	d->table.clear();
	Error e = d->table.parse(
		d->line, &end, *d->context, nullptr, [](Error e) { consumeError(std::move(e)); });
	if (e) {
		consumeError(std::move(e));
		return false;
	}
	const DWARFDebugLine::Prologue &p = d->table.Prologue;
	*l = {off, off + p.sizeofTotalLength() + p.getLength() - p.sizeofTotalLength(), end,
		p.sizeofTotalLength(), d->table.Rows.size(), p.FileNames.size()};
	return true;
}

static struct dwarf_row row(const struct dwarf_file *d, size_t i)
{
	const DWARFDebugLine::Row &r = d->table.Rows[i];
	return {r.Address.Address, r.Line, r.File, r.Column, r.Isa, r.Discriminator, r.OpIndex,
		bool(r.IsStmt), bool(r.BasicBlock), bool(r.EndSequence), bool(r.PrologueEnd),
		bool(r.EpilogueBegin)};
}

const struct dwarf_reader dwarf_reader = {open, close, lines, row};
