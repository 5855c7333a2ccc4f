// The points of one GPU's ceilings are measured by the rank that drives it, from a CPU beside it.
#pragma once
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "app/stages/gpu_ceilings_plan.hpp"
#include "app/stages/gpu_in_use.hpp"
#include "core/records.hpp"

namespace plumbline {
class PreparedOnGpu;
}

namespace plumbline::app {

/// The estimated seconds of some of a GPU's points measured once and one after the other, from the idle GPU on.
double gpu_part_seconds(std::span<const CeilingCase> points, const GpuProperties& gpu);

/// Calls to others while a rank measures a GPU's round: to whoever waits for a point that may hang, and who remembers what did.
struct GpuPointsWatch {
  /// A point begins, which takes so many seconds by estimate; `so_far`: what the round has.
  std::function<void(const std::string& point, double seconds, const Finished& so_far)> begins = [](auto&&...) {};
  /// The rank has measured what it had to, and waits for others.
  std::function<void()> waits = [] {};
  /// The memory of a point that is not tried again, as it hung in earlier sessions: "point", "times", "reason" and what the round's record
  /// is to hand on beside them; null: the point is tried.
  std::function<nlohmann::json(const std::string& point)> given_up = [](const std::string&) { return nlohmann::json(); };
};

/// Measures points. It keeps between the rounds how many sweeps a sample takes and which results were right; the data are made anew in
/// each.
class GpuPoints {
 public:
  /// Makes the points. `gpu`, with its points, and `in_use` outlive it.
  GpuPoints(const DrivenGpu& gpu, std::string session, std::string host, GpuInUse& in_use, GpuPointsWatch watch = {});

  /// The name of a round as a unit of work.
  std::string round_id(int round) const;
  /// Begins a round, which has two parts, as links are measured by one GPU at a time. A point that fails says so in its row; after a fault
  /// that the GPU does not survive the rest is skipped, and later rounds are failed ones without rows. Throws nothing.
  void begin(int round);
  void measure_alone() { measure(0, gpu_.first_link, "conditions"); }
  bool has_links() const { return gpu_.first_link < gpu_.points.size(); }
  void measure_links() { measure(gpu_.first_link, gpu_.points.size(), gpu_.first_link == 0 ? "conditions" : "conditions_of_links"); }
  /// Ends a round and gives what it became, with the GPU in its placement; once.
  Finished finish(int local_rank);

 private:
  CeilingRow described_here(const CeilingCase& ceiling, int round) const;
  void measure(std::size_t first, std::size_t last, const char* conditions);
  void measure_bound(std::size_t first, std::size_t last, const char* conditions);
  void measure_each(std::size_t first, std::size_t last);
  void begin_point(std::size_t point);
  void remember(nlohmann::json given_up);
  std::unique_ptr<PreparedOnGpu> prepared(const CeilingCase& ceiling, CeilingRow& row);
  void sample(std::size_t point, PreparedOnGpu& data, double warm_up, CeilingRow& row);
  /// Samples a rate that lasts, on a GPU that was at it for a quarter as long before, and watches it meanwhile.
  void sustain(const CeilingCase& ceiling, PreparedOnGpu& data, CeilingRow& row);
  static void refuse(CeilingRow& row, Status status, const std::string& reason);
  void fail(CeilingRow& row, Status status, const std::string& reason);

  const DrivenGpu& gpu_;
  std::string session_, host_;
  GpuInUse& in_use_;
  GpuPointsWatch watch_;
  std::vector<std::uint64_t> sweeps_;  // of each point's sample; 0: not calibrated yet
  std::set<std::string> checked_;      // case ids
  Finished unit_;                      // of the round that is measured
  nlohmann::json facts_;               // of the GPU in it
  nlohmann::json hung_;                // memories of the points in it that are given up
};

}  // namespace plumbline::app
