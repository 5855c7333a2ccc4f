// A node may be slowed down beside its work by CPU quotas, throttling, heat, stolen time and other programs: its conditions.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

namespace plumbline {

/// A condition is one number with its unit in its name, or the reason why it is not known here.
struct Condition {
  std::string name = {};
  double value = 0;         // only where `reason` is empty
  std::string reason = {};  // not empty: absent
  bool counts_up = false;   // what matters is by how much
};

/// Reads the conditions of this node and of this process's control group, as the kernel tells them now in the files below `root`.
std::vector<Condition> read_conditions(const std::filesystem::path& root = "/");

/// The conditions of the time between two readings: the difference of what counts up, the later value of the rest.
std::vector<Condition> between(const std::vector<Condition>& before, const std::vector<Condition>& after);

/// Adds a further span to `sum`: what counts up is added, the rest is the later value.
void add_span(std::vector<Condition>& sum, const std::vector<Condition>& span);

/// The conditions as JSON: {"NAME":{"value":number},"NAME":{"value":null,"reason":"..."}}.
std::string conditions_json(const std::vector<Condition>& conditions);

}  // namespace plumbline
