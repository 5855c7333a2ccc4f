#include "adversary_base.hpp"

#include <array>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace plumbline::test {
namespace {

using Json = nlohmann::json;

CaseRow case_row(const Json& one) {
  CaseRow row;
  row.id = one.at("id");
  row.kernel = one.at("kernel");
  row.precision = one.at("precision");
  row.flavor = one.at("flavor");
  row.params = one.at("params");
  row.ranks = one.at("team").at(0);
  row.threads = one.at("team").at(1);
  row.work = row.id.substr(0, row.id.rfind('/', row.id.rfind('/') - 1));
  return row;
}

/// The FLOPs of a precision are those of their kinds, a fused multiply-add two; a boundary's bytes are those of its flows.
void add_totals(std::map<std::string, double>& truth) {
  for (const std::string precision : {"flops.fp64", "flops.fp32"})
    for (const auto& [kind, operations] : {std::pair{".add", 1.0}, {".mul", 1.0}, {".fma", 2.0}, {".div", 1.0}, {".sqrt", 1.0}})
      truth[precision] += operations * truth[precision + kind];
  for (const std::string boundary : {"bytes.reg-L1", "bytes.L1-L2", "bytes.L2-L3", "bytes.L3-mem"})
    for (const char* flow : {".load", ".store", ".demand_read", ".rfo", ".prefetch", ".write_back", ".nt_store"})
      if (const auto found = truth.find(boundary + flow); found != truth.end()) truth[boundary] += found->second;
}

TrueCase true_case(const Json& one, const std::vector<std::string>& events, const std::vector<std::string>& quantities) {
  TrueCase all{.row = case_row(one), .truth = {}, .model = {}};
  for (std::size_t i = 0; i < events.size(); ++i)
    if (const Json& count = one.at("counts").at(i); !count.is_null()) all.truth[events[i]] = count;
  add_totals(all.truth);
  for (std::size_t i = 0; i < quantities.size(); ++i) {
    const Json& bounds = one.at("model").at(i);
    if (bounds.is_number()) all.model[quantities[i]] = {bounds, bounds};
    if (bounds.is_array()) all.model[quantities[i]] = {bounds.at(0), bounds.at(1)};
  }
  return all;
}

}  // namespace

std::vector<TrueCase> counted_cases(const std::string& file) {
  std::ifstream in(file);
  if (!in) throw std::runtime_error("cannot read " + file);
  const Json all = Json::parse(in);
  const auto events = all.at("events").get<std::vector<std::string>>(), quantities = all.at("quantities").get<std::vector<std::string>>();
  std::vector<TrueCase> cases;
  for (const auto& one : all.at("cases")) cases.push_back(true_case(one, events, quantities));
  return cases;
}

Bases kept_bases(const std::string& folder) {
  return {counted_cases(folder + "/adversary_base.json"), counted_cases(folder + "/adversary_held_out.json")};
}

}  // namespace plumbline::test
