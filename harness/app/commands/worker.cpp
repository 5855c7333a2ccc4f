// The hidden command plumbline worker is started by a rank under the emulator, with its end of a socket pair as descriptor 3.
#include "measure/worker.hpp"

#include "app/commands/command.hpp"

namespace plumbline::app {

void add_worker(CLI::App& app, Action& chosen) {
  auto* command = app.add_subcommand("worker", "serves counts to a rank (started by plumbline run)");
  command->group("");
  command->callback([&chosen] {
    chosen = [] {
      constexpr int channel = 3;
      return serve_counts(channel) == 0 ? Exit::ok : Exit::io_or_failed_case;
    };
  });
}

}  // namespace plumbline::app
