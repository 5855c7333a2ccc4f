// The worker's side forks one child a case, on a stack at a fixed address.
#include <pthread.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <csignal>
#include <cstring>
#include <stdexcept>

#include "core/kernel.hpp"
#include "counters/registry.hpp"
#include "measure/arena.hpp"
#include "measure/worker.hpp"
#include "measure/worker_channel.hpp"

namespace plumbline {
namespace {

// Well away from Arena::fixed_address and from what the loader and Valgrind take.
constexpr std::uintptr_t stack_address = 0x1'8000'0000;
constexpr std::size_t stack_bytes = std::size_t{64} << 20;

Parameters parse_parameters(const Kernel& kernel, std::string_view path) {
  Parameters parameters;
  while (!path.empty()) {
    const auto slash = path.find('/');
    const std::string_view entry = path.substr(0, slash);
    path.remove_prefix(slash == std::string_view::npos ? path.size() : slash + 1);
    const auto equals = entry.find('=');
    const std::string_view name = entry.substr(0, equals), text = entry.substr(equals + 1);
    const auto spec = std::find_if(kernel.parameters.begin(), kernel.parameters.end(), [&](const auto& s) { return s.name == name; });
    if (spec == kernel.parameters.end()) throw std::invalid_argument("no parameter " + std::string(name));
    if (std::holds_alternative<std::string>(spec->preset)) {
      parameters.set(name, std::string(text));
    } else {
      std::int64_t number = 0;
      std::from_chars(text.data(), text.data() + text.size(), number);
      parameters.set(name, number);
    }
  }
  return parameters;
}

Case requested_case(const WorkerRequest& request) {
  Case wanted;
  wanted.kernel = find_kernel(request.kernel);
  if (!wanted.kernel) throw std::invalid_argument("the worker knows no kernel " + std::string(request.kernel));
  wanted.parameters = parse_parameters(*wanted.kernel, request.parameters);
  wanted.precision = request.precision;
  wanted.team = {1, request.threads};
  for (const Flavor& flavor : wanted.kernel->flavors())
    if (flavor.name == request.flavor && flavor.precision == wanted.precision) wanted.flavor = flavor;
  if (!wanted.flavor.sweep)
    throw std::invalid_argument("the worker knows no flavor " + std::string(request.flavor) + " of " + request.kernel);
  return wanted;
}

void refuse(int channel, Status status, const std::string& reason) {
  WorkerReply reply{};
  reply.status = static_cast<int>(status);
  std::strncpy(reply.reason, reason.c_str(), sizeof reply.reason - 1);
  write_all(channel, &reply, sizeof reply);
}

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  for (; !text.empty(); text.remove_prefix(lines.back().size() + 1)) lines.emplace_back(text.substr(0, text.find('\n')));
  return lines;
}

/// The group that was asked for, and nothing else; null: `why` says what stands in the way.
std::unique_ptr<Backend> requested_backend(const WorkerRequest& request, Availability& why) {
  auto backend = make_backend(request.backend, lines_of(request.events));
  if (!backend) {
    why = {Status::unavailable, "the worker knows no backend " + std::string(request.backend)};
    return nullptr;
  }
  why = backend->availability();
  if (why.ok())
    if (const auto refused = backend->refused(); !refused.empty()) why = refused.front().why;
  if (why.ok() && backend->groups().size() != 1)
    why = {Status::unavailable, "the worker cannot count these events of " + std::string(request.backend) + " at one time"};
  return why.ok() ? std::move(backend) : nullptr;
}

void append(std::vector<WorkerReading>& numbers, std::string& reason, const std::vector<std::vector<Reading>>& by_thread) {
  for (const auto& thread : by_thread)
    for (const Reading& reading : thread) {
      numbers.push_back({reading.raw, reading.enabled_ns, reading.running_ns, static_cast<std::int64_t>(reading.status)});
      if (reason.empty()) reason = reading.reason;
    }
}

void append(std::vector<WorkerReading>& numbers, std::string& reason, const std::vector<RegionCounts>& repetitions) {
  for (const auto& repetition : repetitions) {
    append(numbers, reason, repetition.kernel);
    append(numbers, reason, repetition.empty);
  }
}

void send(int channel, const CountedCase& counted) {
  std::vector<WorkerReading> numbers;
  std::string reason;
  append(numbers, reason, counted.repetitions);
  for (const auto& phase : counted.phases) append(numbers, reason, phase);
  const auto& by_thread = counted.repetitions.front().kernel;
  WorkerReply reply{};
  reply.threads = static_cast<int>(by_thread.size());
  reply.events = static_cast<int>(by_thread.front().size());
  reply.phases = static_cast<int>(counted.phases.size());
  std::strncpy(reply.reason, reason.c_str(), sizeof reply.reason - 1);
  write_all(channel, &reply, sizeof reply) && write_all(channel, numbers.data(), numbers.size() * sizeof numbers[0]);
}

void answer(int channel, const WorkerRequest& request) {
  try {
    Availability why;
    const auto backend = requested_backend(request, why);
    if (!backend) return refuse(channel, why.status, why.reason);
    Simulator* const simulator = backend->simulator();
    if (simulator != nullptr && !simulator->set_l3(request.l3_bytes, request.ranks_per_l3))
      return refuse(channel, Status::failed,
                    "the simulated L3" + (request.l3_bytes == 0 ? "" : ", of " + std::to_string(request.l3_bytes) + " bytes,") +
                        " has no whole number of sets, or fewer of them than the " + std::to_string(request.ranks_per_l3) +
                        " ranks that share it");
    const ThreadTeam threads(request.threads);
    Synchronization alone;
    const CountingProtocol protocol{.repetitions = request.repetitions,
                                    .min_seconds = 0,
                                    .warm = request.warm_sweep ? WarmSweep::yes : WarmSweep::no,
                                    .address = Arena::fixed_address};
    const CountedCase counted = count_case(requested_case(request), *backend, 0, threads, protocol, alone);
    if (counted.status != Status::ok) return refuse(channel, counted.status, counted.reason);
    send(channel, counted);
  } catch (const std::exception& failure) {
    refuse(channel, Status::failed, failure.what());
  }
}

void report_death(int channel, int status) {
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGILL)
    refuse(channel, Status::unavailable, "the flavor uses instructions the emulator does not know (beyond x86-64-v3)");
  else if (WIFSIGNALED(status))
    refuse(
        channel, Status::failed,
        "the case was killed by signal " + std::to_string(WTERMSIG(status)) + " (" + strsignal(WTERMSIG(status)) + ") under the emulator");
  else if (WEXITSTATUS(status) != 0)
    refuse(channel, Status::failed, "the case ended with " + std::to_string(WEXITSTATUS(status)) + " under the emulator");
}

// Serves requests and allocates nothing: every child starts from the same heap.
void* serve(void* descriptor) {
  const int channel = *static_cast<int*>(descriptor);
  static WorkerRequest request;
  while (read_all(channel, &request, sizeof request)) {
    const pid_t child = fork();
    if (child == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      answer(channel, request);
      _exit(0);
    }
    int status = 0;
    if (child < 0)
      refuse(channel, Status::failed, "the emulated worker cannot fork");
    else if (waitpid(child, &status, 0) == child)
      report_death(channel, status);
  }
  return nullptr;
}

}  // namespace

int serve_counts(int channel) {
  void* const stack = mmap(reinterpret_cast<void*>(stack_address), stack_bytes, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
  if (stack == MAP_FAILED) return 1;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstack(&attributes, stack, stack_bytes);
  pthread_t thread;
  if (pthread_create(&thread, &attributes, serve, &channel) != 0) return 1;
  pthread_join(thread, nullptr);
  return 0;
}

}  // namespace plumbline
