// plumbline report: figures and a page, drawn by the Python package from what the other commands say as JSON.
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <vector>

#include "app/command.hpp"
#include "app/paths.hpp"

namespace plumbline::app {
namespace {

namespace fs = std::filesystem;

struct ReportOptions {
  std::string file, directory, python = "/usr/bin/python3";
};

int run_and_wait(const std::vector<std::string>& words, const fs::path& output) {
  const pid_t child = fork();
  if (child < 0) throw io_error("cannot start another process: too many are running");
  if (child == 0) {
    if (!output.empty() && !freopen(output.c_str(), "w", stdout)) _exit(1);
    std::vector<char*> arguments;
    for (const auto& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    execvp(arguments[0], arguments.data());
    _exit(127);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

// Judgements are computed in one place, by this program; exit 4 of `score` is a verdict, and is drawn all the same.
fs::path judge(const std::string& command, const ReportOptions& options, const fs::path& directory) {
  const fs::path json = directory / (fs::path(options.file).stem().string() + "." + command + ".json");
  const int code = run_and_wait({program_path().string(), command, options.file, "--json"}, json);
  if (code != 0 && code != static_cast<int>(Exit::wrong_result))
    throw Error(code == 2 ? Exit::user_error : Exit::io_or_failed_case, fmt::format("'plumbline {} {}' ended with {}; see above", command, options.file, code));
  return json;
}

Exit report(const ReportOptions& options) {
  const fs::path directory = options.directory.empty() ? fs::path(options.file).parent_path() / "." : fs::path(options.directory);
  std::error_code failed;
  fs::create_directories(directory, failed);
  if (failed) throw io_error(fmt::format("cannot create {}: {}; choose another folder with -o", directory.string(), failed.message()));
  const fs::path analysis = find_shared("analysis");
  if (analysis.empty()) throw io_error("the Python package plumbline_analysis is not beside this program; install Plumbline, or set PLUMBLINE_SHARE");
  const auto show = judge("show", options, directory), ceilings = judge("ceilings", options, directory), score = judge("score", options, directory);
  setenv("PYTHONPATH", analysis.c_str(), 1);
  setenv("PYTHONDONTWRITEBYTECODE", "1", 1);
  const int code = run_and_wait({options.python, "-m", "plumbline_analysis", "report", options.file, "--show", show.string(), "--ceilings",
                                 ceilings.string(), "--score", score.string(), "-o", directory.string()},
                                {});
  if (code == 127) throw user_error(fmt::format("cannot run {}; name a Python 3 with --python", options.python));
  return code == 0 ? Exit::ok : code == 2 ? Exit::user_error : Exit::io_or_failed_case;
}

}  // namespace

void add_report(CLI::App& app, Action& chosen) {
  auto* command = app.add_subcommand("report", "figures (PNG, SVG) and an HTML page of a result file");
  auto options = std::make_shared<ReportOptions>();
  command->add_option("FILE", options->file, "result file (.h5)")->required();
  command->add_option("-o,--output", options->directory, "folder for the figures (default: beside FILE)");
  command->add_option("--python", options->python, "Python 3 with h5py, pandas and matplotlib")->capture_default_str();
  command->callback([&chosen, options] { chosen = [options] { return report(*options); }; });
}

}  // namespace plumbline::app
