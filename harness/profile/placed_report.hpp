// A report that counted reuse distances gets the bytes that would cross the boundaries of given caches.
#pragma once
#include <string>
#include <vector>

#include "profile/tool_report.hpp"

namespace plumbline {

/// Fills in the bytes below each cache, the first being L1, of threads, regions, functions and the total: those of fully associative caches
/// of these sizes (traffic_below). Each thread has a first and a second level of its own, and an even part of the third. A function has the
/// fetches of its own code, and the write-backs of the lines that it brought. Nothing changes where no distances were counted.
void place_on(ToolReport& report, const std::vector<CacheLevel>& caches);

/// The regions, and the whole program, in which sets may decide and not size, each once, with the caches: "region turn (L1, L2)".
std::vector<std::string> places_that_may_conflict(const ToolReport& report, const std::vector<CacheLevel>& caches);

}  // namespace plumbline
