// This is the one place where a command line is read, an error becomes a line, and an exit code is given.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <new>
#include <nlohmann/json.hpp>
#include <span>
#include <string_view>

#include "app/commands/command.hpp"
#include "app/here/gpus.hpp"
#include "app/here/version.hpp"
#include "app/terminal/streams.hpp"
#include "campaign/suggest.hpp"
#include "comm/launch.hpp"

namespace {

using namespace plumbline;
using namespace plumbline::app;

int end(const std::string& message, Exit code) {
  if (!message.empty()) say(fmt::format("plumbline: {}\n", message));
  return static_cast<int>(code);
}

/// CLI11 speaks only of a missing subcommand when it does not know the word. `words`: what stands after the command so far.
void require_known_command(const CLI::App& app, std::span<char*> words) {
  std::vector<std::string> known;
  const CLI::App* named = nullptr;
  for (const auto* command : app.get_subcommands({})) {
    if (!words.empty() && command->get_name() == words[0]) named = command;
    if (!command->get_group().empty()) known.push_back(command->get_name());
  }
  const auto options = app.get_options();
  const bool takes_words = std::any_of(options.begin(), options.end(), [](const CLI::Option* option) { return option->get_positional(); });
  if (known.empty() || takes_words || (!words.empty() && words[0][0] == '-')) return;
  if (words.empty()) throw user_error(fmt::format("'{}' needs one of: {}", app.get_name(), fmt::join(known, ", ")));
  if (named) return require_known_command(*named, words.subspan(1));
  throw user_error(fmt::format("there is no command {}{}", in_quotes(words[0]), suggestion(words[0], known)));
}

// CLI11 throws for --help and --version too: those print and succeed.
int on_parse_error(const CLI::App& app, const CLI::ParseError& error) {
  if (error.get_exit_code() == 0) {
    app.exit(error);
    flush_output();
    return static_cast<int>(Exit::ok);
  }
  // MPI has not begun: only the launcher tells the ranks apart, and the user is to read one line.
  const auto launch = find_launch(process_environment());
  if (launch && launch->rank > 0) return static_cast<int>(Exit::user_error);
  return end(std::string(error.what()) + "; try 'plumbline --help' or 'plumbline COMMAND --help'", Exit::user_error);
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"Plumbline measures what a machine can do, proves which counters can be trusted here, and places kernels on its roofline.",
               "plumbline"};
  app.require_subcommand(1);
  app.set_version_flag("--version", version_text, "what is compiled in and what is usable here");
  keep_closed_streams_closed();
  const std::string_view word = argc < 2 ? "" : argv[1];
  if (word != "worker" && word != "tables") open_module_for_gpus();  // the emulator runs nothing of a GPU
  Action chosen;
  if (word == "worker")
    add_worker(app, chosen);  // alone: the emulator translates each block that runs, 14000 then and 19000 with the others (--stats=yes)
  else
    for (const auto add :
         {add_doctor, add_list,    add_run,    add_ceilings,   add_score,   add_show,          add_expect, add_compare, add_nodes,
          add_health, add_history, add_check,  add_baseline,   add_project, add_profile,       add_report, add_import,  add_recover,
          add_slurm,  add_bench,   add_schema, add_completion, add_manual,  add_profiled_rank, add_tables})
      add(app, chosen);
  try {
    require_known_command(app, std::span(argv, static_cast<std::size_t>(argc)).subspan(1));
    try {
      app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
      return on_parse_error(app, error);
    }
    const Exit exit = chosen();
    flush_output();
    return static_cast<int>(exit);
  } catch (const Error& error) {
    return end(error.what(), error.code());
  } catch (const nlohmann::json::exception& error) {
    return end(
        fmt::format("a document in a file that was read is not as plumbline writes it ({}); give files that plumbline wrote", error.what()),
        Exit::user_error);
  } catch (const std::bad_alloc&) {
    return end("out of memory: use smaller sizes or fewer ranks", Exit::user_error);
  } catch (const std::exception& error) {
    return end(error.what(), Exit::io_or_failed_case);
  }
}
