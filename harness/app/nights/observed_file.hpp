// A result file as a night of a history: what it observed, when, by which program on which machines.
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
/// Throws Error (user) where it is missing, foreign or cut short.
ObservedFile observe_file(const std::string& path);

/// What differs between the circumstances of two files: program, build, campaign, and how the nodes that both know are set up; each in
/// words.
std::vector<std::string> differing_circumstances(const ObservedFile& before, const ObservedFile& after);

/// "2026-11-21 03:00:12 UTC"; "unknown time" for 0.
std::string utc_text(std::int64_t unix_ns);

/// "seconds", "gflops", "gbs": what keys of JSON end with.
std::string unit_suffix(const std::string& unit);

/// "12.3 us", "76.1 GFLOP/s"
std::string with_unit(double value, const std::string& unit);

/// "+20.3 %" of a slowdown of 1.203; "-" where it is absent.
std::string change_text(double ratio);

}  // namespace plumbline::app
