// SPDX-License-Identifier: BSD-3-Clause
//
// Fused multiply-adds under the tool give the host's bits: every form, sign, precision and width, register and memory operand,
// on random and special operands. `fma_bits_test --write FILE` records the results natively (exit 77 on a host without FMA);
// `fma_bits_test --compare FILE` recomputes and compares under the tool; with --numbers NaNs need only be NaNs.
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
using Instruction = void (*)(Vector* destination, const Vector* second, const Vector* third);

// clang-format off
#define RUN(name, moves, size, suffix_r, text_r, text_m)                                                                            \
  void name##_register(Vector* d, const Vector* s, const Vector* t) {                                                            \
    __asm__ volatile("vmovups (%0), %%ymm0; vmovups (%1), %%ymm9; vmovups (%2), %%ymm2;" text_r "; vmovups %%ymm0, (%0); vzeroupper" \
                     : : "r"(d), "r"(s), "r"(t) : "xmm0", "xmm9", "xmm2", "memory");                                             \
  }                                                                                                                              \
  void name##_memory(Vector* d, const Vector* s, const Vector* t) {                                                              \
    __asm__ volatile("vmovups (%0), %%ymm0; vmovups (%1), %%ymm9;" text_m "; vmovups %%ymm0, (%0); vzeroupper"                   \
                     : : "r"(d), "r"(s), "r"(t) : "xmm0", "xmm9", "memory");                                                     \
  }
#define WIDTH(m, p, x) RUN(m##_##p##_##x, , , , #m #p " %%" #x "mm2, %%" #x "mm9, %%" #x "mm0", #m #p " (%2), %%" #x "mm9, %%" #x "mm0")
#define PACKED(m) WIDTH(m, ps, x) WIDTH(m, ps, y) WIDTH(m, pd, x) WIDTH(m, pd, y)
#define ALL(m) PACKED(m) WIDTH(m, ss, x) WIDTH(m, sd, x)
#define FORM(f) PACKED(vfmaddsub##f) PACKED(vfmsubadd##f) ALL(vfmadd##f) ALL(vfmsub##f) ALL(vfnmadd##f) ALL(vfnmsub##f)
FORM(132) FORM(213) FORM(231)

struct Named { const char* name; Instruction run; bool fp64; };
#define ENTRY(m, p, x, fp64) {#m #p "." #x, m##_##p##_##x##_register, fp64}, {#m #p "." #x ".memory", m##_##p##_##x##_memory, fp64},
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

// As numbers: any NaN is any other, and the zeros are equal.
template <class T>
bool same_number(const unsigned char* a, const unsigned char* b) {
  T x, y;
  std::memcpy(&x, a, sizeof x);
  std::memcpy(&y, b, sizeof y);
  return x == y || (std::isnan(x) && std::isnan(y));
}

std::vector<Vector> compute(int rounds) {
  std::vector<Vector> results;
  for (const Named& i : instructions) {
    Operands<double, std::uint64_t> doubles;
    Operands<float, std::uint32_t> floats;
    for (int round = 0; round < rounds; ++round) {
      auto next = [&] { return i.fp64 ? doubles.next() : floats.next(); };
      Vector destination = next(), second = next(), third = next();
      i.run(&destination, &second, &third);
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
  constexpr int rounds = 400;
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
    return read ? compare(native, emulated, argc > 3 && std::string(argv[3]) == "--numbers", rounds) : 1;
  }
  return 1;
}
