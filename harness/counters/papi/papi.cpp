#include "counters/papi/papi.hpp"

#include <algorithm>

#include "counters/emulated/emulated.hpp"
#include "counters/papi/papi_derived.hpp"
#include "counters/papi/papi_event_set.hpp"
#include "counters/papi/sde_export.hpp"

namespace plumbline {
namespace {

EventNames available_presets() {
  EventNames names;
  int code = static_cast<int>(PAPI_PRESET_MASK);
  if (PAPI_enum_event(&code, PAPI_ENUM_FIRST) != PAPI_OK) return names;
  do {
    PAPI_event_info_t info{};
    if (PAPI_get_event_info(code, &info) == PAPI_OK && info.count > 0) names.emplace_back(info.symbol);
  } while (PAPI_enum_event(&code, PAPI_PRESET_ENUM_AVAIL) == PAPI_OK);
  return names;
}

/// Says why a component has nothing to offer; empty where PAPI does not say.
std::string disabled_reason(std::string_view component) {
  for (int index = 0; index < PAPI_num_components(); ++index)
    if (const auto* info = PAPI_get_component_info(index); info != nullptr && component == info->name && info->disabled != 0)
      return info->disabled_reason;
  return "";
}

class PapiBackend final : public Backend {
 public:
  explicit PapiBackend(EventNames names) : available_(papi_library()) {
    if (!available_.ok()) return;
    const bool chosen_here = names.empty();
    if (chosen_here) names = available_presets();
    std::vector<std::vector<PapiEvent>> groups;
    for (const auto& name : names) place(name, groups);
    for (auto& events : groups) add_group(std::move(events));
    if (chosen_here && groups_.empty()) {
      const std::string why = disabled_reason("perf_event");
      available_ = {Status::unavailable,
                    "PAPI has no preset events here" + (why.empty() ? ": it knows no PMU of this machine" : ": " + why)};
      refused_.clear();
    }
  }

  std::string_view name() const override { return "papi"; }
  Availability availability() const override { return available_; }
  const std::vector<EventGroup>& groups() const override { return groups_; }
  std::vector<Refusal> refused() const override { return refused_; }

  void prepare(std::size_t group, int threads) override {
    sets_.clear();  // before those of the next repetition begin
    group_ = group;
    codes_ = papi_codes_of(events_.at(group));
    sets_ = std::vector<ThreadSet>(groups_[group].whole_team ? 1 : static_cast<std::size_t>(threads));
    for (ThreadSet& set : sets_) set.before = set.after = set.sum = std::vector<long long>(codes_.size());
    threads_ = threads;
    if (!groups_[group].emulated) return;
    emulator_->prepare(0, threads);
    show_totals();
  }
  void open(int thread) noexcept override {
    if (ThreadSet* own = set_of(thread)) {
      if (const int error = PAPI_register_thread(); error != PAPI_OK) own->state = papi_trouble("PAPI_register_thread", error);
      if (own->state.ok() && groups_[group_].emulated) own->state = emulator_->availability();
      if (own->state.ok()) own->state = own->set.fill(events_[group_].front().component, codes_);
      if (own->state.ok()) own->state = own->set.start();
    }
  }
  // A group whose counts PAPI passes on is not entered here: its simulator is.
  void enter(int thread) noexcept override {
    ThreadSet& own = sets_[static_cast<std::size_t>(thread)];
    own.error = std::min(own.error, own.set.read(own.before.data()));
  }
  void leave(int thread) noexcept override {
    ThreadSet& own = sets_[static_cast<std::size_t>(thread)];
    own.error = std::min(own.error, own.set.read(own.after.data()));
    for (std::size_t i = 0; i < own.sum.size(); ++i) own.sum[i] += own.after[i] - own.before[i];
  }
  void close(int thread) noexcept override {
    ThreadSet* own = set_of(thread);
    if (own == nullptr || !own->state.ok()) return;
    if (groups_[group_].emulated) {  // thread 0 comes here when the whole team has left the region
      show_totals();
      own->error = std::min(own->error, own->set.stop(own->sum.data()));
    } else {
      own->error = std::min(own->error, own->set.stop(own->after.data()));
    }
    if (own->error != PAPI_OK) own->state = papi_trouble("PAPI_read", own->error);
    own->set.close();
  }
  std::vector<Reading> readings(int thread) const override {
    std::vector<Reading> all;
    for (const PapiEvent& event : events_[group_]) all.push_back(reading_of(event, sets_[static_cast<std::size_t>(thread)]));
    return all;
  }
  Simulator* simulator() noexcept override {
    return group_ < groups_.size() && groups_[group_].emulated ? emulator_->simulator() : nullptr;
  }

 private:
  struct ThreadSet {
    PapiEventSet set;
    Availability state;
    int error = PAPI_OK;  // of reading, where no words can be made
    std::vector<long long> before, after, sum;
  };

  /// The event set of a thread; null for the threads that leave a group of the whole team to thread 0.
  ThreadSet* set_of(int thread) {
    const auto t = static_cast<std::size_t>(thread);
    return t < sets_.size() ? &sets_[t] : nullptr;
  }

  /// Places an event into the last group of its component, if it can be counted with those that are there; else into a new one.
  void place(const std::string& name, std::vector<std::vector<PapiEvent>>& groups) {
    Refusal why;
    const auto event = papi_event_of(name, why);
    if (!event) return refused_.push_back(std::move(why));
    const auto last = std::find_if(groups.rbegin(), groups.rend(), [&](const auto& group) {
      return group.front().component == event->component && group.front().emulated == event->emulated;
    });
    if (last != groups.rend()) {
      last->push_back(*event);
      if (papi_try_together(*last).ok()) return;
      last->pop_back();
    }
    why.why = papi_try_together({*event});
    if (!why.why.ok()) return refused_.push_back(std::move(why));
    groups.push_back({*event});
  }

  void add_group(std::vector<PapiEvent> events) {
    EventGroup group;
    for (const PapiEvent& event : events) group.events.push_back(event.name);
    group.emulated = group.whole_team = events.front().emulated;
    group.repeats_exactly = group.emulated && std::all_of(events.begin(), events.end(), [](const PapiEvent& event) {
                              const auto plain = emulated_events();
                              return std::any_of(plain.begin(), plain.end(), [&](const EventDescription& one) {
                                return event.name == std::string(sde_prefix) + one.name;
                              });
                            });
    if (group.emulated && !emulator_) emulator_ = emulated_backend();
    groups_.push_back(std::move(group));
    events_.push_back(std::move(events));
  }

  void show_totals() const {
    std::vector<std::uint64_t> totals;
    for (int thread = 0; thread < threads_; ++thread) {
      const auto readings = emulator_->readings(thread);
      totals.resize(readings.size());
      for (std::size_t i = 0; i < readings.size(); ++i) totals[i] += readings[i].raw;
    }
    show_emulated_totals(totals);
  }

  Reading reading_of(const PapiEvent& event, const ThreadSet& own) const {
    const auto refused = [&](Status status, std::string reason) {
      return Reading{.event = event.name, .raw = 0, .enabled_ns = 0, .running_ns = 0, .status = status, .reason = std::move(reason)};
    };
    if (!own.state.ok()) return refused(own.state.status, own.state.reason);
    const long long papis = own.sum[place_of(event.code)];
    if (papis < 0) return refused(Status::negative, "PAPI counted " + std::to_string(papis));
    if (!event.natives.empty()) {
      std::vector<long long> counts;
      for (const int native : event.natives) counts.push_back(own.sum[place_of(native)]);
      if (const auto ours = derived_value(event.type, event.postfix, counts); ours != papis)
        return refused(Status::failed, "PAPI says " + std::to_string(papis) + ", its own formula " + event.type + " gives " +
                                           (ours ? std::to_string(*ours) : "nothing"));
    }
    return {.event = event.name, .raw = static_cast<std::uint64_t>(papis)};
  }

  std::size_t place_of(int code) const { return static_cast<std::size_t>(std::find(codes_.begin(), codes_.end(), code) - codes_.begin()); }

  Availability available_;
  std::vector<EventGroup> groups_;
  std::vector<std::vector<PapiEvent>> events_;  // of the groups
  std::vector<Refusal> refused_;
  std::unique_ptr<Backend> emulator_;  // where a group needs it
  std::size_t group_ = 0;
  int threads_ = 0;
  std::vector<int> codes_;  // of the group that is counted
  std::vector<ThreadSet> sets_;
};

}  // namespace

std::unique_ptr<Backend> papi_backend(const EventNames& events) { return std::make_unique<PapiBackend>(events); }

}  // namespace plumbline
