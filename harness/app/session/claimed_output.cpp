#include "app/session/claimed_output.hpp"

#include <fmt/format.h>

#include "store/file_bytes.hpp"
#include "store/journal.hpp"
#include "store/result_store.hpp"

namespace plumbline::app {
namespace {

namespace fs = std::filesystem;

/// Refuses what could never hold results, or is named by mistake.
void require_file_for_results(const fs::path& store, const Campaign& campaign) {
  if (fs::is_directory(store) || !store.has_filename())
    throw user_error(fmt::format("{} is a folder; name a file with -o", store.string()));
  if (!may_be_replaced(store))
    throw user_error(fmt::format("{} is a device or a FIFO, which cannot hold results; name a file with -o", store.string()));
  if (store.string().ends_with(journal_suffix))
    throw user_error(fmt::format("{} ends as the folders of journals do; name the output otherwise with -o, best NAME.h5", store.string()));
  std::error_code none;
  if (fs::equivalent(store, campaign.path, none))
    throw user_error(fmt::format("{} is the campaign itself; name another file with -o", store.string()));
}

void refuse_to_overwrite(const RunFiles& files) {
  if (files.has_journals())
    throw user_error(
        fmt::format("{} holds an unfinished run: go on with --resume, throw it away with --overwrite, or choose another file with -o",
                    files.journals.string()));
  if (files.state == RunFiles::State::finished)
    throw user_error(fmt::format("{} exists: add to it with --resume, replace it with --overwrite, or choose another file with -o",
                                 files.store.string()));
}

/// --overwrite takes away an earlier result, and nothing else that somebody named by mistake.
void refuse_to_remove(const fs::path& store) {
  if (fs::is_regular_file(store) && fs::file_size(store) > 0 && !begins_as_store(store))
    throw user_error(fmt::format("{} is no result file: --overwrite leaves it alone; choose another file with -o", store.string()));
}

void prepare_folder(const fs::path& store) {
  std::error_code failed;
  if (store.has_parent_path()) fs::create_directories(store.parent_path(), failed);
  if (failed)
    throw io_error(fmt::format("cannot create {}: {}; choose another file with -o", store.parent_path().string(), failed.message()));
}

void remove_earlier(const RunFiles& files) {
  for (const auto& entry : fs::directory_iterator(files.journals))
    if (!is_hold(entry.path())) fs::remove_all(entry.path());
  fs::remove(behind_links(files.store));
}

}  // namespace

fs::path output_of(const RunOptions& options, const Campaign& campaign) {
  return options.output.empty() ? fs::path("plumbline-out") / (campaign.name + ".h5") : options.output;
}

ClaimedOutput claim_output(const RunOptions& options, const Campaign& campaign, const fs::path& store) {
  require_file_for_results(store, campaign);
  const bool is_new = !options.overwrite && !options.resume && !options.dry_run;
  if (is_new && !fs::exists(files_of(store).journals)) refuse_to_overwrite(look_at(store, Writers::not_asked));  // before a folder is made
  ClaimedOutput claimed;
  if (!options.dry_run) {
    prepare_folder(store);
    claimed.hold = std::make_unique<SessionHold>(store);
  }
  const bool removes = options.overwrite && !options.dry_run;
  claimed.files = look_at(store, removes ? Writers::asked : Writers::not_asked);
  if (is_new) refuse_to_overwrite(claimed.files);
  if (!options.dry_run) require_replaceable(store, "result file");
  if (options.overwrite) refuse_to_remove(store);
  if (!removes) return claimed;
  if (claimed.files.state == RunFiles::State::held) throw in_use(claimed.files.held);
  remove_earlier(claimed.files);
  claimed.files.state = RunFiles::State::nothing;
  return claimed;
}

}  // namespace plumbline::app
