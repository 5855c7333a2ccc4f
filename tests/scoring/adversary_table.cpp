#include "adversary_table.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace plumbline::test {
namespace {

/// The badness of a verdict: the most is the one to be shown.
int badness(const Verdict& one) {
  if (one.is_harmless) return 0;
  return 8 * (one.is_trusted_wrongly || one.is_accused) + 4 * one.is_chosen_wrongly + 2 * !one.says_why + !one.is_as_wanted;
}

void add(const Verdict& one, KindCount& count) {
  count.kind = one.kind;
  count.is_right = one.is_right;
  if (count.counters == 0 || badness(one) > badness(count.worst)) count.worst = one;
  ++count.counters;
  ++count.grades[one.grade];
  if (one.is_harmless) {
    ++count.harmless;
    return;
  }
  count.trusted_wrongly += !one.is_right && one.is_trusted_wrongly;
  count.wrong_factor += one.has_wrong_factor;
  count.accused += one.is_accused;
  count.says_why += one.says_why;
  count.as_wanted += one.is_as_wanted;
  count.chosen += one.is_chosen;
  count.chosen_wrongly += one.is_chosen_wrongly;
}

std::string line_of(const KindCount& c) {
  const auto grade = [&](char g) { return c.grades.contains(g) ? c.grades.at(g) : 0; };
  return fmt::format("{:<50} {:>4} {:>4} {:>4} {:>4} {:>4} {:>4} {:>5} {:>7} {:>7} {:>7} {:>7} {:>7} {:>7} {:>7}\n", c.kind.substr(0, 50),
                     c.counters, grade('A'), grade('B'), grade('C'), grade('D'), grade('-'), c.harmless, c.trusted_wrongly, c.wrong_factor,
                     c.accused, c.says_why, c.as_wanted, c.chosen, c.chosen_wrongly);
}

}  // namespace

std::vector<KindCount> counted_by_kind(const std::vector<Verdict>& verdicts) {
  std::vector<KindCount> counts;
  for (const auto& one : verdicts) {
    auto found = std::find_if(counts.begin(), counts.end(), [&](const KindCount& count) { return count.kind == one.kind; });
    if (found == counts.end()) found = counts.insert(counts.end(), KindCount());
    add(one, *found);
  }
  return counts;
}

Shares shares_of(const std::vector<KindCount>& counts) {
  Shares shares;
  for (const auto& count : counts) {
    (count.is_right ? shares.right : shares.wrong) += count.counters - count.harmless;
    shares.accused += count.accused;
    shares.chosen_wrongly += count.chosen_wrongly;
    if (count.is_right) continue;
    shares.trusted_wrongly += count.trusted_wrongly;
    shares.says_why += count.says_why;
    shares.as_wanted += count.as_wanted;
  }
  shares.accused /= std::max(1, shares.right);
  for (double* of_wrong : {&shares.trusted_wrongly, &shares.says_why, &shares.as_wanted, &shares.chosen_wrongly})
    *of_wrong /= std::max(1, shares.wrong);
  return shares;
}

std::string in_words(const std::vector<KindCount>& counts) {
  std::string text =
      fmt::format("{:<50} {:>4} {:>4} {:>4} {:>4} {:>4} {:>4} {:>5} {:>7} {:>7} {:>7} {:>7} {:>7} {:>7} {:>7}\n", "kind", "n", "A", "B",
                  "C", "D", "-", "harml", "trusted", "factor", "accused", "reason", "wanted", "chosen", "wrongly");
  for (const auto& count : counts) text += line_of(count);
  const Shares s = shares_of(counts);
  text += fmt::format(
      "\n{} right counters: accused {:.2f} %\n{} wrong ones: trusted wrongly {:.2f} %, chosen wrongly {:.2f} %, reason right {:.1f} %, "
      "all as wanted {:.1f} %\n\nnot as they should be, an example of each kind:\n",
      s.right, 100 * s.accused, s.wrong, 100 * s.trusted_wrongly, 100 * s.chosen_wrongly, 100 * s.says_why, 100 * s.as_wanted);
  for (const auto& count : counts)
    if (badness(count.worst) > 0)
      text += fmt::format("{} (seed {}): {} {}{}\n", count.kind, count.worst.seed, count.worst.grade, count.worst.reason,
                          count.worst.example.empty() ? "" : " [wrong in " + count.worst.example + "]");
  return text;
}

nlohmann::ordered_json json_of(const KindCount& count) {
  nlohmann::ordered_json grades = nlohmann::ordered_json::object();
  for (const auto& [grade, counters] : count.grades) grades[std::string(1, grade)] = counters;
  return {{"kind", count.kind},
          {"right", count.is_right},
          {"counters", count.counters},
          {"harmless", count.harmless},
          {"grades", grades},
          {"trusted_wrongly", count.trusted_wrongly},
          {"wrong_factor", count.wrong_factor},
          {"accused", count.accused},
          {"says_why", count.says_why},
          {"as_wanted", count.as_wanted},
          {"chosen", count.chosen},
          {"chosen_wrongly", count.chosen_wrongly}};
}

nlohmann::ordered_json json_of(const Shares& shares) {
  return {{"right", shares.right},
          {"wrong", shares.wrong},
          {"accused", shares.accused},
          {"trusted_wrongly", shares.trusted_wrongly},
          {"says_why", shares.says_why},
          {"as_wanted", shares.as_wanted},
          {"chosen_wrongly", shares.chosen_wrongly}};
}

}  // namespace plumbline::test
