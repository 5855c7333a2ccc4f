// Counts and models are kept by number instead of by name: looked up once for all counters, however many those are.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "model/cases/measured.hpp"

namespace plumbline {

/// The counts and models of all cases, by the numbers of events and quantities.
class Columns {
 public:
  /// Makes the columns. `seconds`, one a case or none: what a case is held against where a counter claims seconds, of which no model
  /// speaks.
  explicit Columns(const Measurements& measurements, std::span<const Bounds> seconds = {});

  static constexpr std::size_t none = static_cast<std::size_t>(-1);
  std::size_t cases() const { return cases_; }
  /// The number of an event or a quantity; `none` where no case counted the event, or no model speaks of the quantity.
  std::size_t event(const std::string& backend, const std::string& name) const;
  std::size_t quantity(const std::string& name) const;
  std::vector<std::string> quantities_below(const std::string& prefix) const;  // sorted

  /// The count of a case; nullptr where this case was not counted so.
  const Reported* count(std::size_t at, std::size_t event) const { return event == none ? nullptr : counts_[at * events_.size() + event]; }
  /// The bounds of a case's model; absent where it does not speak of the quantity.
  Bounds bounds(std::size_t at, std::size_t quantity) const {
    return quantity == none ? Bounds{} : bounds_[at * quantities_.size() + quantity];
  }

  /// The name of register-L1 references of the arithmetic as written: counters on a CPU are held against what its code executes, which
  /// bears the plain names here. There are none where a file does not know what was executed.
  static constexpr const char* written_references = "written.bytes.reg-L1";

  /// Whether the case ran on a GPU.
  bool on_gpu(std::size_t at) const { return on_gpu_[at]; }

 private:
  std::size_t cases_ = 0;
  std::vector<bool> on_gpu_;
  std::unordered_map<std::string, std::size_t> events_, quantities_;
  std::vector<const Reported*> counts_;
  std::vector<Bounds> bounds_;
};

}  // namespace plumbline
