// The outlook says what could count which quantity here, and what stands in the way: a pure function of plain facts, so that any machine
// can be tried.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "core/status.hpp"
#include "counters/tables/event_table.hpp"

namespace plumbline {

struct CountingFacts {
  std::string cpu = {};  // for people: "AMD EPYC 9654 (AuthenticAMD family 25 model 17)"
  bool virtual_machine = false;
  int pmu_error = 0;                   // errno of opening a cycle counter for this thread; ENODATA: it opens and stays at 0
  std::optional<int> paranoid = {};    // kernel.perf_event_paranoid; absent: a kernel without perf_event
  bool privileged = false;             // root or CAP_PERFMON, to whom paranoid does not apply
  bool watchdog = false;               // kernel.nmi_watchdog holds a hardware counter
  std::vector<std::string> pmus = {};  // as in /sys/bus/event_source/devices
  KnownCounters known = {};            // rows of the event tables for this CPU
  Availability emulated = {};
  std::vector<std::string> emulated_events = {};
  std::vector<std::string> boundaries = {"reg-L1", "L1-L2", "L2-L3", "L3-mem"};  // of this machine's caches
};

/// A way to count one quantity.
struct CountingWay {
  std::string quantity = {}, backend = {}, counter = {};  // counter: empty where there is none to name
  std::string sees = {};                                  // "bytes.L1-L2.demand_read + rfo": it may be a part of the quantity
  Status status = Status::ok;
  std::string reason = {};                // what stands in the way; empty when ok
  std::string next = {};                  // what to do about it
  std::vector<std::string> caveats = {};  // known of it although it can be used
  std::vector<std::string> claims = {};   // `sees` as quantities
};

struct CountingOutlook {
  std::vector<CountingWay> ways = {};   // by quantity, in the order asked
  std::vector<std::string> notes = {};  // what is missing, in sentences; what works all the same
};
CountingOutlook look_out(const CountingFacts& facts);

}  // namespace plumbline
