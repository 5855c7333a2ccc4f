#include "app/results/projection_spec.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

#include "campaign/written.hpp"
#include "core/text/toml_depth.hpp"
#include "store/file_bytes.hpp"

namespace plumbline::app {
namespace {

using namespace key_schema;

constexpr const char* fraction = R"({"type":"number","minimum":0,"maximum":1})";

const WrittenKeys group_keys{
    "groups",
    {{"name", word, "part of the program", true},
     {"seconds", positive, "its time, in seconds", true},
     {"kind", R"({"enum":["threaded","serial","gpu"]})",
      "whose ceiling bounds it: the node's, its NUMA domain's, a GPU's; preset: threaded"},
     {"bound", word, "name of the ceiling that bounds it; preset: mem"},
     {"precision", R"({"enum":["fp64","fp32","fp16","bf16"]})", "of its arithmetic; preset: fp64"},
     {"flops", positive, "floating-point operations; an FMA is two"},
     {"fma_part", fraction, "part of its arithmetic instructions that are FMAs; the rest are sums and products in equal parts"},
     {"scalar_part", fraction, "part of them that work on one number; preset: 0"},
     {"bytes", R"({"type":"object","additionalProperties":{"type":"number","minimum":0}})",
      "bytes across each level's boundary towards the core, by its name: {L2 = 1e9, mem = 5e8}"},
     {"instructions", positive, "that run, a comparison and the branch that goes by it as one"},
     {"working_set_bytes", positive, "distinct bytes touched"},
     {"launches", positive, "of kernels on a GPU"}}};

const WrittenKeys ceiling_keys{"ceilings",
                               {{"name", word, "what it bounds: mem, L2, compute", true},
                                {"value", positive, "the rate, in its unit", true},
                                {"unit", R"({"enum":["GB/s","GFLOP/s"]})", "unit of the rate", true},
                                {"scope", R"({"enum":["node","numa","core","gpu"]})", "who shares it; preset: node"},
                                {"size_bytes", positive, "of a cache: the working set that it holds"},
                                {"ways", R"({"type":"integer","minimum":1})", "of a cache: places in each of its sets"},
                                {"clock_hz", positive, "of arithmetic: the clock of the cores that reach it"},
                                {"method", word, "how it was found", true}}};

/// The keys that a program's file and a node's may both have.
WrittenKeys program_keys(std::string_view file, std::string_view schema, bool name_is_needed) {
  return {file,
          {{"schema", schema, "what the file is", true},
           {"name", word, "of the node, or of the program", name_is_needed},
           {"groups", R"({"type":"array","items":{"$ref":"#/$defs/groups"}})", "parts of a program", file == "app"},
           {"rest_seconds", positive, "time that no group covers, in seconds"},
           {"covered_fraction", R"({"type":"number","exclusiveMinimum":0,"maximum":1})", "part of the time that groups cover"}}};
}

template <class T>
T required(const WrittenTable& table, const char* key, const std::optional<Written<T>>& written) {
  if (!written) table.fail(table.at(), fmt::format("'{}' is missing in {}", key, table.title()));
  return written->value;
}

double written_or(const WrittenTable& table, const char* key, double otherwise) {
  const auto written = table.positive(key);
  return written ? written->value : otherwise;
}

/// Calls `read` with each table of an array of tables; a missing key is an empty one.
void each_table(const WrittenTable& top, const char* key, const std::function<void(const WrittenTable&)>& read) {
  const auto* node = top.node(key);
  if (node == nullptr) return;
  if (!node->is_array()) top.fail_type(key, *node, "an array of tables");
  for (const auto& element : *node->as_array()) {
    if (!element.is_table()) top.fail_type(key, element, "an array of tables");
    read(WrittenTable(*element.as_table(), top.path(), fmt::format("[[{}]]", key)));
  }
}

double fraction_of(const WrittenTable& table, const char* key) {
  const auto written = table.number(key);
  if (!written) return absent;
  if (written->value < 0 || written->value > 1)
    table.fail(written->at, fmt::format("'{}' is {}, but a part is from 0 to 1", key, written->value));
  return written->value;
}

std::map<std::string, double> read_bytes_by_level(const WrittenTable& table) {
  std::map<std::string, double> bytes;
  const auto levels = table.table("bytes", "bytes");
  if (!levels) return bytes;
  for (const auto& [key, node] : levels->raw()) {
    const auto written = levels->number(key.str());
    if (written->value < 0)
      levels->fail(written->at, fmt::format("bytes of '{}' are {}, but cannot be negative", key.str(), written->value));
    bytes[std::string(key.str())] = written->value;
  }
  return bytes;
}

/// The precision of a group's FLOPs: as it says, or as its bound does, "compute fp32".
std::string precision_of(const WrittenTable& table) {
  const std::vector<std::string> precisions{"fp64", "fp32", "fp16", "bf16"};
  const auto said = table.choice("precision", precisions);
  const auto bound = table.word("bound");
  constexpr std::string_view compute = "compute ";
  if (!bound || !bound->value.starts_with(compute)) return said ? said->value : precisions.front();
  const std::string rest = bound->value.substr(compute.size()), of_bound = rest.substr(0, rest.find(' '));
  if (std::ranges::find(precisions, of_bound) == precisions.end())
    table.fail(bound->at, fmt::format("'bound' is '{}', but 'flops' are of {}; leave out 'flops', or name the bound of their precision",
                                      bound->value, said ? said->value : fmt::format("{}", fmt::join(precisions, ", "))));
  if (said && said->value != of_bound)
    table.fail(said->at, fmt::format("'precision' of the FLOPs is {}, but 'bound' is '{}'", said->value, bound->value));
  return of_bound;
}

ArithmeticMix read_mix(const WrittenTable& table) {
  const auto flops = table.positive("flops");
  if (!flops) return {};
  ArithmeticShare share{.flops = flops->value};
  if (const double fma = fraction_of(table, "fma_part"); std::isfinite(fma)) share.fma = fma, share.add = share.mul = (1 - fma) / 2;
  return {{precision_of(table), share}};
}

ApplicationGroup read_group(const WrittenTable& table) {
  table.allow_only(group_keys.names());
  const auto kind = table.choice("kind", {"threaded", "serial", "gpu"});
  const auto bound = table.word("bound");
  return {.name = required(table, "name", table.word("name")),
          .seconds = required(table, "seconds", table.positive("seconds")),
          .scope = !kind || kind->value == "threaded" ? "node"
                   : kind->value == "serial"          ? "numa"
                                                      : "gpu",
          .bound = bound ? bound->value : "mem",
          .mix = read_mix(table),
          .bytes = read_bytes_by_level(table),
          .scalar_part = fraction_of(table, "scalar_part"),
          .instructions = written_or(table, "instructions", absent),
          .working_set_bytes = written_or(table, "working_set_bytes", absent),
          .launches = written_or(table, "launches", 0)};
}

/// Refuses what no node has: values that were meant in other units.
void refuse_absurd(const WrittenTable& table, const NodeCeiling& one) {
  constexpr double most_gbs = 1e7, most_gflops = 1e9, least_bytes = 1024;  // L1 of a node with GPUs, an exaflop in one node, a small L1
  const double most = one.unit == "GB/s" ? most_gbs : most_gflops;
  if (one.value > most)
    table.fail(table.at("value"), fmt::format("'value' of '{}' is {:g} {}, more than any node has ({:g}): was it meant in {}?", one.name,
                                              one.value, one.unit, most, one.unit == "GB/s" ? "bytes/s" : "FLOP/s"));
  if (one.size_bytes < least_bytes)
    table.fail(table.at("size_bytes"), fmt::format("'size_bytes' of '{}' is {:g}, less than any cache holds: was it meant in KiB or MiB?",
                                                   one.name, one.size_bytes));
  constexpr double least_clock = 1e8, most_clock = 2e10;
  if (one.clock_hz < least_clock || one.clock_hz > most_clock)
    table.fail(table.at("clock_hz"), fmt::format("'clock_hz' of '{}' is {:g}, but clocks are from {:g} to {:g}, in Hz", one.name,
                                                 one.clock_hz, least_clock, most_clock));
  if (std::isfinite(one.clock_hz) && !one.name.starts_with("compute"))
    table.fail(table.at("clock_hz"), fmt::format("'clock_hz' is of arithmetic, 'compute ...', but this is '{}'", one.name));
}

NodeCeiling read_ceiling(const WrittenTable& table) {
  table.allow_only(ceiling_keys.names());
  const auto scope = table.choice("scope", {"node", "numa", "core", "gpu"});
  constexpr std::int64_t most_ways = 1 << 20;
  const auto ways = table.integer("ways", 1, most_ways);
  NodeCeiling ceiling{.name = required(table, "name", table.word("name")),
                      .value = required(table, "value", table.positive("value")),
                      .unit = required(table, "unit", table.choice("unit", {"GB/s", "GFLOP/s"})),
                      .scope = scope ? scope->value : "node",
                      .method = required(table, "method", table.word("method")),
                      .size_bytes = written_or(table, "size_bytes", absent),
                      .ways = ways ? ways->value : 0,
                      .clock_hz = written_or(table, "clock_hz", absent)};
  const bool is_level = ceiling.name == "mem" || ceiling.name == "L1" || ceiling.name == "L2" || ceiling.name == "L3";
  if (is_level && ceiling.unit != "GB/s")
    table.fail(table.at("unit"), fmt::format("'unit' of '{}' is {}, but a level of memory has GB/s", ceiling.name, ceiling.unit));
  if (ceiling.name.starts_with("compute") && ceiling.unit != "GFLOP/s")
    table.fail(table.at("unit"), fmt::format("'unit' of '{}' is {}, but arithmetic has GFLOP/s", ceiling.name, ceiling.unit));
  refuse_absurd(table, ceiling);
  return ceiling;
}

/// Refuses a covered fraction that is not what the groups and the rest are.
void refuse_contradiction(const WrittenTable& top, const Application& application) {
  constexpr double alike = 0.02;  // seconds are rounded
  double covered = 0;
  for (const auto& group : application.groups) covered += group.seconds;
  const double by_seconds = covered / (covered + application.rest_seconds);
  if (application.rest_seconds > 0 && std::abs(by_seconds - application.covered_fraction) > alike)
    top.fail(top.at("covered_fraction"),
             fmt::format("'covered_fraction' is {}, but groups of {:g} s and 'rest_seconds' of {:g} make {:.3g}",
                         application.covered_fraction, covered, application.rest_seconds, by_seconds));
}

Application read_groups(const WrittenTable& top) {
  Application application;
  if (const auto name = top.word("name")) application.name = name->value;
  each_table(top, "groups", [&](const WrittenTable& table) { application.groups.push_back(read_group(table)); });
  if (const auto rest = top.positive("rest_seconds")) application.rest_seconds = rest->value;
  if (const auto covered = top.positive("covered_fraction")) {
    if (covered->value > 1) top.fail(covered->at, fmt::format("'covered_fraction' is {}, but a fraction is at most 1", covered->value));
    application.covered_fraction = covered->value;
    refuse_contradiction(top, application);
  }
  return application;
}

/// Parses the file, holds its schema against the wanted one and hands over its top table.
void read_toml(const std::string& path, const std::string& schema, const std::vector<std::string>& keys,
               const std::function<void(const WrittenTable&)>& read) {
  toml::table document;
  try {
    const std::string text = read_bytes(path, schema == "plumbline-app/1" ? "application" : "node spec");
    if (names_nest_deeply(text)) throw user_error(fmt::format("{}: a name in it has more than {} dots", path, deepest_toml));
    document = toml::parse(text, path);
  } catch (const toml::parse_error& error) {
    throw wrong_at(path, location_of(error.source()), "not valid TOML: " + toml_complaint(error.description()));
  }
  const WrittenTable top(document, path, "the file");
  const auto written = top.word("schema");
  if (!written) top.fail({1, 1}, fmt::format("'schema' is missing; the first line must be: schema = \"{}\"", schema));
  if (written->value != schema) top.fail(written->at, fmt::format("'schema' is '{}', but here it must be '{}'", written->value, schema));
  top.allow_only(keys);
  read(top);
}

}  // namespace

WrittenFile app_file() {
  return {"A program's parts, for plumbline project", {program_keys("app", R"({"const":"plumbline-app/1"})", false), group_keys}};
}

WrittenFile spec_file() {
  WrittenKeys keys = program_keys("spec", R"({"const":"plumbline-spec/1"})", true);
  keys.keys.push_back({"machine", word, "CPU model; preset: the name"});
  keys.keys.push_back({"cores", positive, "cores that its node ceilings are of"});
  keys.keys.push_back({"issue_width", positive, "instructions that a core takes up in a cycle at most"});
  keys.keys.push_back({"launch_seconds", positive, "time that a launch takes on its GPU"});
  keys.keys.push_back({"measured_seconds", positive, "true run time there, in seconds"});
  keys.keys.push_back({"ceilings", R"({"type":"array","items":{"$ref":"#/$defs/ceilings"},"minItems":1})", "the node's ceilings", true});
  return {"A node's ceilings, for plumbline project", {keys, group_keys, ceiling_keys}};
}

ProjectionSpec read_spec(const std::string& path) {
  ProjectionSpec spec;
  read_toml(path, "plumbline-spec/1", spec_file().tables.front().names(), [&](const WrittenTable& top) {
    spec.application = read_groups(top);
    spec.node.name = required(top, "name", top.word("name"));
    spec.node.measured_seconds = written_or(top, "measured_seconds", absent);
    spec.node.cores = written_or(top, "cores", absent);
    spec.node.issue_width = written_or(top, "issue_width", absent);
    constexpr double narrowest = 1, widest = 64;
    if (spec.node.issue_width < narrowest || spec.node.issue_width > widest)
      top.fail(top.at("issue_width"), fmt::format("'issue_width' is {:g}, but cores take up {} to {} instructions in a cycle",
                                                  spec.node.issue_width, narrowest, widest));
    spec.node.launch_seconds = written_or(top, "launch_seconds", absent);
    constexpr double longest_launch = 0.1;
    if (spec.node.launch_seconds > longest_launch)
      top.fail(top.at("launch_seconds"), fmt::format("'launch_seconds' is {:g}, but a launch takes microseconds (5e-6), {} s at most",
                                                     spec.node.launch_seconds, longest_launch));
    if (const auto machine = top.word("machine")) spec.node.machine = machine->value;
    each_table(top, "ceilings", [&](const WrittenTable& table) {
      const NodeCeiling one = read_ceiling(table);
      if (std::ranges::any_of(spec.node.ceilings,
                              [&](const NodeCeiling& other) { return other.name == one.name && other.scope == one.scope; }))
        table.fail(table.at("name"), fmt::format("there is a ceiling '{}' of scope {} already", one.name, one.scope));
      spec.node.ceilings.push_back(one);
    });
    if (spec.node.ceilings.empty()) top.fail(top.at(), "a spec needs at least one [[ceilings]] table");
  });
  return spec;
}

Application read_application(const std::string& path) {
  Application application;
  read_toml(path, "plumbline-app/1", app_file().tables.front().names(), [&](const WrittenTable& top) {
    application = read_groups(top);
    if (application.groups.empty()) top.fail(top.at(), "an application needs at least one [[groups]] table");
  });
  return application;
}

}  // namespace plumbline::app
