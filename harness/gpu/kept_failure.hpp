// A failure between two meetings of ranks is kept until the second: whoever threw in between would leave the others waiting.
#pragma once
#include <exception>
#include <utility>

namespace plumbline {

/// The first failure of some acts, after which none of them is tried until it was told.
class KeptFailure {
 public:
  /// Does this unless something failed before, and keeps what it throws.
  template <class Act>
  void attempt(Act act) {
    if (!failure_) try {
        act();
      } catch (...) {
        failure_ = std::current_exception();
      }
  }
  bool is_kept() const { return failure_ != nullptr; }
  /// Throws what was kept, once.
  void tell() {
    if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
  }

 private:
  std::exception_ptr failure_;
};

}  // namespace plumbline
