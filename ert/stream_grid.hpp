// The blocks of ert/stream share out an array's chunks: what is stored stays with its block through all passes, so that the block with the
// most chunks is the last to end, and what the others leave it alone with is bandwidth that no one measures.
#pragma once
#include <algorithm>
#include <cstdint>

namespace plumbline {

inline constexpr std::uint64_t stream_chunk_bytes = 16384;  // 256 threads, four accesses of 16 bytes each

/// The number of blocks for so many chunks, `resident` a multiprocessor at most. It is the same on every multiprocessor with as many chunks
/// for each, where the chunks go up so in half of the resident ones or more; else so many that none takes two more than another.
constexpr std::uint64_t even_blocks(std::uint64_t chunks, std::uint64_t resident, std::uint64_t multiprocessors) {
  const std::uint64_t each = chunks / multiprocessors;
  if (chunks % multiprocessors == 0)
    for (std::uint64_t blocks = std::min(resident, each); 2 * blocks >= std::min(resident, each) && blocks > 0; --blocks)
      if (each % blocks == 0) return blocks * multiprocessors;
  const std::uint64_t most = resident * multiprocessors, rounds = (chunks + most - 1) / most;
  return (chunks + rounds - 1) / rounds;
}

/// The largest number of chunks, no more than `chunks` (but for one a multiprocessor), that go up in the multiprocessors, and in four or
/// eight blocks of each where there are as many.
constexpr std::uint64_t even_chunks(std::uint64_t chunks, std::uint64_t multiprocessors) {
  const std::uint64_t each = chunks / multiprocessors, unit = each >= 16 ? 8 : each >= 4 ? 4 : 1;
  return std::max<std::uint64_t>(1, each / unit) * unit * multiprocessors;
}

}  // namespace plumbline
