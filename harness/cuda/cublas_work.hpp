// A product of matrices by a library is known by its definition; what the library does beside it is bounded.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "core/work.hpp"

namespace plumbline {

/// The numbers of a product's operands and sums, and what is counted: "flops.tensor.fp16", "flops.fp32.fma"; the precision of the factors
/// that end it, "flops.fp32", or none.
struct LibraryProductTypes {
  std::uint64_t bytes, sum_bytes;
  std::string_view flops, factors;
};

/// The workspace of cuBLASLt, bytes.
inline constexpr std::uint64_t cublas_workspace_bytes = std::uint64_t{32} << 20;

/// The work of C = A B of so many rows, columns and terms: 2 m n k by convention at least; at most tiles of 256 are computed whole, and
/// each operand is read for tiles of 16.
inline Work library_product_work(std::uint64_t rows, std::uint64_t columns, std::uint64_t depth, const LibraryProductTypes& types) {
  constexpr std::uint64_t tile = 256, least_tile = 16, own = cublas_workspace_bytes;
  const auto parts = [](std::uint64_t whole, std::uint64_t part) { return (whole + part - 1) / part; };
  const std::uint64_t products = rows * columns * depth, sums = rows * columns,
                      most = parts(rows, tile) * parts(columns, tile) * parts(depth, tile) * tile * tile * tile,
                      operands = (rows + columns) * depth * types.bytes;
  const auto read = [&](const char* name, std::uint64_t length, std::uint64_t others) {
    const std::uint64_t bytes = length * depth * types.bytes;
    return Stream{.array = name,
                  .footprint_bytes = bytes,
                  .read = true,
                  .loads = length * depth * parts(others, least_tile),
                  .element_bytes = types.bytes,
                  .layers = {{.reuse_bytes = operands, .fetched_bytes = bytes * parts(others, least_tile), .upper_bound = true}},
                  .at_most = true};
  };
  const auto scratch = [&](const char* name, bool shared) {
    Stream s{.array = name, .read = true, .written = true, .element_bytes = 1, .scratchpad = shared, .at_most = true};
    s.loads = s.stores = shared ? 2 * products * types.bytes : own;
    if (!shared) s.layers = {{.reuse_bytes = own, .fetched_bytes = own, .upper_bound = true}};
    return s;
  };
  const Stream result{.array = "c",
                      .footprint_bytes = sums * types.sum_bytes,
                      .written = true,
                      .stores = sums,
                      .element_bytes = types.sum_bytes,
                      .at_most = true};
  Work work{
      .streams = {read("a", rows, columns), read("b", columns, rows), result, scratch("operands", true),
                  scratch("the library's own", false)},
      .paper = {{"paper.flops", 2 * products}},
      .note = "2 m n k by convention; tiles at the edge may be computed whole, and a factor (and parts of sums) for each sum besides"};
  const std::uint64_t weight = types.flops.ends_with(".fma") ? 2 : 1;
  if (!types.factors.empty())
    for (const char* kind : {".add", ".mul", ".fma"}) work.flops[std::string(types.factors) + kind] = Amount(0, 16 * sums);
  work.flops[std::string(types.flops)] += Amount(2 * products / weight, 2 * most / weight);
  return work;
}

}  // namespace plumbline
