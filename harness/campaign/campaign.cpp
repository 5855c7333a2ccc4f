#include "campaign/campaign.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "campaign/campaign_keys.hpp"
#include "campaign/parameter_values.hpp"
#include "campaign/suggest.hpp"
#include "campaign/written.hpp"

namespace plumbline {
namespace {

constexpr std::string_view campaign_schema = "plumbline-campaign/1";

void read_schema(const WrittenTable& top) {
  const auto written = top.word("schema");
  if (!written) top.fail({1, 1}, fmt::format("'schema' is missing; the first line must be: schema = \"{}\"", campaign_schema));
  if (written->value != campaign_schema)
    top.fail(written->at, fmt::format("'schema' is {}; this plumbline reads '{}'", in_quotes(written->value), campaign_schema));
}

std::string read_name(const WrittenTable& top) {
  const auto written = top.word("name");
  if (!written) return std::filesystem::path(top.path()).stem().string();
  const auto usable = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' || c == '_' || c == '-' || c == '+';
  };
  const auto& name = written->value;
  if (name.empty() || name.front() == '.' || name.front() == '-' || !std::all_of(name.begin(), name.end(), usable))
    top.fail(written->at,
             fmt::format("'name' is {}, but it names the result file: use letters, digits, '.', '_', '-', '+'", in_quotes(name)));
  return name;
}

void read_passes(const WrittenTable& top, Campaign& campaign) {
  if (!top.has("passes")) return;
  campaign.time = campaign.count = false;
  for (const auto& pass : top.words("passes")) {
    bool* wanted = pass.value == "time" ? &campaign.time : pass.value == "count" ? &campaign.count : nullptr;
    if (wanted == nullptr)
      top.fail(pass.at, fmt::format("'passes' holds {}{}", in_quotes(pass.value), suggestion(pass.value, {"time", "count"})));
    if (*wanted) top.fail(pass.at, fmt::format("'passes' holds '{}' twice", pass.value));
    *wanted = true;
  }
}

Timing read_timing(const WrittenTable& top) {
  Timing timing;
  const auto table = top.table("timing", "[timing]");
  if (!table) return timing;
  table->allow_only(timing_keys.names());
  if (const auto written = table->positive("min_seconds")) timing.min_seconds = written->value;
  if (const auto written = table->positive("ci_relative")) timing.ci_relative = written->value;
  if (const auto written = table->integer("max_repetitions", 1, 1'000'000)) timing.max_repetitions = static_cast<int>(written->value);
  if (const auto written = table->flag("cold_l2")) timing.cold_l2 = written->value;
  return timing;
}

Counting read_counting(const WrittenTable& top) {
  Counting counting;
  const auto table = top.table("counting", "[counting]");
  if (!table) return counting;
  table->allow_only(counting_keys.names());
  if (const auto written = table->integer("repetitions", 1, most_count_repetitions))
    counting.repetitions = static_cast<int>(written->value);
  return counting;
}

Deadline read_deadline(const WrittenTable& top) {
  Deadline deadline;
  const auto table = top.table("deadline", "[deadline]");
  if (!table) return deadline;
  table->allow_only(deadline_keys.names());
  if (const auto written = table->positive("factor")) {
    if (written->value < 1)
      table->fail(written->at, fmt::format("'factor' is {}: no case could keep a deadline below its estimate", written->value));
    deadline.factor = written->value;
  }
  if (const auto written = table->positive("floor_seconds")) deadline.floor_seconds = written->value;
  return deadline;
}

JournalWish read_journal_wish(const WrittenTable& top) {
  JournalWish journal;
  const auto table = top.table("journal", "[journal]");
  if (!table) return journal;
  table->allow_only(journal_keys.names());
  constexpr double most = 3600;
  if (const auto written = table->number("sync_seconds")) {
    if (!(written->value >= 0 && written->value <= most))
      table->fail(written->at, fmt::format("'sync_seconds' is {}, but must be 0 (after each case) to {:.0f}", written->value, most));
    journal.sync_seconds = written->value;
  }
  return journal;
}

LinkMapWish read_node_pairs(const WrittenTable& table) {
  const auto* node = table.node("node_pairs");
  if (node == nullptr) return {};
  if (node->is_integer()) return {.wanted = true, .partners = static_cast<int>(table.integer("node_pairs", 1, 1 << 20)->value)};
  if (!node->is_string()) table.fail_type("node_pairs", *node, "\"auto\", \"none\" or how many partners each node gets");
  return {.wanted = table.choice("node_pairs", {"auto", "none"})->value == "auto"};
}

NodesWish read_nodes(const WrittenTable& top, const Campaign& campaign) {
  NodesWish wish;
  const auto table = top.table("nodes", "[nodes]");
  if (!table) return wish;
  table->allow_only(nodes_keys.names());
  if (const auto written = table->flag("turns")) {
    if (written->value && campaign.placement == Placement::distribute)
      table->fail(written->at,
                  "'turns' is true, but with placement = \"distribute\" no node has anything to wait for; write \"every_node\"");
    wish.turns = written->value;
  }
  if (const auto written = table->flag("remeasure")) wish.remeasure = written->value;
  return wish;
}

CeilingsWish read_ceilings(const WrittenTable& top) {
  const auto table = top.table("ceilings", "[ceilings]");
  if (!table) return {};
  table->allow_only(ceilings_keys.names());
  CeilingsWish wish;
  const auto mode = table->choice("mode", {"quick", "full", "none"});
  wish.mode = !mode || mode->value == "quick" ? CeilingsMode::quick : mode->value == "full" ? CeilingsMode::full : CeilingsMode::none;
  wish.only = table->words("only");
  if (const auto written = table->integer("rounds", 1, 1000)) wish.rounds = static_cast<int>(written->value);
  wish.node_pairs = read_node_pairs(*table);
  if (const auto written = table->flag("gpus")) wish.gpus = written->value;
  return wish;
}

/// Times are this machine's: another machine's caches are for counts alone, or intensities would join what does not belong together.
EmulatedWish read_emulated(const WrittenTable& top, const Campaign& campaign) {
  EmulatedWish wish;
  const auto table = top.table("emulated", "[emulated]");
  if (!table) return wish;
  table->allow_only(emulated_keys.names());
  if (const auto written = table->word("caches")) wish.caches = *written;
  const auto& caches = wish.caches.value;
  if (caches.empty())
    table->fail(wish.caches.at, R"('caches' is empty; allowed: "auto", "topology", "measured", "none", a geometry's name or a FILE.toml)");
  if (!wish.is_of_this_machine() && (campaign.time || campaign.ceilings.mode != CeilingsMode::none))
    table->fail(wish.caches.at, fmt::format("'caches' is {}, whose counts do not belong to the times of this machine; write passes = "
                                            "[\"count\"] and no [ceilings], or caches = \"auto\"",
                                            in_quotes(caches)));
  return wish;
}

std::optional<int> team_number(const WrittenTable& team, std::string_view key) {
  const auto* node = team.node(key);
  if (node == nullptr) return 1;
  if (node->is_string() && node->as_string()->get() == "all") return std::nullopt;
  if (!node->is_integer()) team.fail_type(key, *node, "an integer of at least 1 or \"all\"");
  return static_cast<int>(team.integer(key, 1, 1 << 20)->value);
}

/// Reads a team of GPUs: one thread of one rank drives each; further ones do what a kernel leaves to the host.
TeamSpec gpu_team(const WrittenTable& team) {
  if (team.has("ranks"))
    team.fail(team.at("ranks"),
              "'ranks' stands beside 'gpus': a rank of its own drives each GPU; write {gpus=2} for two ranks with a GPU each");
  return {.threads = team_number(team, "threads"), .gpus = team_number(team, "gpus")};
}

std::vector<Written<TeamSpec>> read_teams(const WrittenTable& spec) {
  const auto* node = spec.node("team");
  if (node == nullptr) return {{TeamSpec{}, spec.at()}};
  std::vector<Written<TeamSpec>> teams;
  const auto add = [&](const toml::node& element) {
    if (!element.is_table()) spec.fail_type("team", element, "a list of {ranks=R, threads=T} or {gpus=G, threads=T}");
    const WrittenTable team(*element.as_table(), spec.path(), "'team'");
    team.allow_only(team_keys.names());
    teams.push_back({team.has("gpus") ? gpu_team(team) : TeamSpec{team_number(team, "ranks"), team_number(team, "threads")}, team.at()});
  };
  if (node->is_array())
    for (const auto& element : *node->as_array()) add(element);
  else
    add(*node);
  if (teams.empty()) spec.fail(spec.at("team"), "the sweep is empty: 'team' in [[cases]] is an empty list");
  return teams;
}

CaseSpec read_case(const WrittenTable& spec) {
  spec.allow_only(case_keys.names());
  CaseSpec result;
  result.at = spec.at();
  const auto kernel = spec.word("kernel");
  if (!kernel) spec.fail(spec.at(), "[[cases]] needs 'kernel'; see 'plumbline list kernels'");
  result.kernel = *kernel;
  result.precisions = spec.words("precision");
  result.flavors = spec.words("flavor");
  if (result.flavors.empty()) result.flavors = {{"*", spec.at()}};
  result.teams = read_teams(spec);
  result.exclude = spec.words("exclude", true);
  if (const auto params = spec.table("params", "'params'"))
    for (const auto& [key, value] : params->raw()) {
      const std::string name(key.str());
      result.parameters.emplace_back(Written<std::string>{name, location_of(key.source())}, parameter_values(*params, name));
    }
  return result;
}

std::vector<CaseSpec> read_cases(const WrittenTable& top) {
  std::vector<CaseSpec> specs;
  for (const auto& spec : top.tables("cases", "one for each group of cases")) specs.push_back(read_case(spec));
  return specs;
}

}  // namespace

std::string_view to_string(Placement placement) { return placement == Placement::every_node ? "every_node" : "distribute"; }

std::string_view to_string(CeilingsMode mode) {
  constexpr std::string_view words[] = {"none", "quick", "full"};
  return words[static_cast<std::size_t>(mode)];
}

bool drives_gpu(const Campaign& campaign, int rank) {
  return std::any_of(campaign.cases.begin(), campaign.cases.end(), [&](const CaseSpec& spec) {
    return std::any_of(spec.teams.begin(), spec.teams.end(),
                       [&](const auto& team) { return team.value.on_gpus() && rank < team.value.gpus.value_or(rank + 1); });
  });
}

bool wants_gpus(const Campaign& campaign) {
  if (campaign.ceilings.mode != CeilingsMode::none && campaign.ceilings.gpus.value_or(false)) return true;
  return std::any_of(campaign.cases.begin(), campaign.cases.end(), [](const CaseSpec& spec) {
    return std::any_of(spec.teams.begin(), spec.teams.end(), [](const auto& team) { return team.value.on_gpus(); });
  });
}

Campaign parse_campaign(std::string text, const std::string& path) {
  const auto document = parse_toml(text, path);
  const WrittenTable top(document, path, "the campaign");
  read_schema(top);
  top.allow_only(campaign_keys.names());
  Campaign campaign;
  campaign.path = path;
  campaign.text = std::move(text);
  campaign.name = read_name(top);
  if (const auto written = top.integer("seed", 0)) campaign.seed = static_cast<std::uint64_t>(written->value);
  if (const auto written = top.choice("order", {"random", "written"})) campaign.in_written_order = written->value == "written";
  read_passes(top, campaign);
  if (const auto written = top.word("counters")) {
    if (written->value.empty())
      top.fail(written->at, R"('counters' is empty; allowed: "auto", "none", names separated by commas, or a SET.toml)");
    campaign.counters = written->value;
  }
  if (const auto written = top.choice("placement", {"every_node", "distribute"}))
    campaign.placement = written->value == "distribute" ? Placement::distribute : Placement::every_node;
  if (const auto written = top.flag("oversubscribe")) campaign.oversubscribe = written->value;
  if (const auto written = top.choice("beyond_memory", {"refuse", "skip"})) campaign.skips_beyond_memory = written->value == "skip";
  if (const auto written = top.positive("budget_seconds")) campaign.budget_seconds = written->value;
  campaign.timing = read_timing(top);
  campaign.counting = read_counting(top);
  campaign.deadline = read_deadline(top);
  campaign.journal = read_journal_wish(top);
  campaign.nodes = read_nodes(top, campaign);
  campaign.ceilings = read_ceilings(top);
  campaign.emulated = read_emulated(top, campaign);
  campaign.cases = read_cases(top);
  if (campaign.cases.empty() && campaign.ceilings.mode == CeilingsMode::none && !campaign.ceilings.node_pairs.wanted)
    top.fail({1, 1}, "the sweep is empty: there is neither a [[cases]] table nor [ceilings] mode = \"quick\" or \"full\"");
  return campaign;
}

Campaign read_campaign(const std::string& path) {
  return parse_campaign(read_text(path, "campaign", "see 'plumbline list campaigns'"), path);
}

}  // namespace plumbline
