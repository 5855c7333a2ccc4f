#include "app/nodes/node_evidence.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <set>

#include "app/stages/gpu_ceilings_plan.hpp"
#include "core/gpu_device.hpp"
#include "model/statistics/spread.hpp"

namespace plumbline::app {
namespace {

struct Wanted {
  std::string_view name;
  std::string_view words;
  std::string_view unit;
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
constexpr std::array<Wanted, 6> wanted_of_gpu{{{"sm_clock_mhz", "clock of its multiprocessors", "MHz"},
                                               {"memory_clock_mhz", "clock of its memory", "MHz"},
                                               {"power_watts", "power", "W"},
                                               {"temperature_celsius", "temperature", "C"},
                                               {"performance_state", "performance state", ""},
                                               {"pcie_generation", "generation of its PCIe link", ""}}};

std::optional<double> seen(const NodeReport& report, const std::string& node, const std::string& name) {
  const auto of_node = report.conditions.find(node);
  if (of_node == report.conditions.end()) return std::nullopt;
  const auto found = of_node->second.find(name);
  if (found == of_node->second.end() || !found->second["value"].is_number()) return std::nullopt;
  return found->second["value"].get<double>();
}

std::string why_unseen(const NodeReport& report, const std::string& node, const std::string& name) {
  const auto of_node = report.conditions.find(node);
  if (of_node == report.conditions.end()) return "not observed";
  const auto found = of_node->second.find(name);
  return found == of_node->second.end() ? "not observed" : found->second.value("reason", "not observed");
}

std::string peers_seen(const NodeReport& report, const JudgedNode& node, const std::string& name) {
  std::vector<double> values;
  for (const auto& peer : node.again_peers)
    if (const auto value = seen(report, peer, name)) values.push_back(*value);
  if (values.empty()) return node.again_peers.empty() ? "-" : why_unseen(report, node.again_peers.front(), name);
  return plain(median_of(values));
}

/// A condition beside its peers' in words: "CPU quota 0.83 cores (peers: no quota is set)".
std::string condition_text(const NodeReport& report, const JudgedNode& node, const Wanted& what, const std::string& whose = "") {
  const std::string name = whose + std::string(what.name);
  const auto value = seen(report, node.node, name);
  const std::string own =
      value ? plain(*value) + (what.unit.empty() ? "" : " ") + std::string(what.unit) : "unknown: " + why_unseen(report, node.node, name);
  return fmt::format("{} {} (peers: {})", what.words, own, peers_seen(report, node, name));
}

/// The words of a condition that is a text; empty where it is not known.
std::string words_of(const NodeReport& report, const std::string& node, const std::string& name) {
  const auto of_node = report.conditions.find(node);
  if (of_node == report.conditions.end()) return "";
  const auto found = of_node->second.find(name);
  return found == of_node->second.end() || !found->second["value"].is_string() ? "" : found->second["value"].get<std::string>();
}

/// The CPUs beside the peers' in words: "CPUs 0-1 (peers: CPUs 0-3)"; nothing where they are the same on all.
std::string words_text(const NodeReport& report, const JudgedNode& node, const std::string& name) {
  const std::string own = words_of(report, node.node, name);
  std::set<std::string> others;
  for (const auto& peer : node.again_peers)
    if (const std::string words = words_of(report, peer, name); words != own) others.insert(words.empty() ? "unknown" : words);
  return others.empty() ? "" : fmt::format("{} (peers: {})", own.empty() ? "unknown" : own, fmt::join(others, "; "));
}

std::set<int> gpus_of(const std::vector<std::string>& whats) {
  std::set<int> devices;
  for (const auto& what : whats) {
    const auto device = gpu_of_ceiling(what);
    if (!device) return {};
    devices.insert(*device);
  }
  return devices;
}

/// The GPUs that measured again, whatever else did.
std::set<int> gpus_of_any(const JudgedNode& node) {
  std::set<int> devices;
  for (const auto& one : node.again)
    if (const auto device = gpu_of_ceiling(one.what)) devices.insert(*device);
  return devices;
}

/// The grounds of a verdict: what was confirmed, else what was suspicious at first; for a node as a whole all that was measured again.
std::vector<std::string> grounds_of(const NodeReport& report, const JudgedNode& node) {
  std::vector<std::string> confirmed, again, suspicious;
  for (const auto& one : node.again) {
    if (one.all_together) continue;
    again.push_back(one.what);
    if (one.confirmed) confirmed.push_back(one.what);
  }
  for (const std::size_t index : node.suspicious) suspicious.push_back(report.comparison.rows[index].key.what);
  const bool is_confirmed = node.finding == NodeFinding::slower || node.finding == NodeFinding::differs;
  if (!confirmed.empty()) return confirmed;
  return is_confirmed || suspicious.empty() ? again : suspicious;
}

/// Adds how one of the node's GPUs fared, beside that of its peers in the same place.
void add_gpu_lines(const NodeReport& report, const JudgedNode& node, int device, std::vector<std::string>& lines) {
  const std::string which = gpu_rounds(device), whose = which + "_", word = gpu_word(device);
  if (const std::string name = words_of(report, node.node, which); !name.empty()) lines.push_back(fmt::format("{} is {}", word, name));
  const auto is_known = [&](const Wanted& what) { return seen(report, node.node, whose + std::string(what.name)).has_value(); };
  if (std::none_of(wanted_of_gpu.begin(), wanted_of_gpu.end(), is_known)) {
    lines.push_back(
        fmt::format("how {} fared is unknown: {}", word, why_unseen(report, node.node, whose + std::string(wanted_of_gpu[0].name))));
    return;
  }
  for (const auto& what : wanted_of_gpu) lines.push_back(fmt::format("{}: {}", word, condition_text(report, node, what, whose)));
  const std::string events = whose + "clock_event_reasons", differs = words_text(report, node, events);
  const std::string own = words_of(report, node.node, events);
  lines.push_back(fmt::format("{}: what holds its clocks down: {}", word, !differs.empty() ? differs : own.empty() ? "unknown" : own));
}

/// Says why a GPU did not do its rounds; empty where none failed.
std::string why_not_again(const NodeReport& report, const JudgedNode& node) {
  const auto failed = report.failed_gpus.find(node.node);
  if (failed == report.failed_gpus.end()) return "";
  std::set<std::string> reasons;
  for (const std::size_t index : node.suspicious)
    if (const auto device = gpu_of_ceiling(report.comparison.rows[index].key.what); device && failed->second.contains(*device))
      reasons.insert(fmt::format("a round of {} failed: {}", gpu_word(*device), printable(failed->second.at(*device))));
  return fmt::format("{}", fmt::join(reasons, "; "));
}

/// Whether all that is suspicious is ceilings without points: messages, pairs of NUMA domains.
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
  const std::string name = one.all_together ? "all of these" : one.what;
  const std::string interval = one.has_interval ? fmt::format(" ({} to {})", change_text(one.judged.lo), change_text(one.judged.hi)) : "";
  const std::string values = one.all_together ? "" : fmt::format(", {} beside {}", duration(one.seconds), duration(one.peers_seconds));
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

std::vector<std::string> gpus_of_finding(const NodeReport& report, const JudgedNode& node) {
  std::vector<std::string> words;
  for (const int device : gpus_of(grounds_of(report, node))) words.push_back(gpu_word(device));
  return words;
}

std::string headline(const NodeReport& report, const JudgedNode& node) {
  const auto gpus = gpus_of_finding(report, node);
  const std::string who = gpus.empty() ? node.node : fmt::format("{} of {}", fmt::join(gpus, ", "), node.node);
  const std::string is = gpus.size() > 1 ? "are" : "is", not_again = why_not_again(report, node);
  const std::size_t rows = node.suspicious.size();
  const std::string first =
      fmt::format("{} of its {} rows and {} as a whole at first", rows, node.rows, change_text(node.all_rows.judged.slowdown));
  switch (node.finding) {
    case NodeFinding::slower:
    case NodeFinding::differs: {
      const auto* best = strongest(node);
      const std::string much = fmt::format("{} ({} to {}) beside {}", change_text(best->judged.slowdown), change_text(best->judged.lo),
                                           change_text(best->judged.hi), fmt::join(node.again_peers, ", "));
      if (node.finding == NodeFinding::slower)
        return fmt::format("{} {} slower than like {}: time {}, measured again", who, is, gpus.empty() ? "nodes" : "GPUs", much);
      return fmt::format(
          "{}: time {}, measured again: like nodes differ, and too few agree to say which are right; more like nodes can, or "
          "'plumbline check' with earlier results",
          who, much);
    }
    case NodeFinding::unconfirmed:
      return fmt::format("{} {} not named: suspicious in {}, but not {}", who, is, first,
                         not_again.empty() ? "when measured again" : "in what was measured again; left out, as " + not_again);
    case NodeFinding::suspect:
      return fmt::format("{} {} not named: suspicious in {}, and {} not measured again{}", who, is, first, gpus.size() > 1 ? "were" : "was",
                         has_only_ceilings_without_points(report, node) ? ": messages and NUMA domains are not; run the campaign once more"
                         : not_again.empty()                            ? ""
                                                                        : ": " + not_again);
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
    if (const auto with_clock = std::find_if(node.again.begin(), node.again.end(), [](const auto& one) { return !one.all_together; });
        with_clock != node.again.end())
      lines.push_back(clock_text(best->all_together ? *with_clock : *best));
  if (const std::string placement = words_text(report, node, "placement"); !placement.empty()) lines.push_back("placement " + placement);
  const auto of_finding = gpus_of(grounds_of(report, node));
  for (const int device : of_finding.empty() ? gpus_of_any(node) : of_finding) add_gpu_lines(report, node, device, lines);
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
