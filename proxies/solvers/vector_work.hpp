// The work of loops over whole vectors, as iterative solvers have them between the products with their matrix.
#pragma once
#include <cstdint>
#include <string>
#include <utility>

#include "core/kernel.hpp"
#include "core/kernel_data.hpp"
#include "core/work.hpp"

namespace plumbline {

/// A stream of n elements, of which a sweep loads and stores each once.
template <class Real>
Stream changed(std::string array, std::uint64_t n) {
  Stream stream = loaded<Real>(std::move(array), n);
  stream.written = true, stream.stores = n;
  return stream;
}

/// The sums over each of so many planes of the products of two vectors of n points, or of a vector with itself
/// (proxies/solvers/vector_sums.hpp).
template <class Real>
Work plane_sums_work(std::uint64_t n, std::uint64_t planes, std::uint64_t vectors) {
  Work work{.flops = {{flops<Real>("add"), n - planes}, {flops<Real>("mul"), n}}};
  for (std::uint64_t vector = 0; vector < vectors; ++vector) work.streams.push_back(loaded<Real>(vector == 0 ? "in" : "other", n));
  work.streams.push_back(stored<Real>("of_planes", planes));
  work.add_outer_loop(planes, vectors * n / planes * sizeof(Real));
  return work;
}

/// The sum of what the planes gave, kept as a Sum.
template <class Real, class Sum = Real>
Work total_work(std::uint64_t planes) {
  return {.flops = {{flops<Real>("add"), planes - 1}}, .streams = {loaded<Real>("of_planes", planes), stored<Sum>("all", 1)}};
}

}  // namespace plumbline
