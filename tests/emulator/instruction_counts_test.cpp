// SPDX-License-Identifier: BSD-3-Clause
//
// One instruction at a time, written in assembly: what it must count, and nothing besides.
#include <map>
#include <string>

#include "measured.hpp"

namespace {

using measured::Counts;
using measured::counts_of;

using Code = void (*)(char*);
struct Instruction {
  const char* text;
  Code run;
  std::map<plumbline_event, std::int64_t> expected;
};

// rdi points to 64-byte aligned memory. The text may use rax, rcx, rdx, rsi and the first vector registers.
#define ASM(text)                                                                                                    \
  text, [](char* p) __attribute__((noinline)) {                                                                      \
    __asm__ volatile(text : "+D"(p) : : "rax", "rcx", "rdx", "rsi", "xmm0", "xmm1", "xmm2", "xmm3", "memory", "cc"); \
  }
#define E(identifier) PLUMBLINE_EVENT_##identifier

alignas(64) char memory[4096] __asm__("memory_under_test");

Counts counts_of_code(Code code) {
  volatile Code indirect = code;
  return counts_of([&] { indirect(memory); });
}

constexpr bool is_checked(int event) {  // all but the surroundings: kinds of instruction, and what the cache simulation adds
  return event == E(branches) || (event >= E(fp_instructions) && event < E(l1_l2_demand_read));
}

void expect_exactly(const Instruction& i) {
  SCOPED_TRACE(i.text);
  const Code nothing = [](char*) __attribute__((noinline)) { __asm__ volatile("" ::: "memory"); };
  for (int warm = 0; warm < 2; ++warm) counts_of_code(i.run), counts_of_code(nothing);
  Counts counts = counts_of_code(i.run) - counts_of_code(nothing);
  for (int e = 0; e < PLUMBLINE_EVENT_COUNT; ++e) {
    auto event = static_cast<plumbline_event>(e);
    auto wanted = i.expected.find(event);
    if (wanted == i.expected.end() && !is_checked(e)) continue;
    EXPECT_EQ(counts[event], wanted == i.expected.end() ? 0 : wanted->second) << measured::name(e);
  }
}

template <std::size_t N>
void expect_all(const Instruction (&table)[N]) {
  for (const Instruction& i : table) expect_exactly(i);
}

std::map<plumbline_event, std::int64_t> load(std::int64_t bytes) { return {{E(loads), 1}, {E(reg_l1_load), bytes}}; }
std::map<plumbline_event, std::int64_t> store(std::int64_t bytes) { return {{E(stores), 1}, {E(reg_l1_store), bytes}}; }
std::map<plumbline_event, std::int64_t> update(std::int64_t bytes) {
  return {{E(loads), 1}, {E(reg_l1_load), bytes}, {E(stores), 1}, {E(reg_l1_store), bytes}};
}
std::map<plumbline_event, std::int64_t> nt_store(std::int64_t bytes) {
  return {{E(stores), 1}, {E(reg_l1_nt_store), bytes}, {E(l1_l2_nt_store), bytes}, {E(l2_l3_nt_store), bytes}, {E(l3_mem_nt_store), bytes}};
}
std::map<plumbline_event, std::int64_t> fp(plumbline_event width, plumbline_event kind, std::int64_t lanes) {
  return {{E(fp_instructions), 1}, {width, 1}, {kind, lanes}};
}
std::map<plumbline_event, std::int64_t> operator+(std::map<plumbline_event, std::int64_t> a,
                                                  const std::map<plumbline_event, std::int64_t>& b) {
  for (auto [event, n] : b) a[event] += n;
  return a;
}
std::map<plumbline_event, std::int64_t> convert(std::int64_t lanes) { return {{E(fp_convert), lanes}}; }

TEST(Accesses, are_those_the_instruction_issues) {
  expect_all({
      {ASM("movq (%%rdi), %%rax"), load(8)},
      {ASM("movb 63(%%rdi), %%al"), load(1)},
      {ASM("movups 60(%%rdi), %%xmm0"), load(16)},
      {ASM("movaps (%%rdi), %%xmm0"), load(16)},
      {ASM("movhpd (%%rdi), %%xmm0"), load(8)},
      {ASM("movq %%rax, (%%rdi)"), store(8)},
      {ASM("movaps %%xmm0, (%%rdi)"), store(16)},
      {ASM("movsd %%xmm0, (%%rdi)"), store(8)},
      {ASM("addq $1, (%%rdi)"), update(8)},
      {ASM("lock addq $1, (%%rdi)"), update(8)},
      {ASM("lock xaddl %%eax, (%%rdi)"), update(4)},
      {ASM("xchgq %%rax, (%%rdi)"), update(8)},
      {ASM("lock cmpxchgq %%rdx, (%%rdi)"), update(8)},
      {ASM("pushq %%rax; popq %%rax"), update(8)},
      {ASM("cmpq %%rax, (%%rdi); cmpq %%rax, 8(%%rdi)"), load(8) + load(8)},
      {ASM("movq (%%rdi), %%rax; movq (%%rdi), %%rax"), load(8) + load(8)},
      {ASM("movq (%%rdi), %%rax; movq 8(%%rdi), %%rdx"), load(8) + load(8)},
      {ASM("btq %%rax, %%rdx"), {}},
      {ASM("btsq %%rax, %%rdx"), {}},
      {ASM("leaq 8(%%rdi), %%rax"), {}},
      {ASM("prefetcht0 (%%rdi)"), {}},
      {ASM("fldt (%%rdi); fstpt 16(%%rdi)"), load(10) + store(10)},
      {ASM("fldl (%%rdi); fstpl 16(%%rdi)"), load(8) + store(8)},
  });
}

TEST(Accesses, of_avx_are_those_the_instruction_issues) {
  expect_all({
      {ASM("vmovupd (%%rdi), %%ymm0; vzeroupper"), load(32)},
      {ASM("vmovaps %%ymm0, (%%rdi); vzeroupper"), store(32)},
      {ASM("vbroadcastsd (%%rdi), %%ymm0; vzeroupper"), load(8)},
      {ASM("vinsertf128 $1, (%%rdi), %%ymm0, %%ymm0; vzeroupper"), load(16)},
      {ASM("vextractf128 $1, %%ymm0, (%%rdi); vzeroupper"), store(16)},
      {ASM("vpaddd (%%rdi), %%ymm0, %%ymm0; vzeroupper"), load(32)},
  });
}

TEST(Accesses, of_masked_moves_count_active_lanes) {
#define MASK3 \
  "vpcmpeqd %%xmm1, %%xmm1, %%xmm1; vpcmpeqd %%ymm2, %%ymm2, %%ymm2; vpsrldq $8, %%xmm1, %%xmm1; vinsertf128 $0, %%xmm1, %%ymm2, %%ymm1;"
#define MASK0 "vpxor %%xmm1, %%xmm1, %%xmm1;"
  std::map<plumbline_event, std::int64_t> no_bytes_loaded = {{E(loads), 1}}, no_bytes_stored = {{E(stores), 1}};
  expect_all({
      {ASM(MASK3 "vmaskmovpd (%%rdi), %%ymm1, %%ymm0; vzeroupper"), load(24)},
      {ASM(MASK3 "vmaskmovpd %%ymm0, %%ymm1, (%%rdi); vzeroupper"), store(24)},
      {ASM(MASK3 "vmaskmovps (%%rdi), %%ymm1, %%ymm0; vzeroupper"), load(24)},
      {ASM(MASK3 "vpmaskmovd %%ymm0, %%ymm1, (%%rdi); vzeroupper"), store(24)},
      {ASM(MASK3 "vpmaskmovq (%%rdi), %%xmm1, %%xmm0; vzeroupper"), load(8)},
      {ASM(MASK0 "vmaskmovpd (%%rdi), %%ymm1, %%ymm0; vzeroupper"), no_bytes_loaded},
      {ASM(MASK0 "vmaskmovpd %%ymm0, %%ymm1, (%%rdi); vzeroupper"), no_bytes_stored},
  });
}

TEST(Accesses, of_gathers_count_active_lanes) {
  std::map<plumbline_event, std::int64_t> three_doubles = {{E(loads), 3}, {E(reg_l1_load), 24}},
                                          six_floats = {{E(loads), 6}, {E(reg_l1_load), 24}};
  expect_all({
      {ASM(MASK3 "vpxor %%xmm3, %%xmm3, %%xmm3; vgatherdpd %%ymm1, 8(%%rdi,%%xmm3,8), %%ymm0; vzeroupper"), three_doubles},
      {ASM(MASK3 "vpxor %%xmm3, %%xmm3, %%xmm3; vgatherqpd %%ymm1, 8(%%rdi,%%ymm3,8), %%ymm0; vzeroupper"), three_doubles},
      {ASM(MASK3 "vpxor %%xmm3, %%xmm3, %%xmm3; vgatherdps %%ymm1, 8(%%rdi,%%ymm3,4), %%ymm0; vzeroupper"), six_floats},
  });
}

TEST(Accesses, non_temporal_stores_are_a_flow_of_their_own) {
  expect_all({
      {ASM("movntps %%xmm0, (%%rdi)"), nt_store(16)},
      {ASM("movntpd %%xmm0, (%%rdi)"), nt_store(16)},
      {ASM("movntdq %%xmm0, (%%rdi)"), nt_store(16)},
      {ASM("movntiq %%rax, (%%rdi)"), nt_store(8)},
      {ASM("movntil %%eax, (%%rdi)"), nt_store(4)},
      {ASM("vmovntpd %%ymm0, (%%rdi); vzeroupper"), nt_store(32)},
      {ASM("vmovntdq %%ymm0, (%%rdi); vzeroupper"), nt_store(32)},
  });
}

TEST(Accesses, of_string_instructions_count_elements_and_one_instruction) {
  auto elements = [](std::int64_t n, std::int64_t bytes, bool reads, bool writes, std::int64_t instructions) {
    std::map<plumbline_event, std::int64_t> expected = {{E(instructions), instructions}};
    if (reads) expected[E(loads)] = n, expected[E(reg_l1_load)] = n * bytes;
    if (writes) expected[E(stores)] = n, expected[E(reg_l1_store)] = n * bytes;
    return expected;
  };
  expect_all({
      {ASM("leaq 1024(%%rdi), %%rsi; movl $100, %%ecx; rep movsb"), elements(100, 1, true, true, 3)},
      {ASM("leaq 1024(%%rdi), %%rsi; movl $1, %%ecx; rep movsq"), elements(1, 8, true, true, 3)},
      {ASM("leaq 1024(%%rdi), %%rsi; xorl %%ecx, %%ecx; rep movsq"), elements(0, 8, true, true, 3)},
      {ASM("xorl %%eax, %%eax; movl $50, %%ecx; rep stosq"), elements(50, 8, false, true, 3)},
      {ASM("xorl %%eax, %%eax; movl $70, %%ecx; repe scasb"), elements(70, 1, true, false, 3)},  // ends by count
      {ASM("xorl %%eax, %%eax; movl $70, %%ecx; repne scasb"), elements(1, 1, true, false, 3)},  // ends by condition
      {ASM("movb $9, 40(%%rdi); xorl %%eax, %%eax; movl $70, %%ecx; repe scasb; movb $0, memory_under_test+40(%%rip)"),
       {{E(instructions), 5}, {E(loads), 41}, {E(reg_l1_load), 41}, {E(stores), 2}, {E(reg_l1_store), 2}}},
  });
}

TEST(Arithmetic, of_sse_is_counted_by_lane) {
  expect_all({
      {ASM("addsd %%xmm1, %%xmm0"), fp(E(fp_scalar), E(flops_fp64_add), 1)},
      {ASM("subss %%xmm1, %%xmm0"), fp(E(fp_scalar), E(flops_fp32_add), 1)},
      {ASM("mulpd %%xmm1, %%xmm0"), fp(E(fp_128), E(flops_fp64_mul), 2)},
      {ASM("mulps (%%rdi), %%xmm0"), fp(E(fp_128), E(flops_fp32_mul), 4) + load(16)},
      {ASM("divpd %%xmm1, %%xmm0"), fp(E(fp_128), E(flops_fp64_div), 2)},
      {ASM("sqrtss %%xmm1, %%xmm0"), fp(E(fp_scalar), E(flops_fp32_sqrt), 1)},
      {ASM("addpd %%xmm8, %%xmm9"), fp(E(fp_128), E(flops_fp64_add), 2)},
      {ASM("addsubpd %%xmm1, %%xmm0"), fp(E(fp_128), E(flops_fp64_add), 2)},
      {ASM("addsubps %%xmm1, %%xmm0"), fp(E(fp_128), E(flops_fp32_add), 4)},
      {ASM("haddpd %%xmm1, %%xmm0"), fp(E(fp_128), E(flops_fp64_add), 2)},
      {ASM("hsubps %%xmm1, %%xmm0"), fp(E(fp_128), E(flops_fp32_add), 4)},
      {ASM("maxpd %%xmm1, %%xmm0"), fp(E(fp_128), E(fp_min_max), 2)},
      {ASM("cmpltps %%xmm1, %%xmm0"), fp(E(fp_128), E(fp_compare), 4)},
      {ASM("ucomisd %%xmm1, %%xmm0"), fp(E(fp_scalar), E(fp_compare), 1)},
      {ASM("rsqrtps %%xmm1, %%xmm0"), fp(E(fp_128), E(fp_approximate), 4)},
      {ASM("addpd %%xmm0, %%xmm0; addpd %%xmm0, %%xmm0"), fp(E(fp_128), E(flops_fp64_add), 2) + fp(E(fp_128), E(flops_fp64_add), 2)},
      {ASM("movapd %%xmm1, %%xmm0; addsd %%xmm2, %%xmm0; movapd %%xmm1, %%xmm3; addsd %%xmm2, %%xmm3"),  // equal operations
       fp(E(fp_scalar), E(flops_fp64_add), 1) + fp(E(fp_scalar), E(flops_fp64_add), 1)},
  });
}

TEST(Arithmetic, conversions_and_integers_are_no_flops) {
  expect_all({
      {ASM("cvtsi2sdq %%rax, %%xmm0"), convert(1)},
      {ASM("cvttsd2si %%xmm0, %%rax"), convert(1)},
      {ASM("cvtps2pd (%%rdi), %%xmm0"), convert(2) + load(8)},
      {ASM("vcvtps2pd (%%rdi), %%ymm0; vzeroupper"), convert(4) + load(16)},
      {ASM("cvtdq2pd (%%rdi), %%xmm0"), convert(2) + load(8)},
      {ASM("cvtsd2ss %%xmm1, %%xmm0"), convert(1)},
      {ASM("vroundpd $0, %%ymm1, %%ymm0; vzeroupper"), {{E(fp_round), 4}}},
      {ASM("xorps %%xmm1, %%xmm0"), {}},
      {ASM("paddd %%xmm1, %%xmm0"), {}},
      {ASM("shufps $0, %%xmm1, %%xmm0"), {}},
      {ASM("imulq %%rax, %%rax"), {}},
  });
}

TEST(Arithmetic, of_avx_and_fma_is_counted_by_lane) {
  expect_all({
      {ASM("vaddpd %%ymm1, %%ymm2, %%ymm0; vzeroupper"), fp(E(fp_256), E(flops_fp64_add), 4)},
      {ASM("vmulps (%%rdi), %%ymm2, %%ymm0; vzeroupper"), fp(E(fp_256), E(flops_fp32_mul), 8) + load(32)},
      {ASM("vhaddps %%ymm1, %%ymm2, %%ymm0; vzeroupper"), fp(E(fp_256), E(flops_fp32_add), 8)},
      {ASM("vaddsubpd %%ymm1, %%ymm2, %%ymm0; vzeroupper"), fp(E(fp_256), E(flops_fp64_add), 4)},
      {ASM("vdivsd %%xmm1, %%xmm2, %%xmm0"), fp(E(fp_scalar), E(flops_fp64_div), 1)},
      {ASM("vsqrtps %%ymm1, %%ymm0; vzeroupper"), fp(E(fp_256), E(flops_fp32_sqrt), 8)},
      {ASM("vdpps $0xff, %%xmm1, %%xmm2, %%xmm0"),
       fp(E(fp_128), E(flops_fp32_mul), 4) + std::map<plumbline_event, std::int64_t>{{E(flops_fp32_add), 3}}},
      {ASM("vfmadd231sd %%xmm1, %%xmm2, %%xmm0"), fp(E(fp_scalar), E(flops_fp64_fma), 1)},
      {ASM("vfmadd231sd (%%rdi), %%xmm2, %%xmm0"), fp(E(fp_scalar), E(flops_fp64_fma), 1) + load(8)},
      {ASM("vfnmadd132ss (%%rdi), %%xmm2, %%xmm0"), fp(E(fp_scalar), E(flops_fp32_fma), 1) + load(4)},
      {ASM("vfmsub213pd %%xmm1, %%xmm2, %%xmm0"), fp(E(fp_128), E(flops_fp64_fma), 2)},
      {ASM("vfmadd213pd (%%rdi), %%ymm2, %%ymm0; vzeroupper"), fp(E(fp_256), E(flops_fp64_fma), 4) + load(32)},
      {ASM("vfnmsub231ps (%%rdi), %%ymm2, %%ymm0; vzeroupper"), fp(E(fp_256), E(flops_fp32_fma), 8) + load(32)},
      {ASM("vfmaddsub231ps (%%rdi), %%xmm2, %%xmm0"), fp(E(fp_128), E(flops_fp32_fma), 4) + load(16)},
      {ASM("vfmsubadd132pd %%ymm1, %%ymm2, %%ymm0; vzeroupper"), fp(E(fp_256), E(flops_fp64_fma), 4)},
  });
}

TEST(Arithmetic, of_x87_is_counted) {
  expect_all({
      {ASM("fld1; fld1; faddp; fstp %%st(0)"), fp(E(fp_x87), E(flops_x87_add), 1)},
      {ASM("fld1; fmull (%%rdi); fstp %%st(0)"), fp(E(fp_x87), E(flops_x87_mul), 1) + load(8)},
      {ASM("fld1; fld1; fdivrp; fstp %%st(0)"), fp(E(fp_x87), E(flops_x87_div), 1)},
      {ASM("fld1; fsqrt; fchs; fabs; fstp %%st(0)"), fp(E(fp_x87), E(flops_x87_sqrt), 1)},
      {ASM("fld1; fld1; fucomip; fstp %%st(0)"), fp(E(fp_x87), E(fp_compare), 1)},
      {ASM("fld1; fiaddl (%%rdi); fstp %%st(0)"), fp(E(fp_x87), E(flops_x87_add), 1) + convert(1) + load(4)},
  });
}

TEST(Branches, are_counted_taken_or_not) {
  std::map<plumbline_event, std::int64_t> one = {{E(branches), 1}};
  expect_all({
      {ASM("testl %%eax, %%eax; jz 1f; nop; 1:"), one},
      {ASM("jmp 1f; 1:"), one},
      {ASM("xorl %%ecx, %%ecx; jrcxz 1f; nop; 1:"), one},
  });
}

}  // namespace
