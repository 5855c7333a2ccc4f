// The smoother in higher precision, on values that are known anywhere in the grid: what its result is compared with.
#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/array.hpp"

namespace plumbline {

/// The values at first, anywhere in the whole grid, whose cells are counted plane by plane.
struct GsrbField {
  std::uint64_t side, planes;  // of the whole grid: side x side x planes

  std::uint64_t cell(std::int64_t i, std::int64_t j, std::int64_t k) const {
    const auto wrapped = [](std::int64_t at, std::uint64_t length) {
      const auto n = static_cast<std::int64_t>(length);
      return static_cast<std::uint64_t>((at % n + n) % n);
    };
    return (wrapped(k, planes) * side + wrapped(j, side)) * side + wrapped(i, side);
  }
  double x(std::int64_t i, std::int64_t j, std::int64_t k) const { return varied(1, cell(i, j, k)); }
  double rhs(std::int64_t i, std::int64_t j, std::int64_t k) const { return varied(2, cell(i, j, k)); }
  double beta(int direction, std::int64_t i, std::int64_t j, std::int64_t k) const {
    return varied(3 + static_cast<std::uint64_t>(direction), cell(i, j, k));
  }
  /// 15 / 12 of each of the six faces, for b / spacing^2 = 1.
  double diagonal(std::int64_t i, std::int64_t j, std::int64_t k) const {
    return 1.25 *
           (beta(0, i, j, k) + beta(0, i + 1, j, k) + beta(1, i, j, k) + beta(1, i, j + 1, k) + beta(2, i, j, k) + beta(2, i, j, k + 1));
  }
};

/// The smoother in higher precision, written once more from the formula: of a rank's planes, each from the planes before the color's
/// update.
class GsrbReference {
 public:
  /// A run of planes, from begin up to end.
  struct Planes {
    std::int64_t begin, end;
  };
  /// The planes to compare of a rank's grid of so many cells a side, which takes microseconds a cell: all, or of a large grid the first,
  /// those on both sides of `border`, where boxes meet, and the last.
  static std::vector<Planes> compared(std::int64_t side, std::int64_t border) {
    constexpr std::int64_t most_cells = 1 << 22;
    const std::int64_t some = std::max<std::int64_t>(1, most_cells / (side * side) / 4);
    if (4 * some >= side) return {{0, side}};
    return {{0, some}, {std::max(some, border - some), std::min(border + some, side - some)}, {side - some, side}};
  }

  GsrbReference(const GsrbField& field, std::int64_t first_plane)
      : field_(field), first_plane_(first_plane), reds_(5, std::vector<long double>(field.side * field.side)) {}

  /// Calls see(i, j, k, value) for each cell of the planes [begin, end), k counted from the rank's first.
  template <class See>
  void for_cells(std::int64_t begin, std::int64_t end, See see) {
    const auto side = static_cast<std::int64_t>(field_.side);
    const auto original = [this](std::int64_t i, std::int64_t j, std::int64_t k) {
      return static_cast<long double>(field_.x(i, j, first_plane_ + k));
    };
    const auto smoothed = [this](std::int64_t i, std::int64_t j, std::int64_t k) { return red(i, j, k); };
    for (std::int64_t k = begin - 2; k < end + 2; ++k) {
      for (std::int64_t j = 0; j < side; ++j)
        for (std::int64_t i = 0; i < side; ++i) red(i, j, k) = is_red(i, j, k) ? updated(original, i, j, k) : original(i, j, k);
      const std::int64_t done = k - 2;
      if (done < begin) continue;
      for (std::int64_t j = 0; j < side; ++j)
        for (std::int64_t i = 0; i < side; ++i) see(i, j, done, is_red(i, j, done) ? red(i, j, done) : updated(smoothed, i, j, done));
    }
  }

 private:
  /// Every rank counts its own planes.
  bool is_red(std::int64_t i, std::int64_t j, std::int64_t k) const {
    const auto side = static_cast<std::int64_t>(field_.side);
    return (i + j + (k + side) % side) % 2 == 0;
  }
  long double& red(std::int64_t i, std::int64_t j, std::int64_t k) {
    const auto side = static_cast<std::int64_t>(field_.side);
    return reds_[static_cast<std::size_t>((k + 5) % 5)][static_cast<std::size_t>((j + side) % side * side + (i + side) % side)];
  }

  template <class X>
  long double updated(X x, std::int64_t i, std::int64_t j, std::int64_t k) const {
    static constexpr std::int64_t unit[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    using Offset = std::array<std::int64_t, 3>;
    const auto at = [&](Offset o) { return x(i + o[0], j + o[1], k + o[2]); };
    long double across = 0, along = 0;
    for (int d = 0; d < 3; ++d)
      for (const std::int64_t sign : {-1, 1}) {
        const auto out = [&](std::int64_t cells, int other = 0, std::int64_t aside = 0) {
          Offset o{};
          for (std::size_t c = 0; c < 3; ++c) o[c] = sign * cells * unit[d][c] + aside * unit[other][c];
          return o;
        };
        const auto beta = [&](int other, std::int64_t aside) {
          Offset o = out(sign > 0 ? 1 : 0, other, aside);
          return static_cast<long double>(field_.beta(d, i + o[0], j + o[1], first_plane_ + k + o[2]));
        };
        across += beta(0, 0) * (15 * (at(out(1)) - at(out(0))) - (at(out(2)) - at(out(-1))));
        for (int other = 0; other < 3; ++other)
          if (other != d)
            along += (beta(other, 1) - beta(other, -1)) *
                     (at(out(1, other, 1)) - at(out(0, other, 1)) - at(out(1, other, -1)) + at(out(0, other, -1)));
      }
    const long double residual = field_.rhs(i, j, first_plane_ + k) + across / 12 + along / 48;
    return x(i, j, k) + residual / field_.diagonal(i, j, first_plane_ + k);
  }

  GsrbField field_;
  std::int64_t first_plane_;
  std::vector<std::vector<long double>> reds_;  // five planes after the red update, by number modulo five
};

}  // namespace plumbline
