#include "counters/cupti/cuda_driver.hpp"

#include <dlfcn.h>

#include <array>
#include <string_view>

#include "core/shared_library.hpp"
#include "core/unavailable.hpp"

namespace plumbline {
namespace {

// The numbers are those of CUresult, and of CUdevice_attribute.
constexpr int success = 0, no_such_function = -1, no_device = 100;
constexpr int capability_major = 75, capability_minor = 76;

}  // namespace

int cuda_of_driver(const std::string& library) {
  const auto [opened, why_not] = open_library(library, RTLD_LAZY | RTLD_LOCAL);
  const auto ask = opened == nullptr ? nullptr : reinterpret_cast<int (*)(int*)>(dlsym(opened, "cuDriverGetVersion"));
  int number = 0;
  return ask != nullptr && ask(&number) == success ? number : 0;
}

template <class... Arguments>
int CudaDriver::invoke(const char* function, Arguments... arguments) const {
  const auto found = reinterpret_cast<int (*)(Arguments...)>(dlsym(library_, function));
  return found == nullptr ? no_such_function : found(arguments...);
}

std::string CudaDriver::words(const char* function, int result) const {
  const char* text = nullptr;
  if (result == no_such_function) return std::string("the driver's library has no ") + function;
  invoke("cuGetErrorString", result, &text);
  return std::string(text == nullptr ? "failed" : text) + " (" + function + ", CUDA error " + std::to_string(result) + ")" +
         advice_on_gpu_refusal(result);
}

CudaDriver::CudaDriver(const std::string& library) {
  const auto [opened, why] = open_library(library, RTLD_NOW | RTLD_LOCAL);
  library_ = opened;
  if (library_ == nullptr) {
    availability_ = {Status::unavailable, "no NVIDIA driver here (" + why + ")"};
    return;
  }
  int count = 0, result = invoke("cuInit", 0U);
  const char* function = "cuInit";
  if (result == success) result = invoke(function = "cuDeviceGetCount", &count);
  if (result == no_device || (result == success && count == 0))
    availability_ = {Status::unavailable, "no NVIDIA GPU is visible to CUDA (is CUDA_VISIBLE_DEVICES set, or was the job given none?)"};
  else if (result != success)
    availability_ = {Status::unavailable, "the NVIDIA driver does not start: " + words(function, result)};
}

std::string CudaDriver::version() const {
  int number = 0;
  if (library_ == nullptr || invoke("cuDriverGetVersion", &number) != success) return "";
  return "driver for CUDA " + std::to_string(number / 1000) + "." + std::to_string(number % 1000 / 10);
}

void* CudaDriver::context() const {
  void* current = nullptr;
  if (!availability_.ok() || invoke("cuCtxGetCurrent", &current) != success) return nullptr;
  return current;
}

int CudaDriver::ordinal() const {
  int device = 0;
  return context() != nullptr && invoke("cuCtxGetDevice", &device) == success ? device : 0;
}

int CudaDriver::compute_capability() const {
  int major = 0, minor = 0;
  if (invoke("cuDeviceGetAttribute", &major, capability_major, ordinal()) != success) return 0;
  return invoke("cuDeviceGetAttribute", &minor, capability_minor, ordinal()) == success ? 10 * major + minor : 0;
}

VisibleGpu CudaDriver::identity(int ordinal) const {
  VisibleGpu told{.ordinal = ordinal};
  int device = 0;
  if (!availability_.ok() || invoke("cuDeviceGet", &device, ordinal) != success) return told;
  std::array<char, 100> name{};
  if (invoke("cuDeviceGetName", name.data(), static_cast<int>(name.size()) - 1, device) == success) told.name = name.data();
  std::array<unsigned char, 16> uuid{};
  // The second one tells a part of a GPU (MIG) from the whole.
  if (invoke("cuDeviceGetUuid_v2", uuid.data(), device) != success && invoke("cuDeviceGetUuid", uuid.data(), device) != success)
    return told;
  constexpr std::string_view digits = "0123456789abcdef";
  told.uuid = "GPU-";
  for (std::size_t i = 0; i < uuid.size(); ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) told.uuid += '-';
    told.uuid += digits.at(uuid.at(i) / digits.size());
    told.uuid += digits.at(uuid.at(i) % digits.size());
  }
  return told;
}

std::string CudaDriver::wait() const {
  const int result = invoke("cuCtxSynchronize");
  return result == success ? "" : words("cuCtxSynchronize", result);
}

CudaDriver::Trial::Trial(const CudaDriver& driver) : driver_(driver), availability_(driver.availability()) {
  if (!availability_.ok() || driver_.context() != nullptr) return;
  void* context = nullptr;
  const char* function = "cuDevicePrimaryCtxRetain";
  int result = driver_.invoke(function, &context, 0);
  if (result == success) {
    ordinal_ = 0;
    result = driver_.invoke(function = "cuCtxSetCurrent", context);
  }
  if (result != success) availability_ = {Status::unavailable, "no context on the GPU: " + driver_.words(function, result)};
}

CudaDriver::Trial::~Trial() {
  if (ordinal_ < 0) return;
  driver_.invoke("cuCtxSetCurrent", static_cast<void*>(nullptr));
  driver_.invoke("cuDevicePrimaryCtxRelease_v2", ordinal_);
}

}  // namespace plumbline
