#include "counters/perf_event/perf_event.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <set>
#include <stdexcept>

#include "counters/perf_event/perf_group.hpp"

namespace plumbline {
namespace {

bool user_only(const PerfEvent& event) { return !event.shared && !event.in_kernel; }

// Places in the backend's list of events.
using Members = std::vector<std::size_t>;

// ------------------------------------------------------------------------------------------------------ what opens together

// Opens the events as one group of this thread and lets it run for a moment: what the kernel accepts may still not fit beside what
// others hold (an NMI watchdog, a pinned event of root's).
Availability try_together(PerfKernel& kernel, const std::vector<PerfEvent>& events, const Members& members) {
  PerfGroup group;
  group.reserve(kernel, members.size());
  for (const std::size_t i : members)
    if (const int failed = group.open(events[i].openings.front(), user_only(events[i])); failed < 0)
      return judge_refusal(-failed, events[i], perf_event_paranoid());
  if (const int failed = group.start(); failed < 0) return judge_refusal(-failed, events[members.front()], perf_event_paranoid());
  GroupCounts counts(members.size());
  group.read(counts);
  if (!counts.complete() || counts.running() != counts.enabled())
    return {Status::stolen, events[members.back()].name +
                                ": opens, but gets no place on the PMU: another user holds it (perf, a profiler, the NMI watchdog)"};
  return {};
}

// Tries a shared PMU: all its instances and sockets must open.
Availability try_shared(PerfKernel& kernel, const PerfEvent& event) {
  for (const auto& opening : event.openings) {
    PerfGroup group;
    group.reserve(kernel, 1);
    int failed = group.open(opening, user_only(event));
    if (failed == 0) failed = group.start();
    if (failed < 0) return judge_refusal(-failed, event, perf_event_paranoid());
  }
  return {};
}

/// The most that counts in a core, whose widest event is 64 a cycle: above it a counter of few bits was read across an overflow.
constexpr std::uint64_t most_in_a_nanosecond = 1000;
/// A thread in user code for so long has cycles and instructions.
constexpr std::uint64_t surely_works_ns = 20'000;

/// A hypervisor shows counters that it may not have at the moment, and says nothing: on Zen 5 under KVM groups of up to four events were
/// always right, of five now and then one was not, and of six the last one hardly ever counted.
constexpr std::size_t most_in_a_guest = 4;

bool is_software(const PerfEvent& event) { return event.openings.front().type == PERF_TYPE_SOFTWARE; }

// ----------------------------------------------------------------------------------------------------------- one thread's sums

struct Sums {
  std::vector<std::uint64_t> raw;
  std::uint64_t enabled_ns = 0, running_ns = 0;
  Status status = Status::ok;
  std::string reason;

  // noexcept all the way: the reason is written when it is read.
  void fail(Status worse, int error) noexcept {
    if (status == Status::ok) status = worse, error_ = error;
  }
  int error() const { return error_; }

 private:
  int error_ = 0;
};

void add(Sums& sums, const GroupCounts& before, const GroupCounts& after, std::size_t first) noexcept {
  if (!before.complete() || !after.complete()) {
    const long bytes = before.complete() ? after.bytes : before.bytes;
    return bytes < 0 ? sums.fail(Status::failed, static_cast<int>(-bytes)) : sums.fail(Status::stolen, 0);
  }
  const auto enabled = after.enabled() - before.enabled(), running = after.running() - before.running();
  sums.enabled_ns += enabled;
  sums.running_ns += running;
  if (enabled != running) sums.fail(Status::stolen, 0);
  for (std::size_t i = 0; i + 3 < after.words.size(); ++i) sums.raw[first + i] += after.value(i) - before.value(i);
}

// A thread's counters lie on pages of their own, which reading them has touched before anything is counted.
struct alignas(4096) ThreadPlace {
  std::vector<PerfGroup> groups;  // one; of shared PMUs one for each opening
  std::vector<GroupCounts> before, after;
  std::vector<std::size_t> event;  // of each group: its first event's place in the backend's group
  Sums sums;
};

// -------------------------------------------------------------------------------------------------------------------- backend

class PerfEventBackend final : public Backend {
 public:
  PerfEventBackend(PerfKernel& kernel, std::vector<PerfEvent> events, std::size_t most_together)
      : kernel_(kernel), events_(std::move(events)), most_together_(most_together) {
    form_groups();
  }

  std::string_view name() const override { return "perf_event"; }
  Availability availability() const override {
    if (!groups_.empty()) return {};
    return refused_.empty() ? Availability{Status::unavailable, "perf_event: no event was asked for"} : refused_.front().why;
  }
  const std::vector<EventGroup>& groups() const override { return groups_; }
  std::vector<Refusal> refused() const override { return refused_; }

  void prepare(std::size_t group, int threads) override {
    if (group >= groups_.size()) throw std::out_of_range("perf_event has no such event group");
    group_ = group;
    threads_ = threads;
    inside_ = left_ = 0;
    places_ = std::vector<ThreadPlace>(groups_[group].whole_team ? 1 : static_cast<std::size_t>(threads));
    for (auto& place : places_) lay_out(place);
  }

  void open(int thread) noexcept override {
    if (whole_team() && thread != 0) return;
    ThreadPlace& place = places_[static_cast<std::size_t>(thread)];
    std::size_t next = 0;
    for (const std::size_t i : members_[group_]) {
      for (const auto& opening : events_[i].openings) {
        PerfGroup& group = place.groups[next];
        if (const int failed = group.open(opening, user_only(events_[i])); failed < 0) return place.sums.fail(Status::failed, -failed);
        if (whole_team()) ++next;
      }
    }
    for (std::size_t g = 0; g < place.groups.size(); ++g) {
      if (const int failed = place.groups[g].start(); failed < 0) return place.sums.fail(Status::failed, -failed);
      place.groups[g].read(place.before[g]);  // touches the pages that counting reads into
      place.groups[g].read(place.after[g]);
    }
  }
  void close(int thread) noexcept override {
    if (whole_team() && thread != 0) return;
    for (auto& group : places_[static_cast<std::size_t>(thread)].groups) group.close();
  }

  // A shared PMU counts from the first thread's entry to the last one's leaving.
  void enter(int thread) noexcept override {
    if (!whole_team()) return take(places_[static_cast<std::size_t>(thread)], &ThreadPlace::before);
    if (inside_.fetch_add(1) == 0) take(places_.front(), &ThreadPlace::before);
  }
  void leave(int thread) noexcept override {
    if (!whole_team()) return end(places_[static_cast<std::size_t>(thread)]);
    if (left_.fetch_add(1) + 1 < threads_) return;
    end(places_.front());
    inside_ = left_ = 0;
  }

  std::vector<Reading> readings(int thread) const override {
    const Sums& sums = places_[static_cast<std::size_t>(thread)].sums;
    std::vector<Reading> all;
    for (std::size_t i = 0; i < groups_[group_].events.size(); ++i) {
      Reading one{.event = groups_[group_].events[i], .raw = sums.raw[i], .enabled_ns = sums.enabled_ns, .running_ns = sums.running_ns};
      if (const auto why = explain(sums, i); !why.ok()) one.raw = 0, one.status = why.status, one.reason = why.reason;
      all.push_back(std::move(one));
    }
    return all;
  }

 private:
  bool whole_team() const { return groups_[group_].whole_team; }

  /// Says why the event at that place of the group has no number; ok where it has.
  Availability explain(const Sums& sums, std::size_t place) const {
    const PerfEvent& event = events_[members_[group_][place]];
    if (!event.problem.ok()) return event.problem;
    if (sums.status == Status::ok) return whole_team() || is_software(event) ? Availability{} : doubt(sums, place);
    if (sums.error() != 0) return judge_refusal(sums.error(), event, perf_event_paranoid());
    return {Status::stolen, "the group was not on the PMU all the time (" + std::to_string(sums.running_ns) + " of " +
                                std::to_string(sums.enabled_ns) + " ns): another user took it"};
  }

  /// Numbers that no core can have counted: what a hypervisor gives that has fewer counters than it shows.
  Availability doubt(const Sums& sums, std::size_t place) const {
    const auto& members = members_[group_];
    for (std::size_t i = 0; i < members.size(); ++i) {
      const std::string& name = events_[members[i]].name;
      if ((name == "cycles" || name == "instructions") && sums.raw[i] == 0 && sums.enabled_ns > surely_works_ns)
        return {Status::masked, "no " + name + " were counted beside it in " + std::to_string(sums.enabled_ns) +
                                    " ns of work: the group has no counters behind it (a virtual machine's, or another user's)"};
    }
    if (sums.raw[place] > most_in_a_nanosecond * std::max<std::uint64_t>(sums.enabled_ns, 1))
      return {Status::wrapped, std::to_string(sums.raw[place]) + " in " + std::to_string(sums.enabled_ns) +
                                   " ns is more than a core can count: the counter was read across an overflow"};
    return {};
  }

  void refuse(const PerfEvent& event, const Availability& why) { refused_.push_back({event.name, why, event.unknown}); }

  void begin_group(const Members& members, bool shared) {
    EventGroup group;
    for (const std::size_t i : members) group.events.push_back(events_[i].name);
    group.whole_team = shared;
    groups_.push_back(std::move(group));
    members_.push_back(members);
  }

  void form_groups() {
    Members software, hardware, shared;
    for (std::size_t i = 0; i < events_.size(); ++i) {
      const auto& event = events_[i];
      if (event.problem.status == Status::skipped)
        begin_group({i}, true);  // counted by another rank: a group all the same, so that all ranks of a team have the same groups
      else if (!event.problem.ok())
        refuse(event, event.problem);
      else
        (event.shared ? shared : is_software(event) ? software : hardware).push_back(i);
    }
    fill(software);
    fill(hardware);
    for (const std::size_t i : shared) {
      const auto why = try_shared(kernel_, events_[i]);
      why.ok() ? begin_group({i}, true) : refuse(events_[i], why);
    }
  }

  // Each event joins the group before it if both run together, else it begins one.
  void fill(const Members& candidates) {
    Members group;
    for (const std::size_t i : candidates) {
      if (events_[i].alone) {
        const auto alone = try_together(kernel_, events_, {i});
        alone.ok() ? begin_group({i}, false) : refuse(events_[i], alone);
        continue;
      }
      Members larger = group;
      larger.push_back(i);
      if (larger.size() <= most_together_ && try_together(kernel_, events_, larger).ok()) {
        group = larger;
        continue;
      }
      if (const auto alone = try_together(kernel_, events_, {i}); !alone.ok()) {
        refuse(events_[i], alone);
        continue;
      }
      if (!group.empty()) begin_group(group, false);
      group = {i};
    }
    if (!group.empty()) begin_group(group, false);
  }

  void lay_out(ThreadPlace& place) const {
    const auto& members = members_[group_];
    place.sums.raw.assign(members.size(), 0);
    if (!whole_team()) {
      place.groups.resize(1);
      place.groups.front().reserve(kernel_, members.size());
      place.event = {0};
      place.before = place.after = {GroupCounts(members.size())};
      return;
    }
    for (std::size_t m = 0; m < members.size(); ++m)
      for (std::size_t k = 0; k < events_[members[m]].openings.size(); ++k) {
        place.groups.emplace_back();
        place.groups.back().reserve(kernel_, 1);
        place.event.push_back(m);
        place.before.emplace_back(1);
        place.after.emplace_back(1);
      }
  }

  static void take(ThreadPlace& place, std::vector<GroupCounts> ThreadPlace::*moment) noexcept {
    if (place.sums.status != Status::ok) return;
    for (std::size_t g = 0; g < place.groups.size(); ++g) place.groups[g].read((place.*moment)[g]);
  }
  static void end(ThreadPlace& place) noexcept {
    take(place, &ThreadPlace::after);
    if (place.sums.status != Status::ok) return;
    for (std::size_t g = 0; g < place.groups.size(); ++g) add(place.sums, place.before[g], place.after[g], place.event[g]);
  }

  PerfKernel& kernel_;
  std::vector<PerfEvent> events_;
  std::size_t most_together_;
  std::vector<EventGroup> groups_;
  std::vector<Members> members_;  // of each group
  std::vector<Refusal> refused_;
  std::size_t group_ = 0;
  int threads_ = 1;
  std::atomic<int> inside_{0}, left_{0};
  std::vector<ThreadPlace> places_;
};

void add_table_events(const PerfFacts& facts, std::vector<PerfEvent>& all) {
  const auto pmus = read_pmus();
  for (const auto& row : facts.table)
    for (const auto& event : row.events)
      if (std::none_of(all.begin(), all.end(), [&](const PerfEvent& other) { return other.name == event.name; }))
        all.push_back(resolve_event(event.name, facts, pmus));
}

Availability check(const PerfEvent& event) {
  if (!event.problem.ok()) return event.problem;
  return event.shared ? try_shared(linux_perf(), event) : try_together(linux_perf(), {event}, {0});
}

// What a run counts that names no events: what has a meaning and can be had; if nothing can, the first, which says why.
std::vector<PerfEvent> own_choice(const PerfFacts& facts) {
  std::vector<PerfEvent> wanted{resolve_event("cycles", facts, {}), resolve_event("instructions", facts, {})}, usable;
  add_table_events(facts, wanted);
  for (const auto& event : wanted)
    if (event.problem.status == Status::skipped || check(event).ok()) usable.push_back(event);
  if (usable.empty()) usable.push_back(wanted.front());
  return usable;
}

}  // namespace

std::unique_ptr<Backend> perf_event_backend_on(PerfKernel& kernel, std::vector<PerfEvent> events, std::size_t most_together) {
  return std::make_unique<PerfEventBackend>(kernel, std::move(events), most_together);
}

std::unique_ptr<Backend> perf_event_backend(const EventNames& names, const PerfFacts& facts) {
  const std::size_t most_together = facts.virtual_machine ? most_in_a_guest : any_number_of_events;
  if (names.empty()) return perf_event_backend_on(linux_perf(), own_choice(facts), most_together);
  const auto pmus = read_pmus();
  std::vector<PerfEvent> events;
  for (const auto& name : names) events.push_back(resolve_event(name, facts, pmus));
  return perf_event_backend_on(linux_perf(), std::move(events), most_together);
}

std::string perf_event_code(const std::string& name, const PerfFacts& facts) {
  const PerfEvent event = resolve_event(name, facts, read_pmus());
  std::set<std::string> codes;
  for (const auto& opening : event.openings) {
    std::string code = "type " + std::to_string(opening.type) + " config";
    for (const std::uint64_t word : opening.config) {
      std::array<char, 24> text{};
      std::snprintf(text.data(), text.size(), " 0x%llx", static_cast<unsigned long long>(word));
      if (word != 0 || &word == opening.config.data()) code += text.data();
    }
    codes.insert(code);
  }
  std::string all;
  for (const auto& code : codes) all += (all.empty() ? "" : "; ") + code;
  return all.empty() ? name : all;
}

std::vector<EventDescription> perf_event_events(const PerfFacts& facts) {
  auto events = events_of_kernel();
  add_table_events(facts, events);
  std::vector<EventDescription> all;
  for (const auto& event : events)
    all.push_back({event.name, event.name == "task-clock" ? "nanoseconds" : "events", event.description, check(event)});
  return all;
}

}  // namespace plumbline
