#include "store/run_files.hpp"

#include <algorithm>

#include "store/journal.hpp"
#include "store/session_hold.hpp"

namespace plumbline {
namespace {

namespace fs = std::filesystem;

bool holds_journals(const fs::path& folder) {
  std::error_code none;
  const fs::directory_iterator entries(folder, none);
  return std::any_of(begin(entries), end(entries), [](const auto& entry) { return !is_hold(entry.path()); });
}

}  // namespace

RunFiles files_of(const fs::path& store) { return {.store = store, .journals = journal_directory(store)}; }

RunFiles look_at(const fs::path& store, Writers writers) {
  RunFiles files = files_of(store);
  if (writers == Writers::asked)
    if (const auto held = journal_in_use(files.journals)) files.held = *held;
  if (!files.held.empty())
    files.state = RunFiles::State::held;
  else if (holds_journals(files.journals))
    files.state = RunFiles::State::unfinished;
  else if (fs::exists(store))
    files.state = RunFiles::State::finished;
  return files;
}

}  // namespace plumbline
