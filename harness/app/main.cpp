// plumbline: the one place where a command line is read, an error becomes a line, and an exit code is given.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <new>

#include "app/command.hpp"
#include "app/version.hpp"
#include "campaign/suggest.hpp"
#include "comm/launch.hpp"

namespace {

using namespace plumbline;
using namespace plumbline::app;

int say(const std::string& message, Exit code) {
  if (!message.empty()) fmt::print(stderr, "plumbline: {}\n", message);
  return static_cast<int>(code);
}

/// CLI11 speaks only of a missing subcommand when it does not know the word.
void require_known_command(const CLI::App& app, int argc, char** argv) {
  if (argc < 2 || argv[1][0] == '-') return;
  std::vector<std::string> known;
  for (const auto* command : app.get_subcommands({}))
    if (!command->get_group().empty()) known.push_back(command->get_name());
  if (std::string_view(argv[1]) != "worker" && std::find(known.begin(), known.end(), argv[1]) == known.end())
    throw user_error(fmt::format("there is no command '{}'{}", argv[1], suggestion(argv[1], known)));
}

// CLI11 throws for --help and --version too: those print and succeed.
int on_parse_error(const CLI::App& app, const CLI::ParseError& error) {
  if (error.get_exit_code() == 0) return app.exit(error);
  // MPI has not begun: only the launcher tells the ranks apart, and the user is to read one line.
  const auto launch = find_launch(process_environment());
  if (launch && launch->rank > 0) return static_cast<int>(Exit::user_error);
  return say(std::string(error.what()) + "; try 'plumbline --help' or 'plumbline COMMAND --help'", Exit::user_error);
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"Plumbline measures what a machine can do, proves which counters can be trusted here, and places kernels on its roofline."};
  app.require_subcommand(1);
  app.set_version_flag("--version", version_text, "what is compiled in and what is usable here");
  Action chosen;
  for (const auto add :
       {add_doctor, add_list, add_run, add_ceilings, add_score, add_show, add_project, add_report, add_recover, add_bench, add_worker})
    add(app, chosen);
  try {
    require_known_command(app, argc, argv);
    app.parse(argc, argv);
    return static_cast<int>(chosen());
  } catch (const CLI::ParseError& error) {
    return on_parse_error(app, error);
  } catch (const Error& error) {
    return say(error.what(), error.code());
  } catch (const std::bad_alloc&) {
    return say("out of memory: use smaller sizes or fewer ranks", Exit::user_error);
  } catch (const std::exception& error) {
    return say(error.what(), Exit::io_or_failed_case);
  }
}
