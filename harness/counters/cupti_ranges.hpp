// CUPTI's range profiler over the current context: what metrics came to in one range of work, pass by pass.
#pragma once
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "counters/cuda_driver.hpp"
#include "counters/cupti_host.hpp"

namespace plumbline {

/// The chip of the GPU: "GH100". Throws CuptiError.
std::string cupti_chip_of(const CuptiLibrary& cupti, int ordinal);

/// The profiler is on while this lives. A range goes from begin() to end(), and is run again until end() says that every pass was had.
/// Whatever CUPTI refuses is thrown as CuptiError: cupti_refusals.hpp has the words.
class CuptiRanges {
 public:
  /// In the context that is current.
  CuptiRanges(const CuptiLibrary& cupti, const CudaDriver& driver, std::vector<std::string> metrics);
  CuptiRanges(const CuptiRanges&) = delete;
  CuptiRanges& operator=(const CuptiRanges&) = delete;
  ~CuptiRanges();

  std::size_t passes() const;
  /// Both wait for the context's work, so that the range holds what is launched between them and nothing else.
  void begin();
  /// Whether all passes of the range were had.
  bool end();
  /// Then: [range][metric]. The next begin() starts anew.
  std::vector<std::vector<double>> take();

 private:
  class Session;
  std::unique_ptr<Session> session_;
};

}  // namespace plumbline
