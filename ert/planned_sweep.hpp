// The plans for CPUs and for GPUs write a kernel's parameters, and take the bytes of a sweep from its model, in the same way.
#pragma once
#include <cstdint>

#include "core/kernel.hpp"

namespace plumbline {

inline constexpr std::uint64_t KiB = 1024, MiB = 1024 * KiB;

inline Value integer(std::uint64_t value) { return static_cast<std::int64_t>(value); }

/// Whether a stream is what a sweep measures: all are but those that a GPU's kernel stores to be checked, and to have its clock measured.
inline bool is_measured(const Stream& stream) { return stream.array != "clock span" && stream.array != "sums"; }

/// The sum of the bytes that each stream has, over those that are measured.
template <class Bytes>
double sum_of_measured(const Work& work, Bytes bytes_of) {
  double bytes = 0;
  for (const Stream& stream : work.streams)
    if (is_measured(stream)) bytes += static_cast<double>(bytes_of(stream));
  return bytes;
}

/// Loads and stores as the pattern has them, no write-allocate.
inline double algorithmic_bytes(const Work& work) {
  return sum_of_measured(work, [](const Stream& s) { return (s.loads + s.stores) * s.element_bytes; });
}

/// The distinct bytes that a sweep touches.
inline double footprint_bytes(const Work& work) {
  return sum_of_measured(work, [](const Stream& s) { return s.footprint_bytes; });
}

}  // namespace plumbline
