// NVIDIA's GPUs are counted by CUPTI: metrics of the chip's event table over a region of launches, and how many launches those were.
#pragma once
#include <memory>
#include <string_view>
#include <vector>

#include "counters/backend/backend.hpp"
#include "counters/cupti/cuda_driver.hpp"
#include "counters/cupti/cupti_host.hpp"
#include "counters/tables/event_table.hpp"

namespace plumbline {

bool cupti_is_compiled_in();

/// The place where GPUs are counted.
struct CuptiPlace {
  const CuptiHost& cupti;
  const CudaDriver& driver;
};

/// A backend for these events (CUPTI's metrics with rollup, "launches", "graph_launches"); for none, all metrics of the chip's event table
/// among `tables` and the launches. Counts add up over entries; a rate or a share (Reading::rate) can be had of one entry alone. A group
/// takes one pass, or has one metric that takes several. It counts in the context that is current to the thread that opens it, which alone
/// enters and leaves. Neither a driver nor CUPTI is looked for before it is made.
std::unique_ptr<Backend> cupti_backend(const EventNames& events, const EventTables& tables = {});
std::vector<EventDescription> cupti_events(const EventTables& tables);
/// The chip of the GPU that counts, with the version of CUPTI: "GH100 by CUPTI 13.0 (...)".
std::string cupti_code(const std::string& event);

/// A backend that counts elsewhere: for tests.
std::unique_ptr<Backend> cupti_backend_at(const CuptiPlace& place, const EventNames& events, const EventTables& tables = {});

/// The result of trying a GPU's counters: the chip, and whether CUPTI gives its counters to this user.
struct CuptiTrial {
  Availability availability = {};
  std::string chip = {};  // empty: not even that could be had
};
/// Opens a context and the profiler for a moment: some 0.5 s where there is a GPU.
CuptiTrial try_cupti(const CuptiPlace& place);
/// Tries the counters of this machine.
CuptiTrial try_cupti();
/// The chip of this process's GPU; empty where it has none.
std::string cupti_chip_here();

}  // namespace plumbline
