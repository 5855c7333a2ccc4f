// A rimmed cube is the array of a 7-point stencil: n^3 points within a rim of one point, its rows, and the lines of it that a sweep
// touches.
#pragma once
#include <cstddef>
#include <cstdint>

namespace plumbline {

/// Counts the distinct 64-byte lines under pieces of one aligned array, given in ascending order.
class LineCover {
 public:
  static constexpr std::uint64_t line_bytes = 64;

  void add(std::uint64_t first_byte, std::uint64_t bytes) {
    const std::uint64_t first = first_byte / line_bytes, end = (first_byte + bytes + line_bytes - 1) / line_bytes;
    lines_ += end - (first > end_ ? first : end_ < end ? end_ : end);
    if (end > end_) end_ = end;
  }
  std::uint64_t bytes() const { return lines_ * line_bytes; }

 private:
  std::uint64_t lines_ = 0, end_ = 0;
};

/// The cube of n^3 interior points. Sizes are in points: a row, a plane and the whole of it with their rims.
struct RimmedCube {
  std::uint64_t n;
  std::uint64_t row() const { return n + 2; }
  std::uint64_t plane() const { return row() * row(); }
  std::uint64_t size() const { return row() * plane(); }
  std::uint64_t points() const { return n * n * n; }
  /// The first point of interior row r, of n x n.
  std::uint64_t first_of(std::uint64_t r) const { return (r / n + 1) * plane() + (r % n + 1) * row() + 1; }

  /// The bytes of the cache lines that hold interior points.
  std::uint64_t interior_lines(std::uint64_t element_bytes) const {
    LineCover cover;
    for (std::uint64_t k = 1; k <= n; ++k) add_rows(cover, k, 1, n, element_bytes);
    return cover.bytes();
  }
  /// The bytes of the cache lines that hold interior points or their six neighbours.
  std::uint64_t stencil_lines(std::uint64_t element_bytes) const {
    LineCover cover;
    add_rows(cover, 0, 1, n, element_bytes);
    for (std::uint64_t k = 1; k <= n; ++k) add_rows(cover, k, 0, n + 1, element_bytes);
    add_rows(cover, n + 1, 1, n, element_bytes);
    return cover.bytes();
  }

  /// Calls f(first, end) for the whole row of each interior row in [begin, end), and for the rim's rows beside it: every row once.
  template <class F>
  void for_rows(std::uint64_t begin, std::uint64_t end, F f) const {
    for (std::uint64_t r = begin; r < end; ++r) {
      const std::uint64_t k = r / n + 1, j = r % n + 1;
      for (std::uint64_t k_touched = k == 1 ? 0 : k; k_touched <= (k == n ? n + 1 : k); ++k_touched)
        for (std::uint64_t j_touched = j == 1 ? 0 : j; j_touched <= (j == n ? n + 1 : j); ++j_touched)
          f(k_touched * plane() + j_touched * row(), k_touched * plane() + (j_touched + 1) * row());
    }
  }

 private:
  void add_rows(LineCover& cover, std::uint64_t k, std::uint64_t first, std::uint64_t last, std::uint64_t element_bytes) const {
    const std::uint64_t from = k * plane() + first * row() + 1, to = k * plane() + last * row() + n + 1;
    cover.add(from * element_bytes, (to - from) * element_bytes);
  }
};

}  // namespace plumbline
