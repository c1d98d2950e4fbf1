// SPDX-License-Identifier: Apache-2.0
//
// lean.cpp - in place of what LLD takes from LLVM's optimizer and code generators
//
// Few links have bitcode, and loading those takes ten times as long as a small link.  A link that
// comes upon bitcode ends with LLD_LACKS_LLVM, before it has written anything.
#include "ldwrap/lld.h"

#include "llvm/CodeGen/CommandFlags.h"
#include "llvm/LTO/LTO.h"

#include <unistd.h>

#define LLVM_TARGET(NAME)                                                                          \
	extern "C" void LLVMInitialize##NAME##Target()                                             \
	{                                                                                          \
	}                                                                                          \
	extern "C" void LLVMInitialize##NAME##TargetInfo()                                         \
	{                                                                                          \
	}                                                                                          \
	extern "C" void LLVMInitialize##NAME##TargetMC()                                           \
	{                                                                                          \
	}
#include "llvm/Config/Targets.def"

#define LLVM_ASM_PRINTER(NAME)                                                                     \
	extern "C" void LLVMInitialize##NAME##AsmPrinter()                                         \
	{                                                                                          \
	}
#include "llvm/Config/AsmPrinters.def"

#define LLVM_ASM_PARSER(NAME)                                                                      \
	extern "C" void LLVMInitialize##NAME##AsmParser()                                          \
	{                                                                                          \
	}
#include "llvm/Config/AsmParsers.def"

using namespace llvm;

[[noreturn]] static void lack()
{
	_exit(LLD_LACKS_LLVM);
}

codegen::RegisterCodeGenFlags::RegisterCodeGenFlags() = default;

// LLD makes one of these for each input that is bitcode.
Expected<std::unique_ptr<lto::InputFile>> lto::InputFile::create(MemoryBufferRef)
{
	lack();
}

lto::InputFile::~InputFile() = default;

StringRef lto::InputFile::getName() const
{
	lack();
}

SmallVector<const char *> lto::LTO::getRuntimeLibcallSymbols(const Triple &)
{
	lack();
}

// LLD's own, which every link makes, and asks for the objects of no bitcode.
namespace lld::elf
{
class BitcodeFile;
class InputFile;

class BitcodeCompiler
{
      public:
	BitcodeCompiler();
	~BitcodeCompiler();
	void add(BitcodeFile &);
	std::vector<InputFile *> compile();
};

BitcodeCompiler::BitcodeCompiler() = default;
BitcodeCompiler::~BitcodeCompiler() = default;

void BitcodeCompiler::add(BitcodeFile &)
{
	lack();
}

std::vector<InputFile *> BitcodeCompiler::compile()
{
	return {};
}
} // namespace lld::elf
