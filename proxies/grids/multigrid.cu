// Multigrid of multigrid.hpp on GPUs: the smoother's loops (gsrb_updates.cuh), and between two levels one thread a cell of the coarser one,
// which takes its eight finer cells two by two.
#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include "cuda/pinned_memory.cuh"
#include "cuda/register.cuh"
#include "proxies/grids/gsrb_gpu_work.hpp"
#include "proxies/grids/gsrb_updates.cuh"
#include "proxies/grids/multigrid.hpp"

namespace plumbline {
namespace {

using cuda::plus, cuda::times;

struct ResidualOfCell {
#pragma nv_exec_check_disable
  template <class Real>
  PLUMBLINE_BOTH static void element(const Multigrid<Real>& m, std::size_t thread) {
    const auto n = static_cast<unsigned>(m.level.n);
    const ThreadsCell at(thread, n, n);
    const std::size_t cell = first_cell(at.box, at.k, at.j, n) + at.share;
    m.level.out[cell] = residual_at(m.level, cell);
  }
};

/// A coarse cell of a thread, and the first of the eight finer ones that it covers: their places in the arrays of both levels.
struct CoarseCell {
  template <class Real>
  PLUMBLINE_BOTH CoarseCell(const Multigrid<Real>& m, std::size_t thread) {
    const unsigned n = static_cast<unsigned>(m.level.n), half = n / 2;
    const ThreadsCell at(thread, half, half);
    coarse = first_cell(at.box, at.k, at.j, half) + at.share;
    fine = first_cell(at.box, 2 * at.k, 2 * at.j, n) + 2 * at.share;
  }
  std::size_t coarse, fine;
};

/// Two neighbours in a row of which the first has an even place, as have the finer cells of a coarse one: rows are of even length.
template <class Real>
struct alignas(2 * sizeof(Real)) TwoCells {
  Real first, second;
};
template <class Real>
PLUMBLINE_BOTH TwoCells<Real>& two_cells(Real* at) {
  return *reinterpret_cast<TwoCells<Real>*>(at);
}
template <class Real>
PLUMBLINE_BOTH TwoCells<Real> two_cells(const Real* at) {
  return *reinterpret_cast<const TwoCells<Real>*>(at);
}

/// The average of the finer cells, summed in the order of a CPU.
struct Restriction {
#pragma nv_exec_check_disable
  template <class Real>
  PLUMBLINE_BOTH static void element(const Multigrid<Real>& m, std::size_t thread) {
    const CoarseCell at(m, thread);
    const std::size_t row = m.level.n + 4, plane = row * row;
    const auto sum_of_two = [&](std::size_t first) {
      const TwoCells<Real> two = two_cells(m.from + first);
      return plus(two.first, two.second);
    };
    const Real lower = plus(sum_of_two(at.fine), sum_of_two(at.fine + row)),
               upper = plus(sum_of_two(at.fine + plane), sum_of_two(at.fine + plane + row));
    m.to[at.coarse] = times(m.eighth, plus(lower, upper));
    m.cleared[at.coarse] = Real(0);
  }
};

/// The averages over the lower and the upper half of a cell, whose neighbours are known.
#pragma nv_exec_check_disable
template <class Real>
PLUMBLINE_BOTH Halves<Real> halves_of(Real before, Real here, Real after, Real eighth) {
  const Real slope = times(eighth, plus(before, -after));
  return {plus(here, slope), plus(here, -slope)};
}

struct Interpolation {
#pragma nv_exec_check_disable
  template <class Real>
  PLUMBLINE_BOTH static void element(const Multigrid<Real>& m, std::size_t thread) {
    const CoarseCell at(m, thread);
    const Real eighth = m.eighth;
    const std::size_t row = m.level.n + 4, plane = row * row, coarse_row = m.level.n / 2 + 4, coarse_plane = coarse_row * coarse_row;
    Halves<Real> in_j[3][2];  // of three planes, for the lower and the upper half in i
#pragma unroll
    for (std::size_t k = 0; k < 3; ++k) {
      Halves<Real> in_i[3];
#pragma unroll
      for (std::size_t j = 0; j < 3; ++j) {
        const Real* const x = m.from + at.coarse + k * coarse_plane - coarse_plane + j * coarse_row - coarse_row;
        in_i[j] = halves_of(x[-1], x[0], x[1], eighth);
      }
      in_j[k][0] = halves_of(in_i[0].lower, in_i[1].lower, in_i[2].lower, eighth);
      in_j[k][1] = halves_of(in_i[0].upper, in_i[1].upper, in_i[2].upper, eighth);
    }
    const auto in_k = [&](bool upper_in_j, std::size_t side) {
      const auto of = [&](std::size_t k) { return upper_in_j ? in_j[k][side].upper : in_j[k][side].lower; };
      return halves_of(of(0), of(1), of(2), eighth);
    };
    const auto add = [](Real* to, Real first, Real second) {
      TwoCells<Real>& two = two_cells(to);
      two = TwoCells<Real>{plus(two.first, first), plus(two.second, second)};
    };
#pragma unroll
    for (std::size_t j = 0; j < 2; ++j) {
      const Halves<Real> left = in_k(j == 1, 0), right = in_k(j == 1, 1);
      Real* const to = m.to + at.fine + j * row;
      add(to, left.lower, right.lower);
      add(to + plane, left.upper, right.upper);
    }
  }
};

/// Gives act<Body>(threads for each of the range) for the loops that are multigrid's own.
template <class Real, class Act>
void select(const Multigrid<Real>& m, Act act) {
  switch (m.loop) {
    case MultigridLoop::residual:
      return act.template operator()<ResidualOfCell>(m.level.n);
    case MultigridLoop::restriction:
      return act.template operator()<Restriction>(m.level.n / 2);
    case MultigridLoop::interpolation:
      return act.template operator()<Interpolation>(m.level.n / 2);
    case MultigridLoop::smoother:
      break;
  }
}

/// The work of a part as a GPU moves it.
template <class Real>
Work work_of_gpu(MultigridPart part, const std::vector<BoxGrid>& grids, std::size_t level, GsrbLoop smoother) {
  const BoxGrid& grid = grids[level];
  if (part == MultigridPart::ghosts) return ghost_work_of_gpu<Real>(grid);
  if (part == MultigridPart::red || part == MultigridPart::black)
    return update_work_of_gpu<Real>(grid, smoother, part == MultigridPart::red ? 0 : 1);
  Work work = multigrid_work<Real>(part, grids, level, smoother);
  if (part == MultigridPart::residual) move_by_warps<Real>(work, grid, gsrb_data_bytes<Real>(grid), 1);
  if (part == MultigridPart::restriction || part == MultigridPart::interpolation) {
    const BoxGrid& coarse = grids[level + 1];
    move_by_warps<Real>(work, coarse, gsrb_data_bytes<Real>(grid) + gsrb_data_bytes<Real>(coarse), 1);
    (part == MultigridPart::restriction ? work.streams.front() : work.streams.back()).straddles /= 2;  // two finer cells at once
  }
  return work;
}

/// The data on the device, of which levels may be the host's.
template <class Real>
class MultigridOnGpu : public MultigridData<Real, DeviceArray> {
 public:
  void initialise(std::size_t begin, std::size_t end) override {
    MultigridData<Real, DeviceArray>::initialise(begin, end);
    const std::size_t row = zeros_.size() / this->extent();
    zeros_.fill(begin * row, end * row, [](std::size_t) { return Real(0); });
  }
  /// Unknowns become zeros by copies on the device: the host is far away. What is computed before it is used becomes what no cell of it is
  /// to be.
  void restore(std::size_t begin, std::size_t end) override {
    const DeviceArray<Real>& rhs = this->finest()[Level::rhs];
    this->for_levels(begin, end, [&](Level& level, std::size_t first, std::size_t last) {
      if (this->is_of_host(level)) return this->fill_unknowns_of(level, first, last);
      const std::size_t row = level.grid.row();
      const auto copy = [&](DeviceArray<Real>& to, const DeviceArray<Real>& from) {
        to.copy(first * row, from, first * row, (last - first) * row);
      };
      copy(level[Level::x], zeros_), copy(level[Level::other], rhs);
      if (&level != &this->finest()) copy(level[Level::rhs], rhs);
    });
  }

 protected:
  using Level = typename MultigridData<Real, DeviceArray>::Level;

  template <class... Where>
  MultigridOnGpu(const Parameters& p, DeviceMemory& memory, Where&... where)
      : MultigridData<Real, DeviceArray>(p, memory, where...), zeros_(box_grid_of(p).size(), memory) {}

 private:
  DeviceArray<Real> zeros_;
};

/// The phases, and beside the data what restore() copies from.
template <class Real, class... Where>
ApplicationWork multigrid_on_gpu(const Parameters& p, Where... where) {
  ApplicationWork multigrid = MultigridData<Real, DeviceArray>::phases(p, where...);
  multigrid.data_bytes += box_grid_of(p).size() * sizeof(Real);
  return multigrid;
}

template <class Real>
struct MultigridCase final : MultigridOnGpu<Real> {
  static ApplicationWork application(const Parameters& p, std::string_view) { return multigrid_on_gpu<Real>(p, &work_of_gpu<Real>); }

  MultigridCase(const Parameters& p, DeviceMemory& memory) : MultigridOnGpu<Real>(p, memory) {}

  static void launch(const Multigrid<Real>& m, std::size_t begin, std::size_t end) {
    if (m.loop == MultigridLoop::smoother) return launch_smoother(m.level, begin, end);
    select(m, [&]<class Body>(std::size_t threads) { cuda::launch_elements<Body>(m, begin * threads, end * threads); });
  }
  static void on_host(const Multigrid<Real>& m, std::size_t begin, std::size_t end) {
    if (m.loop == MultigridLoop::smoother) return smooth_on_host(m.level, begin, end);
    select(m, [&]<class Body>(std::size_t threads) { cuda::elements_on_host<Body>(m, begin * threads, end * threads); });
  }
};

const cuda::Register<MultigridCase> multigrid_registered{multigrid_facts()};

/// The finest of the host's levels (0 is the finest of all).
std::size_t host_from(const Parameters& p) {
  const std::uint64_t from = p.integer("host_from"), levels = p.integer("levels");
  if (from > levels)
    throw std::invalid_argument("host_from = " + std::to_string(from) + " is beyond the coarsest level (levels = " +
                                std::to_string(levels) + "): take host_from = " + std::to_string(levels) + " or less");
  return from - 1;
}

/// Multigrid whose coarse levels, which are too small for a GPU, are the host's: those of a CPU's kernel, in the host's memory. Between the
/// two a right-hand side goes down, and unknowns come up.
template <class Real>
class HybridCase final : public MultigridOnGpu<Real> {
 public:
  using Arguments = MultigridLaunch<Real>;
  static constexpr const char* host_kernel() { return "proxies/multigrid"; }

  static ApplicationWork application(const Parameters& p, std::string_view) {
    const std::size_t from = host_from(p);
    const auto work_of = [from](MultigridPart part, const std::vector<BoxGrid>& grids, std::size_t level, GsrbLoop smoother) {
      return level < from ? work_of_gpu<Real>(part, grids, level, smoother) : multigrid_work<Real>(part, grids, level, smoother);
    };
    ApplicationWork hybrid = multigrid_on_gpu<Real>(p, work_of, from);
    const std::uint64_t bytes = multigrid_grids_of(p)[from].size() * sizeof(Real);
    const std::vector<std::uint64_t> entries = multigrid_cycle_of(p).entries();
    const std::string level = "@" + std::to_string(from + 1);
    hybrid.phases.push_back({.name = "download" + level, .entries = entries[to_seam(MultigridPart::restriction, from)]});
    hybrid.phases.back().from_device_bytes = bytes;
    hybrid.phases.push_back({.name = "upload" + level, .entries = entries[to_seam(MultigridPart::interpolation, from)]});
    hybrid.phases.back().to_device_bytes = bytes;
    hybrid.data_bytes += 2 * bytes;
    return hybrid;
  }

  HybridCase(const Parameters& p, DeviceMemory& memory) : HybridCase(p, memory, host_from(p)) {}

  void initialise(std::size_t begin, std::size_t end) override {
    MultigridOnGpu<Real>::initialise(begin, end);
    if (begin != 0) return;
    for (DeviceArray<Real>* const array : {&x_, &rhs_}) array->fill(0, array->size(), [](std::size_t) { return Real(0.5); });
  }

  static void launch(const Arguments& x, std::size_t begin, std::size_t end) {
    if (!x.on_host) MultigridCase<Real>::launch(x.loop, begin, end);
  }
  static void on_host(const Arguments& x, std::size_t begin, std::size_t end) {
    x.on_host ? sweep(x.loop, begin, end) : MultigridCase<Real>::on_host(x.loop, begin, end);
  }

 private:
  using Level = typename MultigridOnGpu<Real>::Level;

  /// The phase of a part between the coarsest level on the device and the finest of the host's.
  static std::size_t to_seam(MultigridPart part, std::size_t from) { return MultigridMove{part, from - 1}.phase(); }

  HybridCase(const Parameters& p, DeviceMemory& memory, std::size_t from)
      : MultigridOnGpu<Real>(p, memory, from, cuda::memory_of_host()),
        memory_(memory),
        x_(multigrid_grids_of(p)[from].size(), memory),
        rhs_(x_.size(), memory) {
    const MultigridCycle cycle = multigrid_cycle_of(p);
    const std::size_t phases = cycle.entries().size();
    Level& of_host = this->level(from);
    for (const MultigridMove& move : cycle.moves()) {
      const bool at_seam = move.level + 1 == from;
      if (at_seam && move.part == MultigridPart::interpolation) this->add({.phase = phases + 1, .copy = [&] { upload(of_host); }});
      this->add(move, at_seam ? CoarserCells<Real>{x_.data(), rhs_.data()} : CoarserCells<Real>{});
      if (at_seam && move.part == MultigridPart::restriction) this->add({.phase = phases, .copy = [&] { download(of_host); }});
    }
  }
  std::size_t bytes() const { return x_.size() * sizeof(Real); }
  /// The unknowns begin at zero, which the host has by itself.
  void download(Level& of_host) {
    memory_.copy_out(of_host[Level::rhs].data(), rhs_.data(), bytes());
    std::fill_n(of_host[Level::x].data(), x_.size(), Real(0));
  }
  void upload(Level& of_host) { memory_.copy_in(x_.data(), of_host[Level::x].data(), bytes()); }

  DeviceMemory& memory_;
  DeviceArray<Real> x_, rhs_;  // of the finest of the host's levels
};

KernelFacts hybrid_facts() {
  KernelFacts facts = multigrid_facts();
  facts.name = "proxies/multigrid_hybrid";
  facts.summary =
      "The same multigrid with its fine levels on a GPU and its coarse ones on the host, copies between both (Yang, Kurth, Williams 2019)";
  facts.parameters.push_back({.name = "host_from",
                              .preset = std::int64_t{3},
                              .description = "finest of the levels that are the host's; the finest of all is 1",
                              .min = 2,
                              .max = 10});
  facts.proof.at_most.set("host_from", std::int64_t{2});
  facts.proof.caches.clear();
  for (Parameters& edge : facts.proof.edges) edge.set("host_from", std::int64_t{2});
  Parameters deep = facts.proof.edges.front();  // three levels, of which two are the device's
  deep.set("host_from", std::int64_t{3}), deep.set("cycle", std::string("f"));
  facts.proof.edges.push_back(deep);
  return facts;
}

const cuda::Register<HybridCase> hybrid_registered{hybrid_facts()};

}  // namespace
}  // namespace plumbline
