// NVIDIA's driver loads libplumbline_cuda_profile.so into a program at its first call of CUDA (CUDA_INJECTION64_PATH). It times the
// program's kernels, or counts them, and writes a report for each process. NVTX loads it too (nvtx_ranges.cpp), and the loader, so that the
// marks of plumbline.h find plumbline_marked() here. It prints nothing and throws nothing: the program is the user's.
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <mutex>
#include <set>
#include <string>

#include "injection/kernel_report.hpp"
#include "injection/phases.hpp"
#include "marker/plumbline.h"

namespace plumbline {
namespace {

namespace fs = std::filesystem;

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::vector<std::string> own_command() {
  std::ifstream in("/proc/self/cmdline");
  std::vector<std::string> words;
  for (std::string word; std::getline(in, word, '\0');) words.push_back(word);
  return words;
}

/// A process that executes another program keeps its number.
fs::path new_file(const std::string& begin) {
  fs::path file = begin + ".json";
  for (int i = 1; fs::exists(file); ++i) file = begin + "-" + std::to_string(i) + ".json";
  return file;
}

class Injection {
 public:
  explicit Injection(const std::string& to) : file_(new_file(to + std::to_string(getpid()))) {
    report_.process = getpid();
    report_.parent = getppid();
    report_.command = own_command();
    if (cupti_.availability().ok()) report_.cupti = cupti_.version();
    const std::string metrics = variable(metrics_variable);
    const std::uint64_t launches = std::strtoull(variable(most_launches_variable).c_str(), nullptr, 10);
    report_.timed = metrics.empty();
    if (report_.timed)
      activities_ = time_kernels(
          cupti_, {.first_launches = launches}, places(), [this] { write_now_and_then(); }, report_.availability);
    else
      kernels_ = count_kernels(
          cupti_, {read_metrics(metrics), launches}, places(), [this] { write(); }, report_.availability);
    write();
  }

  void end() {
    if (getpid() != report_.process) return;  // a fork's child, whose CUDA is its parent's
    const bool ended = kernels_ == nullptr || kernels_->end();
    const Availability went = activities_ ? activities_->end() : Availability{};
    {
      const std::lock_guard lock(writing_);
      report_.ended = ended;
      report_.devices = devices();
      if (!went.ok()) report_.availability = went;
    }
    write();
  }

 private:
  /// The GPUs that kernels ran on. The driver is asked at the end: it is not ready while it loads this.
  std::vector<VisibleGpu> devices() const {
    std::set<int> ordinals;
    if (kernels_)
      for (const auto& gpu : kernels_->counts().gpus) ordinals.insert(gpu.ordinal);
    if (activities_)
      for (const auto& gpu : activities_->times().gpus) ordinals.insert(gpu.ordinal);
    std::vector<VisibleGpu> all;
    if (ordinals.empty()) return all;
    const CudaDriver driver;
    for (const int ordinal : ordinals) all.push_back(driver.identity(ordinal));
    return all;
  }

  static LaunchPlaces places() {
    return {.phase = phases::current, .profiling = [](bool begins) {
              if (begins)
                phases::begin(profiled_region);
              else
                phases::end(std::string_view(profiled_region));
            }};
  }

  /// CUPTI delivers many buffers, and a report may be long.
  void write_now_and_then() {
    const auto now = std::chrono::steady_clock::now();
    if (now - written_ < std::chrono::seconds(1)) return;
    written_ = now;
    write();
  }

  void write() {
    if (getpid() != report_.process) return;
    const std::lock_guard lock(writing_);  // a thread of CUPTI's writes, too
    if (kernels_) report_.counts = kernels_->counts();
    if (activities_) report_.times = activities_->times();
    report_.phases = phases::all();
    write_kernel_report(file_, report_);
  }

  const fs::path file_;
  std::mutex writing_;
  KernelReport report_;
  CuptiHost cupti_;
  std::unique_ptr<CuptiKernels> kernels_;
  std::unique_ptr<CuptiActivities> activities_;
  std::chrono::steady_clock::time_point written_ = {};
};

Injection* injection = nullptr;  // never destroyed: threads may launch until the process is gone

}  // namespace
}  // namespace plumbline

/// The driver's entry; 1: it is there. It is silent where nobody wants a report.
extern "C" __attribute__((visibility("default"))) int InitializeInjection() {
  using namespace plumbline;
  const std::string to = variable(report_variable);
  if (to.empty() || injection != nullptr) return 1;
  try {
    injection = new Injection(to);
    std::atexit([] { injection->end(); });
  } catch (const std::exception&) {  // without the metrics' file: whoever started the program finds no report
  }
  return 1;
}

/// The marks of plumbline.h call this where there is one; their ranges are a domain of their own.
extern "C" __attribute__((visibility("default"))) void plumbline_marked(unsigned long request, const char* name) {
  constexpr std::uint64_t marks = ~std::uint64_t{0};
  if (name == nullptr) return;
  const int error = errno;
  if (request == PLUMBLINE_MARKER_REGION_BEGIN) plumbline::phases::enter(name, marks);
  if (request == PLUMBLINE_MARKER_REGION_END) plumbline::phases::leave(name, marks);
  errno = error;
}
