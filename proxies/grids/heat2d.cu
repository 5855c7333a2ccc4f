// The heat equation of heat2d.hpp on GPUs: one thread a point of an update, one block a row of the energy, one block for their sum.
#include "cuda/block_sum.cuh"
#include "cuda/register.cuh"
#include "cuda/warp_edges.hpp"
#include "proxies/grids/heat2d.hpp"

namespace plumbline {
namespace {

using cuda::fused, cuda::plus;

template <class Real>
struct HeatUpdate {
#pragma nv_exec_check_disable
  PLUMBLINE_BOTH static void element(const Heat2d<Real>& x, std::size_t row, std::size_t column) {
    const Real* const here = x.in + (row + 1) * x.n;
    const Real *const up = here - x.n, *const down = here + x.n;
    const std::size_t left = column == 0 ? x.n - 1 : column - 1, right = column + 1 == x.n ? 0 : column + 1;
    const Real around = plus(plus(up[column], down[column]), plus(here[left], here[right]));
    x.out[(row + 1) * x.n + column] = fused(x.courant, fused(-x.four, here[column], around), here[column]);
  }
};

template <class Real>
struct HeatEnergy {
#pragma nv_exec_check_disable
  PLUMBLINE_BOTH static Real brought(const Heat2d<Real>& x, std::size_t row, unsigned thread) {
    const Real* const here = x.in + (row + 1) * x.n;
    Real sum = 0;
    for (std::size_t j = thread; j < x.n; j += cuda::block_threads) sum = fused(here[j], here[j], sum);
    return sum;
  }
  PLUMBLINE_BOTH static void keep(const Heat2d<Real>& x, std::size_t row, Real sum) { x.of_rows[row] = sum; }
};

template <class Real>
struct HeatTotal {
#pragma nv_exec_check_disable
  PLUMBLINE_BOTH static Real brought(const Heat2d<Real>& x, std::size_t, unsigned thread) {
    Real sum = 0;
    for (std::size_t row = thread; row < x.n; row += cuda::block_threads) sum = plus(sum, x.of_rows[row]);
    return sum;
  }
#pragma nv_exec_check_disable
  PLUMBLINE_BOTH static void keep(const Heat2d<Real>& x, std::size_t i, Real sum) { x.all[i] = static_cast<double>(sum); }
};

template <class Real>
struct HeatCase final : HeatData<Real, DeviceArray> {
  using HeatData<Real, DeviceArray>::HeatData;

  static ApplicationWork application(const Parameters& p, std::string_view) {
    const std::uint64_t n = p.integer("n"), points = n * n;
    ApplicationWork heat = HeatCase::traffic(p);
    Work &of_update = heat.phases[HeatCase::update].work, &of_energy = heat.phases[HeatCase::energy].work,
         &of_total = heat.phases[HeatCase::total].work;
    of_update.flops = {{flops<Real>("add"), 3 * points}, {flops<Real>("fma"), 2 * points}};
    cuda::add_warp_edges(of_update, n, n, 3);
    of_energy.flops = {{flops<Real>("fma"), points}};
    of_energy.streams.back().straddles = n;  // one number alone is written by a block: a sector each
    cuda::BlockSum<Real>::add_to(of_energy, n);
    of_total.flops = {{flops<Real>("add"), n}};
    cuda::BlockSum<Real>::add_to(of_total, 1);
    heat.data_bytes += points * sizeof(Real);  // what restore() copies from lies in the GPU's memory, too
    return heat;
  }

  static void launch(const Heat2d<Real>& x, std::size_t begin, std::size_t end) {
    switch (x.loop) {
      case HeatLoop::update:
        return cuda::launch_rows<HeatUpdate<Real>>(x, begin, end, x.n);
      case HeatLoop::energy:
        return cuda::launch_blocks<cuda::SumOfBlock<HeatEnergy<Real>>>(x, begin, end);
      case HeatLoop::total:
        return cuda::launch_blocks<cuda::SumOfBlock<HeatTotal<Real>>>(x, begin, end);
    }
  }
  static void on_host(const Heat2d<Real>& x, std::size_t begin, std::size_t end) {
    switch (x.loop) {
      case HeatLoop::update:
        return cuda::rows_on_host<HeatUpdate<Real>>(x, begin, end, x.n);
      case HeatLoop::energy:
        return cuda::SumOfBlock<HeatEnergy<Real>>::on_host(x, begin, end);
      case HeatLoop::total:
        return cuda::SumOfBlock<HeatTotal<Real>>::on_host(x, begin, end);
    }
  }
};

const cuda::Register<HeatCase> heat2d_registered{heat2d_facts()};

}  // namespace
}  // namespace plumbline
