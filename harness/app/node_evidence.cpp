#include "app/node_evidence.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <set>

#include "model/spread.hpp"

namespace plumbline::app {
namespace {

struct Wanted {
  const char* name;
  const char* words;
  const char* unit;
};
constexpr std::array<Wanted, 9> wanted{{{"cpu_quota_cores", "CPU quota", "cores"},
                                        {"throttled_periods", "periods throttled by it", ""},
                                        {"throttled_seconds", "time throttled by it", "s"},
                                        {"steal_seconds", "time stolen by the hypervisor", "s"},
                                        {"busy_cpu_seconds", "CPU time of all programs", "s"},
                                        {"own_cpu_seconds", "CPU time of the measuring process", "s"},
                                        {"load_average", "load average", ""},
                                        {"thermal_throttle_events", "thermal throttling", "events"},
                                        {"temperature_celsius", "temperature", "C"}}};

std::optional<double> seen(const NodeReport& report, const std::string& node, const char* name) {
  const auto of_node = report.conditions.find(node);
  if (of_node == report.conditions.end()) return std::nullopt;
  const auto found = of_node->second.find(name);
  if (found == of_node->second.end() || !found->second["value"].is_number()) return std::nullopt;
  return found->second["value"].get<double>();
}

std::string why_unseen(const NodeReport& report, const std::string& node, const char* name) {
  const auto of_node = report.conditions.find(node);
  if (of_node == report.conditions.end()) return "not observed";
  const auto found = of_node->second.find(name);
  return found == of_node->second.end() ? "not observed" : found->second.value("reason", "not observed");
}

std::string peers_seen(const NodeReport& report, const JudgedNode& node, const char* name) {
  std::vector<double> values;
  for (const auto& peer : node.again_peers)
    if (const auto value = seen(report, peer, name)) values.push_back(*value);
  if (values.empty()) return node.again_peers.empty() ? "-" : why_unseen(report, node.again_peers.front(), name);
  return plain(median_of(values));
}

/// "CPU quota 0.83 cores (peers: no quota is set)"
std::string condition_text(const NodeReport& report, const JudgedNode& node, const Wanted& what) {
  const auto value = seen(report, node.node, what.name);
  const std::string own = value ? plain(*value) + (*what.unit == '\0' ? "" : std::string(" ") + what.unit)
                                : "unknown: " + why_unseen(report, node.node, what.name);
  return fmt::format("{} {} (peers: {})", what.words, own, peers_seen(report, node, what.name));
}

std::string placement_of(const NodeReport& report, const std::string& node) {
  const auto of_node = report.conditions.find(node);
  if (of_node == report.conditions.end()) return "";
  const auto found = of_node->second.find("placement");
  return found == of_node->second.end() ? "" : found->second.value("value", "");
}

/// "placement CPUs 0-1 (peers: CPUs 0-3)"; nothing where it is the same on all.
std::string placement_text(const NodeReport& report, const JudgedNode& node) {
  const std::string own = placement_of(report, node.node);
  std::set<std::string> others;
  for (const auto& peer : node.again_peers)
    if (const std::string placement = placement_of(report, peer); placement != own)
      others.insert(placement.empty() ? "unknown" : placement);
  return others.empty() ? "" : fmt::format("placement {} (peers: {})", own.empty() ? "unknown" : own, fmt::join(others, "; "));
}

/// Of messages, pairs of NUMA domains, GPUs.
bool has_only_ceilings_without_points(const NodeReport& report, const JudgedNode& node) {
  return !node.suspicious.empty() && std::all_of(node.suspicious.begin(), node.suspicious.end(), [&](std::size_t index) {
    const NodeRow& row = report.comparison.rows[index];
    return row.key.what.starts_with("ceiling/") && row.point.empty();
  });
}

std::string clock_text(const RemeasuredCase& one) {
  const auto ghz = [](double hz) { return std::isfinite(hz) ? fmt::format("{:.2f} GHz", 1e-9 * hz) : "unknown"; };
  std::string text = fmt::format("clock {} (peers: {})", ghz(one.clock_hz), ghz(one.peers_clock_hz));
  if (clock_explanation(one.peers_clock_hz, one.clock_hz, one.judged.slowdown).ends_with("explains it"))
    text += ", which alone explains it";
  return text;
}

std::string again_text(const RemeasuredCase& one) {
  const std::string name = one.what.empty() ? "all of these" : one.what;
  const std::string interval = one.has_interval ? fmt::format(" ({} to {})", change_text(one.judged.lo), change_text(one.judged.hi)) : "";
  const std::string values = one.what.empty() ? "" : fmt::format(", {} beside {}", duration(one.seconds), duration(one.peers_seconds));
  return fmt::format("{}: {}{}{}, {} turns{}", name, change_text(one.judged.slowdown), interval, values, one.turns,
                     one.confirmed ? ", confirmed" : "");
}

}  // namespace

const RemeasuredCase* strongest(const JudgedNode& node) {
  const RemeasuredCase* best = nullptr;
  for (const auto& one : node.again)
    if (one.confirmed && (best == nullptr || one.judged.lo > best->judged.lo)) best = &one;
  return best;
}

std::string headline(const NodeReport& report, const JudgedNode& node) {
  const std::size_t rows = node.suspicious.size();
  const std::string first =
      fmt::format("{} of its {} rows and {} as a whole at first", rows, node.rows, change_text(node.all_rows.judged.slowdown));
  switch (node.finding) {
    case NodeFinding::slower:
    case NodeFinding::differs: {
      const auto* best = strongest(node);
      const std::string much = fmt::format("{} ({} to {}) beside {}", change_text(best->judged.slowdown), change_text(best->judged.lo),
                                           change_text(best->judged.hi), fmt::join(node.again_peers, ", "));
      if (node.finding == NodeFinding::slower) return fmt::format("{} is slower than like nodes: time {}, measured again", node.node, much);
      return fmt::format(
          "{}: time {}, measured again: like nodes differ, and too few agree to say which are right; more like nodes can, or "
          "'plumbline check' with earlier results",
          node.node, much);
    }
    case NodeFinding::unconfirmed:
      return fmt::format("{} is not named: suspicious in {}, but not when measured again", node.node, first);
    case NodeFinding::suspect:
      return fmt::format("{} is not named: suspicious in {}, and was not measured again{}", node.node, first,
                         has_only_ceilings_without_points(report, node)
                             ? ": messages, NUMA domains and GPUs' ceilings are not; run the campaign once more"
                             : "");
    case NodeFinding::alone:
      return fmt::format("{}: {}", node.node, node.reason);
    case NodeFinding::alike:
      break;
  }
  return fmt::format("{} is like its {} peer{} (suspicious from {:.0f} %)", node.node, node.peers, node.peers == 1 ? "" : "s",
                     100 * report.options.threshold);
}

std::vector<std::string> evidence_of(const NodeReport& report, const JudgedNode& node) {
  std::vector<std::string> lines;
  for (const auto& one : node.again) lines.push_back(again_text(one));
  if (node.again.empty()) {
    constexpr std::size_t most = 4;
    for (std::size_t i = 0; i < std::min(most, node.suspicious.size()); ++i) {
      const NodeRow& row = report.comparison.rows[node.suspicious[i]];
      lines.push_back(fmt::format("{}: {} beside {}, {} ({} to {})", row.key.what, with_unit(row.value, row.unit),
                                  with_unit(row.peers_value, row.unit), change_text(row.judged.slowdown), change_text(row.judged.lo),
                                  change_text(row.judged.hi)));
    }
    return lines;
  }
  if (const auto* best = strongest(node))
    if (const auto with_clock = std::find_if(node.again.begin(), node.again.end(), [](const auto& one) { return !one.what.empty(); });
        with_clock != node.again.end())
      lines.push_back(clock_text(best->what.empty() ? *with_clock : *best));
  if (const std::string placement = placement_text(report, node); !placement.empty()) lines.push_back(placement);
  for (const auto& what : wanted) lines.push_back(condition_text(report, node, what));
  return lines;
}

std::string wrong_text(const WrongOnNode& one) {
  const auto& [key, reason, other_node] = one.wrong;
  if (!other_node.empty())
    return fmt::format("between {} and {} there was a wrong result: {}: {}", key.node, other_node, key.what, printable(reason));
  const std::string beside = one.peers_right > 0
                                 ? fmt::format("{} like node{} computed it right", one.peers_right, one.peers_right == 1 ? "" : "s")
                             : one.peers_wrong > 0 ? "like nodes have it wrong too: rather the kernel or its compiler than the node"
                                                   : "no like node has computed it";
  return fmt::format("{} computed a wrong result: {}: {}; {}", key.node, key.what, printable(reason), beside);
}

}  // namespace plumbline::app
