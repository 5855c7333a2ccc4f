// The emulator's counts as PAPI's software-defined events (`sde:::plumbline::EVENT`): so the whole way through PAPI runs on a machine with
// no PMU, and so do counters that are wrong on purpose.
//
// Such events belong to the process, not to a thread. What they show is what the team's threads counted between entering and leaving the
// region, summed: each thread reads the emulator around its own share, as the emulated backend does, and thread 0 asks PAPI before the
// team's first entry and after its last. None of PAPI's own work is counted, and the sums equal the emulated counts to the last one.
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "counters/backend/events.hpp"

namespace plumbline {

inline constexpr std::string_view sde_prefix = "sde:::plumbline::";

/// Registers one counter, NAME behind the prefix above, whose value, asked for at PAPI's start, read and stop, is what the function says
/// then. Functions may have a state, and read the emulator by emulated_total(). A name that is already there is left as it is.
void sde_counter(const std::string& name, const std::string& description, std::function<long long()> value);

/// Registers the emulator's events; once.
void export_emulated_counters();

/// All counters that were registered.
const std::vector<EventDescription>& sde_counters();

/// Shows these totals from now on; they are of the events of emulated_events(), in their order.
void show_emulated_totals(const std::vector<std::uint64_t>& totals);
/// The total that is shown now of an event (0 before anything was); by its place in emulated_events().
long long emulated_total(std::size_t place);

}  // namespace plumbline
