#include "app/stages/gpu_in_use.hpp"

#include <fmt/format.h>

#include <array>
#include <exception>
#include <nlohmann/json.hpp>
#include <utility>

#include "app/here/gpus.hpp"
#include "core/error.hpp"

namespace plumbline::app {
namespace {

/// Adds the UUID by the management library, which names the whole GPU: for a MIG part that is another name than its own.
void add_uuid(const Nvml& nvml, const std::string& pci, const char* key, nlohmann::json& facts) {
  std::array<char, 96> uuid{};
  nvml::Device gpu = nullptr;
  auto answer = nvml.call(nvml::device_by_pci, pci.c_str(), &gpu);
  if (answer.ok()) answer = nvml.call(nvml::uuid, gpu, uuid.data(), static_cast<unsigned>(uuid.size()));
  facts[key] = answer.ok() ? nlohmann::json(uuid.data()) : nlohmann::json();
  if (!answer.ok()) facts[std::string(key) + "_reason"] = answer.reason;
}

bool works(Gpu& gpu) {
  try {
    gpu.wait();
    return true;
  } catch (const std::exception&) {
    return false;
  }
}

}  // namespace

GpuInUse::GpuInUse() = default;
GpuInUse::~GpuInUse() = default;

Gpu& GpuInUse::use(const GpuProperties& gpu) {
  end_counting();
  return use_to_count(gpu);
}

Gpu& GpuInUse::use_to_count(const GpuProperties& gpu) {
  if (gpu_ && gpu_->properties().ordinal == gpu.ordinal) return *gpu_;
  end_counting();  // in the context that it began in
  gpu_.reset();    // before the next
  try {
    gpu_ = module_for_gpus().module->open(gpu.ordinal);
  } catch (const Error& refused) {
    throw io_error(fmt::format("the GPU at {} cannot be used: {}", gpu.pci, refused.what()));
  }
  return *gpu_;
}

void GpuInUse::is_counted_by(Backend& backend) {
  if (MultiPass* const passes = backend.multi_pass()) counting_.insert(passes);
}

void GpuInUse::end_counting() {
  for (MultiPass* const passes : std::exchange(counting_, {})) passes->release();
}

std::string GpuInUse::why_lost(const GpuProperties& gpu) const {
  const auto found = lost_.find(gpu.ordinal);
  return found == lost_.end() ? "" : found->second;
}

/// A kernel's fault, such as an illegal address, ends the context: whatever this process asks of the GPU from then on is refused with that
/// kernel's error. One refused launch is told by the first call after it; what the second one is told as well stays.
void GpuInUse::look_for_loss(const std::string& work, const std::string& reason) {
  if (!gpu_ || works(*gpu_) || works(*gpu_)) return;
  const GpuProperties& gpu = gpu_->properties();
  lost_[gpu.ordinal] = fmt::format("the GPU at {} does no more work in this run since {} failed on it ({})", gpu.pci, work, reason);
}

nlohmann::json GpuInUse::facts(const GpuProperties& gpu) {
  nlohmann::json facts{{"ordinal", gpu.ordinal}, {"pci", gpu.pci}, {"name", gpu.name}};
  if (gpu.uuid.empty()) {
    add_uuid(nvml(), gpu.pci, "uuid", facts);
    return facts;
  }
  facts["uuid"] = gpu.uuid;
  if (gpu.uuid.starts_with("MIG-")) add_uuid(nvml(), gpu.pci, "part_of", facts);
  return facts;
}

const Nvml& GpuInUse::nvml() {
  if (!nvml_) nvml_ = std::make_unique<Nvml>();
  return *nvml_;
}

}  // namespace plumbline::app
