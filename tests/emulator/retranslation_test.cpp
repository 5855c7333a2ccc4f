// SPDX-License-Identifier: BSD-3-Clause
//
// Code that is discarded and translated anew, at the same address, with other content, after having run: nothing is lost, nothing
// is counted twice.
#include <sys/mman.h>

#include <cstring>

#include "measured.hpp"

namespace {

// addsd xmm0, xmm0; ret, and mulsd xmm0, xmm0; ret
constexpr unsigned char add_code[] = {0xF2, 0x0F, 0x58, 0xC0, 0xC3};
constexpr unsigned char mul_code[] = {0xF2, 0x0F, 0x59, 0xC0, 0xC3};

TEST(Retranslation, loses_nothing_and_counts_nothing_twice) {
  constexpr int blocks = 64, stride = 64, rounds = 200;
  void* page = mmap(nullptr, blocks * stride, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(page, MAP_FAILED);
  auto* code = static_cast<unsigned char*>(page);
  measured::Counts counts = measured::counts_of([&] {
    for (int round = 0; round < rounds; ++round) {
      for (int k = 0; k < blocks; ++k) std::memcpy(code + k * stride, (round + k) % 3 ? add_code : mul_code, sizeof add_code);
      VALGRIND_DISCARD_TRANSLATIONS(page, blocks * stride);
      for (int k = 0; k < 3 * blocks; ++k) {
        void (*run)();
        void* entry = code + (k % blocks) * stride;
        std::memcpy(&run, &entry, sizeof run);
        run();
      }
    }
  });
  std::int64_t multiplications = 0;
  for (int round = 0; round < rounds; ++round)
    for (int k = 0; k < blocks; ++k) multiplications += (round + k) % 3 == 0;
  EXPECT_EQ(counts[PLUMBLINE_EVENT_flops_fp64_mul], 3 * multiplications);
  EXPECT_EQ(counts[PLUMBLINE_EVENT_flops_fp64_add], 3 * (static_cast<std::int64_t>(blocks) * rounds - multiplications));
  EXPECT_EQ(counts[PLUMBLINE_EVENT_fp_instructions], 3LL * blocks * rounds);
  munmap(page, blocks * stride);
}

}  // namespace
