// The worker's side: one forked child a case, on a stack at a fixed address.
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

void append_raw(std::vector<std::uint64_t>& numbers, const std::vector<std::vector<Reading>>& by_thread) {
  for (const auto& thread : by_thread)
    for (const Reading& reading : thread) numbers.push_back(reading.raw);
}

void answer(int channel, const WorkerRequest& request) {
  try {
    const auto backend = emulated_backend();
    if (const auto availability = backend->availability(); !availability.ok())
      return refuse(channel, availability.status, availability.reason);
    if (!backend->share_l3(request.ranks_per_l3))
      return refuse(channel, Status::failed, "the simulated L3 has fewer sets than " + std::to_string(request.ranks_per_l3) + " ranks");
    const ThreadTeam threads(request.threads);
    const RegionCounts counts =
        count_case(requested_case(request), *backend, 0, threads, request.entries, request.warm_sweep ? WarmSweep::yes : WarmSweep::no);
    std::vector<std::uint64_t> numbers;
    append_raw(numbers, counts.kernel);
    append_raw(numbers, counts.empty);
    WorkerReply reply{};
    reply.threads = request.threads;
    reply.events = static_cast<int>(counts.kernel.front().size());
    write_all(channel, &reply, sizeof reply) && write_all(channel, numbers.data(), numbers.size() * sizeof numbers[0]);
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

// Nothing here allocates: every child starts from the same heap.
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
