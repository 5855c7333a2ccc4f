// A program's NVTX ranges become marks of regions, as plumbline.h makes them: the emulator counts what happens in them, and the library
// that times regions (preload/regions.c) hears of them. A mark counts the thread that executes it, so that ranges which any thread may end
// are none.
#include <algorithm>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "injection/phases.hpp"
#include "marker/plumbline.h"

namespace plumbline::phases {
namespace {

struct OpenRange {
  std::uint64_t domain = 0;
  const char* name = nullptr;  // null: it found no room
};
thread_local std::vector<OpenRange> open;  // of this thread

/// A name that lives as long as the process, as those of marks do; null where there are too many.
const char* kept(std::string_view name) {
  static auto& mutex = *new std::mutex;
  static auto& names = *new std::set<std::string, std::less<>>;
  const std::lock_guard lock(mutex);
  const auto found = names.find(name);
  if (found != names.end()) return found->c_str();
  return names.size() < most_regions ? names.emplace(name).first->c_str() : nullptr;
}

}  // namespace

void enter(std::string_view name, std::uint64_t domain) {
  open.push_back({domain, kept(name)});
  if (open.back().name != nullptr) PLUMBLINE_START(open.back().name);
}

void leave(std::uint64_t domain) {
  const auto last = std::find_if(open.rbegin(), open.rend(), [&](const OpenRange& range) { return range.domain == domain; });
  if (last == open.rend()) return;
  if (last->name != nullptr) PLUMBLINE_STOP(last->name);
  open.erase(std::next(last).base());
}

std::uint64_t begin(std::string_view /*name*/) { return 0; }
void end(std::uint64_t /*number*/) {}

}  // namespace plumbline::phases
