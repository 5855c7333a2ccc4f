// CUPTI's Profiler Host API tells which metrics the GPUs of a chip have, and in how many passes they count them. It needs neither a GPU nor
// its driver (of CUPTI 13.0; 13.5 answers nothing without a driver), so metric tables can be held against it on any machine.
#pragma once
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/status.hpp"

namespace plumbline {

struct CuptiLibrary;

/// libcupti, opened at run time and never closed: nothing of CUDA is linked.
class CuptiHost {
 public:
  /// Opens it in the first of these folders that has it, with libnvperf_host beside it, else by the loader's path.
  explicit CuptiHost(const std::vector<std::filesystem::path>& folders = cupti_folders());
  /// Makes one that is not opened, for this reason.
  explicit CuptiHost(Availability why_not) : availability_(std::move(why_not)) {}

  /// Says what is missing, and what to do. Where it is not ok, all that follows throws Error (io).
  const Availability& availability() const { return availability_; }
  /// The library; null where it is not ok.
  const std::shared_ptr<const CuptiLibrary>& opened() const { return library_; }
  /// The version: "CUPTI 13.0 (/usr/local/cuda/lib/libcupti.so.13)"; of CUDA 12.x, "CUPTI 12, interface 28 (...)".
  std::string version() const;
  /// The folder where the library was found.
  std::filesystem::path folder() const;
  /// The names of the chips: "GV100", "GH100", ...
  std::vector<std::string> chips() const;

  // These functions are about a chip. They throw Error (user) where CUPTI does not know the chip, Error (io) where a call fails.

  /// The names without what sums them up over the units: "dram__bytes_read", of which "dram__bytes_read.sum" is a metric.
  std::vector<std::string> base_metrics(const std::string& chip) const;
  /// The metrics that the chip does not have, in their order; a name without its rollup is none.
  std::vector<std::string> unknown_metrics(const std::string& chip, std::span<const std::string> metrics) const;
  /// The number of times that work has to run so that all of the metrics are counted; absent where CUPTI cannot count them in one session,
  /// such as PCIe's beside those of the SMs. Error (user) names a metric that the chip does not have.
  std::optional<std::size_t> passes(const std::string& chip, std::span<const std::string> metrics) const;

  /// The folders where the library is looked for in a process that has none open yet: PLUMBLINE_CUPTI_PATH, where that is set, else beside
  /// the program, in the toolkit that it was built with, by the loader's path (an empty folder), in the toolkits of CUDA_HOME,
  /// /usr/local/cuda and the like, and in PyPI's wheels.
  static std::vector<std::filesystem::path> cupti_folders();

 private:
  const CuptiLibrary& library() const;
  void require_chip(const std::string& chip) const;

  std::shared_ptr<const CuptiLibrary> library_;
  Availability availability_;
};

}  // namespace plumbline
