#include "counters/emulated/emulated.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

#include "emulator/client_requests.h"

namespace plumbline {
namespace {

struct Event {
  const char *name, *unit, *description;
};
#define PLUMBLINE_DESCRIBE(identifier, name, unit, description) Event{name, unit, description},
constexpr std::array<Event, PLUMBLINE_EVENT_COUNT> events{{PLUMBLINE_EMULATED_EVENTS(PLUMBLINE_DESCRIBE)}};
#undef PLUMBLINE_DESCRIBE

// Each thread's readings live on pages of their own, so that no thread's counting moves another's cache lines.
struct alignas(4096) Slot {
  plumbline_counts before{}, after{};
  std::array<std::uint64_t, PLUMBLINE_EVENT_COUNT> sum{};
};

class EmulatedBackend final : public Simulator {
 public:
  explicit EmulatedBackend(const EventNames& names) : groups_{{.events = {}, .emulated = true, .repeats_exactly = true}} {
    if (names.empty())
      for (const Event& event : events) choose(event.name);
    for (const auto& name : names) choose(name);
  }

  std::string_view name() const override { return "emulated"; }

  Availability availability() const override {
    const unsigned abi = plumbline_emulator_abi();
    if (abi == PLUMBLINE_EMULATOR_ABI) return {};
    if (abi == 0) return {Status::unavailable, "this process does not run under the plumbline Valgrind tool"};
    return {Status::unavailable, "the Valgrind tool speaks interface " + std::to_string(abi) + ", this program " +
                                     std::to_string(PLUMBLINE_EMULATOR_ABI) + ": rebuild both from one source tree"};
  }

  const std::vector<EventGroup>& groups() const override { return groups_; }
  std::vector<Refusal> refused() const override { return refused_; }

  void prepare(std::size_t group, int threads) override {
    if (group != 0) throw std::out_of_range("the emulated backend has one event group");
    slots_ = std::vector<Slot>(static_cast<std::size_t>(threads));
  }
  void enter(int thread) noexcept override { plumbline_read_thread(&slots_[static_cast<std::size_t>(thread)].before); }
  void leave(int thread) noexcept override {
    Slot& slot = slots_[static_cast<std::size_t>(thread)];
    plumbline_read_thread(&slot.after);
    for (std::size_t i = 0; i < slot.sum.size(); ++i) slot.sum[i] += slot.after.value[i] - slot.before.value[i];
  }
  std::vector<Reading> readings(int thread) const override {
    std::vector<Reading> all;
    for (const std::size_t i : chosen_) all.push_back({events[i].name, slots_[static_cast<std::size_t>(thread)].sum[i]});
    return all;
  }
  void empty_caches() noexcept override { plumbline_empty_caches(); }
  bool set_l3(std::uint64_t bytes, int ranks) noexcept override {
    return (bytes == 0 || plumbline_resize_l3(bytes) == 1) && (ranks == 1 || plumbline_share_l3(static_cast<unsigned>(ranks)) == 1);
  }
  void set_counting(bool on) noexcept override { plumbline_counting(on); }

 private:
  void choose(const std::string& name) {
    const auto found = std::find_if(events.begin(), events.end(), [&](const Event& event) { return event.name == name; });
    if (found == events.end()) {
      refused_.push_back({name, {Status::unavailable, "the emulator has no event '" + name + "'"}, true});
      return;
    }
    chosen_.push_back(static_cast<std::size_t>(found - events.begin()));
    groups_.front().events.push_back(name);
  }

  std::vector<EventGroup> groups_;
  std::vector<Refusal> refused_;
  std::vector<std::size_t> chosen_;  // of the group, in its order: places in `events`
  std::vector<Slot> slots_;
};

}  // namespace

std::unique_ptr<Backend> emulated_backend(const EventNames& names) { return std::make_unique<EmulatedBackend>(names); }

std::vector<EventDescription> emulated_events() {
  std::vector<EventDescription> all;
  for (const Event& event : events) all.push_back({event.name, event.unit, event.description});
  return all;
}

unsigned emulator_abi() { return PLUMBLINE_EMULATOR_ABI; }

}  // namespace plumbline
