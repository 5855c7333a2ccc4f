#include "counters/cupti/cupti_library.hpp"

#include <algorithm>

#include "core/shared_library.hpp"
#include "counters/cupti/cuda_driver.hpp"
#include "counters/cupti/cupti_refusals.hpp"

namespace plumbline {
namespace {

namespace fs = std::filesystem;

/// The library's name: of the CUDA whose interface this program was built with, or of CUDA 12 where the driver is for that one, whose CUPTI
/// has the same interface from 12.6 on (the range profiler's headers of 12.6 to 13.0 differ in comments alone).
const std::string& cupti_name() {
  static const int driver = cuda_of_driver() / 1000;
  static const std::string name = "libcupti.so." + std::to_string(driver == 12 ? driver : CUPTI_API_VERSION / 10000);
  return name;
}
/// The wheel of PyPI that has it.
const char* wheel() { return cupti_name().ends_with(".12") ? "'nvidia-cuda-cupti-cu12>=12.6'" : "nvidia-cuda-cupti"; }
const char* const nvperf_name = "libnvperf_host.so";  // opened by libcupti, by this name

/// Whether it answers at all: 13.0 does anywhere, 13.5 only where NVIDIA's driver is.
bool answers(const CuptiLibrary& cupti, std::string& why) {
  if (dlsym(cupti.handle, "cuptiProfilerHostInitialize") == nullptr)
    return why = cupti.file.string() + " has no range profiler, which came with CUDA 12.6: pip install " + wheel(), false;
  try {
    std::uint32_t number = 0;
    PLUMBLINE_CUPTI(cupti, cuptiGetVersion, &number);
    return true;
  } catch (const Error& error) {
    why = error.what();
  }
  void* const driver = open_library("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL).handle;
  if (driver == nullptr) return why += ", perhaps because NVIDIA's driver (libcuda.so.1) is not here", false;
  dlclose(driver);
  return false;
}

/// The library of an open handle, of this name, with the libnvperf_host beside it. Null with the reason where that cannot be: then the
/// handle is closed.
std::shared_ptr<const CuptiLibrary> with_nvperf(void* handle, const std::string& name, std::string& why) {
  const auto refuse = [&](std::string reason) {
    why = std::move(reason);
    dlclose(handle);
    return nullptr;
  };
  std::string origin(4096, '\0');
  if (dlinfo(handle, RTLD_DI_ORIGIN, origin.data()) != 0) return refuse("nothing tells where " + name + " was found");
  const fs::path found = origin.c_str();
  if (const auto beside = open_library(fs::absolute(found / nvperf_name), RTLD_NOW | RTLD_LOCAL); beside.handle == nullptr)
    return refuse((found / name).string() + " needs " + nvperf_name + " beside it: " + beside.why_not);
  return std::make_shared<const CuptiLibrary>(CuptiLibrary{handle, found / name});
}

/// Opens it in the folder; an empty folder is the loader's path. Null with the reason where that cannot be.
std::shared_ptr<const CuptiLibrary> try_folder(const fs::path& folder, std::string& why) {
  if (!folder.empty() && !holds_cupti(folder)) return why = "not in " + folder.string(), nullptr;
  const auto [handle, why_not] =
      open_library(folder.empty() ? cupti_name() : fs::absolute(folder / cupti_name()).string(), RTLD_NOW | RTLD_LOCAL);
  return handle == nullptr ? (why = why_not, nullptr) : with_nvperf(handle, cupti_name(), why);
}

/// Whether this process has one open, whichever CUDA's: a program that is profiled may have brought its own, as PyTorch does, and two of
/// them in one process do not both hear of its kernels. `found` is that one; null with the reason where it cannot be used.
bool is_open_already(std::shared_ptr<const CuptiLibrary>& found, std::string& why) {
  for (const std::string& name : {cupti_name(), std::string("libcupti.so.13"), std::string("libcupti.so.12")}) {
    void* const handle = dlopen(name.c_str(), RTLD_NOW | RTLD_NOLOAD);
    if (handle == nullptr) continue;
    found = with_nvperf(handle, name, why);
    if (found != nullptr && !answers(*found, why)) found = nullptr;
    if (found == nullptr) why += "; this program itself has opened it, and no other one counts beside it";
    return true;
  }
  return false;
}

}  // namespace

std::string CuptiLibrary::words(CUptiResult result) const {
  const char* text = nullptr;
  const auto told = function<decltype(cuptiGetResultString)>("cuptiGetResultString")(result, &text);
  return told == CUPTI_SUCCESS && text != nullptr ? text : "error " + std::to_string(static_cast<int>(result));
}

void CuptiLibrary::require_success(CUptiResult result, const char* call, const char* in_file, int line) const {
  if (result == CUPTI_SUCCESS) return;
  throw CuptiError(
      result, call,
      std::string(call) + " failed: " + words(result) + " (" + in_file + ":" + std::to_string(line) + ", " + file.string() + ")");
}

bool holds_cupti(const fs::path& folder) {
  std::error_code none;
  return fs::exists(folder / cupti_name(), none);
}

std::shared_ptr<const CuptiLibrary> open_cupti(const std::vector<fs::path>& folders, std::string& why_not) {
  if (std::shared_ptr<const CuptiLibrary> found; is_open_already(found, why_not)) return found;
  std::string reasons, looked_in;
  std::vector<fs::path> places = folders;
  if (std::find(places.begin(), places.end(), fs::path()) == places.end()) places.emplace_back();
  for (const auto& folder : places) {
    std::string why;
    if (auto found = try_folder(folder, why)) {  // and no other one after it, which would meet this one's libnvperf_host
      if (answers(*found, why)) return found;
      return why_not = why, nullptr;
    }
    reasons += (reasons.empty() ? "" : "; ") + why;
    looked_in += (looked_in.empty() ? "" : ", ") + (folder.empty() ? "the loader's path" : folder.string());
  }
  why_not = "no " + cupti_name() + " that can be used: " + reasons + "; looked in: " + looked_in + "; install it (pip install " + wheel() +
            ") and put its folder on LD_LIBRARY_PATH";
  return nullptr;
}

std::vector<const char*> c_strings(std::span<const std::string> names) {
  std::vector<const char*> all;
  for (const auto& name : names) all.push_back(name.c_str());
  return all;
}

CuptiChip::CuptiChip(const CuptiLibrary& cupti, const std::string& name, std::span<const std::uint8_t> available) : cupti_(cupti) {
  auto made = PLUMBLINE_CUPTI_PARAMETERS(CUpti_Profiler_Host_Initialize);
  made.profilerType = CUPTI_PROFILER_TYPE_RANGE_PROFILER;
  made.pChipName = name.c_str();
  made.pCounterAvailabilityImage = available.empty() ? nullptr : available.data();
  PLUMBLINE_CUPTI(cupti_, cuptiProfilerHostInitialize, &made);
  object_ = made.pHostObject;
}

CuptiChip::~CuptiChip() {
  auto done = PLUMBLINE_CUPTI_PARAMETERS(CUpti_Profiler_Host_Deinitialize);
  done.pHostObject = object_;
  PLUMBLINE_CUPTI_RESULT(cupti_, cuptiProfilerHostDeinitialize, &done);  // nothing depends on it any more
}

void CuptiChip::append_base_metrics(CUpti_MetricType type, std::vector<std::string>& names) const {
  auto asked = PLUMBLINE_CUPTI_PARAMETERS(CUpti_Profiler_Host_GetBaseMetrics);
  asked.pHostObject = object_;
  asked.metricType = type;
  PLUMBLINE_CUPTI(cupti_, cuptiProfilerHostGetBaseMetrics, &asked);
  names.insert(names.end(), asked.ppMetricNames, asked.ppMetricNames + asked.numMetrics);
}

bool CuptiChip::has(const std::string& metric) const {
  if (metric.find('.') == metric.npos) return false;  // CUPTI knows the name, but can count it only with its rollup
  auto asked = PLUMBLINE_CUPTI_PARAMETERS(CUpti_Profiler_Host_GetMetricProperties);
  asked.pHostObject = object_;
  asked.pMetricName = metric.c_str();
  const CUptiResult result = PLUMBLINE_CUPTI_RESULT(cupti_, cuptiProfilerHostGetMetricProperties, &asked);
  if (result == CUPTI_ERROR_INVALID_METRIC_NAME) return false;
  cupti_.require_success(result, "cuptiProfilerHostGetMetricProperties", __FILE__, __LINE__);
  return true;
}

bool CuptiChip::schedule(std::span<const std::string> metrics) const {
  auto names = c_strings(metrics);
  auto added = PLUMBLINE_CUPTI_PARAMETERS(CUpti_Profiler_Host_ConfigAddMetrics);
  added.pHostObject = object_;
  added.ppMetricNames = names.data();
  added.numMetrics = names.size();
  const CUptiResult result = PLUMBLINE_CUPTI_RESULT(cupti_, cuptiProfilerHostConfigAddMetrics, &added);
  if (result == CUPTI_ERROR_NOT_SUPPORTED) return false;
  cupti_.require_success(result, "cuptiProfilerHostConfigAddMetrics", __FILE__, __LINE__);
  return true;
}

std::vector<std::uint8_t> CuptiChip::config_image() const {
  auto size = PLUMBLINE_CUPTI_PARAMETERS(CUpti_Profiler_Host_GetConfigImageSize);
  size.pHostObject = object_;
  PLUMBLINE_CUPTI(cupti_, cuptiProfilerHostGetConfigImageSize, &size);
  std::vector<std::uint8_t> image(size.configImageSize);
  auto filled = PLUMBLINE_CUPTI_PARAMETERS(CUpti_Profiler_Host_GetConfigImage);
  filled.pHostObject = object_;
  filled.configImageSize = image.size();
  filled.pConfigImage = image.data();
  PLUMBLINE_CUPTI(cupti_, cuptiProfilerHostGetConfigImage, &filled);
  return image;
}

std::size_t CuptiChip::passes(std::span<std::uint8_t> config_image) const {
  auto counted = PLUMBLINE_CUPTI_PARAMETERS(CUpti_Profiler_Host_GetNumOfPasses);
  counted.configImageSize = config_image.size();
  counted.pConfigImage = config_image.data();
  PLUMBLINE_CUPTI(cupti_, cuptiProfilerHostGetNumOfPasses, &counted);
  return counted.numOfPasses;
}

std::vector<double> CuptiChip::values(std::span<const std::uint8_t> counter_data, std::size_t range,
                                      std::span<const std::string> metrics) const {
  auto names = c_strings(metrics);
  std::vector<double> values(metrics.size());
  auto evaluated = PLUMBLINE_CUPTI_PARAMETERS(CUpti_Profiler_Host_EvaluateToGpuValues);
  evaluated.pHostObject = object_;
  evaluated.pCounterDataImage = counter_data.data();
  evaluated.counterDataImageSize = counter_data.size();
  evaluated.rangeIndex = range;
  evaluated.ppMetricNames = names.data();
  evaluated.numMetrics = names.size();
  evaluated.pMetricValues = values.data();
  PLUMBLINE_CUPTI(cupti_, cuptiProfilerHostEvaluateToGpuValues, &evaluated);
  return values;
}

}  // namespace plumbline
