// SPDX-License-Identifier: BSD-3-Clause
//
// Fused multiply-adds under the tool give the host's bits: every form, sign, precision and width, register operands high and low and
// one register named twice or thrice, memory operands aligned and not, on random and special operands and on sums that cancel, with
// MXCSR as it is at start and (natively at start) with MXCSR changed, which Valgrind ignores. `fma_bits_test --write FILE` records the
// results natively (exit 77 on a host without FMA); `fma_bits_test --compare FILE` recomputes and compares under the tool; with --numbers
// NaNs need only be NaNs.
#include <xmmintrin.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "client_requests.h"

namespace {

struct Vector {
  alignas(32) unsigned char byte[32];
};
struct Operand {  // one that may be read from its fifth byte
  Vector vector;
  unsigned char behind[32];
};
using Instruction = void (*)(Vector* destination, const Vector* second, const Vector* third);

// clang-format off
#define FUNCTION(name, text)                                                                                                         \
  void name(Vector* d, const Vector* s, const Vector* t) {                                                                           \
    __asm__ volatile("vmovups (%0), %%ymm0; vmovups (%1), %%ymm9; vmovups (%2), %%ymm2; vmovups %%ymm0, %%ymm15; vmovups %%ymm9, %%ymm12;" \
                     text "; vmovups %%ymm0, (%0); vzeroupper"                                                                       \
                     : : "r"(d), "r"(s), "r"(t) : "xmm0", "xmm2", "xmm9", "xmm12", "xmm15", "memory");                               \
  }
#define RUN(name, text_r, text_m, text_ddd, text_ddt, text_dsd, text_dss, text_high, text_off)                                       \
  FUNCTION(name##_register, text_r) FUNCTION(name##_memory, text_m) FUNCTION(name##_all_one, text_ddd)                               \
  FUNCTION(name##_first_two, text_ddt) FUNCTION(name##_outer_two, text_dsd) FUNCTION(name##_last_two, text_dss)                      \
  FUNCTION(name##_high, text_high "; vmovups %%ymm15, %%ymm0") FUNCTION(name##_off_alignment, text_off)
#define WIDTH(m, p, x) RUN(m##_##p##_##x, #m #p " %%" #x "mm2, %%" #x "mm9, %%" #x "mm0", #m #p " (%2), %%" #x "mm9, %%" #x "mm0", \
                           #m #p " %%" #x "mm0, %%" #x "mm0, %%" #x "mm0", #m #p " %%" #x "mm9, %%" #x "mm0, %%" #x "mm0",           \
                           #m #p " %%" #x "mm0, %%" #x "mm9, %%" #x "mm0", #m #p " %%" #x "mm9, %%" #x "mm9, %%" #x "mm0",           \
                           #m #p " %%" #x "mm12, %%" #x "mm2, %%" #x "mm15", #m #p " 4(%2), %%" #x "mm9, %%" #x "mm0")
#define PACKED(m) WIDTH(m, ps, x) WIDTH(m, ps, y) WIDTH(m, pd, x) WIDTH(m, pd, y)
#define ALL(m) PACKED(m) WIDTH(m, ss, x) WIDTH(m, sd, x)
#define FORM(f) PACKED(vfmaddsub##f) PACKED(vfmsubadd##f) ALL(vfmadd##f) ALL(vfmsub##f) ALL(vfnmadd##f) ALL(vfnmsub##f)
FORM(132) FORM(213) FORM(231)

struct Named { const char* name; Instruction run; bool fp64; };
#define OPERANDS(m, p, x, fp64, operands) {#m #p "." #x "." #operands, m##_##p##_##x##_##operands, fp64},
#define ENTRY(m, p, x, fp64)                                                                                                 \
  OPERANDS(m, p, x, fp64, register) OPERANDS(m, p, x, fp64, memory) OPERANDS(m, p, x, fp64, all_one)                         \
  OPERANDS(m, p, x, fp64, first_two) OPERANDS(m, p, x, fp64, outer_two) OPERANDS(m, p, x, fp64, last_two)                    \
  OPERANDS(m, p, x, fp64, high) OPERANDS(m, p, x, fp64, off_alignment)
#define PACKED_ENTRIES(m) ENTRY(m, ps, x, false) ENTRY(m, ps, y, false) ENTRY(m, pd, x, true) ENTRY(m, pd, y, true)
#define ALL_ENTRIES(m) PACKED_ENTRIES(m) ENTRY(m, ss, x, false) ENTRY(m, sd, x, true)
#define FORM_ENTRIES(f) PACKED_ENTRIES(vfmaddsub##f) PACKED_ENTRIES(vfmsubadd##f) \
  ALL_ENTRIES(vfmadd##f) ALL_ENTRIES(vfmsub##f) ALL_ENTRIES(vfnmadd##f) ALL_ENTRIES(vfnmsub##f)
const Named instructions[] = {FORM_ENTRIES(132) FORM_ENTRIES(213) FORM_ENTRIES(231)};
// clang-format on

template <class T, class Bits>
class Operands {
 public:
  Vector next() {
    Vector v;
    for (std::size_t at = 0; at < sizeof v.byte; at += sizeof(Bits)) {
      Bits bits = one();
      std::memcpy(v.byte + at, &bits, sizeof bits);
    }
    return v;
  }

 private:
  Bits one() {
    using Limits = std::numeric_limits<T>;
    static const T special[] = {T(0),
                                -T(0),
                                T(1),
                                -T(1),
                                Limits::infinity(),
                                -Limits::infinity(),
                                Limits::min(),
                                Limits::max(),
                                -Limits::max(),
                                Limits::denorm_min(),
                                -Limits::denorm_min(),
                                Limits::epsilon(),
                                T(1) / T(3),
                                std::nextafter(T(1), T(2)),
                                std::nextafter(T(1), T(0))};
    constexpr std::size_t n_special = sizeof special / sizeof special[0];
    const Bits random = static_cast<Bits>(generator_());
    Bits bits;
    switch (generator_() % 4) {
      case 0: {
        T value = special[generator_() % n_special];
        std::memcpy(&bits, &value, sizeof bits);
        return bits;
      }
      case 1: {  // NaNs, quiet and signalling, of any payload and sign
        T infinity = Limits::infinity();
        std::memcpy(&bits, &infinity, sizeof bits);
        return bits | random;
      }
      case 2:
        return random;  // any bits
      default: {        // of like magnitude, so that sums cancel
        T value = std::ldexp(T(1) + T(random % 4096) / T(4096), static_cast<int>(generator_() % 3)) * (generator_() % 2 ? T(1) : T(-1));
        std::memcpy(&bits, &value, sizeof bits);
        return bits;
      }
    }
  }
  std::mt19937_64 generator_{20251};
};

// Whether two results are the same numbers: any NaN is any other, and the zeros are equal.
template <class T>
bool same_number(const unsigned char* a, const unsigned char* b) {
  T x, y;
  std::memcpy(&x, a, sizeof x);
  std::memcpy(&y, b, sizeof y);
  return x == y || (std::isnan(x) && std::isnan(y));
}

// Makes the lanes of one operand minus the rounded product of the others, so that the sum is the rounding error alone.
template <class T>
void let_cancel(std::array<Vector*, 3> operands, int addend) {
  const Vector &x = *operands[static_cast<std::size_t>((addend + 1) % 3)], &y = *operands[static_cast<std::size_t>((addend + 2) % 3)];
  for (std::size_t at = 0; at < sizeof x.byte; at += sizeof(T)) {
    T a, b;
    std::memcpy(&a, x.byte + at, sizeof a);
    std::memcpy(&b, y.byte + at, sizeof b);
    const T minus_product = -(a * b);
    std::memcpy(operands[static_cast<std::size_t>(addend)]->byte + at, &minus_product, sizeof(T));
  }
}

std::vector<Vector> compute(int rounds) {
  std::vector<Vector> results;
  for (const Named& i : instructions) {
    Operands<double, std::uint64_t> doubles;
    Operands<float, std::uint32_t> floats;
    for (int round = 0; round < rounds; ++round) {
      auto next = [&] { return i.fp64 ? doubles.next() : floats.next(); };
      Vector destination = next(), second = next();
      Operand third = {next(), {}};
      std::memcpy(third.behind, next().byte, sizeof third.behind);
      if (round % 4 == 0) (i.fp64 ? let_cancel<double> : let_cancel<float>)({&destination, &second, &third.vector}, round / 4 % 3);
      i.run(&destination, &second, &third.vector);
      results.push_back(destination);
    }
  }
  return results;
}

// Valgrind's software is asked for less than the host's instruction: it loses the payloads of NaNs and the sign of an underflowed
// zero, and scalar forms clear the upper part of their register.
bool same(const Vector& a, const Vector& b, const Named& i, bool numbers_only) {
  if (!numbers_only) return std::memcmp(a.byte, b.byte, sizeof a.byte) == 0;
  const bool scalar = std::strstr(i.name, "ss.") != nullptr || std::strstr(i.name, "sd.") != nullptr;
  const std::size_t step = i.fp64 ? 8 : 4, end = scalar ? step : sizeof a.byte;
  for (std::size_t at = 0; at < end; at += step)
    if (!(i.fp64 ? same_number<double> : same_number<float>)(a.byte + at, b.byte + at)) return false;
  return true;
}

void print_difference(const Named& i, std::size_t operands, const Vector& native, const Vector& emulated) {
  std::printf("%s differs on operands %zu:\n", i.name, operands);
  for (const Vector* v : {&native, &emulated}) {
    std::printf(v == &native ? "  native  " : "  emulated");
    for (std::size_t at = 0; at < sizeof v->byte; ++at) std::printf(at % (i.fp64 ? 8 : 4) ? "%02x" : " %02x", v->byte[at]);
    std::printf("\n");
  }
}

int compare(const std::vector<Vector>& native, const std::vector<Vector>& emulated, bool numbers_only, int rounds) {
  std::size_t differences = 0;
  for (std::size_t k = 0; k < native.size(); ++k) {
    const Named& i = instructions[k / static_cast<std::size_t>(rounds)];
    if (same(native[k], emulated[k], i, numbers_only)) continue;
    if (differences++ < 10) print_difference(i, k % static_cast<std::size_t>(rounds), native[k], emulated[k]);
  }
  std::printf("%zu instruction forms, %zu results, %zu differ\n", std::size(instructions), native.size(), differences);
  return differences == 0 && !native.empty() ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string mode = argc > 2 ? argv[1] : "";
  constexpr int rounds = 300;
  if (mode == "--write") {
    if (!__builtin_cpu_supports("fma")) return std::puts("skipped: this host has no FMA to compare with"), 77;
    std::vector<Vector> results = compute(rounds);
    std::FILE* f = std::fopen(argv[2], "wb");
    if (f == nullptr) return 1;
    const bool written = std::fwrite(results.data(), sizeof(Vector), results.size(), f) == results.size();
    return std::fclose(f) == 0 && written ? 0 : 1;
  }
  if (mode == "--compare") {
    std::FILE* f = std::fopen(argv[2], "rb");
    if (f == nullptr) return std::puts("skipped: no native results, this host has no FMA"), 77;
    if (plumbline_emulator_abi() == 0) return std::puts("not under the Plumbline tool"), 1;
    std::vector<Vector> emulated = compute(rounds), native(emulated.size());
    const bool read = std::fread(native.data(), sizeof(Vector), native.size(), f) == native.size();
    std::fclose(f);
    if (!read) return 1;
    const bool numbers_only = argc > 3 && std::string(argv[3]) == "--numbers";
    const int differs = compare(native, emulated, numbers_only, rounds);
    _mm_setcsr(0xFFC0);  // towards zero, denormals flushed on both sides
    emulated = compute(rounds);
    _mm_setcsr(0x1F80);
    return compare(native, emulated, numbers_only, rounds) | differs;
  }
  return 1;
}
