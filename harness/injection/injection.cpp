// NVIDIA's driver loads libplumbline_cuda_profile.so into a program at its first call of CUDA (CUDA_INJECTION64_PATH). It counts the
// program's kernels and writes a report for each process. It prints nothing and throws nothing: the program is the user's.
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <memory>
#include <string>

#include "injection/kernel_report.hpp"

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
    KernelWishes wishes{read_metrics(variable(metrics_variable)), std::strtoull(variable(most_launches_variable).c_str(), nullptr, 10)};
    kernels_ = count_kernels(
        cupti_, std::move(wishes), [this] { write(); }, report_.availability);
    write();
  }

  void end() {
    if (getpid() != report_.process) return;  // a fork's child, whose CUDA is its parent's
    report_.ended = kernels_ == nullptr || kernels_->end();
    write();
  }

 private:
  void write() {
    if (getpid() != report_.process) return;
    if (kernels_) report_.counts = kernels_->counts();
    write_kernel_report(file_, report_);
  }

  const fs::path file_;
  KernelReport report_;
  CuptiHost cupti_;
  std::unique_ptr<CuptiKernels> kernels_;
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
