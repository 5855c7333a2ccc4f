// plumbline: the one place where a command line is read, an error becomes a line, and an exit code is given.
#include <fmt/format.h>

#include <cstdio>
#include <new>

#include "app/command.hpp"
#include "app/version.hpp"

namespace {

using namespace plumbline;
using namespace plumbline::app;

int say(const std::string& message, Exit code) {
  if (!message.empty()) fmt::print(stderr, "plumbline: {}\n", message);
  return static_cast<int>(code);
}

// CLI11 throws for --help and --version too: those print and succeed.
int on_parse_error(const CLI::App& app, const CLI::ParseError& error) {
  if (error.get_exit_code() == 0) return app.exit(error);
  return say(std::string(error.what()) + "; try 'plumbline --help' or 'plumbline COMMAND --help'", Exit::user_error);
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"Plumbline measures what a machine can do, proves which counters can be trusted here, and places kernels on its roofline."};
  app.require_subcommand(1);
  app.set_version_flag("--version", version_text, "what is compiled in and what is usable here");
  Action chosen;
  for (const auto add : {add_doctor, add_list, add_run, add_ceilings, add_score, add_show, add_project, add_report, add_bench, add_worker})
    add(app, chosen);
  try {
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
