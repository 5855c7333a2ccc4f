// The command plumbline report makes figures and a page, drawn by the Python package from what the other commands say as JSON.
#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <vector>

#include "app/commands/command.hpp"
#include "app/commands/common_options.hpp"
#include "app/here/paths.hpp"
#include "store/file_bytes.hpp"

namespace plumbline::app {
namespace {

namespace fs = std::filesystem;

/// The system's, or that of the environment into which pip has put this program.
std::string preset_python() {
  const fs::path beside = program_path().parent_path() / "python3";
  std::error_code none;
  return fs::exists(beside, none) ? beside.string() : "/usr/bin/python3";
}

struct ReportOptions {
  std::string file, against, directory, python = preset_python(), by, convention;
  bool dark = false, debug = false;
};

constexpr int cannot_run = 127;  // as a shell has it

int run_and_wait(const std::vector<std::string>& words, int output = STDOUT_FILENO) {
  const pid_t child = fork();
  if (child < 0) throw io_error("cannot start another process: too many are running");
  if (child == 0) {
    if (dup2(output, STDOUT_FILENO) < 0) _exit(cannot_run);
    std::vector<char*> arguments;
    for (const auto& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    execvp(arguments[0], arguments.data());
    _exit(cannot_run);
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/// A file that is there under its name only once it is whole.
class Draft {
 public:
  explicit Draft(const fs::path& path)
      : path_(behind_links(path)), draft_(path_.parent_path() / fmt::format(".{}.{}", path_.filename().string(), getpid())) {
    descriptor_ = create_own_file(draft_);
    if (descriptor_ < 0) refuse();
  }
  ~Draft() {
    if (descriptor_ >= 0) close(descriptor_);
    unlink(draft_.c_str());  // gone already where it was kept
  }
  Draft(const Draft&) = delete;
  Draft& operator=(const Draft&) = delete;

  int descriptor() const { return descriptor_; }
  void keep() {
    errno = EEXIST;
    if (!may_be_replaced(path_) || rename(draft_.c_str(), path_.c_str()) != 0) refuse();
  }

 private:
  [[noreturn]] void refuse() const {
    throw io_error(fmt::format("cannot write {}: {}; choose another folder with -o", path_.string(), std::strerror(errno)));
  }
  fs::path path_, draft_;
  int descriptor_ = -1;
};

/// The exit code of a command that has said itself, in one line, why it failed.
Exit failed(int code, const std::string& what) {
  if (code == static_cast<int>(Exit::user_error)) return Exit::user_error;
  if (code == static_cast<int>(Exit::io_or_failed_case)) return Exit::io_or_failed_case;
  throw io_error(
      fmt::format("{} ended with {}", what, code < 128 ? fmt::format("exit code {}", code) : fmt::format("signal {}", code - 128)));
}

/// A judgement is what another command says of a file, or of two.
struct Judgement {
  std::string command;
  std::vector<std::string> files;
  std::string option;  // of the package, which takes what was said
};

// Judgements are computed in one place, by this program; exit 4 of `score`, 3 and 4 of `nodes` and `compare` are verdicts, and are drawn
// all the same.
Exit run_judgement(const Judgement& judgement, const ReportOptions& options, const fs::path& json) {
  const std::string& command = judgement.command;
  Draft draft(json);
  std::vector<std::string> words{program_path().string(), command};
  words.insert(words.end(), judgement.files.begin(), judgement.files.end());
  words.emplace_back("--json");
  if (command == "show" && !options.by.empty()) words.insert(words.end(), {"--by", options.by});
  if ((command == "show" || command == "score") && !options.convention.empty())
    words.insert(words.end(), {"--convention", options.convention});
  const int code = run_and_wait(words, draft.descriptor());
  if (code != 0 && code != static_cast<int>(Exit::wrong_result) && code != static_cast<int>(Exit::regression))
    return failed(code, fmt::format("'plumbline {} {}'", command, fmt::join(judgement.files, " ")));
  draft.keep();
  return Exit::ok;
}

/// A drawing: what is judged, and which command of the package draws it: a file's cases and counters, or a folder's nights.
struct Drawing {
  std::string command;
  std::vector<Judgement> judgements;
  fs::path directory;
  std::string stem;  // of the judgements' names
};

Drawing drawing_of(const ReportOptions& options) {
  const fs::path file = options.file;
  std::error_code unknown;
  if (fs::is_directory(file, unknown)) {
    if (!options.against.empty()) throw user_error("--against compares two result files; '" + options.file + "' is a folder");
    if (!options.by.empty() || !options.convention.empty())
      throw user_error(fmt::format("{} says how cases of a result file are placed; '{}' is a folder of nights",
                                   options.by.empty() ? "--convention" : "--by", options.file));
    return {"history", {{"history", {options.file}, "history"}}, file / "figures", ""};
  }
  Drawing drawing{"report", {}, file.parent_path() / ".", file.stem().string() + "."};
  if (!options.against.empty()) {  // first: where that file cannot be read nothing is written
    for (const char* command : {"show", "ceilings", "score"})
      drawing.judgements.push_back({command, {options.against}, fmt::format("against-{}", command)});
    drawing.judgements.push_back({"compare", {options.against, options.file}, "compare"});
  }
  for (const char* command : {"show", "ceilings", "score", "nodes"}) drawing.judgements.push_back({command, {options.file}, command});
  return drawing;
}

/// The system's Python has its packages; one that the user named (a module's, Spack's) may find them by the user's PYTHONPATH.
std::string python_path(const fs::path& analysis, const std::string& python) {
  const char* users = std::getenv("PYTHONPATH");
  return python == preset_python() || users == nullptr || *users == 0 ? analysis.string() : fmt::format("{}:{}", analysis.string(), users);
}

Exit report(const ReportOptions& options) {
  const Drawing drawing = drawing_of(options);
  const fs::path directory = options.directory.empty() ? drawing.directory : fs::path(options.directory);
  std::error_code refused;
  fs::create_directories(directory, refused);
  if (refused) throw io_error(fmt::format("cannot create {}: {}; choose another folder with -o", directory.string(), refused.message()));
  const fs::path analysis = find_shared("analysis");
  if (analysis.empty())
    throw io_error("the Python package plumbline_analysis is not beside this program; install Plumbline, or set PLUMBLINE_SHARE");
  std::vector<std::string> words{options.python, "-m", "plumbline_analysis", drawing.command, options.file, "-o", directory.string()};
  if (!options.against.empty()) words.insert(words.end(), {"--against", options.against});
  for (const Judgement& judgement : drawing.judgements) {
    const fs::path json = directory / (drawing.stem + judgement.option + ".json");
    if (const Exit exit = run_judgement(judgement, options, json); exit != Exit::ok) return exit;
    words.insert(words.end(), {"--" + judgement.option, json.string()});
  }
  if (options.dark) words.emplace_back("--dark");
  if (options.debug) words.emplace_back("--debug");
  setenv("PYTHONPATH", python_path(analysis, options.python).c_str(), 1);
  setenv("PYTHONDONTWRITEBYTECODE", "1", 1);
  setenv("PLUMBLINE", program_path().c_str(), 1);  // which reads the file for it
  const int code = run_and_wait(words);
  if (code == cannot_run) throw user_error(fmt::format("cannot run {}; name a Python 3 with --python or PLUMBLINE_PYTHON", options.python));
  return code == 0 ? Exit::ok : failed(code, options.python);
}

}  // namespace

void add_report(CLI::App& app, Action& chosen) {
  auto* command =
      app.add_subcommand("report", "figures (PNG, SVG) and an HTML page of a result file, or control charts of a folder of them");
  auto options = std::make_shared<ReportOptions>();
  command->add_option("FILE", options->file, "result file (.h5), or a folder of nightly ones")->required();
  command->add_option("--against", options->against, "another result file (.h5), which the page holds this one against");
  command->add_option("-o,--output", options->directory, "folder for the figures (default: beside FILE, or DIR/figures)");
  command->add_option("--by", options->by, "draws where each case would lie with this counter's bytes, too");
  add_convention(*command, options->convention);
  command->add_flag("--dark", options->dark, "draws the still figures on a dark ground, for slides; the page follows its reader");
  command->add_option("--python", options->python, "Python 3 with pandas and matplotlib")
      ->envname("PLUMBLINE_PYTHON")
      ->capture_default_str();
  command->add_flag("--debug", options->debug, "after an error in Python that nobody foresaw, show where it rose");
  command->callback([&chosen, options] { chosen = [options] { return report(*options); }; });
}

}  // namespace plumbline::app
