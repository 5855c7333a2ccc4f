// Loops contest the same ceiling before the rounds: a few milliseconds a candidate, in turns.
#pragma once
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "app/stages/case_runner.hpp"
#include "ert/form_contests.hpp"
#include "model/ceilings/form_choice.hpp"

namespace plumbline::app {

/// The estimated seconds of all contests.
double contests_seconds(std::span<const ContestPlan> contests);

/// The candidate of each contest that was chosen on a node, or a kind of nodes: 0, the plan's own loop, where none was.
std::vector<std::size_t> winners_of(std::span<const ContestPlan> contests, std::span<const ChosenForm> chosen, const std::string& node);

/// The contests that are still to be measured on a node: where one of a ceiling and team was not chosen yet, or a candidate failed, all of
/// them.
std::vector<ContestPlan> unchosen(std::span<const ContestPlan> contests, std::span<const ChosenForm> chosen, const std::string& node);

class FormContestsStage {
 public:
  /// The part of what its cores could do that a sample is; NaN where that is not known.
  using PartOfLimit = std::function<double(const CeilingRow& sample)>;

  /// Makes the stage; `place` gives a team its CPUs. Contests, ranks and `place` outlive it.
  FormContestsStage(const std::vector<ContestPlan>& contests, std::string session, Communicator& ranks,
                    const std::function<TeamCpus(const Team&)>& place, PartOfLimit part_of_limit)
      : contests_(contests), session_(std::move(session)), ranks_(ranks), place_(place), part_of_limit_(std::move(part_of_limit)) {}

  /// The name of all contests as a unit of work: those of the teams that have a place on this node.
  std::string id() const;
  /// Measures all contests on this node: collective over its ranks. The leader gets the finished unit: rows of level "choice", the best
  /// turn of each candidate; `skipped` are those that could win nothing more.
  std::optional<Finished> measure();

 private:
  void measure_team(std::size_t first, std::size_t last, Finished& unit);
  std::vector<CeilingRow> rows_of(const ContestPlan& contest, const TeamCpus& placement) const;

  const std::vector<ContestPlan>& contests_;
  std::string session_;
  Communicator& ranks_;
  const std::function<TeamCpus(const Team&)>& place_;
  PartOfLimit part_of_limit_;
};

}  // namespace plumbline::app
