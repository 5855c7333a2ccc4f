// This folder's files call libcupti through this: opened at run time, every call checked. It is the only header that includes CUPTI's.
#pragma once
#include <cupti_profiler_host.h>
#include <cupti_version.h>
#include <dlfcn.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/error.hpp"

namespace plumbline {

/// An error by the number that CUPTI answered: cupti_refusals.hpp has the words for most of them.
class CuptiError : public Error {
 public:
  CuptiError(int result, std::string call, const std::string& message)
      : Error(Exit::io_or_failed_case, message), result_(result), call_(std::move(call)) {}
  int result() const { return result_; }
  const std::string& call() const { return call_; }

 private:
  int result_;
  std::string call_;
};

struct CuptiLibrary {
  void* handle = nullptr;
  std::filesystem::path file = {};

  template <class Function>
  Function* function(const char* name) const {
    void* const address = dlsym(handle, name);
    if (address == nullptr) throw io_error(file.string() + " has no " + name + "; build plumbline with the CUPTI that it finds here");
    return reinterpret_cast<Function*>(address);
  }
  std::string words(CUptiResult result) const;
  /// Throws CuptiError where a call was no success.
  void require_success(CUptiResult result, const char* call, const char* in_file, int line) const;
};

/// Whether the folder has the library of the version that this program and the driver take: that of CUDA 13, or of 12 for a driver of 12.x.
bool holds_cupti(const std::filesystem::path& folder);

/// Opens CUPTI in the first of the folders (an empty one: the loader's path) that has it, with libnvperf_host beside it, else by the
/// loader's path. Null with the reason.
std::shared_ptr<const CuptiLibrary> open_cupti(const std::vector<std::filesystem::path>& folders, std::string& why_not);

// CUPTI's functions take one structure each, which begins with its own size: by that CUPTI knows its version.
#define PLUMBLINE_CUPTI_PARAMETERS(Name) ::plumbline::cupti_parameters<Name##_Params>(Name##_Params_STRUCT_SIZE)
template <class Parameters>
Parameters cupti_parameters(std::size_t bytes) {
  Parameters parameters{};
  parameters.structSize = bytes;
  return parameters;
}

#define PLUMBLINE_CUPTI_RESULT(library, name, ...) (library).function<decltype(name)>(#name)(__VA_ARGS__)
#define PLUMBLINE_CUPTI(library, name, ...) \
  (library).require_success(PLUMBLINE_CUPTI_RESULT(library, name, __VA_ARGS__), #name, __FILE__, __LINE__)

/// CUPTI's object for one chip, on which metrics are looked up, scheduled and evaluated.
class CuptiChip {
 public:
  /// Makes the object. `available` says what this very GPU can count (an image of CUPTI's); empty: all that the chip has.
  CuptiChip(const CuptiLibrary& cupti, const std::string& name, std::span<const std::uint8_t> available = {});
  CuptiChip(const CuptiChip&) = delete;
  CuptiChip& operator=(const CuptiChip&) = delete;
  ~CuptiChip();

  void append_base_metrics(CUpti_MetricType type, std::vector<std::string>& names) const;
  bool has(const std::string& metric) const;
  /// Schedules all metrics in one call: with one call a metric, CUPTI plans one pass a metric. False where it cannot plan them together.
  bool schedule(std::span<const std::string> metrics) const;
  std::vector<std::uint8_t> config_image() const;
  std::size_t passes(std::span<std::uint8_t> config_image) const;
  std::vector<double> values(std::span<const std::uint8_t> counter_data, std::size_t range, std::span<const std::string> metrics) const;

 private:
  const CuptiLibrary& cupti_;
  CUpti_Profiler_Host_Object* object_ = nullptr;
};

/// The names as CUPTI takes them; they live as long as the names.
std::vector<const char*> c_strings(std::span<const std::string> names);

}  // namespace plumbline
