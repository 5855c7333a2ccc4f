// The hidden command plumbline profiled-rank stands between a launcher and the program of a rank.
#include "app/programs/profiled_rank.hpp"

#include <map>
#include <memory>

#include "app/commands/command.hpp"
#include "app/gpu_kernels/profile_kernels.hpp"

namespace plumbline::app {

void add_profiled_rank(CLI::App& app, Action& chosen) {
  struct Options : ProfileOptions {
    LaunchPass pass = LaunchPass::timed;
    std::string folder, window_text;
  };
  auto* command = app.add_subcommand("profiled-rank", "runs a rank of a profiled program (started by plumbline profile)");
  command->group("");
  auto options = std::make_shared<Options>();
  command->add_option("--pass", options->pass)
      ->required()
      ->transform(
          CLI::CheckedTransformer(std::map<std::string, LaunchPass>{{"timed", LaunchPass::timed}, {"counted", LaunchPass::counted}}));
  command->add_option("--folder", options->folder)->required();
  command->add_option("--caches", options->caches);
  command->add_option("--sampling", options->sampling);
  command->add_option("--window", options->window_text);
  command->add_flag("--time-only", options->time_only);
  command->add_flag("--gpu", options->gpu);
  command->add_option("--launches", options->most_launches);
  command->add_option("program", options->command)->required();
  command->positionals_at_end();
  command->callback([&chosen, options] {
    if (!options->window_text.empty()) options->window = parse_window(options->window_text);
    chosen = [options] {
      if (options->gpu) return profiled_gpu_rank(options->pass, options->folder, *options);
      return profiled_rank(options->pass, options->folder, *options);
    };
  });
}

}  // namespace plumbline::app
