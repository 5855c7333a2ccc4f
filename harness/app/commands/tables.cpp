// The hidden command plumbline tables reads a result file that anybody may have made, and sends its tables to who started it
// (store/table_stream.hpp): to this program itself, which reads none in any other way (app/results/stored_results.hpp), and to the Python
// package.
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <filesystem>
#include <new>

#include "app/commands/command.hpp"
#include "app/commands/confinement.hpp"
#include "store/result_store.hpp"
#include "store/table_stream.hpp"

namespace plumbline::app {
namespace {

struct TablesOptions {
  std::filesystem::path file;
  bool derived = false;
};

/// The library keeps the file twice, a chunk of each table and what it knows of them. Real files take a hundredth of this time; on the wall
/// there may be a reader who is slow.
Confinement fit_for(std::size_t file_bytes) {
  constexpr std::uint64_t gibibyte = 1U << 30, mebibyte = 1U << 20;
  const std::uint64_t seconds = 20 + file_bytes / mebibyte;
  return {
      .memory_bytes = gibibyte + 4 * std::uint64_t{file_bytes}, .cpu_seconds = seconds, .seconds = static_cast<unsigned>(100 * seconds)};
}

void send(const TablesOptions& options) {
  TableSender sender(STDOUT_FILENO);
  try {
    read_store(options.file, options.derived ? StorePart::derived : StorePart::measured, sender,
               [](std::size_t bytes) { confine(fit_for(bytes)); });
    sender.end();
  } catch (const Damage& damage) {
    sender.end(damage);
  } catch (const Error& error) {
    sender.end(error);
  } catch (const std::bad_alloc&) {
    sender.end(Damage("it asks for more memory than a file of its size needs"));
  }
}

}  // namespace

void add_tables(CLI::App& app, Action& chosen) {
  auto* command = app.add_subcommand("tables", "sends the tables of a result file to another program");
  command->group("");
  auto options = std::make_shared<TablesOptions>();
  command->add_option("FILE", options->file, "result file (.h5)")->required();
  command->add_flag("--derived,!--measured", options->derived, "the table /intensity, or all others");
  command->callback([&chosen, options] {
    chosen = [options] {
      prctl(PR_SET_PDEATHSIG, SIGKILL);                                                           // nobody would read on
      for (const int crash : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) signal(crash, SIG_DFL);  // MPI's libraries would tell of it first
      send(*options);
      _exit(0);  // what is left to be put in order cannot be done from here
      return Exit::ok;
    };
  });
}

}  // namespace plumbline::app
