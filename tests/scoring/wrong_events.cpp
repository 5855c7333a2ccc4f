#include "wrong_events.hpp"

#include <papi.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "core/kernel.hpp"
#include "counters/emulated/emulated.hpp"
#include "counters/papi/sde_export.hpp"
#include "measure/executed.hpp"
#include "measure/worker.hpp"
#include "model/scoring/accuracy.hpp"
#include "real_faults.hpp"
#include "trial.hpp"

namespace plumbline::test {
namespace {

struct Shape {
  const char* kernel;
  Parameters parameters;
};

/// The shapes of cases, from nothing below L1 to beyond L3, of the small caches.
std::vector<Shape> shapes() {
  std::vector<Shape> all;
  for (const auto& [n, m] : {std::pair<std::int64_t, std::int64_t>{5, 32}, {2, 192}})
    all.push_back({"validation/series", {{"form", std::string("loop")}, {"n", n}, {"m", m}}});
  for (const std::int64_t n : {40, 160}) all.push_back({"validation/stencil5", {{"n", n}}});
  for (const std::int64_t n : {1000, 20000, 40000}) all.push_back({"validation/triad", {{"n", n}}});
  for (const std::int64_t n : {20000, 80000}) all.push_back({"validation/dot", {{"n", n}}});
  return all;
}

bool is_counted(const Flavor& flavor) {
  const FlavorName name = split_flavor(flavor.name);
  return name.isa == "v3" && (name.level == "O0" || name.level == "O3") && name.compiler != "gcc11";  // gcc12 and clang14 will do
}

void add_cases(std::vector<Case>& cases, const Shape& shape) {
  const Kernel* kernel = find_kernel(shape.kernel);
  for (const char* precision : {"fp64", "fp32"})
    for (const Flavor& flavor : kernel->flavors())
      if (flavor.precision == precision && is_counted(flavor))
        cases.push_back({.kernel = kernel, .parameters = shape.parameters, .precision = precision, .flavor = flavor, .team = {1, 1}});
}

void count_by_papi(MadeCounter& made, const std::string& name) {
  made.counter.name = name;
  made.counter.backend = "papi";
  made.counter.terms = {{std::string(sde_prefix) + name, 1}};
}

std::size_t place_of(const std::string& event) {
  static const std::vector<EventDescription> all = emulated_events();
  const auto found = std::find_if(all.begin(), all.end(), [&](const EventDescription& one) { return one.name == event; });
  return static_cast<std::size_t>(found - all.begin());
}

/// The counts of the emulator, under the names of the quantities.
std::map<std::string, double> counted_quantities() {
  std::map<std::string, double> all;
  for (const Counter& counter : known_counters())
    if (counter.backend == "emulated" && counter.convention == Convention::flow && counter.quantities.size() == 1)
      if (counter.name == "emulated." + counter.quantities.front())
        for (const Term& term : counter.terms)
          all[counter.quantities.front()] += term.weight * static_cast<double>(emulated_total(place_of(term.event)));
  return all;
}

/// The region that PAPI asks about now.
struct Region {
  std::size_t at = 0;
  bool joint = false;
  bool begun = false;  // else PAPI asks for the value at its start
  bool swept = false;  // else it is the empty one
  TrueCase seen = {};
};

Region& region() {
  static Region now;
  return now;
}

/// The least amount of a sweep: more than the bytes that its surroundings load and store.
constexpr double least_of_a_sweep = 512;

long long tell(const RealCampaign& campaign, std::size_t at, bool joint) {
  Region& now = region();
  now = {.at = at, .joint = joint, .begun = emulated_total(place_of("instructions")) > 0, .seen = campaign.expected[at]};
  now.seen.truth = counted_quantities();
  now.swept = now.seen.of({"bytes.reg-L1"}) > least_of_a_sweep;
  return 0;
}

/// A wrong counter in the worker. A case is counted by a child of its own, so what is random begins anew with each.
class WrongEvent {
 public:
  WrongEvent(const MadeCounter& made, std::uint64_t seed) : made_(&made), seed_(seed) {}

  long long operator()() {
    const Region& now = region();
    if (!now.begun) return 0;
    if (!random_) random_ = Random(Random((seed_ * 4096 + now.at) * 2 + (now.joint ? 1 : 0)).next());  // near seeds' numbers are alike
    const double all = (now.joint ? made_->joint : made_->count)(now.seen, *random_);
    // An offset or another thread's counts in the empty region too would be subtracted: what is too much comes with the sweep.
    const double count = now.swept ? all : std::min(all, now.seen.of(made_->counter.quantities));
    return std::llround(std::max(0.0, disturbed(count, noise_in(now), *random_)));
  }

 private:
  /// Interrupts come with time, of which the empty region takes little.
  MadeCounter noise_in(const Region& now) const {
    constexpr double as_often = 0.1;
    MadeCounter made{.counter = {}, .kind = "", .noise = made_->noise, .noise_free = made_->noise_free};
    if (!now.swept) made.noise.interrupted *= as_often;
    return made;
  }

  const MadeCounter* made_;
  std::uint64_t seed_;
  std::optional<Random> random_;
};

const std::vector<Fault>& faults_of(const std::string& what) {
  static const std::vector<Fault> both = [] {
    std::vector<Fault> faults = known_faults_on_real_path();
    faults.insert(faults.end(), register_faults().begin(), register_faults().end());
    return faults;
  }();
  if (what == "unseen") return unseen_faults_on_real_path();
  return what == "known and registers" ? both : known_faults_on_real_path();
}

std::vector<Trial> seeded(const Wish& wish, const std::vector<TrueCase>& cases) {
  std::vector<Trial> trials;
  for (int seed = 1; seed <= wish.seeds; ++seed) {
    Random random(static_cast<std::uint64_t>(seed));
    trials.push_back({static_cast<std::uint64_t>(seed), right_and_wrong(faults_of(wish.what), cases, random)});
  }
  return trials;
}

/// The trials of curves take other seeds than those that are held against the limits found by them.
std::vector<Trial> curves(int seeds, const std::vector<TrueCase>& cases) {
  constexpr std::uint64_t first_seed = 1000;
  std::vector<Trial> trials;
  for (const Fault& fault : known_faults_on_real_path())
    for (const double magnitude : fault.curve) {
      trials.push_back({first_seed, {}});
      for (int i = 0; i < seeds; ++i) {
        Random random(first_seed + static_cast<std::uint64_t>(i));
        trials.back().made.push_back(faulty_counter("counter", fault, magnitude, cases, random));
      }
    }
  return trials;
}

}  // namespace

RealCampaign real_campaign(const Wish& wish) {
  RealCampaign all;
  all.caches = {{"L1", 32768, 8, 64, false}, {"L2", 65536, 8, 64, false}, {"L3", 131072, 16, 64, true}};
  for (const Shape& shape : shapes()) add_cases(all.cases, shape);
  Random anywhere(1);
  for (const Case& one : all.cases) {
    all.expected.push_back(true_case(one, all.caches, anywhere));
    if (const Executed executed = executed_references(one); executed.references)
      set_executed(all.expected.back(), executed_counts(*executed.references));
  }
  all.trials = wish.what == "curves" ? curves(wish.seeds, all.expected) : seeded(wish, all.expected);
  std::size_t number = 0;
  for (auto& trial : all.trials)
    for (auto& made : trial.made) count_by_papi(made, "counter" + std::to_string(++number));
  all.offset_everywhere = {.counter = claiming("offset_everywhere", {"flops.fp64"}), .kind = "right", .noise_free = true};
  count_by_papi(all.offset_everywhere, "offset_everywhere");
  return all;
}

std::string telling_event(std::size_t at, bool joint) { return "case" + std::to_string(at) + (joint ? ".joint" : ".first"); }

int serve_wrong_events(const RealCampaign& campaign) {
  for (std::size_t at = 0; at < campaign.cases.size(); ++at)
    for (const bool joint : {false, true})
      sde_counter(telling_event(at, joint), "tells the case", [&campaign, at, joint] { return tell(campaign, at, joint); });
  std::uint64_t number = 0;
  for (const auto& trial : campaign.trials)
    for (const auto& made : trial.made) sde_counter(made.counter.name, made.kind, WrongEvent(made, 1 + ++number));
  sde_counter(campaign.offset_everywhere.counter.name, "right but for an offset in every region", [] {
    constexpr double offset = 1e6;
    return region().begun ? std::llround(region().seen.of({"flops.fp64"}) + offset) : 0;
  });
  // PAPI goes up and down once: each case's child then finds its code as the emulator has translated it here, in half the time.
  if (PAPI_library_init(PAPI_VER_CURRENT) == PAPI_VER_CURRENT) PAPI_shutdown();
  return serve_counts(3);
}

}  // namespace plumbline::test
