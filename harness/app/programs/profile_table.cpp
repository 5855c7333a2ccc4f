#include "app/programs/profile_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <limits>

#include "app/terminal/shell_words.hpp"

namespace plumbline::app {
namespace {

using Number = std::optional<double>;

// --------------------------------------------------------------------------------------------------------- cells

/// Prints a whole number: "1,234,567".
std::string whole(Number value) {
  if (!value) return "-";
  std::string digits = fmt::format("{:.0f}", *value);
  for (auto at = static_cast<std::ptrdiff_t>(digits.size()) - 3; at > 0; at -= 3) digits.insert(static_cast<std::size_t>(at), ",");
  return digits;
}

std::string ratio(Number value) { return value ? plain(*value) : "-"; }

std::string size(Number value) { return value ? size_in_bytes(*value) : "-"; }

Json json_number(Number value) { return value ? Json(*value) : Json(nullptr); }

/// Counts are whole: written so.
Json json_count(Number value) { return value ? Json(static_cast<std::uint64_t>(*value)) : Json(nullptr); }

/// The boundary farthest from the core whose bytes are known, which is where they cost most.
const char* farthest_boundary(const EventSums& sums) { return bytes(sums, "L3-mem") ? "L3-mem" : "reg-L1"; }

std::string file_name(const std::string& object) { return object.empty() ? "?" : std::filesystem::path(object).filename().string(); }

// ---------------------------------------------------------------------------------------------------- tables for people

std::string head_text(const ProfileResult& result) {
  const auto plural = [](auto n, const char* what) {
    return fmt::format("{} {}{}", n, what, n == 1 ? "" : what[std::char_traits<char>::length(what) - 1] == 's' ? "es" : "s");
  };
  std::string text = "Counted: " + command_line(result.command) + "\n  ";
  if (result.launched > 1) text += plural(result.launched, "rank") + ", ";
  text += plural(result.profile.processes, "process") + ", " + plural(result.profile.threads, "thread") + "\n";
  text += result.caches.empty() ? "  no caches simulated\n" : "  simulated caches: " + result.caches + "\n";
  return text;
}

std::string totals_text(const EventSums& total) {
  Table table({{"in total", Align::left}, {"count"}});
  constexpr std::pair<const char*, const char*> rows[] = {{"instructions", "instructions"},
                                                          {"  floating-point", "fp_instructions"},
                                                          {"  branches", "branches"},
                                                          {"loads", "loads"},
                                                          {"stores", "stores"}};
  for (const auto& [what, name] : rows) table.add({what, whole(event(total, name))});
  table.add({"FLOPs", whole(flops(total))});
  return table.text();
}

std::string flops_text(const EventSums& total) {
  Table table({{"precision", Align::left}, {"FLOPs (fma = 2)"}, {"add"}, {"mul"}, {"fma"}, {"div"}, {"sqrt"}});
  for (const auto& precision : precisions(total)) {
    if (flops(total, precision).value_or(0) == 0) continue;
    std::vector<std::string> cells{precision, whole(flops(total, precision))};
    for (const char* kind : {"add", "mul", "fma", "div", "sqrt"}) cells.push_back(whole(event(total, "flops." + precision + "." + kind)));
    table.add(std::move(cells));
  }
  return table.empty() ? "no floating-point arithmetic\n" : table.text();
}

std::string traffic_text(const EventSums& total) {
  Table table({{"boundary", Align::left}, {"bytes"}, {"read"}, {"rfo"}, {"written"}, {"nt store"}, {"FLOPs/byte"}, {"level", Align::left}});
  for (const auto& level : levels) {
    const std::string boundary = std::string("bytes.") + level.boundary + ".";
    const bool core = std::string_view(level.boundary) == "reg-L1";
    const auto flow = [&](const char* name) { return size(event(total, boundary + name)); };
    table.add({level.boundary, size(bytes(total, level.boundary)), flow(core ? "load" : "demand_read"), core ? "" : flow("rfo"),
               flow(core ? "store" : "write_back"), flow("nt_store"), ratio(arithmetic_intensity(total, level.boundary)), level.name});
  }
  return table.text();
}

constexpr std::size_t most_ranks_shown = 16;

std::string ranks_text(const ProfileResult& result) {
  const char* far = farthest_boundary(result.profile.total);
  Table table({{"rank", Align::left},
               {"processes"},
               {"threads"},
               {"instructions"},
               {"FLOPs"},
               {fmt::format("bytes {}", far)},
               {"exit"},
               {"host", Align::left}});
  const auto& ranks = result.profile.ranks;
  const auto ending_of = [&](int rank) {
    return std::find_if(result.endings.begin(), result.endings.end(), [&](const auto& ending) { return ending.rank == rank; });
  };
  for (std::size_t i = 0; i < std::min(ranks.size(), most_ranks_shown); ++i) {
    const auto& one = ranks[i];
    const auto ending = ending_of(one.rank);
    const bool known = ending != result.endings.end();
    table.add({std::to_string(one.rank), std::to_string(one.processes), std::to_string(one.threads),
               whole(event(one.counts, "instructions")), whole(flops(one.counts)), size(bytes(one.counts, far)),
               known ? std::to_string(ending->code) : "-", known ? ending->host : "-"});
  }
  if (ranks.size() > most_ranks_shown)
    table.add_line(fmt::format("({} more ranks: -o FILE.json has them all)", ranks.size() - most_ranks_shown));
  const auto extreme = [&](const char* name, auto pick) {
    const auto over = [&](auto measure) -> Number {
      Number found;
      for (const auto& one : ranks)
        if (const Number value = measure(one.counts)) found = found ? pick(*found, *value) : *value;
      return found;
    };
    table.add({name, "", "", whole(over([](const auto& c) { return event(c, "instructions"); })),
               whole(over([](const auto& c) { return flops(c); })), size(over([&](const auto& c) { return bytes(c, far); })), "", ""});
  };
  extreme("min", [](double a, double b) { return std::min(a, b); });
  extreme("max", [](double a, double b) { return std::max(a, b); });
  return table.text();
}

std::string regions_text(const Profile& profile) {
  const char* far = farthest_boundary(profile.total);
  Table table({{"region", Align::left},
               {"entries"},
               {"threads"},
               {"instructions"},
               {"FLOPs"},
               {"bytes reg-L1"},
               {"FLOPs/byte"},
               {"bytes L3-mem"},
               {"FLOPs/byte"}});
  const bool simulated = std::string_view(far) == "L3-mem";
  for (const auto& one : profile.regions)
    table.add({one.name, std::to_string(one.entries), std::to_string(one.threads), whole(event(one.counts, "instructions")),
               whole(flops(one.counts)), size(bytes(one.counts, "reg-L1")), ratio(arithmetic_intensity(one.counts, "reg-L1")),
               simulated ? size(bytes(one.counts, "L3-mem")) : "-", simulated ? ratio(arithmetic_intensity(one.counts, "L3-mem")) : "-"});
  return table.text();
}

std::string share(Number part, Number all) { return part && all && *all > 0 ? fmt::format("{:.1f} %", 100 * *part / *all) : "-"; }

// A long name loses its middle where it ends with an offset ("symbol+0x1a0"), which tells functions of a stripped file apart; else its end.
std::string shortened(const std::string& name) {
  constexpr std::size_t widest = 40, longest_offset = 18;
  if (name.size() <= widest) return name;
  const auto plus = name.rfind("+0x");
  const std::string offset = plus != name.npos && name.size() - plus <= longest_offset ? name.substr(plus) : "";
  return name.substr(0, widest - 3 - offset.size()) + "..." + offset;
}

template <class Measure>
std::string functions_text(const Profile& profile, std::size_t most, const std::string& by, Measure measure) {
  const auto chosen = largest(profile.functions, most, measure);
  if (chosen.empty()) return "";
  const char* far = farthest_boundary(profile.total);
  Table table({{"function, by " + by, Align::left},
               {"of all"},
               {"FLOPs"},
               {"instructions"},
               {"bytes reg-L1"},
               {"FLOPs/byte"},
               {"bytes L3-mem"},
               {"in", Align::left}});
  for (const std::size_t i : chosen) {
    const auto& one = profile.functions[i];
    table.add({shortened(one.name), share(measure(one.counts), measure(profile.total)), whole(flops(one.counts)),
               whole(event(one.counts, "instructions")), size(bytes(one.counts, "reg-L1")),
               ratio(arithmetic_intensity(one.counts, "reg-L1")),
               std::string_view(far) == "L3-mem" ? size(bytes(one.counts, "L3-mem")) : "-", file_name(one.object)});
  }
  return "\n" + table.text();
}

Number flops_of(const EventSums& sums) { return flops(sums); }
Number far_bytes_of(const EventSums& sums) { return bytes(sums, farthest_boundary(sums)); }

// ------------------------------------------------------------------------------------------------------ rows for programs

Json measures(const EventSums& sums) {
  Json by_precision = Json::object(), by_level = Json::object(), counts = Json::object();
  for (const auto& precision : precisions(sums)) by_precision[precision] = json_count(flops(sums, precision));
  for (const auto& level : levels)
    by_level[level.name] = {{"boundary", level.boundary},
                            {"bytes", json_count(bytes(sums, level.boundary))},
                            {"ai", json_number(arithmetic_intensity(sums, level.boundary))}};
  for (const auto& [name, value] : sums) counts[name] = value ? Json(*value) : Json(nullptr);
  return {{"instructions", json_count(event(sums, "instructions"))},
          {"flops", json_count(flops(sums))},
          {"flops_by_precision", by_precision},
          {"levels", by_level},
          {"counts", counts}};
}

Json row(const char* kind, Json facts, const EventSums& sums) {
  Json all{{"kind", kind}};
  all.update(facts);
  all.update(measures(sums));
  return all;
}

Json rank_row(const ProfileResult& result, const RankCounts& rank) {
  Json facts{{"rank", rank.rank}, {"host", nullptr}, {"exit", nullptr}, {"processes", rank.processes}, {"threads", rank.threads}};
  for (const auto& ending : result.endings)
    if (ending.rank == rank.rank) facts["host"] = ending.host, facts["exit"] = ending.code;
  return row("rank", facts, rank.counts);
}

void add_process_rows(const ProfileResult& result, Json& rows) {
  for (const auto& process : result.processes) {
    const auto& report = process.report;
    rows.push_back(row("process", {{"rank", process.rank}, {"pid", report.pid}, {"parent", report.parent}, {"command", report.command}},
                       report.total));
    for (const auto& thread : report.threads)
      rows.push_back(row("thread", {{"rank", process.rank}, {"pid", report.pid}, {"thread", thread.thread}}, thread.counts));
  }
}

void add_function_rows(const ProfileResult& result, Json& rows) {
  const auto& functions = result.profile.functions;
  auto chosen = largest(functions, result.functions, flops_of);
  for (const std::size_t i : largest(functions, result.functions, far_bytes_of))
    if (std::find(chosen.begin(), chosen.end(), i) == chosen.end()) chosen.push_back(i);
  for (const std::size_t i : chosen)
    rows.push_back(row("function", {{"name", functions[i].name}, {"object", text_or_null(functions[i].object)}}, functions[i].counts));
}

}  // namespace

std::string profile_text(const ProfileResult& result) {
  const auto& profile = result.profile;
  std::string text = "\n" + head_text(result);
  if (profile.processes > 0)
    text += "\n" + totals_text(profile.total) + "\n" + flops_text(profile.total) + "\n" + traffic_text(profile.total);
  if (result.launched > 1) text += "\n" + ranks_text(result);
  if (!profile.regions.empty()) text += "\n" + regions_text(profile);
  text += functions_text(profile, result.functions, "FLOPs", flops_of);
  text += functions_text(profile, result.functions, fmt::format("bytes {}", farthest_boundary(profile.total)), far_bytes_of);
  for (const auto& note : result.notes) text += wrapped("note: " + printable(note), 130, "") + "\n";
  return text;
}

std::string profile_json(const ProfileResult& result, const std::string& file) {
  const auto& profile = result.profile;
  Json rows = Json::array();
  if (profile.processes > 0)
    rows.push_back(
        row("total", {{"ranks", result.launched}, {"processes", profile.processes}, {"threads", profile.threads}}, profile.total));
  for (const auto& rank : profile.ranks) rows.push_back(rank_row(result, rank));
  for (const auto& one : profile.regions)
    rows.push_back(row("region",
                       {{"name", one.name},
                        {"entries", one.entries},
                        {"ranks", one.ranks},
                        {"processes", one.processes},
                        {"threads", one.threads},
                        {"open", one.open}},
                       one.counts));
  add_function_rows(result, rows);
  add_process_rows(result, rows);
  return document("profile", file, rows, result.notes, {{"command", result.command}, {"caches", text_or_null(result.caches)}});
}

}  // namespace plumbline::app
