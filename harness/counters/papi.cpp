#include "counters/papi.hpp"

#include <papi.h>
#include <pthread.h>

#include <algorithm>
#include <array>
#include <optional>

#include "counters/emulated.hpp"
#include "counters/papi_derived.hpp"
#include "counters/sde_export.hpp"

namespace plumbline {
namespace {

Availability trouble(const std::string& call, int error) {
  const auto status = [error] {
    switch (error) {
      case PAPI_EPERM:
        return Status::permission;
      case PAPI_ECLOST:
        return Status::stolen;
      case PAPI_ENOEVNT:
      case PAPI_ECMP:
      case PAPI_ECNFLCT:
      case PAPI_ECOUNT:
      case PAPI_ENOTPRESET:
      case PAPI_ENOCNTR:
      case PAPI_ENOCMP:
      case PAPI_ENOSUPP:
      case PAPI_ENOIMPL:
      case PAPI_ECMP_DISABLED:
      case PAPI_EMULPASS:
        return Status::unavailable;
      default:
        return Status::failed;
    }
  };
  const char* words = PAPI_strerror(error);
  return {status(), call + ": " + (words != nullptr ? words : "error " + std::to_string(error))};
}

std::string version_text(int version) {
  return std::to_string(PAPI_VERSION_MAJOR(version)) + "." + std::to_string(PAPI_VERSION_MINOR(version)) + "." +
         std::to_string(PAPI_VERSION_REVISION(version));
}

/// Starts the library, once.
const Availability& library() {
  static const Availability started = []() -> Availability {
    export_emulated_counters();
    const int version = PAPI_library_init(PAPI_VER_CURRENT);
    if (version > 0 && version != PAPI_VER_CURRENT)
      return {Status::unavailable, "the PAPI library is version " + version_text(version) + ", this program was compiled with " +
                                       version_text(PAPI_VER_CURRENT) + ": build it again with the library's own papi.h"};
    if (version < 0) return trouble("PAPI_library_init", version);
    if (const int error = PAPI_thread_init(pthread_self); error != PAPI_OK) return trouble("PAPI_thread_init", error);
    return {};
  }();
  return started;
}

/// An event that can be counted: itself, and what a derived one is formed of.
struct Event {
  std::string name;
  int code = 0, component = 0;
  bool emulated = false;
  std::string type = {}, postfix = {};
  std::vector<int> natives = {};  // empty: it is no derived event
};

/// PAPI answers OK with the value -1 for a software-defined event that nobody registered: only our own list knows them.
bool is_unknown_sde(const std::string& name) {
  if (!name.starts_with("sde:::")) return false;
  const auto& known = sde_counters();
  return std::none_of(known.begin(), known.end(), [&](const EventDescription& event) { return event.name == name; });
}

std::optional<Event> event_of(const std::string& name, Refusal& why) {
  why = {name, {}, false};
  if (is_unknown_sde(name)) {
    why = {name, {Status::unavailable, "no software-defined event '" + name + "' is registered"}, true};
    return std::nullopt;
  }
  Event event{.name = name};
  if (const int error = PAPI_event_name_to_code(name.c_str(), &event.code); error != PAPI_OK) {
    why = {name, trouble("PAPI_event_name_to_code", error), error == PAPI_ENOEVNT};
    return std::nullopt;
  }
  PAPI_event_info_t info{};
  if (const int error = PAPI_get_event_info(event.code, &info); error != PAPI_OK) {
    why.why = trouble("PAPI_get_event_info", error);
    return std::nullopt;
  }
  event.emulated = name.starts_with(sde_prefix);
  event.component = PAPI_COMPONENT_INDEX(event.code);
  if (!IS_PRESET(event.code)) return event;
  if (info.count == 0) {
    why.why = {Status::unavailable, "this CPU has no " + name + " in PAPI " + version_text(PAPI_VER_CURRENT)};
    return std::nullopt;
  }
  event.component = info.component_index;
  if (info.count == 1 && std::string_view(info.derived) == "NOT_DERIVED") return event;
  event.type = info.derived;
  event.postfix = info.postfix;
  for (unsigned native = 0; native < info.count; ++native) event.natives.push_back(static_cast<int>(info.code[native]));
  if (!derived_value(event.type, event.postfix, std::vector<long long>(event.natives.size(), 1))) {
    why.why = {Status::unavailable, name + " is " + event.type + " '" + event.postfix + "', no weighted sum of counts"};
    return std::nullopt;
  }
  return event;
}

/// What stands in the set for these events: each code once.
std::vector<int> codes_of(const std::vector<Event>& events) {
  std::vector<int> codes;
  const auto add = [&](int code) {
    if (std::find(codes.begin(), codes.end(), code) == codes.end()) codes.push_back(code);
  };
  for (const Event& event : events) {
    add(event.code);
    for (const int native : event.natives) add(native);
  }
  return codes;
}

/// One of PAPI's event sets. Never multiplexed.
class EventSet {
 public:
  EventSet() = default;
  EventSet(const EventSet&) = delete;
  EventSet& operator=(const EventSet&) = delete;
  ~EventSet() { close(); }

  Availability fill(int component, const std::vector<int>& codes) {
    if (const int error = PAPI_create_eventset(&set_); error != PAPI_OK) return trouble("PAPI_create_eventset", error);
    if (const int error = PAPI_assign_eventset_component(set_, component); error != PAPI_OK)
      return trouble("PAPI_assign_eventset_component", error);
    for (const int code : codes)
      if (const int error = PAPI_add_event(set_, code); error != PAPI_OK) return trouble("PAPI_add_event", error);
    return {};
  }
  Availability start() {
    const int error = PAPI_start(set_);
    running_ = error == PAPI_OK;
    return running_ ? Availability{} : trouble("PAPI_start", error);
  }
  int read(long long* values) noexcept { return PAPI_read(set_, values); }
  int stop(long long* values) noexcept {
    running_ = false;
    return PAPI_stop(set_, values);
  }
  void close() {
    if (set_ == PAPI_NULL) return;
    if (running_) PAPI_stop(set_, nullptr);
    running_ = false;
    PAPI_cleanup_eventset(set_);
    PAPI_destroy_eventset(&set_);
    set_ = PAPI_NULL;
  }

 private:
  int set_ = PAPI_NULL;
  bool running_ = false;
};

/// Whether these can be counted at one time: by trying. What needs the emulator cannot be started here, so it is only added.
Availability try_together(const std::vector<Event>& events) {
  EventSet set;
  Availability tried = set.fill(events.front().component, codes_of(events));
  if (tried.ok() && !events.front().emulated) tried = set.start();
  return tried;
}

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

/// Why a component has nothing to offer; empty where PAPI does not say.
std::string disabled_reason(std::string_view component) {
  for (int index = 0; index < PAPI_num_components(); ++index)
    if (const auto* info = PAPI_get_component_info(index); info != nullptr && component == info->name && info->disabled != 0)
      return info->disabled_reason;
  return "";
}

class PapiBackend final : public Backend {
 public:
  explicit PapiBackend(EventNames names) : available_(library()) {
    if (!available_.ok()) return;
    const bool chosen_here = names.empty();
    if (chosen_here) names = available_presets();
    std::vector<std::vector<Event>> groups;
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
    codes_ = codes_of(events_.at(group));
    sets_ = std::vector<ThreadSet>(groups_[group].whole_team ? 1 : static_cast<std::size_t>(threads));
    for (ThreadSet& set : sets_) set.before = set.after = set.sum = std::vector<long long>(codes_.size());
    threads_ = threads;
    if (!groups_[group].emulated) return;
    emulator_->prepare(0, threads);
    show_totals();
  }
  void open(int thread) noexcept override {
    if (ThreadSet* own = set_of(thread)) {
      if (const int error = PAPI_register_thread(); error != PAPI_OK) own->state = trouble("PAPI_register_thread", error);
      if (own->state.ok() && groups_[group_].emulated) own->state = emulator_->availability();
      if (own->state.ok()) own->state = own->set.fill(events_[group_].front().component, codes_);
      if (own->state.ok()) own->state = own->set.start();
    }
  }
  void enter(int thread) noexcept override {
    ThreadSet& own = sets_[static_cast<std::size_t>(thread)];
    own.error = std::min(own.error, own.set.read(own.before.data()));
  }
  void leave(int thread) noexcept override {
    ThreadSet& own = sets_[static_cast<std::size_t>(thread)];
    own.error = std::min(own.error, own.set.read(own.after.data()));
    for (std::size_t i = 0; i < own.sum.size(); ++i) own.sum[i] += own.after[i] - own.before[i];
  }
  Backend& around_region() noexcept override { return groups_[group_].emulated ? *emulator_ : *this; }
  void close(int thread) noexcept override {
    ThreadSet* own = set_of(thread);
    if (own == nullptr || !own->state.ok()) return;
    if (groups_[group_].emulated) {  // thread 0 comes here when the whole team has left the region
      show_totals();
      own->error = std::min(own->error, own->set.stop(own->sum.data()));
    } else {
      own->error = std::min(own->error, own->set.stop(own->after.data()));
    }
    if (own->error != PAPI_OK) own->state = trouble("PAPI_read", own->error);
    own->set.close();
  }
  std::vector<Reading> readings(int thread) const override {
    std::vector<Reading> all;
    for (const Event& event : events_[group_]) all.push_back(reading_of(event, sets_[static_cast<std::size_t>(thread)]));
    return all;
  }
  void empty_caches() noexcept override {
    if (emulator_) emulator_->empty_caches();
  }
  bool share_l3(int ranks) noexcept override { return !emulator_ || emulator_->share_l3(ranks); }
  void set_counting(bool on) noexcept override {
    if (emulator_) emulator_->set_counting(on);
  }

 private:
  struct ThreadSet {
    EventSet set;
    Availability state;
    int error = PAPI_OK;  // of reading, where no words can be made
    std::vector<long long> before, after, sum;
  };

  /// Null for the threads that leave a group of the whole team to thread 0.
  ThreadSet* set_of(int thread) {
    const auto t = static_cast<std::size_t>(thread);
    return t < sets_.size() ? &sets_[t] : nullptr;
  }

  /// Into the last group of its component, if it can be counted with those that are there; else into a new one.
  void place(const std::string& name, std::vector<std::vector<Event>>& groups) {
    Refusal why;
    const auto event = event_of(name, why);
    if (!event) return refused_.push_back(std::move(why));
    const auto last = std::find_if(groups.rbegin(), groups.rend(), [&](const auto& group) {
      return group.front().component == event->component && group.front().emulated == event->emulated;
    });
    if (last != groups.rend()) {
      last->push_back(*event);
      if (try_together(*last).ok()) return;
      last->pop_back();
    }
    why.why = try_together({*event});
    if (!why.why.ok()) return refused_.push_back(std::move(why));
    groups.push_back({*event});
  }

  void add_group(std::vector<Event> events) {
    EventGroup group;
    for (const Event& event : events) group.events.push_back(event.name);
    group.emulated = group.whole_team = events.front().emulated;
    group.repeats_exactly = group.emulated && std::all_of(events.begin(), events.end(), [](const Event& event) {
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

  Reading reading_of(const Event& event, const ThreadSet& own) const {
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
  std::vector<std::vector<Event>> events_;  // of the groups
  std::vector<Refusal> refused_;
  std::unique_ptr<Backend> emulator_;  // where a group needs it
  std::size_t group_ = 0;
  int threads_ = 0;
  std::vector<int> codes_;  // of the group that is counted
  std::vector<ThreadSet> sets_;
};

/// Those of one enumeration of PAPI's, from `first`.
template <class Add>
void enumerate(int component, Add add) {
  int code = static_cast<int>(PAPI_NATIVE_MASK);
  for (int error = PAPI_enum_cmp_event(&code, PAPI_ENUM_FIRST, component); error == PAPI_OK;
       error = PAPI_enum_cmp_event(&code, PAPI_ENUM_EVENTS, component)) {
    PAPI_event_info_t info{};
    if (PAPI_get_event_info(code, &info) == PAPI_OK) add(info);
  }
}

void add_presets(std::vector<EventDescription>& all) {
  int code = static_cast<int>(PAPI_PRESET_MASK);
  if (PAPI_enum_event(&code, PAPI_ENUM_FIRST) != PAPI_OK) return;
  do {
    PAPI_event_info_t info{};
    if (PAPI_get_event_info(code, &info) != PAPI_OK) continue;
    all.push_back({info.symbol, "events", info.long_descr, {}});
    if (info.count == 0) all.back().availability = {Status::unavailable, "this CPU has none in PAPI " + version_text(PAPI_VER_CURRENT)};
  } while (PAPI_enum_event(&code, PAPI_ENUM_EVENTS) == PAPI_OK);
}

}  // namespace

std::unique_ptr<Backend> papi_backend(const EventNames& events) { return std::make_unique<PapiBackend>(events); }

std::vector<EventDescription> papi_events() {
  std::vector<EventDescription> all;
  if (!library().ok()) return all;
  add_presets(all);
  for (int component = 0; component < PAPI_num_components(); ++component) {
    const auto* info = PAPI_get_component_info(component);
    if (info == nullptr || info->disabled != 0 || std::string_view(info->name) == "sde") continue;
    enumerate(component, [&](const PAPI_event_info_t& event) {
      Refusal why;
      const auto one = event_of(event.symbol, why);
      all.push_back({event.symbol, "events", event.long_descr, one ? try_together({*one}) : why.why});
    });
  }
  for (const auto& event : sde_counters()) {
    all.push_back(event);
    if (!emulated_backend()->availability().ok()) all.back().description += " (counted under the emulator)";
  }
  return all;
}

std::vector<EventDescription> papi_components() {
  std::vector<EventDescription> all;
  if (!library().ok()) return all;
  for (int component = 0; component < PAPI_num_components(); ++component) {
    const auto* info = PAPI_get_component_info(component);
    if (info == nullptr) continue;
    all.push_back({info->name, "", info->description, {}});
    if (info->disabled != 0) all.back().availability = {Status::unavailable, info->disabled_reason};
  }
  return all;
}

std::string papi_code(const std::string& event) {
  int code = 0;
  PAPI_event_info_t info{};
  if (!library().ok() || PAPI_event_name_to_code(event.c_str(), &code) != PAPI_OK || PAPI_get_event_info(code, &info) != PAPI_OK) return event;
  if (!IS_PRESET(code)) return info.symbol;
  std::string natives;
  for (unsigned native = 0; native < info.count; ++native) natives += (native == 0 ? "" : ", ") + std::string(info.name[native]);
  return std::string(info.derived) + (info.postfix[0] == '\0' ? "" : " " + std::string(info.postfix)) + " of " + natives;
}

EventNames papi_emulated_events() {
  EventNames names;
  if (library().ok())
    for (const auto& event : sde_counters()) names.push_back(event.name);
  return names;
}

}  // namespace plumbline
