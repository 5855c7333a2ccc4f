// The command plumbline recover makes the result file of a run that will not be resumed, from its journal and what earlier sessions left
// beside that.
#include <fmt/format.h>

#include <filesystem>
#include <optional>

#include "app/commands/command.hpp"
#include "app/results/stored_results.hpp"
#include "app/session/consolidation.hpp"
#include "app/terminal/streams.hpp"
#include "store/journal.hpp"
#include "store/session_hold.hpp"

namespace plumbline::app {
namespace {

namespace fs = std::filesystem;

struct RecoverOptions {
  fs::path journal, output;
};

/// The folder's name without the slash that completion puts behind it.
fs::path folder_named(const fs::path& journal) {
  fs::path folder = journal.lexically_normal();
  if (!folder.has_filename()) folder = folder.parent_path();
  return folder == "." ? fs::current_path() : folder;
}

/// The result file beside which the run keeps this journal.
fs::path store_beside(const fs::path& folder) {
  std::string name = folder.string();
  if (name.ends_with(journal_suffix)) name.resize(name.size() - journal_suffix.size());
  const bool keeps_its_end = !fs::exists(name + ".h5") && fs::path(name).has_extension() && fs::is_regular_file(name);  // NAME.hdf5
  return keeps_its_end ? name : name + ".h5";
}

void require_at_rest(const fs::path& folder) {
  if (!fs::is_directory(folder))
    throw user_error(fmt::format("'{}' is no folder of journals; give the NAME.journal that lies beside the result file", folder.string()));
  if (const auto held = journal_in_use(folder))
    throw io_error(fmt::format(
        "a run is going on that writes '{}': wait for its end, or stop it by SIGTERM, then it writes its result file", held->string()));
  if (const auto holder = holder_in(folder))  // before its first record, or when all is written
    throw io_error(
        fmt::format("a run is going on that holds '{}' ({}): wait for its end, or stop it by SIGTERM, then it writes its result file",
                    folder.string(), *holder));
}

/// The results that earlier sessions had finished; nullopt where there is none, or it cannot be read and is not to be written.
std::optional<Results> load_earlier(const fs::path& store, bool is_output, std::vector<std::string>& notes) {
  if (!fs::exists(store)) return std::nullopt;
  try {
    Results earlier = load_results(store);
    notes.push_back(fmt::format("{} of earlier sessions and the journal are put together", store.string()));
    return earlier;
  } catch (const Error& error) {
    if (is_output)
      throw Error(error.code(),
                  fmt::format("{} lies beside the journal and cannot be read; 'plumbline recover' with -o OTHER.h5 writes what the journal "
                              "alone holds ({})",
                              store.string(), error.what()));
    notes.push_back(fmt::format("what {} held is missing, for it cannot be read", store.string()));
    return std::nullopt;
  }
}

Exit recover(const RecoverOptions& options) {
  const fs::path folder = folder_named(options.journal), store = store_beside(folder);
  require_at_rest(folder);
  const fs::path output = options.output.empty() ? store : options.output;
  const bool is_store = fs::exists(store) && fs::exists(output) && fs::equivalent(output, store);
  if (fs::exists(output) && !is_store) throw user_error(fmt::format("{} exists; choose another file with -o", output.string()));
  if (output.string().ends_with(journal_suffix))
    throw user_error(fmt::format("{} ends as the folders of journals do; choose another name with -o", output.string()));
  std::vector<std::string> notes;
  auto earlier = load_earlier(store, is_store, notes);
  std::optional<SessionHold> hold;  // no run begins on the result meanwhile
  if (journal_directory(output) == folder) hold.emplace(output);
  const Consolidated made = consolidate_journals(folder, std::move(earlier), output, notes);
  for (const auto& note : notes) say(fmt::format("note: {}\n", note));
  print(fmt::format("{}: {} cases, {} finished passes\n", output.string(), made.cases, made.outcomes));
  return Exit::ok;
}

}  // namespace

void add_recover(CLI::App& app, Action& chosen) {
  auto* command = app.add_subcommand(
      "recover", "writes the result file of an unfinished run from its journal (to go on with the run: run CAMPAIGN --resume)");
  auto options = std::make_shared<RecoverOptions>();
  command->add_option("JOURNAL", options->journal, "the run's journal folder (NAME.journal)")->required();
  command->add_option("-o,--output", options->output, "result file (default: NAME.h5; what an earlier session left there stays in it)");
  command->callback([&chosen, options] { chosen = [options] { return recover(*options); }; });
}

}  // namespace plumbline::app
