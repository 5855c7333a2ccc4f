#include "counters/cupti/cupti.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "core/error.hpp"
#include "counters/cupti/cupti_attempt.hpp"
#include "counters/cupti/cupti_groups.hpp"
#include "counters/cupti/cupti_launches.hpp"
#include "counters/cupti/cupti_library.hpp"
#include "counters/cupti/cupti_ranges.hpp"

namespace plumbline {
namespace {

struct LaunchEvent {
  const char* name;
  std::uint64_t (CuptiLaunches::*count)() const;
  const char* description;
};
constexpr LaunchEvent launch_events[] = {
    {"launches", &CuptiLaunches::kernels, "launches of single kernels (by callbacks, no counter)"},
    {"graph_launches", &CuptiLaunches::graphs, "launches of whole graphs (by callbacks, no counter)"},
};

const LaunchEvent* launch_event(std::string_view name) {
  const auto* found = std::find_if(std::begin(launch_events), std::end(launch_events), [&](const auto& one) { return name == one.name; });
  return found == std::end(launch_events) ? nullptr : found;
}

/// The GPU's chip, or why it is not known.
Availability find_chip(const CuptiPlace& place, std::string& chip) {
  if (!place.driver.availability().ok()) return place.driver.availability();
  if (!place.cupti.availability().ok()) return place.cupti.availability();
  return cupti_attempt(*place.cupti.opened(), [&] { chip = cupti_chip_of(*place.cupti.opened(), place.driver.ordinal()); });
}

class CuptiBackend final : public MultiPass {
 public:
  CuptiBackend(const CuptiPlace& place, EventNames wanted, const EventTables& tables) : cupti_(place.cupti), driver_(place.driver) {
    availability_ = find_chip(place, chip_);
    if (!availability_.ok()) {
      for (const auto& event : wanted) refused_.push_back({event, availability_});
      return;
    }
    const auto rows = counters_for_chip(tables, chip_).counters;
    const auto why_not = cupti_attempt(*cupti_.opened(), [&] { wanted.empty() ? group_rows(rows) : group_named(wanted); });
    if (!why_not.ok()) availability_ = why_not, groups_.clear();
  }

  std::string_view name() const override { return "cupti"; }
  Availability availability() const override { return availability_; }
  const std::vector<EventGroup>& groups() const override { return groups_; }
  std::vector<Refusal> refused() const override { return refused_; }

  void prepare(std::size_t group, int sums) override {
    if (counted_ != &groups_.at(group)) release();
    counted_ = &groups_.at(group);
    sums_.assign(static_cast<std::size_t>(sums), Sum(counted_->events.size()));
    launches_.reset();
    trouble_ = {};
    taken_ = true;
    expect(1);
  }
  void expect(std::size_t entries) override {
    most_entries_ = entries;
    entered_.clear();
    entered_.reserve(entries);
  }
  void open(int thread) noexcept override {
    if (thread != 0) return;
    guard([&] {
      if (launch_event(counted_->events.front()) != nullptr)
        launches_ = std::make_unique<CuptiLaunches>(*cupti_.opened());
      else if (!ranges_ || ranges_->most_ranges() < most_entries_)
        open_ranges();
    });
  }
  void close(int thread) noexcept override {
    if (thread != 0) return;
    guard([&] {
      if (ranges_ && !taken_) throw io_error("CUPTI never said that it had all passes of the region: nothing was counted");
    });
    launches_.reset();
    if (!trouble_.ok()) ranges_.reset();
  }
  /// A profiler takes long to set up: one does for all repetitions of a group.
  void release() noexcept override { ranges_.reset(); }
  void begin_pass() noexcept override {
    if (taken_) passes_ = 0, taken_ = false;
    entered_.clear();
    guard([&] {
      if (ranges_) ranges_->begin_pass();
    });
  }
  void enter(int sum) noexcept override {
    guard([&] {
      if (entered_.size() == most_entries_) throw io_error("a pass has more entries than were expected");
      entered_.push_back(static_cast<std::size_t>(sum));
      launches_ ? launches_->enter() : ranges_->enter();
    });
  }
  void leave(int sum) noexcept override {
    guard([&] { launches_ ? add_launches_to(sums_.at(static_cast<std::size_t>(sum))) : ranges_->leave(); });
  }
  void end_pass() noexcept override {
    guard([&] {
      if (launches_)
        taken_ = true;
      else
        end_of_ranges();
    });
  }
  bool wants_another_pass() const noexcept override {
    return trouble_.ok() && ranges_ && !taken_ && passes_ < most_passes * ranges_->passes();
  }
  std::vector<Reading> readings(int number) const override {
    const Sum& sum = sums_.at(static_cast<std::size_t>(number));
    std::vector<Reading> all;
    for (std::size_t i = 0; i < counted_->events.size(); ++i) {
      const double value = sum.values[i];
      Reading reading{.event = counted_->events[i], .status = trouble_.status, .reason = trouble_.reason};
      if (trouble_.ok() && !(value >= 0 && std::isfinite(value))) {
        reading.status = Status::failed;
        reading.reason = "CUPTI gave no number";
        reading.no_number = std::isnan(value);
      } else if (trouble_.ok() && !is_additive(counted_->events[i]) && sum.entries > 1) {
        reading.status = Status::skipped;
        reading.reason = "a rate or a share does not add up over " + std::to_string(sum.entries) + " entries of the region";
      } else if (trouble_.ok()) {
        reading.raw = static_cast<std::uint64_t>(std::llround(value));
        if (!is_additive(counted_->events[i])) reading.rate = value;
      }
      all.push_back(std::move(reading));
    }
    return all;
  }

 private:
  template <class Act>
  void guard(Act act) noexcept {
    if (trouble_.ok()) trouble_ = cupti_attempt(*cupti_.opened(), act);
  }

  /// The numbers of one sum, by event, and the entries that they are of.
  struct Sum {
    explicit Sum(std::size_t events) : values(events, 0) {}
    std::vector<double> values;
    std::size_t entries = 0;
  };

  /// Groups are planned for the chip; a GPU that lacks some of its counters may need other passes, and CUPTI says when it has them all.
  void open_ranges() {
    ranges_.reset();  // before the next
    ranges_ = std::make_unique<CuptiRanges>(*cupti_.opened(), driver_, counted_->events, most_entries_);
  }

  void end_of_ranges() {
    ++passes_;
    taken_ = ranges_->end_pass();
    if (!taken_) return;
    const auto values = ranges_->take();
    if (values.size() != entered_.size())
      throw io_error("CUPTI counted " + std::to_string(values.size()) + " ranges where the region is " +
                     (entered_.size() == 1 ? "one" : std::to_string(entered_.size())));
    for (std::size_t entry = 0; entry < values.size(); ++entry) {
      Sum& sum = sums_.at(entered_[entry]);
      for (std::size_t i = 0; i < sum.values.size(); ++i) sum.values[i] += values[entry][i];
      ++sum.entries;
    }
  }

  /// Ends an entry of launches, which are counted from the opening on.
  void add_launches_to(Sum& sum) {
    launches_->leave();
    ++sum.entries;
    for (std::size_t i = 0; i < sum.values.size(); ++i) {
      const auto count = launch_event(counted_->events[i])->count;
      double before = 0;
      for (const Sum& other : sums_) before += other.values[i];
      sum.values[i] += static_cast<double>((*launches_.*count)()) - before;
    }
  }

  void add_groups(const std::vector<std::vector<std::string>>& bundles) {
    const PassesOf passes = [&](std::span<const std::string> metrics) { return cupti_.passes(chip_, metrics); };
    for (auto& group : group_metrics(bundles, passes)) {
      const bool exact = is_instrumented(group.metrics.front());
      groups_.push_back({.events = std::move(group.metrics), .repeats_exactly = exact, .passes = static_cast<int>(group.passes)});
    }
  }

  void group_rows(const std::vector<TableCounter>& rows) {
    if (rows.empty())
      availability_ = {Status::unavailable, "no event table for the chip " + chip_ +
                                                "; name one of your own in PLUMBLINE_EVENTS_PATH, or single metrics (cupti:METRIC)"};
    std::vector<std::vector<std::string>> bundles;
    for (const auto& row : rows) {
      auto& bundle = bundles.emplace_back();
      for (const auto& event : row.events) bundle.push_back(event.name);
      if (!cupti_.unknown_metrics(chip_, bundle).empty()) bundle.clear();  // this very CUPTI may lack some
    }
    add_groups(bundles);
    if (!rows.empty()) add_launches({launch_events[0].name, launch_events[1].name});
  }

  void group_named(const EventNames& wanted) {
    std::vector<std::string> metrics, launches;
    for (const auto& event : wanted) {
      if (launch_event(event) != nullptr)
        launches.push_back(event);
      else if (const auto why_not = obstacle_of(event); !why_not.ok())
        refused_.push_back({event, why_not, true});
      else
        metrics.push_back(event);
    }
    // The bundles are in the order asked, so that the events of a group, asked for again, are that very group.
    std::vector<std::vector<std::string>> bundles;
    if (!metrics.empty() && cupti_.passes(chip_, metrics) == 1U)
      bundles.push_back(metrics);
    else
      for (const auto& metric : metrics) bundles.push_back({metric});
    add_groups(bundles);
    add_launches(launches);
  }

  Availability obstacle_of(const std::string& metric) const {
    if (!cupti_.unknown_metrics(chip_, std::vector{metric}).empty())
      return {Status::unavailable, "CUPTI knows no metric '" + metric + "' of " + chip_};
    return {};
  }

  void add_launches(std::vector<std::string> events) {
    if (!events.empty()) groups_.push_back({.events = std::move(events), .repeats_exactly = true});
  }

  const CuptiHost& cupti_;
  const CudaDriver& driver_;
  std::string chip_;
  Availability availability_, trouble_;
  std::vector<EventGroup> groups_;
  std::vector<Refusal> refused_;
  const EventGroup* counted_ = nullptr;
  std::vector<Sum> sums_;
  static constexpr std::size_t most_passes = 4;  // as many times those that CUPTI plans on this GPU: then it will never have them
  std::size_t passes_ = 0;                       // that were had
  bool taken_ = true;                            // all of them
  std::size_t most_entries_ = 1;                 // in a pass
  std::vector<std::size_t> entered_;             // the sums of the entries of this pass
  std::unique_ptr<CuptiRanges> ranges_;
  std::unique_ptr<CuptiLaunches> launches_;
};

/// The reason not to ask for a GPU's counters here: the driver brings another profiler into this process, and they are one's at a time.
Availability other_profiler() {
  const char* const library = std::getenv("CUDA_INJECTION64_PATH");
  if (library == nullptr || *library == '\0') return {};
  return {Status::stolen, "another profiler is in this process (CUDA_INJECTION64_PATH=" + std::string(library) +
                              "; ncu, nsys or 'plumbline profile --gpu'): count in a run without it; timing works all the same"};
}

const CuptiPlace& place_here() {
  static const CudaDriver driver;
  static const Availability obstacle = driver.availability().ok() ? other_profiler() : driver.availability();
  static const CuptiHost cupti = obstacle.ok() ? CuptiHost() : CuptiHost(obstacle);
  static const CuptiPlace place{cupti, driver};
  return place;
}

}  // namespace

bool cupti_is_compiled_in() { return true; }

std::unique_ptr<Backend> cupti_backend_at(const CuptiPlace& place, const EventNames& events, const EventTables& tables) {
  return std::make_unique<CuptiBackend>(place, events, tables);
}
std::unique_ptr<Backend> cupti_backend(const EventNames& events, const EventTables& tables) {
  return cupti_backend_at(place_here(), events, tables);
}

std::vector<EventDescription> cupti_events(const EventTables& tables) {
  std::vector<EventDescription> all;
  std::string chip;
  if (!find_chip(place_here(), chip).ok()) return all;
  for (const auto& row : counters_for_chip(tables, chip).counters)
    for (const auto& event : row.events)
      if (std::none_of(all.begin(), all.end(), [&](const auto& one) { return one.name == event.name; }))
        all.push_back({event.name, "", "see counter " + row.counter.name, {}});
  for (const auto& one : launch_events) all.push_back({one.name, "launches", one.description, {}});
  return all;
}

std::string cupti_code(const std::string& event) {
  std::string chip;
  return find_chip(place_here(), chip).ok() ? event + " of " + chip + " by " + place_here().cupti.version() : event;
}

CuptiTrial try_cupti(const CuptiPlace& place) {
  CuptiTrial trial;
  trial.availability = find_chip(place, trial.chip);
  if (!trial.availability.ok()) return trial;
  const CudaDriver::Trial context(place.driver);
  trial.availability = context.availability();
  if (trial.availability.ok())
    trial.availability =
        cupti_attempt(*place.cupti.opened(), [&] { CuptiRanges(*place.cupti.opened(), place.driver, {"sm__cycles_elapsed.max"}); });
  return trial;
}
CuptiTrial try_cupti() { return try_cupti(place_here()); }

std::string cupti_chip_here() {
  std::string chip;
  find_chip(place_here(), chip);
  return chip;
}

}  // namespace plumbline
