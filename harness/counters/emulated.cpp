// The emulator's counters: counts of this very process, taken by the Valgrind tool that runs it (harness/emulator).
#include <array>
#include <stdexcept>

#include "counters/backend.hpp"
#include "emulator/client_requests.h"

namespace plumbline {
namespace {

#define PLUMBLINE_DESCRIBE(identifier, name, unit, description) EventDescription{name, unit, description},
constexpr std::array<EventDescription, PLUMBLINE_EVENT_COUNT> events{{PLUMBLINE_EMULATED_EVENTS(PLUMBLINE_DESCRIBE)}};
#undef PLUMBLINE_DESCRIBE

// Each thread's readings live on pages of their own, so that no thread's counting moves another's cache lines.
struct alignas(4096) Slot {
  plumbline_counts before{}, after{};
  std::array<std::uint64_t, PLUMBLINE_EVENT_COUNT> sum{};
};

class EmulatedBackend final : public Backend {
 public:
  std::string_view name() const override { return "emulated"; }

  Availability availability() const override {
    const unsigned abi = plumbline_emulator_abi();
    if (abi == PLUMBLINE_EMULATOR_ABI) return {};
    if (abi == 0) return {Status::unavailable, "this process does not run under the plumbline Valgrind tool"};
    return {Status::unavailable, "the Valgrind tool speaks interface " + std::to_string(abi) + ", this program " +
                                     std::to_string(PLUMBLINE_EMULATOR_ABI) + ": rebuild both from one source tree"};
  }

  std::vector<std::vector<std::string_view>> groups() const override {
    std::vector<std::string_view> names;
    for (const auto& event : events) names.push_back(event.name);
    return {names};
  }

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
    for (std::size_t i = 0; i < events.size(); ++i) all.push_back({events[i].name, slots_[static_cast<std::size_t>(thread)].sum[i]});
    return all;
  }
  void empty_caches() noexcept override { plumbline_empty_caches(); }
  bool share_l3(int ranks) noexcept override { return ranks == 1 || plumbline_share_l3(static_cast<unsigned>(ranks)) == 1; }
  void set_counting(bool on) noexcept override { plumbline_counting(on); }

 private:
  std::vector<Slot> slots_;
};

}  // namespace

std::unique_ptr<Backend> emulated_backend() { return std::make_unique<EmulatedBackend>(); }

std::vector<EventDescription> emulated_events() { return {events.begin(), events.end()}; }

unsigned emulator_abi() { return PLUMBLINE_EMULATOR_ABI; }

}  // namespace plumbline
