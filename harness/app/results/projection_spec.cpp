#include "app/results/projection_spec.hpp"

#include <fmt/format.h>

#include <functional>

#include "campaign/written.hpp"
#include "core/text/toml_depth.hpp"
#include "store/file_bytes.hpp"

namespace plumbline::app {
namespace {

using namespace key_schema;

const WrittenKeys group_keys{"groups",
                             {{"name", word, "part of the program", true},
                              {"seconds", positive, "its time, in seconds", true},
                              {"kind", R"({"enum":["threaded","serial","gpu"]})",
                               "whose ceiling bounds it: the node's, its NUMA domain's, a GPU's; preset: threaded"},
                              {"bound", word, "name of the ceiling that bounds it; preset: mem"}}};

const WrittenKeys ceiling_keys{"ceilings",
                               {{"name", word, "what it bounds: mem, L2, compute", true},
                                {"value", positive, "the rate, in its unit", true},
                                {"unit", R"({"enum":["GB/s","GFLOP/s"]})", "unit of the rate", true},
                                {"scope", R"({"enum":["node","numa","core","gpu"]})", "who shares it; preset: node"},
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

ApplicationGroup read_group(const WrittenTable& table) {
  table.allow_only(group_keys.names());
  const auto kind = table.choice("kind", {"threaded", "serial", "gpu"});
  const auto bound = table.word("bound");
  return {.name = required(table, "name", table.word("name")),
          .seconds = required(table, "seconds", table.positive("seconds")),
          .scope = !kind || kind->value == "threaded" ? "node"
                   : kind->value == "serial"          ? "numa"
                                                      : "gpu",
          .bound = bound ? bound->value : "mem"};
}

NodeCeiling read_ceiling(const WrittenTable& table) {
  table.allow_only(ceiling_keys.names());
  const auto scope = table.choice("scope", {"node", "numa", "core", "gpu"});
  return {.name = required(table, "name", table.word("name")),
          .value = required(table, "value", table.positive("value")),
          .unit = required(table, "unit", table.choice("unit", {"GB/s", "GFLOP/s"})),
          .scope = scope ? scope->value : "node",
          .method = required(table, "method", table.word("method"))};
}

Application read_groups(const WrittenTable& top) {
  Application application;
  if (const auto name = top.word("name")) application.name = name->value;
  each_table(top, "groups", [&](const WrittenTable& table) { application.groups.push_back(read_group(table)); });
  if (const auto rest = top.positive("rest_seconds")) application.rest_seconds = rest->value;
  if (const auto covered = top.positive("covered_fraction")) {
    if (covered->value > 1) top.fail(covered->at, fmt::format("'covered_fraction' is {}, but a fraction is at most 1", covered->value));
    application.covered_fraction = covered->value;
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
  keys.keys.push_back({"measured_seconds", positive, "true run time there, in seconds"});
  keys.keys.push_back({"ceilings", R"({"type":"array","items":{"$ref":"#/$defs/ceilings"},"minItems":1})", "the node's ceilings", true});
  return {"A node's ceilings, for plumbline project", {keys, group_keys, ceiling_keys}};
}

ProjectionSpec read_spec(const std::string& path) {
  ProjectionSpec spec;
  read_toml(path, "plumbline-spec/1", spec_file().tables.front().names(), [&](const WrittenTable& top) {
    spec.application = read_groups(top);
    spec.node.name = required(top, "name", top.word("name"));
    if (const auto seconds = top.positive("measured_seconds")) spec.node.measured_seconds = seconds->value;
    each_table(top, "ceilings", [&](const WrittenTable& table) { spec.node.ceilings.push_back(read_ceiling(table)); });
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
