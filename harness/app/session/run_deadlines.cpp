#include "app/session/run_deadlines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "app/stages/ceilings_stage.hpp"
#include "comm/told.hpp"
#include "measure/clock.hpp"
#include "store/session_list.hpp"

namespace plumbline::app {
namespace {

using nlohmann::json;

constexpr double start_seconds = 300;      // at least, for planning and for opening the journal
constexpr double seconds_to_write = 0.01;  // a unit of the whole run, at the end

OutcomeRow failed(const std::string& id, const std::string& pass, const Hang& hang, const std::string& host, const std::string& session) {
  return {.case_id = id,
          .pass = pass,
          .status = Status::failed,
          .reason = hang.message,
          .node = host,
          .placement = "{}",
          .started_unix_ns = unix_nanoseconds(),
          .session = session};
}

int times_before(const RunRecord& record, const WorkKey& key) {
  const auto found = record.earlier().overdue.find(key);
  return found == record.earlier().overdue.end() ? 0 : found->second.times;
}

}  // namespace

RunDeadlines::RunDeadlines(const RunInput& input, Communicator& ranks)
    : input_(input), ranks_(ranks), watchdog_(ranks.local(), ranks.rank(), ranks.host(), ranks.nodes()) {
  const double seconds = std::max(start_seconds, input.campaign.deadline.floor_seconds);
  watchdog_.expect({.name = "the start of the run", .seconds = seconds, .rule = "what a start may take"});
}

void RunDeadlines::record_in(const RunRecord& record, const RunPlan& plan, JournalHeader header) {
  watchdog_.record_with([this, &record, &plan, header = std::move(header)](const Hang& hang) { return write(hang, record, plan, header); });
}

std::string RunDeadlines::rule() const {
  return fmt::format("{} times its estimate, at least {} s", input_.campaign.deadline.factor, input_.campaign.deadline.floor_seconds);
}

double RunDeadlines::time_seconds(const Case& measured) const {
  return deadline_seconds(estimate(measured, input_.campaign).time_seconds, input_.campaign.deadline);
}

double RunDeadlines::point_seconds(double estimated) const { return deadline_seconds(estimated, input_.campaign.deadline); }

// The emulator's slowdown varies far more than a loop's speed does.
double RunDeadlines::worker_seconds(const Case& measured) const {
  return 2 * input_.campaign.deadline.floor_seconds +
         4 * deadline_seconds(estimate(measured, input_.campaign).count_seconds, {input_.campaign.deadline.factor, 0});
}

double RunDeadlines::pass_seconds(const Case& measured, const std::string& pass) const {
  if (pass != "count") return time_seconds(measured);
  // On a GPU nothing is emulated, and the estimate is of all groups already.
  if (measured.team.gpus > 0) return point_seconds(estimate(measured, input_.campaign).count_seconds);
  const auto groups = static_cast<double>(std::max<std::size_t>(1, input_.counting.groups.size()));
  return input_.campaign.deadline.floor_seconds + groups * worker_seconds(measured);
}

double RunDeadlines::round_seconds(const RunPlan& plan, std::size_t round) const {
  double longest = 0;
  for (const auto index : plan.rounds[round].cases) {
    const Case& measured = plan.cases[index];
    longest = std::max(longest, (input_.campaign.time ? pass_seconds(measured, "time") : 0) +
                                    (input_.campaign.count ? pass_seconds(measured, "count") : 0));
  }
  return longest + input_.campaign.deadline.floor_seconds / 2;
}

/// A clock that stands still while all is stopped.
double RunDeadlines::running_seconds() const { return now_seconds() - watchdog_.stopped_seconds(); }

void RunDeadlines::begin_gpu_ceilings(const RunPlan& plan, const std::vector<GpuCeilingsStage::ToDo>& to_do, int nodes) {
  const auto all = all_gather(ranks_.local(), ranks_.rank());
  begin_ceilings(plan, to_do.front().round_id, nodes);
  for (const auto& one : to_do) gpu_rounds_[all[static_cast<std::size_t>(one.gpu->driver.rank)]].insert(one.round_id);
}

void RunDeadlines::begin_ceilings(const RunPlan& plan, const std::string& round_id, int nodes) {
  gpu_rounds_.clear();
  ceilings_round_ = round_id;
  wait_for_ceilings(plan, nodes);
}

void RunDeadlines::begin_gpu_point(const RunPlan& plan, const std::string& point, double estimated, const Finished& so_far) {
  watchdog_.expect({.name = point,
                    .seconds = point_seconds(estimated),
                    .rule = rule(),
                    .pass = "time",
                    .index = plan.cases.size(),
                    .point = point,
                    .so_far = std::make_shared<const Finished>(so_far)});
}

void RunDeadlines::wait_for_ceilings(const RunPlan& plan, int nodes) {
  watchdog_.expect({.name = "a round of ceilings",
                    .seconds = nodes * deadline_seconds(plan.ceiling_seconds, input_.campaign.deadline),
                    .rule = fmt::format("{} times the estimate of all rounds, at least {} s", input_.campaign.deadline.factor,
                                        input_.campaign.deadline.floor_seconds),
                    .pass = "time",
                    .index = plan.cases.size()});
}

void RunDeadlines::begin_point(const RunPlan& plan, const std::string& name, const std::string& pass, double seconds) {
  gpu_rounds_.clear();
  ceilings_round_ = name;
  watchdog_.expect({.name = name, .seconds = seconds, .rule = rule(), .pass = pass, .index = plan.cases.size()});
}

void RunDeadlines::begin_round(const RunPlan& plan, std::size_t round) {
  const double seconds = round_seconds(plan, round);
  round_until_ = running_seconds() + seconds;
  round_name_ = fmt::format("round {} of {}", round + 1, plan.rounds.size());
  wait_for_round();
}

void RunDeadlines::wait_for_round() {
  watchdog_.expect({.name = round_name_, .seconds = std::max(1.0, round_until_ - running_seconds()), .rule = "the deadlines of its cases"});
}

void RunDeadlines::begin_pass(const RunPlan& plan, std::size_t index, const std::string& pass) {
  const Case& measured = plan.cases[index];
  watchdog_.expect({.name = fmt::format("case {} ({} pass)", measured.id(), pass),
                    .seconds = pass_seconds(measured, pass),
                    .rule = pass != "count" || measured.team.gpus > 0 ? rule() : "what its workers are given",
                    .pass = pass,
                    .index = index});
}

void RunDeadlines::wait_again(double seconds) {
  watchdog_.expect({.name = "what is suspicious, measured again",
                    .seconds = seconds + input_.campaign.deadline.floor_seconds / 2,
                    .rule = "the deadlines of its cases"});
}

void RunDeadlines::begin_judging(const RunPlan& plan) {
  watchdog_.expect({.name = "judging the nodes", .seconds = seconds_to_end(plan), .rule = "what an end may take"});
}

void RunDeadlines::begin_end(const RunPlan& plan) {
  watchdog_.expect({.name = "the end of the run", .seconds = seconds_to_end(plan), .rule = "what an end may take"});
}

double RunDeadlines::seconds_to_end(const RunPlan& plan) const {
  const double units = static_cast<double>(plan.cases.size()) * ranks_.nodes();
  return std::max(start_seconds, input_.campaign.deadline.floor_seconds) + seconds_to_write * units;
}

/// A case, a round of ceilings, or those of the GPUs that the ranks drive which hang.
std::set<std::string> RunDeadlines::units_of(const Hang& hang, const RunPlan& plan) const {
  if (hang.expected.index < plan.cases.size()) return {plan.cases[hang.expected.index].id()};
  if (hang.expected.so_far) return {hang.expected.so_far->outcome.case_id};  // its own: other GPUs' ranks are at work
  std::set<std::string> rounds;
  for (const auto& hung : hang.ranks)
    if (const auto found = gpu_rounds_.find(hung.rank); found != gpu_rounds_.end())
      rounds.insert(found->second.begin(), found->second.end());
  return rounds.empty() ? std::set{ceilings_round_} : rounds;
}

/// The unit that hung, with what a round of a GPU's ceilings has so far; of its points those that were not reached are left out.
Finished RunDeadlines::hung_unit(const std::string& id, const Hang& hang, const RunPlan& plan, const std::string& session) const {
  Finished unit;
  if (hang.expected.so_far) {
    unit = *hang.expected.so_far;
    for (CeilingRow& row : unit.ceilings)
      if (gpu_point(row) == hang.expected.point && row.status == Status::ok && std::isnan(row.value))
        row.status = Status::failed, row.reason = hang.message;
    std::erase_if(unit.ceilings, [](const CeilingRow& row) { return row.status == Status::ok && std::isnan(row.value); });
  }
  if (hang.expected.index < plan.cases.size()) unit.case_row = plan.cases[hang.expected.index].row();
  unit.case_row.id = id;
  unit.outcome = failed(id, hang.expected.pass, hang, ranks_.host(), session);
  if (hang.expected.so_far) unit.outcome.placement = hang.expected.so_far->outcome.placement;
  return unit;
}

/// Writes the hang down on the watching thread, while the others of this process may hang: it reads only what no longer changes. The leader
/// may hang while it holds its journal, so this is a file of its own in the same folder.
std::string RunDeadlines::write(const Hang& hang, const RunRecord& record, const RunPlan& plan, const JournalHeader& header) const {
  Journal journal(record.files().journals, ranks_.host() + std::string(watchdog_suffix), header);
  json ranks = json::array();
  for (const auto& [rank, why] : hang.ranks) ranks.push_back({{"rank", rank}, {"host", ranks_.host()}, {"why", why}});
  Finished stop;
  stop.outcome = failed(std::string(stop_prefix) + header.session, "time", hang, ranks_.host(), header.session);
  journal.append(stop);
  const std::string where = fmt::format("recorded in {}", journal.path().string());
  if (hang.expected.pass.empty() || hang.ranks.empty()) return where + "; go on with --resume";
  int times = 0;
  for (const auto& id : units_of(hang, plan)) {
    Finished unit = hung_unit(id, hang, plan, header.session);
    const std::string& point = hang.expected.point;
    const json before = json::parse(unit.outcome.placement, nullptr, false);
    times = 1 + times_before(record, {point.empty() ? id : point, ranks_.host(), hang.expected.pass});
    unit.outcome.placement = json{{"ranks", ranks},
                                  {"hung", before.value("hung", json::array())},
                                  {"deadline",
                                   {{"times", times},
                                    {"point", point},
                                    {"seconds", hang.expected.seconds},
                                    {"factor", input_.campaign.deadline.factor},
                                    {"floor_seconds", input_.campaign.deadline.floor_seconds}}}}
                                 .dump();
    journal.append(unit);
  }
  return fmt::format("{}; go on with --resume, which {}", where, times < 2 ? "tries it once more" : "leaves it out");
}

}  // namespace plumbline::app
