// A periodic problem whose solution is known: -div(beta grad u) = f, with averages over cells and faces by formulas.
#pragma once
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <vector>

namespace plumbline {

/// The averages along one direction of a grid whose cells have side h: of s(x) = sin(w x) and u(x) = sin(w x + phase) over each cell, of
/// their product, and at each cell's lower end s, u' and s u'.
struct WaveAverages {
  std::vector<double> u, s, su, s_at, slope_at, s_slope_at;

  /// The wave goes once around so many cells.
  WaveAverages(std::uint64_t cells, double h, double phase) {
    const double w = 2 * std::numbers::pi / (static_cast<double>(cells) * h);
    // The average of sin(frequency x + shift) from x on.
    const auto average = [h](double x, double frequency, double shift) {
      return (std::cos(frequency * x + shift) - std::cos(frequency * (x + h) + shift)) / (frequency * h);
    };
    for (std::uint64_t cell = 0; cell < cells; ++cell) {
      const double x = static_cast<double>(cell) * h, quarter = std::numbers::pi / 2;
      u.push_back(average(x, w, phase));
      s.push_back(average(x, w, 0));
      su.push_back((std::cos(phase) - average(x, 2 * w, phase + quarter)) / 2);
      s_at.push_back(std::sin(w * x));
      slope_at.push_back(w * std::cos(w * x + phase));
      s_slope_at.push_back(s_at.back() * slope_at.back());
    }
  }
  std::size_t at(std::int64_t cell) const {
    const auto cells = static_cast<std::int64_t>(u.size());
    return static_cast<std::size_t>((cell % cells + cells) % cells);
  }
};

/// u is the product of a wave in each direction, beta is 1 + s s s / 4, both periodic in a grid of side x side x planes cells, whose first
/// sides are 1 long.
class Waves {
 public:
  using Cell = std::array<std::int64_t, 3>;

  Waves(std::uint64_t side, std::uint64_t planes)
      : h_(1 / static_cast<double>(side)),
        along_{WaveAverages(side, h_, 0.3), WaveAverages(side, h_, 0.1), WaveAverages(planes, h_, 0.7)} {}

  double u(const Cell& cell) const {
    double product = 1;
    for (std::size_t d = 0; d < 3; ++d) product *= of(d, &WaveAverages::u, cell);
    return product;
  }
  /// beta at the lower face of a cell in direction d.
  double beta(std::size_t d, const Cell& cell) const {
    double product = 0.25;
    for (std::size_t c = 0; c < 3; ++c) product *= of(c, c == d ? &WaveAverages::s_at : &WaveAverages::s, cell);
    return 1 + product;
  }
  /// The average of f over a cell: what flows out through its faces.
  double f(const Cell& cell) const {
    double sum = 0;
    for (std::size_t d = 0; d < 3; ++d) {
      Cell next = cell;
      ++next[d];
      sum += flux(d, next) - flux(d, cell);
    }
    return -sum / h_;
  }
  /// The operator's diagonal: 15 / 12 of each of the six faces, over h^2.
  double diagonal(const Cell& cell) const {
    double sum = 0;
    for (std::size_t d = 0; d < 3; ++d) {
      Cell next = cell;
      ++next[d];
      sum += beta(d, cell) + beta(d, next);
    }
    return 1.25 * sum / (h_ * h_);
  }
  double h() const { return h_; }

 private:
  using Table = std::vector<double> WaveAverages::*;
  double of(std::size_t d, Table table, const Cell& cell) const { return (along_[d].*table)[along_[d].at(cell[d])]; }
  /// The average of beta du/dx over the lower face in direction d.
  double flux(std::size_t d, const Cell& cell) const {
    double plain = 1, varying = 0.25;
    for (std::size_t c = 0; c < 3; ++c) {
      plain *= of(c, c == d ? &WaveAverages::slope_at : &WaveAverages::u, cell);
      varying *= of(c, c == d ? &WaveAverages::s_slope_at : &WaveAverages::su, cell);
    }
    return plain + varying;
  }

  double h_;
  std::array<WaveAverages, 3> along_;
};

}  // namespace plumbline
