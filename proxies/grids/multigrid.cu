// Multigrid of multigrid.hpp on GPUs: the smoother's loops (gsrb_updates.cuh), and between two levels one thread a cell of the coarser one,
// which takes its eight finer cells two by two.
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

template <class Real>
class MultigridCase final : public MultigridData<Real, DeviceArray> {
 public:
  static ApplicationWork application(const Parameters& p, std::string_view) {
    ApplicationWork multigrid = MultigridCase::phases(p, &work_of_gpu<Real>);
    multigrid.data_bytes += box_grid_of(p).size() * sizeof(Real);  // what restore() copies from lies in the GPU's memory, too
    return multigrid;
  }

  MultigridCase(const Parameters& p, DeviceMemory& memory)
      : MultigridData<Real, DeviceArray>(p, memory), zeros_(box_grid_of(p).size(), memory) {}

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
      const std::size_t row = level.grid.row();
      const auto copy = [&](DeviceArray<Real>& to, const DeviceArray<Real>& from) {
        to.copy(first * row, from, first * row, (last - first) * row);
      };
      copy(level[Level::x], zeros_), copy(level[Level::other], rhs);
      if (&level != &this->finest()) copy(level[Level::rhs], rhs);
    });
  }

  static void launch(const Multigrid<Real>& m, std::size_t begin, std::size_t end) {
    if (m.loop == MultigridLoop::smoother) return launch_smoother(m.level, begin, end);
    select(m, [&]<class Body>(std::size_t threads) { cuda::launch_elements<Body>(m, begin * threads, end * threads); });
  }
  static void on_host(const Multigrid<Real>& m, std::size_t begin, std::size_t end) {
    if (m.loop == MultigridLoop::smoother) return smooth_on_host(m.level, begin, end);
    select(m, [&]<class Body>(std::size_t threads) { cuda::elements_on_host<Body>(m, begin * threads, end * threads); });
  }

 private:
  using Level = typename MultigridData<Real, DeviceArray>::Level;
  DeviceArray<Real> zeros_;
};

const cuda::Register<MultigridCase> registered{multigrid_facts()};

}  // namespace
}  // namespace plumbline
