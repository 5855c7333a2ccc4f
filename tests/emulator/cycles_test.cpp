// SPDX-License-Identifier: BSD-3-Clause
//
// The simulated core (harness/emulator/core.h), held against cycles by hand for loops whose waits are known. Its twelve numbers are given
// on the tool's command line and again here.
#include <pthread.h>

#include <algorithm>
#include <cstdlib>

#include "measured.hpp"

namespace {

using measured::counts_of;

/// The numbers have the order of the command line.
struct Core {
  double width, window, registers, add, mul, vectors, loads, stores, add_latency, mul_latency, fma_latency, code_bytes;
} core;

constexpr std::int64_t times = 20000;
std::int64_t passes = times;  // of a call of a loop
constexpr double load_latency = 5, divide_latency = 14;

/// Cycles of a loop's pass.
template <class Loop>
double cycles_of(Loop&& loop) {
  loop();  // it is translated, and its data are there
  return static_cast<double>(counts_of(loop)[PLUMBLINE_EVENT_core_cycles]) / static_cast<double>(times);
}

#define EXPECT_CYCLES(actual, wanted) EXPECT_NEAR(actual, wanted, 0.02 * (wanted) + 0.01)

#define FROM_A_LINE ".p2align 6\n 1:\n"  // of code, so that short loops lie in one

/// A pass of each loop runs BODY, and counts down in a register of its own. It begins where a line of code does.
#define LOOP(name, body, ...)                                                                 \
  __attribute__((noinline)) void name() {                                                     \
    std::int64_t left = passes;                                                               \
    __asm__ volatile(FROM_A_LINE body "dec %0\n jnz 1b\n" : "+r"(left) : : __VA_ARGS__ "cc"); \
  }

#define FOUR(text) text text text text
LOOP(chain_of_additions, FOUR("addsd %%xmm1, %%xmm0\n"), "xmm0", )
LOOP(chain_of_products, FOUR("mulsd %%xmm1, %%xmm0\n"), "xmm0", )
LOOP(chain_of_divisions, FOUR("divsd %%xmm1, %%xmm0\n"), "xmm0", )
LOOP(chain_with_a_copy, "movapd %%xmm0, %%xmm2\n addsd %%xmm1, %%xmm2\n movapd %%xmm2, %%xmm0\n", "xmm0", "xmm2", )
LOOP(four_chains, "addpd %%xmm1, %%xmm0\n addpd %%xmm1, %%xmm2\n addpd %%xmm1, %%xmm3\n addpd %%xmm1, %%xmm4\n", "xmm0", "xmm2", "xmm3",
     "xmm4", )
LOOP(eight_independent, FOUR("movapd %%xmm1, %%xmm0\n addpd %%xmm1, %%xmm0\n movapd %%xmm1, %%xmm2\n addpd %%xmm1, %%xmm2\n"), "xmm0",
     "xmm2", )
LOOP(independent_divisions, FOUR("movapd %%xmm1, %%xmm0\n divpd %%xmm1, %%xmm0\n"), "xmm0", )
LOOP(nothing_at_all, "", )
LOOP(twelve_moves, FOUR("mov %%rax, %%rbx\n mov %%rax, %%rcx\n mov %%rax, %%rdx\n"), "rbx", "rcx", "rdx", )
LOOP(zeroed_each_time, "xorpd %%xmm0, %%xmm0\n" FOUR(FOUR("addsd %%xmm1, %%xmm0\n")), "xmm0", )

/// A loop of 26 bytes, which waits for nothing, that begins so many bytes behind where every second line of code does, so that it meets no
/// page's end.
#define LOOP_AT(name, offset)                                                                                                      \
  __attribute__((noinline)) void name() {                                                                                          \
    std::int64_t left = passes;                                                                                                    \
    __asm__ volatile("jmp 1f\n .p2align 7\n .skip 128 + " #offset                                                                  \
                     "\n 1: lea 0x11111(%%rax), %%rcx\n lea 0x11111(%%rax), %%rdx\n lea 0x11111(%%rax), %%rsi\n dec %0\n jnz 1b\n" \
                     : "+r"(left)                                                                                                  \
                     :                                                                                                             \
                     : "rcx", "rdx", "rsi", "cc");                                                                                 \
  }
LOOP_AT(at_a_line, 0)
LOOP_AT(across_half_a_line, 20)
LOOP_AT(across_a_line, 52)

double cells[64];
void* self = &self;

__attribute__((noinline)) void eight_loads() {
  std::int64_t left = passes;
  __asm__ volatile(FROM_A_LINE FOUR("movsd (%1), %%xmm0\n movsd 8(%1), %%xmm2\n") "dec %0\n jnz 1b\n"
                   : "+r"(left)
                   : "r"(cells)
                   : "xmm0", "xmm2", "cc");
}

__attribute__((noinline)) void four_stores() {
  std::int64_t left = passes;
  __asm__ volatile(FROM_A_LINE FOUR("movsd %%xmm1, (%1)\n") "dec %0\n jnz 1b\n" : "+r"(left) : "r"(cells) : "memory", "cc");
}

__attribute__((noinline)) void chase() {
  std::int64_t left = passes;
  void* at = self;
  __asm__ volatile(FROM_A_LINE FOUR("mov (%1), %1\n") "dec %0\n jnz 1b\n" : "+r"(left), "+r"(at) : : "cc");
}

/// An addition waits for its operand in memory, and that for its address alone: not for the sum.
__attribute__((noinline)) void sum_of_memory() {
  std::int64_t left = passes;
  __asm__ volatile(FROM_A_LINE FOUR("addsd (%1), %%xmm0\n") "dec %0\n jnz 1b\n" : "+r"(left) : "r"(cells) : "xmm0", "cc");
}

__attribute__((noinline, target("fma"))) void chain_of_fmas() {
  std::int64_t left = passes;
  __asm__ volatile(FROM_A_LINE FOUR("vfmadd231pd %%ymm1, %%ymm1, %%ymm0\n") "dec %0\n jnz 1b\n" : "+r"(left) : : "xmm0", "cc");
}

/// The scalar form of AVX writes all of its register, so that a pass does not wait for the one before.
__attribute__((noinline, target("avx"))) void avx_scalars_are_whole() {
  std::int64_t left = passes;
  __asm__ volatile(FROM_A_LINE "vaddsd %%xmm1, %%xmm1, %%xmm0\n vmulsd %%xmm1, %%xmm0, %%xmm0\n dec %0\n jnz 1b\n"
                   : "+r"(left)
                   :
                   : "xmm0", "cc");
}

double most(double a, double b) { return a > b ? a : b; }

TEST(Core, a_chain_takes_the_latency_of_each_of_its_instructions) {
  EXPECT_CYCLES(cycles_of(chain_of_additions), 4 * core.add_latency);
  EXPECT_CYCLES(cycles_of(chain_of_products), 4 * core.mul_latency);
  EXPECT_CYCLES(cycles_of(chain_of_divisions), 4 * divide_latency);
  EXPECT_CYCLES(cycles_of(chase), 4 * load_latency);
  if (__builtin_cpu_supports("fma")) {
    EXPECT_CYCLES(cycles_of(chain_of_fmas), 4 * core.fma_latency);
  }
}

TEST(Core, a_copy_costs_no_latency_and_an_operand_in_memory_delays_no_sum) {
  EXPECT_CYCLES(cycles_of(chain_with_a_copy), core.add_latency);
  EXPECT_CYCLES(cycles_of(sum_of_memory), 4 * core.add_latency);
}

TEST(Core, independent_instructions_take_turns_on_their_pipes) {
  EXPECT_CYCLES(cycles_of(eight_independent), most(8 / core.add, 17 / core.width));
  EXPECT_CYCLES(cycles_of(four_chains), most(core.add_latency, 4 / core.add));
  EXPECT_CYCLES(cycles_of(eight_loads), most(8 / core.loads, 9 / core.width));
  EXPECT_CYCLES(cycles_of(four_stores), most(4 / core.stores, 5 / core.width));
  EXPECT_CYCLES(cycles_of(independent_divisions), most(4 * 4.0, 9 / core.width));
  EXPECT_CYCLES(cycles_of(twelve_moves), 13 / core.width);
  EXPECT_CYCLES(cycles_of(nothing_at_all), 1) << "a jump taken a cycle";
  if (__builtin_cpu_supports("avx")) {
    const double under_way = core.window / 4;  // passes
    EXPECT_CYCLES(cycles_of(avx_scalars_are_whole), most(most(1.0, 3 / core.width), (core.add_latency + core.mul_latency) / under_way));
  }
}

TEST(Core, each_stretch_of_code_takes_a_cycle_to_fetch) {
  const double taken_up = 4 / core.width;  // the last one and its branch as one
  EXPECT_CYCLES(cycles_of(at_a_line), most(1, taken_up));
  EXPECT_CYCLES(cycles_of(across_half_a_line), most(core.code_bytes <= 32 ? 2 : 1, taken_up));
  EXPECT_CYCLES(cycles_of(across_a_line), most(core.code_bytes <= 64 ? 2 : 1, taken_up));
}

TEST(Core, chains_that_begin_anew_overlap_as_far_as_the_window_and_the_registers_reach) {
  const double chain = 16 * core.add_latency, instructions = 19, results = 17, pipes = most(16 / core.add, 18 / core.width);
  const double overlapping = std::min(core.window / instructions, core.registers / results);  // chains that are under way at once
  const double measured = cycles_of(zeroed_each_time);
  EXPECT_GE(measured, 0.98 * most(chain / (overlapping + 1), pipes));
  EXPECT_LE(measured, 1.02 * most(chain / most(overlapping - 1, 1), pipes) + 1);
}

TEST(Core, a_long_loop_that_is_counted_as_one_number_takes_what_its_passes_take_by_themselves) {
  for (auto* loop : {chain_of_additions, four_chains, sum_of_memory}) {
    const double together = cycles_of(loop);
    passes = 40;  // fewer than make a loop steady
    const double by_turns = cycles_of([&] {
      for (std::int64_t done = 0; done < times; done += passes) loop();
    });
    passes = times;
    EXPECT_NEAR(together, by_turns, 0.03 * together);
  }
}

void* add_on_a_thread(void*) {
  chain_of_additions();
  return nullptr;
}

TEST(Core, each_thread_has_a_core_of_its_own_and_their_cycles_are_added) {
  const auto together = [] {
    pthread_t threads[2];
    for (pthread_t& thread : threads) ASSERT_EQ(pthread_create(&thread, nullptr, add_on_a_thread, nullptr), 0);
    for (pthread_t thread : threads) pthread_join(thread, nullptr);
  };
  EXPECT_NEAR(cycles_of(together), 8 * core.add_latency, 0.05 * 8 * core.add_latency) << "starting and joining them included";
}

}  // namespace

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  if (argc != 13) return 2;
  double* number = &core.width;
  for (int k = 0; k < 12; ++k) number[k] = std::atof(argv[1 + k]);
  return RUN_ALL_TESTS();
}
