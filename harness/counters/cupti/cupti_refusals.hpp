// A number that CUPTI answers with says what stands in the way of counting on a GPU: a table of words, which needs no CUPTI.
#pragma once
#include <span>
#include <string>

#include "counters/backend/backend.hpp"

namespace plumbline {

struct CuptiRefusal {
  int result = 0;  // CUptiResult
  Status status = Status::unavailable;
  const char* what = "";
  const char* next = "";
};

std::span<const CuptiRefusal> cupti_refusals();

/// The refusal in words: "this user may not read the GPU's counters (CUPTI error 35 of cuptiRangeProfilerEnable): run as root, ..."; for a
/// number that the table lacks: failed, with the library's own `words`.
Availability cupti_refusal(int result, const std::string& call, const std::string& words);

}  // namespace plumbline
