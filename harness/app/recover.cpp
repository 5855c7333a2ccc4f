// plumbline recover: the result file of a run that will not be resumed, from its journal.
#include <fmt/format.h>

#include <filesystem>

#include "app/command.hpp"
#include "app/consolidation.hpp"
#include "app/streams.hpp"

namespace plumbline::app {
namespace {

namespace fs = std::filesystem;

struct RecoverOptions {
  fs::path journal, output;
};

Exit recover(const RecoverOptions& options) {
  fs::path output = options.output;
  if (output.empty()) output = fs::path(options.journal).replace_extension(".h5");
  if (fs::exists(output)) throw user_error(fmt::format("{} exists; choose another file with -o", output.string()));
  std::vector<std::string> notes;
  const Consolidated made = consolidate_journals(options.journal, output, notes);
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
  command->add_option("-o,--output", options->output, "result file (default: NAME.h5)");
  command->callback([&chosen, options] { chosen = [options] { return recover(*options); }; });
}

}  // namespace plumbline::app
