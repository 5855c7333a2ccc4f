#include "measure/clock.hpp"

#include <algorithm>
#include <ctime>
#include <limits>

namespace plumbline {
namespace {

double read(clockid_t id) {
  timespec t{};
  clock_gettime(id, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

constexpr int links_a_round = 32;

// 32 additions, each waiting for the one before: 32 cycles on every x86-64 and AArch64 core.
inline void chain([[maybe_unused]] std::uint64_t& x) {
#if defined(__x86_64__)
  asm volatile(".rept 32\n\tadd $1, %0\n\t.endr" : "+r"(x));
#elif defined(__aarch64__)
  asm volatile(".rept 32\n\tadd %0, %0, #1\n\t.endr" : "+r"(x));
#endif
}

}  // namespace

double now_seconds() { return read(CLOCK_MONOTONIC); }

std::int64_t unix_nanoseconds() {
  timespec t{};
  clock_gettime(CLOCK_REALTIME, &t);
  return std::int64_t{t.tv_sec} * 1'000'000'000 + t.tv_nsec;
}

double core_clock_hz() {
#if defined(__x86_64__) || defined(__aarch64__)
  constexpr int rounds = 1500, tries = 4;
  double best = std::numeric_limits<double>::infinity();
  std::uint64_t x = 0;
  for (int attempt = 0; attempt < tries; ++attempt) {
    const double start = now_seconds();
    for (int i = 0; i < rounds; ++i) chain(x);
    best = std::min(best, now_seconds() - start);
  }
  return rounds * links_a_round / best;
#else
  return std::numeric_limits<double>::quiet_NaN();
#endif
}

}  // namespace plumbline
