// Files that are written by hand, and handed on: the first byte says what the rest is.
#include <filesystem>
#include <set>

#include "campaign/batch_machine.hpp"
#include "campaign/campaign.hpp"
#include "campaign/counter_set_file.hpp"
#include "core/error.hpp"
#include "counters/tables/event_table.hpp"
#include "profile/geometry.hpp"
#include "tests/fuzz/memory_file.hpp"
#include "tests/fuzz/reader.hpp"
#include "tests/store/samples.hpp"

namespace plumbline::fuzz {
namespace {

constexpr char campaign = 'c', machine = 'm', events = 'e', counter_set = 's', geometry = 'g';

void add(std::vector<std::string>& all, char what, const std::filesystem::path& folder) {
  const std::filesystem::directory_iterator files(std::filesystem::path(SOURCE) / folder);
  for (const auto& file : std::set<std::filesystem::path>(begin(files), end(files)))
    if (file.extension() == ".toml") all.push_back(what + slurp(file));
}

}  // namespace

void read(std::string_view bytes) {
  if (bytes.empty()) return;
  const std::string text(bytes.substr(1));
  const MemoryFile file(text);
  if (bytes[0] == campaign) parse_campaign(text, "f.toml");
  if (bytes[0] == machine) read_batch_machine(file.path());
  if (bytes[0] == events) read_event_table(file.path());
  if (bytes[0] == counter_set) parse_counter_set(text, "f.toml");
  if (bytes[0] == geometry) geometry_from_file(file.path());
}

std::string mended(std::string_view bytes) { return std::string(bytes); }

std::vector<std::string> seeds() {
  std::vector<std::string> all;
  add(all, campaign, "jobs/campaigns");
  add(all, machine, "jobs/slurm");
  add(all, geometry, "harness/profile/geometries");
  all.push_back(events + slurp(std::filesystem::path(SOURCE) / "harness/counters/events/amd-zen4.toml"));
  const ChosenCounter counter{
      .counter = {.name = "l1_fills", .backend = "papi", .terms = {{"A", 64}, {"B", 1, "add"}}, .quantities = {"bytes.L1-L2"}},
      .grade = 'B',
      .factor = 0.5,
      .cases = 3,
      .evidence = "steady"};
  all.push_back(counter_set + counter_set_toml({.machine = "a CPU",
                                                .file = "x.h5",
                                                .counters = {counter},
                                                .groups = {{"papi", {"A", "B"}}},
                                                .uncovered = {{"bytes.L3-mem", "none sees it"}}}));
  return all;
}

}  // namespace plumbline::fuzz
