// What may slow a node down beside its work: CPU quotas, throttling, heat, stolen time, other programs.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

namespace plumbline {

/// One number with its unit in its name, or why it is not known here.
struct Condition {
  std::string name = {};
  double value = 0;         // only where `reason` is empty
  std::string reason = {};  // not empty: absent
  bool counts_up = false;   // what matters is by how much
};

/// Of this node and this process's control group, as the kernel tells it now in the files below `root`.
std::vector<Condition> read_conditions(const std::filesystem::path& root = "/");

/// What happened between two readings: of what counts up the difference, of the rest the later value.
std::vector<Condition> between(const std::vector<Condition>& before, const std::vector<Condition>& after);

/// Adds a further span to `sum`: what counts up is added, the rest is the later value.
void add_span(std::vector<Condition>& sum, const std::vector<Condition>& span);

/// {"NAME":{"value":number},"NAME":{"value":null,"reason":"..."}}
std::string conditions_json(const std::vector<Condition>& conditions);

}  // namespace plumbline
