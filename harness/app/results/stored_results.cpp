#include "app/results/stored_results.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

#include "app/terminal/table.hpp"
#include "store/file_bytes.hpp"
#include "store/result_store.hpp"
#include "store/table_stream.hpp"

extern char** environ;

namespace plumbline::app {
namespace {

namespace fs = std::filesystem;

/// Runs this program again, whose standard output is ours to read. posix_spawn copies no pages, so what an interconnect has pinned stays
/// the rank's.
class ReadingProcess {
 public:
  ReadingProcess(const fs::path& file, bool derived) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) refuse(errno);
    output_ = FileDescriptor(ends[0]);
    const FileDescriptor input(ends[1]);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, input.number(), STDOUT_FILENO);
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    sigset_t told_to_all;  // of a job that is told to stop: this process knows when
    sigemptyset(&told_to_all);
    for (const int number : {SIGINT, SIGTERM, SIGUSR1}) sigaddset(&told_to_all, number);
    posix_spawnattr_setsigmask(&attributes, &told_to_all);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
    std::string words[] = {"plumbline", "tables", derived ? "--derived" : "--measured", "--", file.string()};
    char* arguments[] = {words[0].data(), words[1].data(), words[2].data(), words[3].data(), words[4].data(), nullptr};
    const int error = posix_spawn(&process_, "/proc/self/exe", &actions, &attributes, arguments, environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    if (error != 0) refuse(error);
  }
  ~ReadingProcess() {
    if (process_ <= 0) return;
    kill(process_, SIGKILL);
    static_cast<void>(how_it_ended());
  }
  ReadingProcess(const ReadingProcess&) = delete;
  ReadingProcess& operator=(const ReadingProcess&) = delete;

  int output() const { return output_.number(); }

  /// Waits for its end, and says why it sent nothing more.
  std::string how_it_ended() {
    int status = 0;
    pid_t ended = 0;
    do ended = waitpid(std::exchange(process_, -1), &status, 0);
    while (ended < 0 && errno == EINTR);
    if (ended < 0) return "its reader is gone";  // whoever started this program ignores the ends of processes
    if (WIFSIGNALED(status) && (WTERMSIG(status) == SIGXCPU || WTERMSIG(status) == SIGALRM)) return "its reader came to no end";
    if (WIFSIGNALED(status)) return fmt::format("it crashes the HDF5 library: {}", strsignal(WTERMSIG(status)));
    return fmt::format("its reader ended with exit code {}", WEXITSTATUS(status));
  }

 private:
  [[noreturn]] static void refuse(int error) {
    throw io_error(fmt::format("cannot start a process to read a result file with: {}; end others, or raise the limit (ulimit -u)",
                               std::strerror(error)));
  }
  FileDescriptor output_;
  pid_t process_ = -1;
};

/// The most bytes that a file's tables take, packed and as rows: no more than deflate can have made of the file. Rows of real files take
/// some tens of bytes a byte.
std::uint64_t most_bytes_of(const fs::path& file) {
  constexpr std::uint64_t most_inflated = 1032, heads = 1U << 24;
  std::error_code none;
  const auto bytes = fs::file_size(file, none);
  return none ? heads : bytes * most_inflated + heads;
}

void read_apart(const fs::path& file, bool derived, Unpacker& rows) {
  ReadingProcess reader(file, derived);
  try {
    if (receive_tables(reader.output(), rows, most_bytes_of(file))) return;
  } catch (const Damage& damage) {
    throw damaged_store(file, printable(damage.what()));
  } catch (const Error& error) {
    throw Error(error.code(), printable(error.what()));
  }
  throw damaged_store(file, reader.how_it_ended());
}

}  // namespace

Results load_results(const fs::path& file) {
  Unpacker rows(most_bytes_of(file));
  read_apart(file, false, rows);
  return std::move(rows.results);
}

Results load_cases(const fs::path& file) {
  Results results = load_results(file);
  make_phases_cases(results);
  return results;
}

std::optional<Intensities> load_derived(const fs::path& file) {
  Unpacker rows(most_bytes_of(file));
  read_apart(file, true, rows);
  return std::move(rows.derived);
}

}  // namespace plumbline::app
