// The applications of a result file that were timed by phases become what the model of scaling begins with.
#pragma once
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/parameters.hpp"
#include "model/cases/measured.hpp"
#include "model/ceilings/ceilings.hpp"
#include "model/placement/roofline.hpp"
#include "model/scaling/scaled_application.hpp"

namespace plumbline {

/// The steps of an application as its kernel states them.
struct ApplicationSchedule {
  struct Entered {
    std::string name = {};
    double entries = 1, messages = 0, bytes = 0;  // in a sweep; what one rank sends in an entry
  };
  Parameters parameters = {};
  std::vector<Entered> phases = {};
  std::vector<std::size_t> order = {};  // of phases, entry after entry
};
/// The schedule of a case; nullopt for a kernel of one loop, or one that this program does not know.
using ScheduleOf = std::function<std::optional<ApplicationSchedule>(const CaseRow&)>;

/// An application at one number of ranks on one node.
struct TimedApplication {
  const CaseRow* of = nullptr;
  std::string node = {};
  Parameters parameters = {};
  bool oversubscribed = false;
  bool disturbed = false;  // each of its repetitions was
  double unlike = 1;       // computing of the rank that takes longest over that of the one that takes least
  ScaledApplication scaled = {};

  /// Gives what agrees where only the number of ranks differs.
  std::string works_alike() const { return of->work + " t" + std::to_string(of->threads) + " " + of->flavor + " " + node; }
};

/// The cases of a file that are applications on CPUs, were timed by phases and whose decomposition is known; `notes` names the others
/// that have phases, and why they are left out.
std::vector<TimedApplication> timed_applications(const Results& results, const Measurements& measurements,
                                                 std::span<const Ceiling> ceilings, std::span<const NodeFacts> nodes,
                                                 std::span<const RooflinePlacement> placements, const ScheduleOf& schedule_of,
                                                 std::vector<std::string>& notes);

/// Whether two applications are the same problem on unlike numbers of ranks: the same parameters, but for those that cut a rank's share.
bool are_one_problem(const TimedApplication& one, const TimedApplication& other);

}  // namespace plumbline
