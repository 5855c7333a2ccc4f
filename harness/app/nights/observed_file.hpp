// A result file is observed as a night of a history: what it measured, when, by which program on which machines.
#pragma once
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "app/terminal/table.hpp"
#include "model/comparing/comparison.hpp"
#include "model/comparing/observation.hpp"

namespace plumbline::app {

struct ObservedFile {
  Side side = {};  // observations, and the nodes' kinds of machine
  std::vector<WrongResult> wrong = {};
  std::int64_t started_unix_ns = 0;  // of the first pass; 0 where nothing in the file tells
  std::set<std::string> sessions = {};
  std::string cluster = {};  // where it was measured; empty where nothing in the file tells
  Json provenance = {};
  std::vector<MachineRow> machines = {};
  std::string campaign = {};
  std::vector<std::string> notes = {};
};

ObservedFile observe_results(const Results& results);
/// Observes a file. Throws Error (user) where it is missing, foreign or cut short.
ObservedFile observe_file(const std::string& path);
/// Observes the file of which these are the cases.
ObservedFile observe_file(const std::string& path, const Results& results);

/// Says in words what differs between the circumstances of two files: program, build, campaign, and how the nodes that both know are set
/// up.
std::vector<std::string> differing_circumstances(const ObservedFile& before, const ObservedFile& after);

/// The time in words: "2026-11-21 03:00:12 UTC"; "unknown time" for 0.
std::string utc_text(std::int64_t unix_ns);

/// The unit as keys of JSON end with it: "seconds", "gflops", "gbs".
std::string unit_suffix(const std::string& unit);

/// The value with its unit: "12.3 us", "76.1 GFLOP/s".
std::string with_unit(double value, const std::string& unit);

/// The change in words: "+20.3 %" for a slowdown of 1.203; "-" where it is absent.
std::string change_text(double ratio);

}  // namespace plumbline::app
