// The smoother shows what the papers found: the FLOPs of its three loops, their intensity, and an operator of fourth order. One order of
// boxes or another gives the same cells.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include "core/application.hpp"
#include "core/flows.hpp"
#include "core/kernel.hpp"
#include "proxies/grids/box_grid.hpp"
#include "proxies/grids/gsrb_loop.hpp"
#include "proxies/grids/gsrb_reference.hpp"
#include "proxies/grids/multigrid_waves.hpp"
#include "tests/kernels/whole_sweep.hpp"

namespace plumbline {
namespace {

const Kernel& gsrb() { return *find_kernel("proxies/gsrb"); }

Parameters sized_boxes(const std::string& variant, std::int64_t boxes, std::int64_t n) {
  return {{"variant", variant}, {"boxes", boxes}, {"n", n}};
}

/// A core with an L3 that holds the planes of a box, and no array of eight boxes of 32^3.
const std::vector<CacheLevel> caches{{.name = "L1", .bytes = 32 << 10, .ways = 8},
                                     {.name = "L2", .bytes = 512 << 10, .ways = 8},
                                     {.name = "L3", .bytes = 1 << 20, .ways = 16, .shared = true}};

double update_flops(const std::string& variant, std::int64_t n) {
  double flops = 0;
  for (const Phase& phase : gsrb().application(sized_boxes(variant, 2, n), "fp64", "").phases)
    flops += static_cast<double>(phase.entries * total_flops(phase.work.flops).lo);
  return flops;
}

/// FLOPs by the mean of the bytes between which the model puts them, of both updates.
double gsrb_intensity(const std::string& variant, std::int64_t n, const std::string& bytes) {
  const ApplicationWork application = gsrb().application(sized_boxes(variant, 2, n), "fp64", "");
  double flops = 0, moved = 0;
  for (const Phase& phase : application.phases) {
    if (phase.name != "red" && phase.name != "black") continue;
    flops += static_cast<double>(total_flops(phase.work.flops).lo);
    const Amount crossing = expected_counts(application, phase, caches, 1).at(bytes);
    moved += (static_cast<double>(crossing.lo) + static_cast<double>(crossing.hi)) / 2;
  }
  return flops / moved;
}

TEST(gsrb, flops_are_2_02_to_1_to_1) {
  for (const std::int64_t n : {16, 64}) {
    const double cells = 8.0 * static_cast<double>(n * n * n);
    EXPECT_EQ(update_flops("branch", n), 113 * cells);
    EXPECT_EQ(update_flops("stride2", n), 113 * cells);
    EXPECT_EQ(update_flops("fp", n), 2 * 114 * cells);
  }
  EXPECT_NEAR(update_flops("fp", 32) / update_flops("branch", 32), 2.02, 0.005);
}

TEST(gsrb, the_papers_intensity_is_1_and_2_times_the_share_of_cells_in_a_box) {
  for (const std::int64_t n : {16, 32, 64, 128}) {
    const double share = std::pow(static_cast<double>(n) / static_cast<double>(n + 4), 3);
    for (const auto& [variant, per_cell] : {std::pair<const char*, double>{"branch", 113}, {"stride2", 113}, {"fp", 228}}) {
      Counts of_papers;
      for (const Phase& phase : gsrb().application(sized_boxes(variant, 2, n), "fp64", "").phases)
        for (const auto& [quantity, amount] : phase.work.paper) of_papers[quantity] += amount;
      const auto amount = [&](const char* quantity) { return static_cast<double>(of_papers.at(quantity).lo); };
      EXPECT_NEAR(amount("paper.flops") / amount("paper.bytes"), per_cell / 2 / 56 * share, 1e-6) << variant << " " << n;
    }
  }
}

/// Lines are counted where the paper counts cells: rows of ghost cells above and below are never touched by an operator without corners,
/// and the halves of cells that are not updated move all the same.
TEST(gsrb, intensity_at_memory_is_near_the_papers_law_and_rises_with_the_box) {
  double before = 0;
  for (const std::int64_t n : {32, 48, 64}) {
    const double share = std::pow(static_cast<double>(n) / static_cast<double>(n + 4), 3);
    const double read = gsrb_intensity("branch", n, "bytes.L3-mem.demand_read");
    EXPECT_GT(read, 113.0 / 2 / 48 * share * 0.95) << n;  // six of the seven arrays are read
    EXPECT_LT(read, 113.0 / 2 / 48 * std::sqrt(share) * 1.15) << n;
    EXPECT_GT(read, before) << n;
    EXPECT_NEAR(gsrb_intensity("fp", n, "bytes.L3-mem") / gsrb_intensity("branch", n, "bytes.L3-mem"), 228.0 / 113, 0.05) << n;
    before = read;
  }
}

TEST(gsrb, intensity_at_registers_hangs_on_no_size) {
  EXPECT_NEAR(gsrb_intensity("branch", 16, "bytes.reg-L1") / gsrb_intensity("branch", 64, "bytes.reg-L1"), 1, 1e-6);
  EXPECT_NEAR(gsrb_intensity("fp", 16, "bytes.reg-L1") / gsrb_intensity("branch", 16, "bytes.reg-L1"), 1, 0.1);
}

/// The average of div(beta grad u) over the cell that begins at `lower`, for the u and beta of Waves: the fluxes through its faces, each
/// integrated by Gauss in six points.
double divergence(const std::array<double, 3>& lower, double h) {
  static constexpr double nodes[] = {-0.932469514203152, -0.661209386466265, -0.238619186083197,
                                     0.238619186083197,  0.661209386466265,  0.932469514203152};
  static constexpr double weights[] = {0.171324492379170, 0.360761573048139, 0.467913934572691,
                                       0.467913934572691, 0.360761573048139, 0.171324492379170};
  constexpr double tau = 2 * std::numbers::pi, phase[] = {0.3, 0.1, 0.7};
  double sum = 0;
  for (std::size_t d = 0; d < 3; ++d)
    for (const int side : {0, 1})
      for (std::size_t p = 0; p < 6; ++p)
        for (std::size_t q = 0; q < 6; ++q) {
          std::array<double, 3> at = lower;
          at[d] += side * h, at[(d + 1) % 3] += h * (1 + nodes[p]) / 2, at[(d + 2) % 3] += h * (1 + nodes[q]) / 2;
          double slope = tau, coefficient = 0.25;
          for (std::size_t c = 0; c < 3; ++c) {
            slope *= c == d ? std::cos(tau * at[c] + phase[c]) : std::sin(tau * at[c] + phase[c]);
            coefficient *= std::sin(tau * at[c]);
          }
          sum += (side == 0 ? -1 : 1) * weights[p] * weights[q] / 4 * (1 + coefficient) * slope;
        }
  return sum / h;
}

/// The largest error of the operator, which a sweep by the loop itself shows: with a diagonal of 1 and x added, out - x - rhs is -A x.
double truncation_error(std::size_t n) {
  const BoxGrid grid{.boxes = 1, .n = n};
  const Waves waves(n, n);
  std::vector<double> x(grid.size()), out(grid.size()), rhs(grid.size()), one(grid.size(), 1.0);
  std::vector<std::vector<double>> beta(3, std::vector<double>(grid.size()));
  const auto cell = [](std::size_t at) { return static_cast<std::int64_t>(at) - 2; };
  for (std::size_t k = 0; k < grid.row(); ++k)
    for (std::size_t j = 0; j < grid.row(); ++j)
      for (std::size_t i = 0; i < grid.row(); ++i) {
        const std::size_t at = grid.at(0, k, j, i);
        const Waves::Cell here{cell(i), cell(j), cell(k)};
        x[at] = waves.u(here);
        for (std::size_t d = 0; d < 3; ++d) beta[d][at] = waves.beta(d, here);
      }
  const std::vector<double> mask(2 * n, 1.0);
  const Gsrb<double> loop{
      .loop = GsrbLoop::fp,
      .boxes = 1,
      .n = n,
      .color = 0,
      .x = x.data(),
      .out = out.data(),
      .rhs = rhs.data(),
      .diagonal = one.data(),
      .beta = {beta[0].data(), beta[1].data(), beta[2].data()},
      .mask = mask.data(),
      .constants = {.fifteen = 15, .twelfth = 1.0 / 12, .forty_eighth = 1.0 / 48, .minus_b = -1 / (waves.h() * waves.h())}};
  sweep(loop, 0, n * n);
  double largest = 0;
  for (std::size_t k = 2; k < n + 2; ++k)
    for (std::size_t j = 2; j < n + 2; ++j)
      for (std::size_t i = 2; i < n + 2; ++i) {
        const std::size_t at = grid.at(0, k, j, i);
        const auto lower = [&](std::size_t place) { return static_cast<double>(cell(place)) * waves.h(); };
        largest = std::max(largest, std::fabs(out[at] - x[at] - divergence({lower(i), lower(j), lower(k)}, waves.h())));
      }
  return largest;
}

TEST(gsrb, the_right_hand_side_of_a_known_solution_is_what_flows_out_of_each_cell) {
  const Waves cube(8, 8), waves(8, 16);
  for (const Waves::Cell& cell : {Waves::Cell{0, 0, 0}, {3, 5, 7}, {7, 2, 4}}) {
    const auto lower = [&](std::size_t d) { return static_cast<double>(cell[d]) * cube.h(); };
    EXPECT_NEAR(cube.f(cell), -divergence({lower(0), lower(1), lower(2)}, cube.h()), 1e-9);
  }
  double sum = 0;
  for (std::int64_t k = 0; k < 16; ++k)
    for (std::int64_t j = 0; j < 8; ++j)
      for (std::int64_t i = 0; i < 8; ++i) sum += waves.f({i, j, k});
  EXPECT_NEAR(sum, 0, 1e-9) << "a periodic grid has a solution only then";
}

TEST(gsrb, the_operator_is_of_fourth_order_on_a_manufactured_solution) {
  const double coarse = truncation_error(16), fine = truncation_error(32);
  EXPECT_GT(std::log2(coarse / fine), 3.9) << coarse << " " << fine;
  EXPECT_LT(std::log2(coarse / fine), 4.3) << coarse << " " << fine;
}

/// Cells of the whole cube after a sweep, in the order of its planes.
std::vector<double> smoothed(const std::string& variant, std::int64_t boxes, std::int64_t n) {
  const Flavor& flavor = gsrb().flavors().front();
  const auto data = gsrb().prepare(sized_boxes(variant, boxes, n), std::string(flavor.precision), *std::pmr::new_delete_resource());
  initialise_whole(*data);
  sweep_whole(*data, flavor.sweep);
  const auto& steps = dynamic_cast<const ApplicationData&>(*data).steps();
  const void* const last = steps.back().arguments;
  const BoxGrid grid{.boxes = static_cast<std::uint64_t>(boxes), .n = static_cast<std::uint64_t>(n)};
  std::vector<double> cells;
  const auto read = [&](const auto* out) {
    const auto side = static_cast<std::int64_t>(grid.side());
    for (std::int64_t k = 0; k < side; ++k)
      for (std::int64_t j = 0; j < side; ++j)
        for (std::int64_t i = 0; i < side; ++i) cells.push_back(static_cast<double>(out[grid.cell(i, j, k)]));
  };
  flavor.precision == "fp64" ? read(static_cast<const Gsrb<double>*>(last)->out) : read(static_cast<const Gsrb<float>*>(last)->out);
  return cells;
}

TEST(gsrb, how_a_cube_is_cut_into_boxes_changes_nothing) {
  const std::vector<double> one = smoothed("stride2", 1, 12);
  EXPECT_EQ(smoothed("stride2", 2, 6), one);
  EXPECT_EQ(smoothed("stride2", 3, 4), one);
}

TEST(gsrb, of_a_large_grid_the_planes_at_its_ends_and_where_boxes_meet_are_compared) {
  for (const std::int64_t side : {1, 6, 128, 160}) {
    const auto all = GsrbReference::compared(side, side / 2);
    ASSERT_EQ(all.size(), 1U) << side;
    EXPECT_TRUE(all[0].begin == 0 && all[0].end == side) << side;
  }
  for (const std::int64_t side : {256, 512, 4096}) {
    const auto some = GsrbReference::compared(side, side / 2);
    ASSERT_EQ(some.size(), 3U) << side;
    EXPECT_TRUE(some[0].begin == 0 && some[0].end > 0 && some[2].begin < side && some[2].end == side) << side;
    EXPECT_TRUE(some[1].begin < side / 2 && some[1].end > side / 2) << side;
    EXPECT_TRUE(some[0].end <= some[1].begin && some[1].end <= some[2].begin) << side;
  }
}

TEST(gsrb, the_reference_of_some_planes_is_that_of_all) {
  constexpr std::int64_t side = 12;
  const GsrbField field{side, 2 * side};
  const auto values = [&](std::int64_t begin, std::int64_t end) {
    std::vector<long double> found;
    GsrbReference(field, side).for_cells(begin, end, [&](std::int64_t, std::int64_t, std::int64_t k, long double value) {
      if (k >= 5 && k < 8) found.push_back(value);
    });
    return found;
  };
  EXPECT_EQ(values(5, 8), values(0, side));
  EXPECT_EQ(values(5, 8).size(), 3U * side * side);
}

}  // namespace
}  // namespace plumbline
