// A machine of many like nodes that exists in numbers only: what its nodes tell, and what they write while they measure.
#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/case.hpp"
#include "core/kernel.hpp"
#include "schedule/plan.hpp"

namespace plumbline::scale {

struct Size {
  int nodes = 10, cases = 20, repetitions = 10, link_rounds = 3;
};

class Machine {
 public:
  explicit Machine(const Size& size);
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  const std::vector<PlanNode>& nodes() const { return nodes_; }
  /// Cases of one kernel, one thread each.
  std::vector<Case> cases(int count) const;
  std::vector<std::string> ids() const;

  /// Writes what the leader of a node leaves behind: a header, a timing pass of every case, the rounds of the links that it times.
  void write_journal(const std::filesystem::path& folder, int node) const;

  /// All messages of this node are twice as slow; of no other.
  std::string bad_node() const { return name(size_.nodes / 3); }
  /// The link of these two is three times as slow as others.
  std::pair<std::string, std::string> bad_link() const;

 private:
  static std::string name(int node);
  double times_worse(int node, int peer) const;

  Size size_;
  Kernel kernel_;
  std::vector<PlanNode> nodes_;
  std::pair<int, int> bad_link_;
};

}  // namespace plumbline::scale
