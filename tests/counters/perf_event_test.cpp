// The perf_event backend is tried for real with the kernel's software events, and on a pretended PMU with few counters that others may
// take.
#include "counters/perf_event/perf_event.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <map>
#include <memory>
#include <set>
#include <thread>

#include "tests/sanitized.hpp"

namespace plumbline {
namespace {

// ------------------------------------------------------------------------------------------------------------------- for real

class NewPages {
 public:
  explicit NewPages(std::size_t pages) : page_(static_cast<std::size_t>(sysconf(_SC_PAGESIZE))), bytes_(pages * page_) {
    memory_ = static_cast<char*>(mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    if (memory_ != MAP_FAILED) madvise(memory_, bytes_, MADV_NOHUGEPAGE);  // one fault for each page
  }
  NewPages(const NewPages&) = delete;
  ~NewPages() { munmap(memory_, bytes_); }
  void touch() const {
    for (std::size_t at = 0; at < bytes_; at += page_) static_cast<volatile char*>(memory_)[at] = 1;
  }

 private:
  std::size_t page_, bytes_;
  char* memory_;
};

// Whether software events can be opened here at all: a container may forbid the system call.
class SoftwareEvents : public ::testing::Test {
 protected:
  void SetUp() override {
    backend_ = perf_event_backend({"page-faults", "task-clock"});
    if (const auto can = backend_->availability(); !can.ok()) GTEST_SKIP() << can.reason;
  }
  std::unique_ptr<Backend> backend_;
};
using perf_event = SoftwareEvents;

/// AddressSanitizer's shadow of the touched pages, a byte for eight, faults besides.
void expect_faults(std::uint64_t counted, std::uint64_t pages) {
  EXPECT_GE(counted, pages);
  EXPECT_LE(counted, address_sanitized ? pages + pages / 4 + 16 : pages);
}

TEST_F(perf_event, counts_exactly_one_fault_for_each_new_page) {
  ASSERT_EQ(backend_->groups().size(), 1U);
  for (const std::size_t pages : {0U, 1U, 7U, 1000U}) {
    const NewPages memory(pages + 1);
    backend_->prepare(0, 1);
    backend_->open(0);
    backend_->enter(0);
    backend_->leave(0);  // an entry of its own, which does nothing
    const NewPages counted(pages == 0 ? 1 : pages);
    backend_->enter(0);
    if (pages > 0) counted.touch();
    backend_->leave(0);
    backend_->close(0);
    memory.touch();  // after: not counted
    const auto readings = backend_->readings(0);
    ASSERT_EQ(readings.size(), 2U);
    EXPECT_EQ(readings[0].event, "page-faults");
    EXPECT_EQ(readings[0].status, Status::ok) << readings[0].reason;
    expect_faults(readings[0].raw, pages);
    EXPECT_EQ(readings[0].enabled_ns, readings[0].running_ns);
    EXPECT_GT(readings[1].raw, 0U) << "nanoseconds";
  }
}

TEST_F(perf_event, gives_each_thread_its_own_counts) {
  constexpr int threads = 3;
  const NewPages a(100), b(200), c(300);
  const NewPages* const memory[] = {&a, &b, &c};
  backend_->prepare(0, threads);
  std::vector<std::thread> team;
  for (int t = 0; t < threads; ++t)
    team.emplace_back([&, t] {
      backend_->open(t);
      backend_->enter(t);
      memory[t]->touch();
      backend_->leave(t);
      backend_->close(t);
    });
  for (auto& one : team) one.join();
  for (int t = 0; t < threads; ++t) expect_faults(backend_->readings(t)[0].raw, 100U * (static_cast<unsigned>(t) + 1));
}

TEST_F(perf_event, says_when_files_run_out) {
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  backend_->prepare(0, 1);
  rlimit none = before;
  none.rlim_cur = 0;
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
  backend_->open(0);
  backend_->enter(0);
  backend_->leave(0);
  setrlimit(RLIMIT_NOFILE, &before);
  const auto reading = backend_->readings(0)[0];
  EXPECT_EQ(reading.status, Status::failed);
  EXPECT_EQ(reading.raw, 0U);
  EXPECT_NE(reading.reason.find("ulimit -n"), std::string::npos) << reading.reason;
}

TEST(perf_event_here, every_event_it_knows_can_be_opened_or_says_why_not) {
  const auto events = perf_event_events();
  EXPECT_GE(events.size(), 10U);
  for (const auto& one : events) EXPECT_EQ(one.availability.ok(), one.availability.reason.empty()) << one.name << one.availability.reason;
}

TEST(perf_event_here, an_unknown_name_is_refused_and_the_rest_counted) {
  const auto backend = perf_event_backend({"page-faults", "no-such-event"});
  const auto refused = backend->refused();
  ASSERT_FALSE(refused.empty());
  EXPECT_EQ(refused.front().event, "no-such-event");
  EXPECT_TRUE(refused.front().unknown);
}

// ------------------------------------------------------------------------------------------------------------ on a pretended PMU

// A PMU of some slots; each event counts `rate` times its code every time it is read.
class PretendedPmu : public PerfKernel {
 public:
  int slots = 4;
  int taken = 0;                      // by another user; seen when a group starts, not when it opens
  bool stolen = false;                // from now on
  bool half_the_time = false;         // running is half of enabled
  std::uint64_t nanoseconds = 1000;   // between two reads
  std::set<std::uint64_t> conflicts;  // two of these do not open together
  std::map<std::uint64_t, int> errors;

  int open(perf_event_attr& wanted, pid_t thread, int cpu, int group) noexcept override {
    if (const auto error = errors.find(wanted.config); error != errors.end()) return -error->second;
    EXPECT_EQ(wanted.pinned, group < 0 ? 1U : 0U);
    EXPECT_EQ(cpu < 0, thread == 0);
    auto& members = groups_[group < 0 ? next_ : group];
    if (group >= 0 && conflicts.contains(wanted.config))
      for (const auto config : members)
        if (conflicts.contains(config)) return -EINVAL;
    if (static_cast<int>(members.size()) >= slots) return -EINVAL;
    members.push_back(wanted.config);
    ++opened;
    return next_++;
  }
  long read(int file, void* to, std::size_t bytes) noexcept override {
    const auto& members = groups_[file];
    if (stolen || slots - taken < static_cast<int>(members.size())) return 0;
    std::vector<std::uint64_t> words{members.size(), nanoseconds * ++reads_, nanoseconds * reads_ / (half_the_time ? 2 : 1)};
    for (const auto config : members) words.push_back(config * reads_);
    if (bytes != words.size() * sizeof(std::uint64_t)) return -ENOSPC;
    std::memcpy(to, words.data(), bytes);
    return static_cast<long>(bytes);
  }
  int enable(int) noexcept override { return 0; }
  void close(int) noexcept override { --opened; }
  pid_t thread() noexcept override { return 1; }
  int opened = 0;

 private:
  std::map<int, std::vector<std::uint64_t>> groups_;
  int next_ = 3;
  std::uint64_t reads_ = 0;
};

PerfEvent core_event(std::uint64_t code) { return {.name = "e" + std::to_string(code), .openings = {{PERF_TYPE_RAW, {code}}}}; }

std::vector<PerfEvent> core_events(std::uint64_t first, std::uint64_t last) {
  std::vector<PerfEvent> events;
  for (auto code = first; code <= last; ++code) events.push_back(core_event(code));
  return events;
}

std::vector<Reading> count_once(Backend& backend, std::size_t group) {
  backend.prepare(group, 1);
  backend.open(0);
  backend.enter(0);
  backend.leave(0);
  backend.close(0);
  return backend.readings(0);
}

TEST(pretended_pmu, as_many_events_share_a_group_as_there_are_slots) {
  PretendedPmu pmu;
  const auto backend = perf_event_backend_on(pmu, core_events(1, 10));
  ASSERT_EQ(backend->groups().size(), 3U);
  EXPECT_EQ(backend->groups()[0].events, (std::vector<std::string>{"e1", "e2", "e3", "e4"}));
  EXPECT_EQ(backend->groups()[2].events, (std::vector<std::string>{"e9", "e10"}));
  for (const auto& reading : count_once(*backend, 2)) EXPECT_EQ(reading.status, Status::ok);
  EXPECT_EQ(count_once(*backend, 2)[1].raw, 10U);
  EXPECT_EQ(pmu.opened, 0) << "every file is closed again";
}

TEST(pretended_pmu, a_slot_that_a_watchdog_holds_makes_smaller_groups) {
  PretendedPmu pmu;
  pmu.taken = 1;
  const auto backend = perf_event_backend_on(pmu, core_events(1, 6));
  ASSERT_EQ(backend->groups().size(), 2U);
  EXPECT_EQ(backend->groups()[0].events.size(), 3U);
}

TEST(pretended_pmu, events_that_conflict_are_counted_apart) {
  PretendedPmu pmu;
  pmu.conflicts = {1, 2, 3};  // all need the same counter, as POWER's FLOP events
  EXPECT_EQ(perf_event_backend_on(pmu, core_events(1, 3))->groups().size(), 3U);
}

TEST(pretended_pmu, groups_are_no_larger_than_the_machine_can_be_trusted_with) {
  PretendedPmu pmu;
  const auto backend = perf_event_backend_on(pmu, core_events(1, 7), 3);
  ASSERT_EQ(backend->groups().size(), 3U);
  EXPECT_EQ(backend->groups()[0].events.size(), 3U);
  EXPECT_EQ(backend->groups()[2].events, (std::vector<std::string>{"e7"}));
}

TEST(pretended_pmu, an_event_that_wants_to_be_alone_is) {
  PretendedPmu pmu;
  auto events = core_events(1, 4);
  events[1].alone = events[2].alone = true;
  const auto backend = perf_event_backend_on(pmu, events);
  std::set<std::vector<std::string>> groups;
  for (const auto& group : backend->groups()) groups.insert(group.events);
  EXPECT_EQ(groups, (std::set<std::vector<std::string>>{{"e1", "e4"}, {"e2"}, {"e3"}}));
}

TEST(pretended_pmu, more_than_a_core_can_count_is_no_number) {
  PretendedPmu pmu;
  const auto backend = perf_event_backend_on(pmu, {core_event(1'000'000), core_event(1'000'001)});  // in 1000 ns
  const auto readings = count_once(*backend, 0);
  EXPECT_EQ(readings[0].status, Status::ok) << readings[0].reason;
  EXPECT_EQ(readings[1].status, Status::wrapped);
  EXPECT_EQ(readings[1].raw, 0U);
  EXPECT_NE(readings[1].reason.find("1000001 in 1000 ns"), std::string::npos) << readings[1].reason;
}

TEST(pretended_pmu, work_without_instructions_makes_its_group_doubtful) {
  PretendedPmu pmu;
  PerfEvent instructions = core_event(0);  // it counts nothing
  instructions.name = "instructions";
  const auto backend = perf_event_backend_on(pmu, {core_event(5), instructions});
  for (const auto& reading : count_once(*backend, 0)) EXPECT_EQ(reading.status, Status::ok) << "so short a time says nothing";
  pmu.nanoseconds = 30'000;
  for (const auto& reading : count_once(*backend, 0)) {
    EXPECT_EQ(reading.status, Status::masked);
    EXPECT_EQ(reading.raw, 0U);
    EXPECT_NE(reading.reason.find("no instructions were counted beside it in 30000 ns"), std::string::npos) << reading.reason;
  }
}

TEST(pretended_pmu, a_full_pmu_is_refused_as_stolen) {
  PretendedPmu pmu;
  pmu.taken = 4;
  const auto backend = perf_event_backend_on(pmu, core_events(1, 2));
  EXPECT_EQ(backend->availability().status, Status::stolen);
  EXPECT_NE(backend->availability().reason.find("NMI watchdog"), std::string::npos);
  ASSERT_EQ(backend->refused().size(), 2U);
}

TEST(pretended_pmu, a_group_that_loses_its_place_while_counting_gives_no_number) {
  PretendedPmu pmu;
  const auto backend = perf_event_backend_on(pmu, core_events(1, 2));
  backend->prepare(0, 1);
  backend->open(0);
  backend->enter(0);
  pmu.stolen = true;
  backend->leave(0);
  for (const auto& reading : backend->readings(0)) {
    EXPECT_EQ(reading.status, Status::stolen);
    EXPECT_EQ(reading.raw, 0U);
    EXPECT_NE(reading.reason, "");
  }
}

TEST(pretended_pmu, a_group_that_ran_half_the_time_gives_no_number) {
  PretendedPmu pmu;
  const auto backend = perf_event_backend_on(pmu, core_events(1, 2));
  pmu.half_the_time = true;
  const auto reading = count_once(*backend, 0)[0];
  EXPECT_EQ(reading.status, Status::stolen);
  EXPECT_EQ(reading.raw, 0U);
  EXPECT_NE(reading.reason.find("of 1000 ns"), std::string::npos) << reading.reason;
}

TEST(pretended_pmu, refusals_of_single_events_leave_the_rest) {
  PretendedPmu pmu;
  pmu.errors = {{1, EACCES}, {3, ENOENT}};
  const auto backend = perf_event_backend_on(pmu, core_events(1, 4));
  ASSERT_EQ(backend->groups().size(), 1U);
  EXPECT_EQ(backend->groups()[0].events, (std::vector<std::string>{"e2", "e4"}));
  ASSERT_EQ(backend->refused().size(), 2U);
  EXPECT_EQ(backend->refused()[0].why.status, Status::permission);
  EXPECT_EQ(backend->refused()[1].why.status, Status::unavailable);
  EXPECT_TRUE(backend->availability().ok());
}

TEST(pretended_pmu, channels_and_sockets_of_a_shared_pmu_are_summed_for_the_whole_team) {
  PretendedPmu pmu;
  PerfEvent reads{.name = "cas", .openings = {{14, {5}, 0}, {14, {5}, 28}, {15, {5}, 0}, {15, {5}, 28}}, .shared = true};
  const auto backend = perf_event_backend_on(pmu, {reads, core_event(1)});
  ASSERT_EQ(backend->groups().size(), 2U);
  ASSERT_TRUE(backend->groups()[1].whole_team);
  backend->prepare(1, 2);
  for (const int thread : {0, 1}) backend->open(thread);
  EXPECT_EQ(pmu.opened, 4);
  backend->enter(1);
  backend->enter(0);
  backend->leave(0);
  backend->leave(1);  // the last to leave ends the count
  for (const int thread : {0, 1}) backend->close(thread);
  EXPECT_EQ(pmu.opened, 0);
  const auto readings = backend->readings(0);
  ASSERT_EQ(readings.size(), 1U);
  EXPECT_EQ(readings[0].status, Status::ok) << readings[0].reason;
  EXPECT_EQ(readings[0].raw, 4U * 4U * 5U) << "each of four counters was read four times between its two readings";
}

}  // namespace
}  // namespace plumbline
