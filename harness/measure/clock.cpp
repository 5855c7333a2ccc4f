#include "measure/clock.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <ctime>
#include <limits>

namespace plumbline {
namespace {

double seconds_of(clockid_t id) {
  timespec t{};
  clock_gettime(id, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

constexpr std::uint64_t one = 1;
constexpr int links_a_round = 32;

// 32 additions, each waiting for the one before: 32 cycles on every x86-64 and AArch64 core. Of a register: Golden Cove and its successors
// do additions of small constants while they rename registers, several in one cycle.
inline void chain([[maybe_unused]] std::uint64_t& x) {
#if defined(__x86_64__)
  asm volatile(".rept 32\n\tadd %1, %0\n\t.endr" : "+r"(x) : "r"(one));
#elif defined(__aarch64__)
  asm volatile(".rept 32\n\tadd %0, %0, %1\n\t.endr" : "+r"(x) : "r"(one));
#endif
}

// 192 additions to six registers in turn: as many at once as the core has units for. They are many, so that it hardly matters how long a
// compiler takes to load and store the registers around them.
constexpr int additions_a_round = 192;
inline void independent([[maybe_unused]] std::uint64_t (&x)[6]) {
#if defined(__x86_64__)
  asm volatile(".rept 32\n\tadd %6, %0\n\tadd %6, %1\n\tadd %6, %2\n\tadd %6, %3\n\tadd %6, %4\n\tadd %6, %5\n\t.endr"
               : "+r"(x[0]), "+r"(x[1]), "+r"(x[2]), "+r"(x[3]), "+r"(x[4]), "+r"(x[5])
               : "r"(one));
#elif defined(__aarch64__)
  asm volatile(
      ".rept 32\n\tadd %0, %0, %6\n\tadd %1, %1, %6\n\tadd %2, %2, %6\n\tadd %3, %3, %6\n\tadd %4, %4, %6\n\tadd %5, %5, %6\n\t.endr"
      : "+r"(x[0]), "+r"(x[1]), "+r"(x[2]), "+r"(x[3]), "+r"(x[4]), "+r"(x[5])
      : "r"(one));
#endif
}

}  // namespace

double now_seconds() { return seconds_of(CLOCK_MONOTONIC); }

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

double addition_throughput_hz() {
#if defined(__x86_64__) || defined(__aarch64__)
  constexpr int rounds = 2000;
  std::uint64_t x[6] = {};
  const double start = now_seconds();
  for (int i = 0; i < rounds; ++i) independent(x);
  return rounds * additions_a_round / (now_seconds() - start);
#else
  return std::numeric_limits<double>::quiet_NaN();
#endif
}

double thread_cpu_seconds() { return seconds_of(CLOCK_THREAD_CPUTIME_ID); }

std::int64_t involuntary_switches() {
  rusage usage{};
  getrusage(RUSAGE_THREAD, &usage);
  return usage.ru_nivcsw;
}

}  // namespace plumbline
