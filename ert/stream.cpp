// Bandwidth by working set is measured by patterns of loads and stores over arrays, several passes a sweep where they are small. `load`
// adds bits as integers, so that every word is really read and the result proves it, without a FLOP. Its other forms only load: what the
// registers hold at the end is the proof, beside the instructions themselves (tests/ert/access_table_test.py).
#include "ert/stream.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <stdexcept>
#include <type_traits>
#include <vector>

#include "core/kernel_data.hpp"
#include "ert/stream_work.hpp"
#include "stream.flavors.hpp"

namespace plumbline {
namespace {

using enum StreamForm;

struct Pattern {
  std::string_view word;
  StreamPattern pattern;
  bool reads_a, writes_a, reads_b, reads_c;
  std::uint64_t add, mul;         // FLOPs an element
  std::vector<StreamForm> forms;  // beside the compiler's own
  bool non_temporal = false;      // stores
};

const std::array patterns{
    Pattern{"load", StreamPattern::load, true, false, false, false, 0, 0, {bumped, indexed, deep, ahead}},
    Pattern{"store", StreamPattern::store, false, true, false, false, 0, 0, {bumped, indexed, deep, ahead, string}},
    Pattern{"copy", StreamPattern::copy, false, true, true, false, 0, 0, {bumped, indexed, deep, ahead, string}},
    Pattern{"update", StreamPattern::update, true, true, false, false, 1, 0, {bumped, deep, ahead, paged}},                      // s - a
    Pattern{"triad", StreamPattern::triad, false, true, true, true, 1, 1, {bumped, indexed, deep, ahead, paged}},                // b + s c
    Pattern{"loads2store1", StreamPattern::loads2store1, false, true, true, true, 1, 0, {bumped, indexed, deep, ahead, paged}},  // b + c
    Pattern{"store_nt", StreamPattern::store, false, true, false, false, 0, 0, {bumped, indexed, deep, paged}, true},
    Pattern{"copy_nt", StreamPattern::copy, false, true, true, false, 0, 0, {bumped, deep, ahead, paged}, true},
    Pattern{"triad_nt", StreamPattern::triad, false, true, true, true, 1, 1, {bumped, deep, ahead, paged}, true},
};
#if defined(__x86_64__) || defined(__aarch64__)
constexpr bool has_non_temporal_stores = true;
#else
constexpr bool has_non_temporal_stores = false;
#endif
#if defined(__x86_64__)
constexpr bool has_string_instructions = true;
#else
constexpr bool has_string_instructions = false;
#endif

std::string_view suffix(StreamForm form) {
  switch (form) {
    case compiled:
      return "";
    case bumped:
      return "_bumped";
    case indexed:
      return "_indexed";
    case deep:
      return "_deep";
    case ahead:
      return "_ahead";
    case paged:
      return "_paged";
    case string:
      return "_string";
  }
  return "";
}

/// A value of the parameter `pattern`: a pattern and one of its forms.
struct Choice {
  const Pattern* pattern;
  StreamForm form;
  std::string word() const { return std::string(pattern->word) + std::string(suffix(form)); }
};

std::vector<Choice> choices() {
  std::vector<Choice> all;
  for (const Pattern& x : patterns) all.push_back({&x, compiled});
  for (const Pattern& x : patterns)
    for (const StreamForm form : x.forms)
      if (form != string || has_string_instructions) all.push_back({&x, form});
  return all;
}

Choice choice_of(const Parameters& p) {
  static const std::vector<Choice> all = choices();
  const std::string& word = p.word("pattern");
  const Choice found = *std::find_if(all.begin(), all.end(), [&](const Choice& one) { return one.word() == word; });
  if (found.pattern->non_temporal && !has_non_temporal_stores)
    throw std::invalid_argument("ert/stream: pattern=" + word + " is written for x86-64 and 64-bit Arm; try pattern=" +
                                std::string(found.pattern->word.substr(0, found.pattern->word.find('_'))));
  return found;
}

std::vector<std::string> words() {
  std::vector<std::string> all;
  for (const Choice& one : choices()) all.push_back(one.word());
  return all;
}

template <class Real>
class StreamCase final : public KernelData<StreamArrays<Real>> {
 public:
  static Work model(const Parameters& p, std::string_view) {
    const Choice choice = choice_of(p);
    const Pattern& x = *choice.pattern;
    const std::uint64_t n = p.integer("n"), repeat = p.integer("repeat"), real = sizeof(Real);
    // A non-temporal store's array is not cached, and takes no room there.
    const std::uint64_t working_set = ((x.non_temporal ? 0U : 1U) + x.reads_b + x.reads_c) * n * real;
    Work work = passes_over_arrays<Real>(x, n, repeat, working_set);
    for (Stream& array : work.streams)
      if (x.non_temporal && array.written) array.non_temporal = true, array.layers.clear();
    if (choice.form == string)
      work.note = "whether a string instruction reads what it writes is the core's choice: modelled as stores that do";
    return work;
  }

  StreamCase(const Parameters& p, std::pmr::memory_resource& memory)
      : pattern_(*choice_of(p).pattern),
        a_(p.integer("n"), memory),
        b_(pattern_.reads_b ? p.integer("n") : 0, memory),
        c_(pattern_.reads_c ? p.integer("n") : 0, memory),
        witness_(p.integer("n") / stream_grain + 1, memory) {
    arguments_ = {pattern_.pattern, choice_of(p).form, pattern_.non_temporal, p.integer("repeat"), a_.data(),      b_.data(),
                  c_.data(),        factor(),          Real(0.8125),          Real(0.6875),        witness_.data()};
  }

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

  double error() const override {
    if (pattern_.pattern != StreamPattern::load) return error_of_stored();
    return arguments_.form == compiled ? error_of_sum() : error_of_held();
  }
  double tolerance() const override {
    const double unit = sizeof(Real) == 4 ? 0x1p-24 : 0x1p-53;
    return static_cast<double>(pattern_.add + pattern_.mul) * unit;  // a rounding each; none: exact
  }

 private:
  Real factor() const { return pattern_.pattern == StreamPattern::update ? Real(1.5) : Real(0.75); }

  /// Sum of the elements in [begin, end) as parts of 8-byte words.
  std::uint64_t words_of(std::size_t begin, std::size_t end) const {
    std::uint64_t sum = 0;
    for (std::size_t i = begin; i < end; ++i) {
      std::uint64_t bits = 0;
      std::memcpy(&bits, &a_[i], std::min(sizeof bits, sizeof(Real)));
      sum += bits << (8 * (i * sizeof(Real) % sizeof bits));
    }
    return sum;
  }

  /// The error of the sum of all bits, `repeat` times: exact or wrong.
  double error_of_sum() const {
    std::uint64_t got = 0;
    for (const std::uint64_t part : witness_) got += part;
    return got == arguments_.repeat * words_of(0, a_.size()) ? 0 : 1;
  }

  /// Each part's witness, and that there is one from the first element on.
  double error_of_held() const {
    if (witness_[0] == 0) return 1;
    const std::size_t grains = (a_.size() + stream_grain - 1) / stream_grain;
    for (std::size_t first = 0, next = 0; first < grains; first = next) {
      next = first + 1;
      while (next < grains && witness_[next] == 0) ++next;
      if (!is_held(witness_[first], first * stream_grain, std::min(next * stream_grain, a_.size()))) return 1;
    }
    return 0;
  }

  /// Whether the witness of a part is right: what registers hold after its last whole step, whose size is the flavor's, and what was read
  /// behind it in every pass.
  bool is_held(std::uint64_t witness, std::size_t begin, std::size_t end) const {
    for (std::size_t bytes = 64; bytes <= 4096; bytes *= 2) {
      const std::size_t step = bytes / sizeof(Real), whole = begin + (end - begin) / step * step;
      const std::uint64_t last = whole == begin ? 0 : words_of(whole - step, whole);
      if (witness == last + arguments_.repeat * words_of(whole, end)) return true;
    }
    return false;
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
        if (arguments_.form == string) return static_cast<long double>(all_bytes());
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

  static Real all_bytes() {
    Real x{};
    if constexpr (!std::is_class_v<Real>) std::memset(&x, stream_byte, sizeof x);
    return x;
  }

  const Pattern& pattern_;
  Array<Real> a_, b_, c_;
  Array<std::uint64_t> witness_;
  using KernelData<StreamArrays<Real>>::arguments_;
};

/// Every pattern inside L1, beyond it, beyond L2 and beyond L3.
std::vector<Parameters> around_caches() {
  std::vector<Parameters> sets;
  for (const Pattern& x : patterns)
    for (const auto& [n, repeat] : {std::pair{500, 2}, {8000, 2}, {50000, 2}, {200000, 1}})
      sets.push_back({{"pattern", std::string(x.word)}, {"n", std::int64_t{n}}, {"repeat", std::int64_t{repeat}}});
  return sets;
}

const Register<StreamCase> registered{
    "ert/stream",
    "Bandwidth patterns over a working set (STREAM, McCalpin 1995; likwid-bench, Treibig et al. 2011)",
    {{.name = "pattern",
      .preset = std::string("triad"),
      .description = "load: a; store: a = constant; copy: a = b; update: a = s - a; triad: a = b + s c; "
                     "loads2store1: a = b + c; _nt: non-temporal stores; other endings: forms of the loop "
                     "(ert/README.md)",
      .choices = words()},
     {.name = "n", .preset = std::int64_t{4096}, .description = "elements of each array"},
     {.name = "repeat", .preset = std::int64_t{1}, .description = "passes over the arrays in one sweep"}},
    stream_flavors,
    {.caches = around_caches()}};

}  // namespace
}  // namespace plumbline
