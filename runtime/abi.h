/* SPDX-License-Identifier: Apache-2.0 */
/*
 * abi.h - what ldx, the runtime in the instrumented program and ldxprof share
 *
 * Four formats, in the byte order of the program.  Those of its files are described in ldx-map(5)
 * and ldxprof(5):
 *   struct ldx_info  in .ldx.info of the program, loaded: finds the counters
 *   struct ldx_entry in front of a program's entry point: finds the ldx_info
 *   the static map   in .ldx.map of the program, not loaded
 *   the profile      a file of its own, PROG.ldxprof
 */
#ifndef LDX_RUNTIME_ABI_H
#define LDX_RUNTIME_ABI_H

#include <stdint.h>

#define LDX_PAGE 4096
/* Thread-local words by which a thread finds its counters, at most, but for one that is 0 behind.
 */
#define LDX_ROW_WORDS 128
#define LDX_INFO_MAGIC 0x31306f666e78646cULL /* "ldxnfo01" */

/*
 * The hidden symbol __ldx_info.  Addresses are relative, and need no relocation at run time.  Of a
 * relative address, CPUs of 32 bits and MIPS have and read the low half.
 */
struct ldx_info {
	uint64_t magic;
	uint64_t build;	    /* checksum of the static map: names this build */
	uint64_t ncounters; /* 64-bit cells at the hidden symbol __ldx_counters */
	int64_t counters;   /* address of the counters in the image - address of this field; 0: none
			     */
	uint64_t flags;	    /* LDX_INFO_* */
	int64_t pattern;    /* the default of LDX_PROFILE_FILE - address of this field; 0: none */
	int64_t spare;	    /* fallback cells in the image - address of this field; 0: none */
	int64_t events; /* address of the function __ldx_event - address of this field; 0: none */
			/* LDX_INFO_RULES: struct ldx_rule, up to one without cells. */
};
enum {
	/*
	 * Each thread has counters of its own: the same cells, at a distance that is
	 * its %gs base.  Cell 0 counts nothing: it holds the owner's thread pointer.
	 */
	LDX_INFO_THREADS = 1,
	/* Functions whose address is taken check that the thread owns the cells it uses. */
	LDX_INFO_CHECKS = 2,
	/*
	 * The runtime maps the counters at LDX_CELLS.  If that address is in use, they are at
	 * another one, and the first thread's %gs base is the difference; if there is no memory,
	 * they are in the image.  If they are in the image too, both are the same memory.
	 */
	LDX_INFO_MAPPED = 4,
	/* The cells hold marks instead of counters: each byte is 0 or 1. */
	LDX_INFO_MARKS = 8,
	/* With LDX_INFO_THREADS: the program may forbid itself system calls; prepare rows early. */
	LDX_INFO_AHEAD = 16,
	/* The runtime is called when the process leaves main, or the library is closed. */
	LDX_INFO_ENDS = 32,
	/* Behind the struct are rules by which data of tools are merged. */
	LDX_INFO_RULES = 64,
	/*
	 * Counters are plain until a second thread comes: then the runtime changes the code at the
	 * places of the hidden symbol __ldx_turns.  Cell 0 counts nothing: it holds the thread
	 * pointer of the first thread, or in another row of its owner.
	 */
	LDX_INFO_TURNS = 128,
};

/*
 * Places in one section of code; then the distance of each from the one before, uleb, in size
 * bytes. Behind the last one is one without places.  The first of all has none either, and leads
 * there.
 */
struct ldx_turns {
	int64_t start; /* of the section, relative to this field */
	uint32_t n, size;
	uint64_t first, last; /* of these places, from the start */
};

/*
 * How the cells of one process or thread and those of another become one.  A cell that is 0 has
 * nothing, by all rules.  Cells to which no rule applies are counters, which are added, or marks.
 */
struct ldx_rule {
	uint64_t first, cells; /* to which it applies */
	uint64_t kind;	       /* LDX_RULE_* */
	/*
	 * LDX_RULE_TABLE: cells of an entry are keys, then sums.  A key that is not 0 is in use:
	 * its entry may be anywhere, and entries with the same keys are added.  The first entry has
	 * no keys, and the sums of those for which there was no room.
	 */
	uint64_t keys, sums;
};
enum {
	LDX_RULE_SUM,
	LDX_RULE_OR,
	LDX_RULE_MAXIMUM,
	LDX_RULE_MINIMUM, /* of those that are not 0 */
	LDX_RULE_FIRST,	  /* the first that is not 0 */
	LDX_RULE_TABLE,
	LDX_RULE_TOOL, /* copies are kept, and merged by the tool when it shows them */
	LDX_RULE_KINDS
};
enum { LDX_RULES = 64 }; /* at most, of an object, with the one without cells */
/*
 * Far from the addresses of position-independent programs.  Programs that map memory below 2 GB use
 * round addresses, mostly below 1 GB and up to 1 GB of memory, and Wine addresses from 0x7b000000
 * on; MAP_32BIT starts at 1 GB, Valgrind's tools are at 0x58000000, rr uses 0x70000000.
 */
#define LDX_CELLS 0x75a40000
/* .ldx.counters: LDX_PAGE-aligned, its size a multiple of LDX_PAGE, in pages of its own. */

/*
 * By this a shared object recognises an instrumented program.  Each address is relative to its own
 * field.
 */
#define LDX_ENTRY_MAGIC 0x3130746e6578646cULL /* "ldxent01" */
struct ldx_entry {
	uint64_t magic;
	int64_t info; /* of the program's struct ldx_info */
	int64_t name; /* of the program's struct ldx_name */
};

/* The functions that runtime/ldx.h calls, and their counterparts in other tools; NULL-terminated.
 */
#define LDX_CONTROLS                                                                               \
	"__ldx_control_dump", "__ldx_control_reset", "__ldx_control_start", "__ldx_control_stop",  \
		"__gcov_dump", "__gcov_reset", "__llvm_profile_write_file",                        \
		"__llvm_profile_reset_counters", NULL

/* The name of the profile, with %p and the like; empty before the program starts. */
enum { LDX_PATH = 4096 };
struct ldx_name {
	char pattern[LDX_PATH];
	char program[LDX_PATH]; /* the file that holds the program */
};

/*
 * What tools are told of (ldx/tool.h): rows of the hidden symbol __ldx_events, up to one that is
 * all 0.  Addresses are relative to their own fields.
 */
enum {
	LDX_AT_BEGIN,
	LDX_AT_END, /* __ldx_ended() */
	LDX_AT_CHILD,
	LDX_AT_THREAD,
	LDX_AT_THREAD_END,
	LDX_AT_EXIT, /* the system call that ends the process, in its code */
	LDX_AT_KINDS
};
struct ldx_event_row {
	int64_t routine;
	uint64_t event;	    /* LDX_AT_* */
	uint64_t addresses; /* bit n: argument n is an address */
	int64_t arg[4];
};

/*
 * The static map.  A header, then nfuncs function records one after the other,
 * then the table of inputs and the string table.  Blocks of all functions are numbered in the order
 * of the map.
 *
 *	struct ldx_map_header
 *	nfuncs times:
 *	  uint64_t address	of the function in this program: its MAP_ENTRY, relocated
 *				by the linker; 0: not in the program (collected)
 *	  uleb name, section, file		offsets into the string table
 *	  uleb offset		of the function in its input section
 *	  uleb size		bytes of original code
 *	  uleb flags		LDX_FUNC_*
 *	  uleb entry		LDX_FUNC_ENTRY: the number of the counter of entries, + 1; 0: none
 *	  uleb reason		offset into the string table: why opaque; 0 when whole
 *	  uleb nblocks, nedges
 *	  LDX_FUNC_CALLED: the counters whose sum is the number of entries:
 *	    uleb n
 *	    n times: uleb	number of a counter, of any function
 *	  if there are any, so that a reader can go on to the next function:
 *	    uleb size		bytes of their records
 *	    uleb span		highest number of their counters - lowest + 1; 0: none
 *	    if they have counters:
 *	      sleb lowest	number - that of the last counter before it in the map - 1
 *	      uleb last		highest number - that of the last in the function
 *	  nblocks times:
 *	    uleb gap		original offset - end of the previous block (the function's start)
 *	    uleb length		bytes of original code
 *	    uleb insns		original instructions
 *	    uleb moved		new offset of the first original instruction - address,
 *				relative to that of the previous block (sleb; where the last
 *				link relaxes code, 32 bits)
 *	    uleb flags		LDX_BLOCK_*
 *	    uleb counter	LDX_BLOCK_COUNTED: number of its counter - that of the
 *				last counted block - 1 (sleb; the first: - (-1) - 1)
 *				absent when the block has no counter
 *	    uleb nruns		LDX_BLOCK_APART: runs of its instructions; else absent, and all
 *				of them are contiguous
 *	    nruns times:
 *	      uleb insns	original instructions in the run
 *	      uleb skip		bytes between the last of them and the next run
 *	  nedges times:
 *	    uleb from, to	1 + the number of the block in the function; 0: outside
 *	    uleb flags		LDX_EDGE_*
 *	    uleb counter	LDX_EDGE_COUNTED: as for blocks (sleb), continuing their numbers
 *
 * A function that has edges has all of them here, and counts without counters are derived: the
 * count of a block is the sum of those of its incoming edges, and of its outgoing edges.
 * LDX_EDGE_UNKNOWN edges have no known count: at their ends only the sums over all blocks that
 * such edges join are conserved.
 *
 * When a process is killed, a frame ends in a block and is missing in the counts behind it.  So,
 * where possible, counts are derived in the direction of control: a block from its incoming edges,
 * an edge from its block and the block's other outgoing edges.  Then no count is too small,
 * and each is too great by at most one for each such frame.  LDX_BLOCK_NEXT and LDX_EDGE_NEXT are
 * derived in the other direction.  The difference of a function's sums in and out is the number of
 * its frames that ended inside: its LDX_BLOCK_HELD blocks, and the edges between them, were
 * executed at least that many more times, as counters in registers of these frames are lost.
 *
 * Instructions of a block that are in no run are no-ops at its end, for alignment, which may
 * differ in this program.
 *
 * In mode cover there are marks instead of counters: bytes of the cells, numbered as bytes, that
 * are 1 when their block or edge was executed.  Edges without a mark are implications: "from"
 * executed implies "to" executed.  A block without a mark was executed only if a block that
 * implies it, or a marked edge of its own, was executed.
 *
 * The table of inputs has, for each run of consecutive functions, their number and the offset of
 * the name of their object file, or archive(member), as given to the linker (uleb); name 0: not
 * known.  It ends when it has covered all functions.
 *
 * The table of variables has the data of tools, which are cells behind the counters: their number,
 * then for each the names of its tool and its own, its offset from the first cell in bytes, and its
 * size in bytes (uleb).  If there are any, the rules of their cells follow: their number, then the
 * fields of each struct ldx_rule (uleb).
 */
#define LDX_MAP_MAGIC 0x38307061 /* "ap08" */
struct ldx_map_header {
	uint32_t magic, header_size;
	uint64_t build; /* FNV-1a, 64 bits, over all behind the header, with every address as 0 */
	uint64_t ncounters; /* 64-bit cells, also where they hold marks */
	uint64_t nfuncs, nblocks, nedges;
	uint64_t strings;   /* offset of the string table from the header's start */
	uint64_t size;	    /* of the whole map */
	uint32_t mode;	    /* LDX_MODE_* */
	uint32_t machine;   /* EM_* */
	uint64_t inputs;    /* offset of the table of inputs, behind the functions */
	uint64_t variables; /* offset of the table of variables, behind that of inputs */
};
enum { LDX_MODE_NONE, LDX_MODE_FUNCTIONS, LDX_MODE_BLOCKS, LDX_MODE_EDGES, LDX_MODE_COVER };
enum {
	LDX_FUNC_OPAQUE = 1, /* moved whole; its blocks are not known (nblocks 0) */
	LDX_FUNC_ENTRY = 2,  /* has a counter of its own that counts entries */
	LDX_FUNC_CALLED = 4, /* entries are the sum of the counters of the blocks that call it */
};
enum {
	LDX_BLOCK_COUNTED = 1,
	LDX_BLOCK_CALL = 2,  /* ends in a call */
	LDX_BLOCK_ENTRY = 4, /* a symbol, call or address names it; not a distance in a table */
	LDX_BLOCK_APART = 8, /* its instructions are not contiguous */
	LDX_BLOCK_HELD = 16, /* in a loop with a counter in a register */
	LDX_BLOCK_NEXT =
		32, /* no frame can end in it; its count is the sum of its outgoing edges */
};
enum {
	LDX_EDGE_COUNTED = 1,
	LDX_EDGE_UNKNOWN = 2,
	LDX_EDGE_FALL = 4,   /* control falls through */
	LDX_EDGE_CALLS = 16, /* of LDX_FUNC_CALLED: the calls; from outside to the first block */
	LDX_EDGE_NEXT = 8,   /* derived from the block it leads to, or leads from LDX_BLOCK_NEXT */
};

/*
 * The profile of a program and of the shared objects it runs with: a header page,
 * then slots, each a page and one or more rows of the counters of one object.  Every running
 * process owns a slot for each of its objects and counts in it directly (a shared mapping);
 * other threads than the first have rows of their own, in that slot or in further ones.
 * A process that has ended, however it ended, leaves its counts there, and the next
 * owner of the slot counts on from them.  The value of an object's counter is the
 * sum over all rows of its slots that are in use; a mark is 1 when it is in any of them; data of
 * tools are merged by the slot's rules.
 *
 * The set of slots only grows.  A process creates the slot at the end by setting its size from 0,
 * atomically; any process may then move the end behind it, atomically.  The slot's build is set
 * last.
 *
 * Locks are open-file-description locks on the file (fcntl(2), F_OFD_SETLK):
 * first byte of a slot: held by the owner of the slot for its life; a write lock, or if that is
 * not possible a read lock.  A process that gets the write lock may take the slot.
 * byte 0: held during the search for a slot, if it is soon free; nothing relies on it.
 */
#define LDX_PROFILE_MAGIC 0x333066727078646cULL /* "ldxprf03" */
struct ldx_profile_header {
	uint64_t magic;
	uint64_t build;	  /* of the program; of the object, in a program without counters */
	uint64_t end;	  /* of the last slot, in bytes from the start of the file */
	uint64_t stopped; /* 1: nothing is counted, and the base slots hold what was */
	uint64_t reserved[4];
	char program[1024]; /* path of what has that build, NUL-terminated */
	char command[2048]; /* arguments at the first run, separated by NUL, cut to fit */
};
struct ldx_slot_header {
	uint64_t used;	/* LDX_SLOT_USED, LDX_SLOT_OPEN */
	uint64_t pid;	/* of the owner, for people; 0: a forked process, in a slot of another */
	uint64_t build; /* of the object that is counted; 0: the slot is being made */
	uint64_t ncounters;    /* of a row */
	uint64_t size;	       /* of the slot: LDX_PAGE + its rows, each in pages */
	uint64_t runs;	       /* processes that were given this slot so far */
	uint64_t lost;	       /* processes forked by its owners whose counts could not be kept */
	uint64_t flags;	       /* LDX_SLOT_MARKS */
	char object[1024];     /* path of the object, NUL-terminated */
	uint64_t lost_threads; /* threads of its owners whose counts could not be kept */
	uint64_t unfinished; /* processes, of runs, that have not left main: with the owner while it
				runs */
	/* Behind it are the rules of the object, up to one without cells; none: its cells are 0. */
};
/*
 * At the end of that page: offsets of slots that children of the owner have had, where the next
 * child looks first.  n: how many there are, or more; visits: how often one was looked at.
 */
struct ldx_slot_children {
	uint32_t n, visits;
	uint64_t at[53];
};
enum {
	LDX_SLOT_MARKS = 1, /* the cells hold marks */
	LDX_SLOT_BASE = 2,  /* of no process, with the complement of a build: see below */
};
/*
 * ldxprof controls what a profile counts by one base slot for each build.  While the profile
 * counts, the base is subtracted from the sum of the other slots; while it is stopped, the base is
 * what the profile says.  The base of marks, and of data that are neither sums nor tables, is
 * always merged with the others, or while it is stopped all there is.  A base may be several slots.
 */
enum {
	LDX_SLOT_USED = 1, /* counts in it are to be added */
	LDX_SLOT_OPEN = 2, /* the last owner has not left main: it runs, or has ended without */
};

#endif
