#include "measure/flushed.hpp"

#include <atomic>

#if defined(__x86_64__)
#include <emmintrin.h>
#endif

namespace plumbline {

bool flush_from_caches(std::span<const std::byte> data) {
  constexpr std::size_t line = 64;
#if defined(__x86_64__)
  for (std::size_t at = 0; at < data.size(); at += line) _mm_clflush(data.data() + at);
#elif defined(__aarch64__)
  for (std::size_t at = 0; at < data.size(); at += line) asm volatile("dc civac, %0" : : "r"(data.data() + at) : "memory");
#else
  if (!data.empty()) return false;
#endif
  std::atomic_thread_fence(std::memory_order_seq_cst);
  return true;
}

}  // namespace plumbline
