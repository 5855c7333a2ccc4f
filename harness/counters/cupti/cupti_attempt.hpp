// A refusal by CUPTI or a GPU becomes a value. This header is for the files that call CUPTI.
#pragma once
#include "counters/backend/backend.hpp"
#include "counters/cupti/cupti_library.hpp"
#include "counters/cupti/cupti_refusals.hpp"

namespace plumbline {

/// The outcome of act(): ok, or why it failed.
template <class Act>
Availability cupti_attempt(const CuptiLibrary& cupti, Act act) noexcept {
  try {
    act();
    return {};
  } catch (const CuptiError& refused) {
    return cupti_refusal(refused.result(), refused.call(), cupti.words(static_cast<CUptiResult>(refused.result())));
  } catch (const std::exception& failure) {
    return {Status::failed, failure.what()};
  }
}

}  // namespace plumbline
