// A function of a row whose type it has forgotten.
#pragma once
#include <cstddef>
#include <functional>
#include <new>
#include <type_traits>
#include <utility>

namespace plumbline::app {

/// A function of a row whose type it has forgotten: only its column's maker knows that. Columns of all rows are of one type so, and what is
/// done with them is compiled once. Small ones, which hold a pointer to a function or a member, lie in it as they are: there are hundreds,
/// and std::function compiles eight functions for each. The others it leaves to std::function. It is never made of an empty function.
template <class Result>
class OfRow {
 public:
  OfRow() = default;
  template <class Function>
  requires(!std::is_same_v<Function, OfRow> && std::is_invocable_r_v<Result, const Function&, const void*>) OfRow(Function function) {
    if constexpr (std::is_trivially_copyable_v<Function> && sizeof(Function) <= sizeof(small_) && alignof(Function) <= alignof(void*)) {
      new (small_) Function(function);
      call_ = [](const OfRow& own, const void* row) -> Result {
        return (*std::launder(reinterpret_cast<const Function*>(own.small_)))(row);
      };
    } else {
      large_ = std::move(function);
      call_ = [](const OfRow& own, const void* row) { return own.large_(row); };
    }
  }
  explicit operator bool() const { return call_ != nullptr; }
  Result operator()(const void* row) const { return call_(*this, row); }

 private:
  Result (*call_)(const OfRow& own, const void* row) = nullptr;
  alignas(void*) std::byte small_[2 * sizeof(void*)] = {};
  std::function<Result(const void*)> large_;
};

}  // namespace plumbline::app
