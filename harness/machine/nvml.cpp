#include "machine/nvml.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <array>

#include "core/shared_library.hpp"

namespace plumbline {
namespace {

struct Words {
  nvml::Return code;
  const char* meaning;
};
// Plainer meanings of codes whose own words in the library ("Not Supported") leave something open.
constexpr std::array<Words, 6> meanings{{{nvml::not_supported, "not supported by this GPU or its driver"},
                                         {nvml::no_permission, "not permitted to this user"},
                                         {nvml::driver_not_loaded, "the NVIDIA kernel module is not loaded"},
                                         {nvml::gpu_is_lost, "the GPU is lost: it no longer answers on the bus"},
                                         {nvml::reset_required, "the GPU needs a reset"},
                                         {nvml::version_mismatch, "the library and the kernel module are of different driver versions"}}};

}  // namespace

Nvml::Nvml(std::string library) : name_(std::move(library)) {
  auto [opened, why] = open_library(name_, RTLD_LAZY | RTLD_LOCAL);
  library_ = opened;
  if (library_ == nullptr) {
    why_not_ = fmt::format("no NVIDIA driver library ({})", why);
    return;
  }
  const Answer started = invoke(nvml::initialize);
  if (!started.ok()) why_not_ = fmt::format("{} opens, but does not start: {}", name_, started.reason);
}

Nvml::~Nvml() {
  if (why_not_.empty()) invoke(nvml::shut_down);
  if (library_ != nullptr) dlclose(library_);
}

void* Nvml::find(const char* symbol) const { return dlsym(library_, symbol); }

Nvml::Answer Nvml::missing(const char* function) const { return {nvml::function_not_found, fmt::format("{} has no {}", name_, function)}; }

Nvml::Answer Nvml::answer(const char* function, nvml::Return code) const {
  if (code == nvml::success) return {};
  std::string meaning;
  for (const auto& one : meanings)
    if (one.code == code) meaning = one.meaning;
  const auto in_words = reinterpret_cast<const char* (*)(nvml::Return)>(find("nvmlErrorString"));
  if (const char* words = meaning.empty() && in_words != nullptr ? in_words(code) : nullptr) meaning = words;
  return {code, fmt::format("{}: {} (NVML error {})", function, meaning.empty() ? "failed" : meaning, code)};
}

}  // namespace plumbline
