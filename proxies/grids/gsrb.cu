// The smoother of gsrb.hpp on GPUs, by the loops of gsrb_updates.cuh.
#include "cuda/register.cuh"
#include "proxies/grids/gsrb.hpp"
#include "proxies/grids/gsrb_gpu_work.hpp"
#include "proxies/grids/gsrb_updates.cuh"

namespace plumbline {
namespace {

template <class Real>
class GsrbCase final : public GsrbData<Real, DeviceArray> {
 public:
  static ApplicationWork application(const Parameters& p, std::string_view) {
    const BoxGrid grid = box_grid_of(p);
    const auto update = [&](std::uint64_t color) { return update_work_of_gpu<Real>(grid, gsrb_loop_of(p), color); };
    ApplicationWork gsrb = GsrbCase::phases(grid, ghost_work_of_gpu<Real>(grid), update(0), update(1));
    gsrb.data_bytes += grid.size() * sizeof(Real);  // what restore() copies from lies in the GPU's memory, too
    return gsrb;
  }

  GsrbCase(const Parameters& p, DeviceMemory& memory) : GsrbData<Real, DeviceArray>(p, memory), first_x_(box_grid_of(p).size(), memory) {}

  void initialise(std::size_t begin, std::size_t end) override {
    GsrbData<Real, DeviceArray>::initialise(begin, end);
    copy(first_x_, this->arrays()[Arrays::x], begin, end);
  }
  /// x is had again from a copy on the device: the host is far away. The array that it alternates with becomes what no cell of it is to be.
  void restore(std::size_t begin, std::size_t end) override {
    copy(this->arrays()[Arrays::x], first_x_, begin, end);
    copy(this->arrays()[Arrays::other], this->arrays()[Arrays::rhs], begin, end);
  }

  static void launch(const Gsrb<Real>& s, std::size_t begin, std::size_t end) { launch_smoother(s, begin, end); }
  static void on_host(const Gsrb<Real>& s, std::size_t begin, std::size_t end) { smooth_on_host(s, begin, end); }

 private:
  using Arrays = typename GsrbData<Real, DeviceArray>::Arrays;
  void copy(DeviceArray<Real>& to, const DeviceArray<Real>& from, std::size_t begin, std::size_t end) {
    const std::size_t row = this->arrays().grid.row();
    to.copy(begin * row, from, begin * row, (end - begin) * row);
  }

  DeviceArray<Real> first_x_;
};

const cuda::Register<GsrbCase> gsrb_registered{gsrb_facts()};

}  // namespace
}  // namespace plumbline
