// NVIDIA's management library is opened at run time: a node without it says so.
#pragma once
#include <string>
#include <type_traits>

#include "machine/nvml_api.hpp"

namespace plumbline {

class Nvml {
 public:
  /// Opens `library` as the loader takes it. Opening it starts the library, which takes a moment, and closing shuts it down.
  explicit Nvml(std::string library = "libnvidia-ml.so.1");
  ~Nvml();
  Nvml(const Nvml&) = delete;
  Nvml& operator=(const Nvml&) = delete;

  /// Says why the library does not answer, in one line; empty where it does.
  const std::string& why_not() const { return why_not_; }
  /// Whether there is such a library, even if it does not answer.
  bool found() const { return library_ != nullptr; }

  struct Answer {
    nvml::Return code = nvml::success;
    std::string reason;  // empty when all went well: "nvmlDeviceGetEccMode: not supported by this GPU (NVML error 3)"
    bool ok() const { return reason.empty(); }
  };
  template <class... Parameters>
  Answer call(const nvml::Function<Parameters...>& function, std::type_identity_t<Parameters>... arguments) const {
    if (!why_not_.empty()) return {nvml::function_not_found, why_not_};
    return invoke(function, arguments...);
  }

 private:
  template <class... Parameters>
  Answer invoke(const nvml::Function<Parameters...>& function, std::type_identity_t<Parameters>... arguments) const {
    const auto entry = reinterpret_cast<typename nvml::Function<Parameters...>::Pointer>(find(function.name));
    return entry == nullptr ? missing(function.name) : answer(function.name, entry(arguments...));
  }
  void* find(const char* symbol) const;
  Answer missing(const char* function) const;
  Answer answer(const char* function, nvml::Return code) const;

  std::string name_, why_not_;
  void* library_ = nullptr;
};

}  // namespace plumbline
