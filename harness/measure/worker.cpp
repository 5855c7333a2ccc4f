// The rank's side of the emulated worker: it finds the emulator, starts the worker, and asks it.
#include "measure/worker.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include "core/kernel.hpp"
#include "measure/worker_channel.hpp"

extern char** environ;

namespace plumbline {
namespace {

namespace fs = std::filesystem;

// Options that the emulator needs to be exact (harness/emulator/README.md).
const std::vector<std::string> tool_options{"--command-line-only=yes",  // not the user's settings for other tools
                                            "-q",
                                            "--tool=plumbline",
                                            "--vgdb=no",  // no pipes for a debugger, which killed processes leave behind
                                            "--vex-iropt-register-updates=allregs-at-each-insn",
                                            "--vex-guest-chase=no",
                                            "--fair-sched=yes",
                                            "--count-at-start=no"};

fs::path self() { return fs::read_symlink("/proc/self/exe"); }

// A small environment of fixed shape: nothing of the launcher's, and the same stack whatever the user's shell holds.
std::vector<std::string> worker_environment(const EmulatorInstallation& installation) {
  std::vector<std::string> all{"VALGRIND_LIB=" + installation.tool_directory.string(),
                               "LD_BIND_NOW=1",
                               "OMP_WAIT_POLICY=passive",
                               "OPENBLAS_CORETYPE=Haswell",
                               "OPENBLAS_NUM_THREADS=1",
                               "HWLOC_COMPONENTS=-x86",
                               "UCX_ERROR_SIGNALS=",
                               "PATH=/usr/bin:/bin",
                               "LC_ALL=C"};
  if (const char* libraries = std::getenv("LD_LIBRARY_PATH")) all.push_back(std::string("LD_LIBRARY_PATH=") + libraries);
  return all;
}

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> all;
  for (auto& word : words) all.push_back(word.data());
  all.push_back(nullptr);
  return all;
}

// Lists the open descriptors in the place of close_range(), which needs Linux 5.9 and glibc 2.34: clusters have older ones.
std::vector<int> open_descriptors() {
  std::vector<int> all;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator("/proc/self/fd", none)) all.push_back(std::atoi(entry.path().filename().c_str()));
  return all;
}

template <std::size_t N>
bool copy_word(char (&to)[N], std::string_view from) {
  if (from.size() >= N) return false;
  std::memcpy(to, from.data(), from.size());
  to[from.size()] = '\0';
  return true;
}

/// Whether a sweep must warm the case up. Without simulated caches nothing is left over from an earlier sweep, except in a library, which
/// readies itself in its first call.
bool needs_warm_sweep(const Case& measured, bool caches) { return caches || is_library(measured.flavor.name); }

std::string lines(const std::vector<std::string>& words) {
  std::string all;
  for (const auto& word : words) all += word + '\n';
  return all;
}

std::optional<WorkerRequest> request_for(const Case& measured, const WorkerWish& wish, bool simulated) {
  WorkerRequest request{};
  request.warm_sweep = needs_warm_sweep(measured, simulated);
  request.threads = measured.team.threads;
  request.repetitions = wish.repetitions;
  request.ranks_per_l3 = wish.ranks_per_l3;
  request.l3_bytes = simulated ? wish.l3_bytes : 0;
  const bool fits = copy_word(request.kernel, measured.kernel->name) && copy_word(request.precision, measured.precision) &&
                    copy_word(request.flavor, measured.flavor.name) && copy_word(request.parameters, measured.parameters.path()) &&
                    copy_word(request.backend, wish.backend) && copy_word(request.events, lines(wish.events));
  return fits ? std::optional(request) : std::nullopt;
}

std::string how_it_ended(int process) {
  int status = 0;
  if (waitpid(process, &status, 0) != process) return "it is gone";
  if (WIFSIGNALED(status)) return "killed by signal " + std::to_string(WTERMSIG(status)) + " (" + strsignal(WTERMSIG(status)) + ")";
  return "exit " + std::to_string(WEXITSTATUS(status));
}

/// Whether only simulated caches can tell the event: bytes across a boundary below L1, also under the name of an event made of it.
bool needs_caches(std::string_view event) {
  const auto bytes = event.find("bytes.");
  return bytes != std::string_view::npos && !event.substr(bytes).starts_with("bytes.reg-L1");
}

using Numbers = std::span<const WorkerReading>;

std::vector<std::vector<Reading>> unpack(Numbers& numbers, const WorkerReply& reply, const std::vector<std::string>& events) {
  std::vector<std::vector<Reading>> all(static_cast<std::size_t>(reply.threads));
  for (auto& thread : all) {
    for (std::size_t e = 0; e < events.size(); ++e) {
      const auto status = static_cast<Status>(numbers[e].status);
      thread.push_back({.event = events[e],
                        .raw = numbers[e].raw,
                        .enabled_ns = numbers[e].enabled_ns,
                        .running_ns = numbers[e].running_ns,
                        .status = status,
                        .reason = status == Status::ok ? "" : reply.reason});
    }
    numbers = numbers.subspan(events.size());
  }
  return all;
}

std::vector<RegionCounts> unpack(Numbers& numbers, const WorkerReply& reply, const WorkerWish& wish) {
  std::vector<RegionCounts> repetitions;
  for (int repetition = 0; repetition < wish.repetitions; ++repetition) {
    RegionCounts& counts = repetitions.emplace_back();
    counts.kernel = unpack(numbers, reply, wish.events);
    counts.empty = unpack(numbers, reply, wish.events);
  }
  return repetitions;
}

CountedCase unpack_all(Numbers numbers, const WorkerReply& reply, const WorkerWish& wish) {
  CountedCase counted;
  counted.repetitions = unpack(numbers, reply, wish);
  for (int phase = 0; phase < reply.phases; ++phase) counted.phases.push_back(unpack(numbers, reply, wish));
  return counted;
}

bool needs_core(std::string_view event) { return event.ends_with("core_cycles"); }

void leave_out(std::vector<RegionCounts>& repetitions, bool (*needs)(std::string_view event), const char* reason) {
  for (auto& repetition : repetitions)
    for (auto* region : {&repetition.kernel, &repetition.empty})
      for (auto& thread : *region)
        for (Reading& reading : thread)
          if (needs(reading.event)) reading = {.event = reading.event, .status = Status::skipped, .reason = reason};
}

void leave_out(CountedCase& counted, bool (*needs)(std::string_view event), const char* reason) {
  leave_out(counted.repetitions, needs, reason);
  for (auto& phase : counted.phases) leave_out(phase, needs, reason);
}

}  // namespace

EmulatedWorker::EmulatedWorker(const EmulatorInstallation& installation, std::span<const CacheLevel> caches, Start when,
                               const std::optional<CorePipes>& core)
    : installation_(installation), simulates_caches_(!caches.empty()), simulates_core_(core.has_value()) {
  int number = 1;
  if (!simulates_caches_) geometry_.emplace_back("--caches=no");
  for (const auto& level : caches)
    geometry_.push_back("--l" + std::to_string(number++) + "=" + std::to_string(level.bytes) + "," + std::to_string(level.ways) + "," +
                        std::to_string(level.line_bytes));
  if (core) geometry_.push_back(core_option(*core));
  if (when == Start::now) start();
}

EmulatedWorker::~EmulatedWorker() { stop(); }

void EmulatedWorker::start() {
  std::vector<std::string> words{installation_.valgrind.string()};
  words.insert(words.end(), tool_options.begin(), tool_options.end());
  words.insert(words.end(), geometry_.begin(), geometry_.end());
  words.push_back(self().string());
  words.emplace_back("worker");
  std::vector<std::string> environment = worker_environment(installation_);
  const std::vector<char*> arguments = pointers(words), variables = pointers(environment);

  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return;
  const std::vector<int> open = open_descriptors();
  // A fork() would let an older kernel give pages that an interconnect has pinned to the child as soon as the rank writes to them; vfork()
  // copies nothing.
  process_ = vfork();
  if (process_ == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);                                             // a rank that is killed takes its worker along
    for (const int number : {SIGTERM, SIGUSR1, SIGINT}) signal(number, SIG_IGN);  // a group that is told to stop: the rank knows when
    if (ends[1] == 3)
      fcntl(3, F_SETFD, 0);  // it is in its place (a standard stream is closed here), and dup2 would leave it to be closed
    else
      dup2(ends[1], 3);
    for (const int descriptor : open)
      if (descriptor > 3) close(descriptor);
    execve(arguments[0], arguments.data(), variables.data());
    _exit(127);
  }
  close(ends[1]);
  channel_ = ends[0];
  if (process_ < 0) stop();
}

void EmulatedWorker::stop() {
  if (channel_ >= 0) close(channel_);
  if (process_ > 0 && waitpid(process_, nullptr, WNOHANG) == 0) {
    kill(process_, SIGKILL);
    waitpid(process_, nullptr, 0);
  }
  channel_ = process_ = -1;
}

CountedCase EmulatedWorker::count(const Case& measured, const WorkerWish& wish, double patience_seconds) {
  const auto refuse = [](Status status, std::string reason) { return CountedCase{status, std::move(reason), {}}; };
  if (const FlavorName flavor = split_flavor(measured.flavor.name); flavor.isa.starts_with("v4") || flavor.level == "avx512")
    return refuse(Status::unavailable, "the emulator decodes up to x86-64-v3: count this kernel's v3 flavor");
  const auto request = request_for(measured, wish, simulates_caches_);
  if (!request) return refuse(Status::failed, "the names of the case or of its events are too long for the worker");
  if (channel_ < 0) start();
  if (channel_ < 0) return refuse(Status::failed, std::string("cannot start the emulated worker: ") + std::strerror(errno));
  WorkerReply reply{};
  bool whole = write_all(channel_, &*request, sizeof *request);
  if (whole && !wait_readable(channel_, patience_seconds)) {
    stop();
    return refuse(Status::failed, "the emulated worker gave no answer in " + std::to_string(std::lround(patience_seconds)) + " s");
  }
  std::vector<WorkerReading> numbers;
  whole = whole && read_all(channel_, &reply, sizeof reply);
  if (whole && reply.status == static_cast<int>(Status::ok)) {
    numbers.resize(static_cast<std::size_t>(1 + reply.phases) * 2 * static_cast<std::size_t>(wish.repetitions) *
                   static_cast<std::size_t>(reply.threads) * wish.events.size());
    whole = static_cast<std::size_t>(reply.events) == wish.events.size() &&
            read_all(channel_, numbers.data(), numbers.size() * sizeof numbers[0]);
  }
  if (!whole) {
    const std::string end = how_it_ended(process_);
    process_ = -1;
    stop();
    return refuse(Status::failed, "the emulated worker ended: " + end);
  }
  if (reply.status != static_cast<int>(Status::ok)) return refuse(static_cast<Status>(reply.status), reply.reason);
  CountedCase counted = unpack_all(numbers, reply, wish);
  if (!simulates_caches_) leave_out(counted, needs_caches, "no caches are simulated");
  if (!simulates_core_) leave_out(counted, needs_core, "no core is simulated: its pipelines are not known");
  return counted;
}

}  // namespace plumbline
