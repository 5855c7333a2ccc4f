#include "app/programs/launcher_command.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "app/here/paths.hpp"
#include "profile/launcher_words.hpp"
#include "profile/program.hpp"

namespace plumbline::app {

LauncherCommand launcher_command(const ProfileOptions& options, const char* pass, const std::filesystem::path& folder) {
  std::vector<std::string> before{program_path().string(), "profiled-rank", fmt::format("--pass={}", pass), "--folder=" + folder.string()};
  if (options.gpu) {
    before.emplace_back("--gpu");
    before.push_back(fmt::format("--launches={}", options.most_launches));
  } else {
    before.push_back("--caches=" + options.caches);
    before.push_back("--sampling=" + options.sampling);
  }
  if (!options.window.is_whole()) before.push_back("--window=" + options.window.text);
  if (options.time_only) before.emplace_back("--time-only");
  before.emplace_back("--");
  LauncherCommand command{.run = {.file = find_launcher(options.command.front()), .words = {}}, .program = {}};
  command.run.words = with_words_before_programs(options.command, command.run.file, before, names_program);
  command.program = *std::ranges::search(command.run.words, before).end();
  return command;
}

}  // namespace plumbline::app
