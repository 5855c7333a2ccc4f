// SPDX-License-Identifier: BSD-3-Clause
//
// A program that runs under the Plumbline Valgrind tool may ask it to read the counts, switch counting, empty the simulated caches, and
// mark regions. This header is the whole interface; it is BSD-licensed so that any program may use it, while the tool itself (the other
// files of this folder) is GPL-2.0-or-later because it links Valgrind's core.
//
// Off the tool (natively, or under another Valgrind tool) every call costs a few instructions and answers 0.
#ifndef PLUMBLINE_EMULATOR_CLIENT_REQUESTS_H
#define PLUMBLINE_EMULATOR_CLIENT_REQUESTS_H

#include <stdint.h>
#include <valgrind/valgrind.h>

// Raised whenever the table below or the meaning of a request changes. A tool of another ABI refuses to fill a struct.
#define PLUMBLINE_EMULATOR_ABI 3u

// The one table of counted events, shared by tool and harness: X(identifier, name, unit, description).
//
// Arithmetic is counted by lane: an addpd on two lanes is two operations; an fma is one operation a lane (its weight of 2
// is the reader's business). fp_instructions = fp_scalar + fp_128 + fp_256 + fp_x87 are the instructions that do arithmetic,
// compare, select a minimum or maximum, or approximate; conversions and roundings are counted only as fp_convert and fp_round.
// Sign changes (fchs, fabs) and the tests fxam and vtestps compute no floating-point value and are in none of these.
//
// int_instructions = int_scalar + int_mmx + int_128 + int_256 are the instructions that do integer arithmetic, bitwise logic,
// shifts, bit searches or integer comparisons, on general registers (int_scalar, any operand size, cmp and test included) or on
// vector registers (any lane size; andps and its like included, the encryption and string-comparison instructions too). Not
// counted: moves of any kind (mov, cmov, movsx, setcc, xchg, bswap, push, pop; vector moves, shuffles, packs, extensions, byte
// shifts of whole registers, blends), lea, branches, rep and other string instructions, flag and system instructions.
//
// width.* is a histogram of all instructions that name a vector or x87 register, moves included, by the widest operand: scalar is
// one lane of at most 64 bits in an SSE or AVX register (addsd, movss, movq, pinsrd, cvttsd2si), 128 and 256 whole registers.
// Instructions without such a register, and vzeroupper, are in none: general = instructions minus their sum.
//
// branches = branches.conditional + branches.unconditional + calls + returns, taken or not.
//
// loads and stores are instruction accesses to memory, one for each memory operand: an instruction that reads 32 contiguous
// bytes makes one load; a gather one for each active lane; a masked move one, with the bytes of its active lanes;
// a REP string instruction one for each element, being one instruction. bytes.reg-L1.store leaves non-temporal stores out.
//
// core_cycles is no count of the program's but a simulated core's: the cycles that its instructions take with all data in L1 (core.h).
//
// Across a boundary a fill bears the cause of the access that missed in L1: demand_read (a load) or rfo (a store, which
// allocates), or prefetch (a simulated prefetcher's own). A dirty line that leaves a level is a write_back across the boundary
// below it. A non-temporal store bypasses the caches, assumes perfect write combining and so counts the bytes written as nt_store
// at every boundary; a copy of its line in the storing thread's caches or in L3 is dropped (written back first when dirty).
#define PLUMBLINE_EMULATED_EVENTS(X)                                                                                       \
  X(instructions, "instructions", "instructions", "instructions executed")                                                 \
  X(branches, "branches", "instructions", "jumps, calls and returns, taken or not")                                        \
  X(branches_conditional, "branches.conditional", "instructions", "conditional jumps, taken or not")                       \
  X(branches_unconditional, "branches.unconditional", "instructions", "unconditional jumps")                               \
  X(calls, "calls", "instructions", "calls")                                                                               \
  X(returns, "returns", "instructions", "returns")                                                                         \
  X(prefetch_instructions, "prefetch_instructions", "instructions", "software prefetches")                                 \
  X(int_instructions, "int_instructions", "instructions", "integer arithmetic, logic, shifts and comparisons")             \
  X(int_scalar, "int_scalar", "instructions", "integer instructions on general registers")                                 \
  X(int_mmx, "int_mmx", "instructions", "integer instructions on MMX registers")                                           \
  X(int_128, "int_128", "instructions", "128-bit integer instructions")                                                    \
  X(int_256, "int_256", "instructions", "256-bit integer instructions")                                                    \
  X(width_scalar, "width.scalar", "instructions", "instructions on one lane of a vector register")                         \
  X(width_128, "width.128", "instructions", "instructions on 128-bit registers")                                           \
  X(width_256, "width.256", "instructions", "instructions on 256-bit registers")                                           \
  X(width_mmx, "width.mmx", "instructions", "instructions on MMX registers")                                               \
  X(width_x87, "width.x87", "instructions", "instructions of the x87 unit, moves and control included")                    \
  X(fp_instructions, "fp_instructions", "instructions", "floating-point instructions (conversions, roundings left out)")   \
  X(fp_scalar, "fp_scalar", "instructions", "scalar SSE, AVX or FMA floating-point instructions")                          \
  X(fp_128, "fp_128", "instructions", "128-bit packed floating-point instructions")                                        \
  X(fp_256, "fp_256", "instructions", "256-bit packed floating-point instructions")                                        \
  X(fp_x87, "fp_x87", "instructions", "x87 floating-point instructions")                                                   \
  X(flops_fp64_add, "flops.fp64.add", "operations", "fp64 additions and subtractions, by lane")                            \
  X(flops_fp64_mul, "flops.fp64.mul", "operations", "fp64 multiplications, by lane")                                       \
  X(flops_fp64_fma, "flops.fp64.fma", "operations", "fp64 fused multiply-adds, by lane, each counted once")                \
  X(flops_fp64_div, "flops.fp64.div", "operations", "fp64 divisions, by lane")                                             \
  X(flops_fp64_sqrt, "flops.fp64.sqrt", "operations", "fp64 square roots, by lane")                                        \
  X(flops_fp32_add, "flops.fp32.add", "operations", "fp32 additions and subtractions, by lane")                            \
  X(flops_fp32_mul, "flops.fp32.mul", "operations", "fp32 multiplications, by lane")                                       \
  X(flops_fp32_fma, "flops.fp32.fma", "operations", "fp32 fused multiply-adds, by lane, each counted once")                \
  X(flops_fp32_div, "flops.fp32.div", "operations", "fp32 divisions, by lane")                                             \
  X(flops_fp32_sqrt, "flops.fp32.sqrt", "operations", "fp32 square roots, by lane")                                        \
  X(flops_x87_add, "flops.x87.add", "operations", "x87 additions and subtractions")                                        \
  X(flops_x87_mul, "flops.x87.mul", "operations", "x87 multiplications")                                                   \
  X(flops_x87_div, "flops.x87.div", "operations", "x87 divisions")                                                         \
  X(flops_x87_sqrt, "flops.x87.sqrt", "operations", "x87 square roots")                                                    \
  X(fp_min_max, "fp_min_max", "operations", "minima and maxima, by lane; not FLOPs")                                       \
  X(fp_compare, "fp_compare", "operations", "comparisons, by lane; not FLOPs")                                             \
  X(fp_convert, "fp_convert", "operations", "conversions from or to a floating-point format, by lane; not FLOPs")          \
  X(fp_round, "fp_round", "operations", "roundings to integral value, by lane; not FLOPs")                                 \
  X(fp_approximate, "fp_approximate", "operations", "reciprocal and reciprocal square root estimates, by lane; not FLOPs") \
  X(loads, "loads", "accesses", "loads issued")                                                                            \
  X(stores, "stores", "accesses", "stores issued, non-temporal ones included")                                             \
  X(reg_l1_load, "bytes.reg-L1.load", "bytes", "bytes loaded")                                                             \
  X(reg_l1_store, "bytes.reg-L1.store", "bytes", "bytes stored by ordinary stores")                                        \
  X(reg_l1_nt_store, "bytes.reg-L1.nt_store", "bytes", "bytes stored by non-temporal stores")                              \
  X(l1_l2_demand_read, "bytes.L1-L2.demand_read", "bytes", "simulated L1 fills caused by loads")                           \
  X(l1_l2_rfo, "bytes.L1-L2.rfo", "bytes", "simulated L1 fills caused by stores")                                          \
  X(l1_l2_prefetch, "bytes.L1-L2.prefetch", "bytes", "simulated L1 fills caused by prefetchers")                           \
  X(l1_l2_write_back, "bytes.L1-L2.write_back", "bytes", "simulated dirty lines leaving L1")                               \
  X(l1_l2_nt_store, "bytes.L1-L2.nt_store", "bytes", "non-temporal stores passing L1")                                     \
  X(l2_l3_demand_read, "bytes.L2-L3.demand_read", "bytes", "simulated L2 fills caused by loads")                           \
  X(l2_l3_rfo, "bytes.L2-L3.rfo", "bytes", "simulated L2 fills caused by stores")                                          \
  X(l2_l3_prefetch, "bytes.L2-L3.prefetch", "bytes", "simulated L2 fills caused by prefetchers")                           \
  X(l2_l3_write_back, "bytes.L2-L3.write_back", "bytes", "simulated dirty lines leaving L2")                               \
  X(l2_l3_nt_store, "bytes.L2-L3.nt_store", "bytes", "non-temporal stores passing L2")                                     \
  X(l3_mem_demand_read, "bytes.L3-mem.demand_read", "bytes", "simulated L3 fills caused by loads")                         \
  X(l3_mem_rfo, "bytes.L3-mem.rfo", "bytes", "simulated L3 fills caused by stores")                                        \
  X(l3_mem_prefetch, "bytes.L3-mem.prefetch", "bytes", "simulated L3 fills caused by prefetchers")                         \
  X(l3_mem_write_back, "bytes.L3-mem.write_back", "bytes", "simulated dirty lines leaving L3")                             \
  X(l3_mem_nt_store, "bytes.L3-mem.nt_store", "bytes", "non-temporal stores reaching memory")                              \
  X(core_cycles, "core_cycles", "cycles", "cycles of a simulated core whose data are all in L1")

#define PLUMBLINE_EVENT_ENUMERATOR(identifier, name, unit, description) PLUMBLINE_EVENT_##identifier,
enum plumbline_event { PLUMBLINE_EMULATED_EVENTS(PLUMBLINE_EVENT_ENUMERATOR) PLUMBLINE_EVENT_COUNT };
#undef PLUMBLINE_EVENT_ENUMERATOR

struct plumbline_counts {
  uint64_t abi;     // PLUMBLINE_EMULATOR_ABI once filled
  uint64_t thread;  // Valgrind's number of the thread read (numbers are reused after a thread ends); 0 for the sum of all
  uint64_t value[PLUMBLINE_EVENT_COUNT];
};

enum plumbline_request {
  PLUMBLINE_REQUEST_ABI = VG_USERREQ_TOOL_BASE('P', 'L'),
  PLUMBLINE_REQUEST_READ_THREAD,
  PLUMBLINE_REQUEST_READ_ALL,
  PLUMBLINE_REQUEST_COUNTING,
  PLUMBLINE_REQUEST_EMPTY_CACHES,
  PLUMBLINE_REQUEST_REGION_BEGIN,
  PLUMBLINE_REQUEST_REGION_END,
  PLUMBLINE_REQUEST_FLUSH_CACHES,
  PLUMBLINE_REQUEST_SHARE_L3,
  PLUMBLINE_REQUEST_RESIZE_L3
};

// Answers the tool's ABI version, or 0 when this process does not run under the tool.
static inline unsigned plumbline_emulator_abi(void) {
  return (unsigned)VALGRIND_DO_CLIENT_REQUEST_EXPR(0, PLUMBLINE_REQUEST_ABI, 0, 0, 0, 0, 0);
}

// Fills *counts with the calling thread's counts since the start. Answers 1, or 0 (untouched) off the tool or on another ABI.
static inline unsigned plumbline_read_thread(struct plumbline_counts* counts) {
  return (unsigned)VALGRIND_DO_CLIENT_REQUEST_EXPR(0, PLUMBLINE_REQUEST_READ_THREAD, counts, sizeof *counts, PLUMBLINE_EMULATOR_ABI, 0, 0);
}

// Reads the sum over all threads, ended ones included; otherwise as plumbline_read.
static inline unsigned plumbline_read_all(struct plumbline_counts* counts) {
  return (unsigned)VALGRIND_DO_CLIENT_REQUEST_EXPR(0, PLUMBLINE_REQUEST_READ_ALL, counts, sizeof *counts, PLUMBLINE_EMULATOR_ABI, 0, 0);
}

// Switches counting for the whole process. While it is off neither counts nor simulated caches change. Answers 1 on the tool.
static inline unsigned plumbline_counting(int on) {
  return (unsigned)VALGRIND_DO_CLIENT_REQUEST_EXPR(0, PLUMBLINE_REQUEST_COUNTING, on, 0, 0, 0, 0);
}

// Drops every line of every thread's L1 and L2 and of the shared L3, without counting write-backs. Answers 1 on the tool.
static inline unsigned plumbline_empty_caches(void) {
  return (unsigned)VALGRIND_DO_CLIENT_REQUEST_EXPR(0, PLUMBLINE_REQUEST_EMPTY_CACHES, 0, 0, 0, 0, 0);
}

// Writes every dirty line of every level back to memory and counts it, at each boundary it crosses, as a write-back; the lines stay,
// clean. A thread's lines count as its own, those of the shared L3 as the caller's. Answers 1 on the tool.
static inline unsigned plumbline_flush_caches(void) {
  return (unsigned)VALGRIND_DO_CLIENT_REQUEST_EXPR(0, PLUMBLINE_REQUEST_FLUSH_CACHES, 0, 0, 0, 0, 0);
}

// Gives this process from here on one Nth of L3's sets, as one of N ranks on it; all caches are emptied. Answers 1, or 0 (nothing changed)
// off the tool and where L3 has fewer sets than parts are wanted.
static inline unsigned plumbline_share_l3(unsigned n) {
  return (unsigned)VALGRIND_DO_CLIENT_REQUEST_EXPR(0, PLUMBLINE_REQUEST_SHARE_L3, n, 0, 0, 0, 0);
}

// Gives the whole L3 from here on so many bytes (a multiple of its ways times its line) and its ways, and this process the part of it that
// it had; all caches are emptied. Answers 1, or 0 (nothing changed) off the tool and for a size that cannot be.
static inline unsigned plumbline_resize_l3(uint64_t bytes) {
  return (unsigned)VALGRIND_DO_CLIENT_REQUEST_EXPR(0, PLUMBLINE_REQUEST_RESIZE_L3, bytes, 0, 0, 0, 0);
}

// Begin and end of a region: the calling thread's counts between these two are added to the region of that name; --out prints the sums.
// Regions may nest; inside a region of the same name begin and end only balance each other. Answers 1 on the tool, 0 for an end without a
// begin.
static inline unsigned plumbline_region_begin(const char* name) {
  return (unsigned)VALGRIND_DO_CLIENT_REQUEST_EXPR(0, PLUMBLINE_REQUEST_REGION_BEGIN, name, 0, 0, 0, 0);
}
// Begins a region from emptied caches.
static inline unsigned plumbline_region_begin_cold(const char* name) {
  return (unsigned)VALGRIND_DO_CLIENT_REQUEST_EXPR(0, PLUMBLINE_REQUEST_REGION_BEGIN, name, 1, 0, 0, 0);
}
static inline unsigned plumbline_region_end(const char* name) {
  return (unsigned)VALGRIND_DO_CLIENT_REQUEST_EXPR(0, PLUMBLINE_REQUEST_REGION_END, name, 0, 0, 0, 0);
}

#endif
