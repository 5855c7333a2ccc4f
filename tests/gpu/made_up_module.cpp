// A module for GPUs without kernels and GPUs, which opens as the real ones do.
#include <string_view>

#include "core/kernel.hpp"
#include "gpu/gpu_module.hpp"

namespace plumbline {
namespace {

class MadeUpModule final : public GpuModule {
 public:
  std::string version() const override { return "made up"; }
  const std::vector<Kernel>& kernels() const override { return none_; }
  Availability availability() const override { return {Status::unavailable, "made up"}; }
  std::vector<GpuProperties> gpus() const override { return {}; }
  std::unique_ptr<Gpu> open(int) const override { return nullptr; }
  void write_down_launches(std::vector<KernelLaunch>*, bool) const override {}

 private:
  std::vector<Kernel> none_;
};

}  // namespace
}  // namespace plumbline

extern "C" __attribute__((visibility("default"))) const plumbline::GpuModule* plumbline_gpu_module(int interface, const char* version) {
  static const plumbline::MadeUpModule module;
  return interface == plumbline::gpu_module_interface && std::string_view(version) == PLUMBLINE_VERSION ? &module : nullptr;
}
