// Bandwidth by working set: patterns of loads and stores over arrays, several passes a sweep where they are small.
// `load` adds bits as integers, so that every word is really read and the result proves it, without a FLOP.
#include "ert/stream.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <stdexcept>

#include "core/array.hpp"
#include "core/kernel.hpp"
#include "stream.flavors.hpp"

namespace plumbline {
namespace {

struct Pattern {
  std::string_view word;
  StreamPattern pattern;
  bool reads_a, writes_a, reads_b, reads_c;
  std::uint64_t add, mul;     // FLOPs an element
  bool non_temporal = false;  // stores
};

constexpr std::array patterns{
    Pattern{"load", StreamPattern::load, true, false, false, false, 0, 0},
    Pattern{"store", StreamPattern::store, false, true, false, false, 0, 0},
    Pattern{"copy", StreamPattern::copy, false, true, true, false, 0, 0},
    Pattern{"update", StreamPattern::update, true, true, false, false, 1, 0},             // s - a
    Pattern{"triad", StreamPattern::triad, false, true, true, true, 1, 1},                // b + s c
    Pattern{"loads2store1", StreamPattern::loads2store1, false, true, true, true, 1, 0},  // b + c
    Pattern{"store_nt", StreamPattern::store, false, true, false, false, 0, 0, true},
    Pattern{"copy_nt", StreamPattern::copy, false, true, true, false, 0, 0, true},
    Pattern{"triad_nt", StreamPattern::triad, false, true, true, true, 1, 1, true},
};
#if defined(__x86_64__) || defined(__aarch64__)
constexpr bool has_non_temporal_stores = true;
#else
constexpr bool has_non_temporal_stores = false;
#endif

const Pattern& pattern_of(const Parameters& p) {
  const Pattern& found = *std::find_if(patterns.begin(), patterns.end(), [&](const Pattern& x) { return x.word == p.word("pattern"); });
  if (found.non_temporal && !has_non_temporal_stores)
    throw std::invalid_argument("ert/stream: pattern=" + p.word("pattern") + " is written for x86-64 and 64-bit Arm; try pattern=" +
                                std::string(found.word.substr(0, found.word.find('_'))));
  return found;
}

std::vector<std::string> words() {
  std::vector<std::string> all;
  for (const Pattern& x : patterns) all.emplace_back(x.word);
  return all;
}

template <class Real>
class StreamCase final : public Workload {
 public:
  static Work model(const Parameters& p, std::string_view) {
    const Pattern& x = pattern_of(p);
    const std::uint64_t n = p.integer("n"), repeat = p.integer("repeat"), real = sizeof(Real);
    // what a non-temporal store writes is not cached, and takes no room there
    const std::uint64_t working_set = ((x.non_temporal ? 0U : 1U) + x.reads_b + x.reads_c) * n * real;
    const auto stream = [&](const char* array, bool read, bool written) {
      Stream s{.array = array,
               .footprint_bytes = n * real,
               .read = read,
               .written = written,
               .loads = read ? repeat * n : 0,
               .stores = written ? repeat * n : 0,
               .element_bytes = real};
      s.non_temporal = written && x.non_temporal;
      if (repeat > 1 && !s.non_temporal) s.layers = {{.reuse_bytes = working_set, .fetched_bytes = repeat * n * real}};
      return s;
    };
    Work work{.streams = {stream("a", x.reads_a, x.writes_a)}};
    if (x.reads_b) work.streams.push_back(stream("b", true, false));
    if (x.reads_c) work.streams.push_back(stream("c", true, false));
    const std::string flops = "flops." + std::string(precision_of<Real>());
    if (x.add != 0) work.flops[flops + ".add"] = x.add * repeat * n;
    if (x.mul != 0) work.flops[flops + ".mul"] = x.mul * repeat * n;
    return work;
  }

  StreamCase(const Parameters& p, std::pmr::memory_resource& memory)
      : pattern_(pattern_of(p)),
        a_(p.integer("n"), memory),
        b_(pattern_.reads_b ? p.integer("n") : 0, memory),
        c_(pattern_.reads_c ? p.integer("n") : 0, memory),
        witness_(p.integer("n") / stream_grain + 1, memory),
        arguments_{pattern_.pattern, pattern_.non_temporal, p.integer("repeat"), a_.data(),      b_.data(), c_.data(),
                   factor(),         Real(0.8125),          Real(0.6875),        witness_.data()} {}

  std::size_t extent() const override { return a_.size(); }
  std::size_t grain() const override { return stream_grain; }
  void initialise(std::size_t begin, std::size_t end) override {
    for (std::size_t i = begin; i < end; ++i) {
      a_[i] = Real(varied(1, i));
      if (pattern_.reads_b) b_[i] = Real(varied(2, i));
      if (pattern_.reads_c) c_[i] = Real(varied(3, i));
    }
    // all witnesses of the part: its end is a multiple of the grain, or the end of the array
    for (std::size_t i = begin / stream_grain; i < (end + stream_grain - 1) / stream_grain; ++i) witness_[i] = 0;
    if (end == extent()) witness_[witness_.size() - 1] = 0;
  }
  const void* arguments() const override { return &arguments_; }
  void sweep_all() { sweep(arguments_, 0, extent()); }

  double error() const override { return pattern_.pattern == StreamPattern::load ? error_of_load() : error_of_stored(); }
  double tolerance() const override {
    const double unit = sizeof(Real) == 4 ? 0x1p-24 : 0x1p-53;
    return static_cast<double>(pattern_.add + pattern_.mul) * unit;  // a rounding each; none: exact
  }

 private:
  Real factor() const { return pattern_.pattern == StreamPattern::update ? Real(1.5) : Real(0.75); }

  /// All bits, as 8-byte words, `repeat` times: exact or wrong.
  double error_of_load() const {
    std::uint64_t expected = 0, got = 0;
    for (std::size_t i = 0; i < a_.size(); ++i) {
      std::uint64_t bits = 0;
      std::memcpy(&bits, &a_[i], std::min(sizeof bits, sizeof(Real)));
      expected += bits << (8 * (i * sizeof(Real) % sizeof bits));
    }
    for (const std::uint64_t part : witness_) got += part;
    return got == arguments_.repeat * expected ? 0 : 1;
  }

  double error_of_stored() const {
    double worst = 0;
    std::uint64_t passes = 0;  // of the part that i lies in
    for (std::size_t i = 0; i < a_.size(); ++i) {
      if (i % stream_grain == 0 && witness_[i / stream_grain] != 0) passes = witness_[i / stream_grain];
      const long double exact = expected(i, passes);
      const auto error = static_cast<double>(std::fabs((static_cast<long double>(a_[i]) - exact) / exact));
      worst = std::max(worst, std::isnan(error) ? HUGE_VAL : error);
    }
    return worst;
  }

  long double expected(std::size_t i, std::uint64_t passes) const {
    switch (pattern_.pattern) {
      case StreamPattern::store:
        return static_cast<long double>(i % 2 == 0 ? arguments_.even : arguments_.odd);
      case StreamPattern::copy:
        return static_cast<long double>(b_[i]);
      case StreamPattern::update:
        if (passes == 0) return HUGE_VALL;  // never swept
        return passes % 2 == 0 ? static_cast<long double>(varied(1, i)) : 1.5L - static_cast<long double>(varied(1, i));
      case StreamPattern::triad:
        return static_cast<long double>(b_[i]) + static_cast<long double>(arguments_.s) * static_cast<long double>(c_[i]);
      default:
        return static_cast<long double>(b_[i]) + static_cast<long double>(c_[i]);
    }
  }

  const Pattern& pattern_;
  Array<Real> a_, b_, c_;
  Array<std::uint64_t> witness_;
  StreamArrays<Real> arguments_;
};

const Register<StreamCase> registered{"ert/stream",
                                      "Bandwidth patterns over a working set (STREAM, McCalpin 1995; likwid-bench, Treibig et al. 2011)",
                                      {{.name = "pattern",
                                        .preset = std::string("triad"),
                                        .description = "load: a; store: a = constant; copy: a = b; update: a = s - a; triad: a = b + s c; "
                                                       "loads2store1: a = b + c; _nt: non-temporal stores",
                                        .choices = words()},
                                       {.name = "n", .preset = std::int64_t{4096}, .description = "elements of each array"},
                                       {.name = "repeat", .preset = std::int64_t{1}, .description = "passes over the arrays in one sweep"}},
                                      stream_flavors};

}  // namespace
}  // namespace plumbline
