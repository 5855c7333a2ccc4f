// Evidence is one measured case's word on a counter; many such words are summed up.
#pragma once
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "core/records.hpp"
#include "model/statistics/rules.hpp"

namespace plumbline {

/// The outcome of a zero test; no: the case is none.
enum class ZeroTest { no, passed, failed };

/// A case's count by one counter, held against the model.
struct Evidence {
  std::uint32_t at = 0;  // the case's number
  double measured = absent, ratio = absent;
  double exact_lo = absent, exact_hi = absent;
  double borne = 0;  // what a trusted counter may be off by in a single case, as a part (Limits::worst)
  ZeroTest zero = ZeroTest::no;
  bool counted_nothing = false;        // or as good as nothing, or less than nothing, where there is something
  bool negative = false;               // less than nothing
  bool unsteady = false;               // its own repetitions differ by more than a trusted counter may deviate
  double low = absent, high = absent;  // quartiles of its repetitions
  std::uint32_t repetitions = 0;
  std::vector<double> far = {};          // over their median: repetitions far below it, or farther above than an interrupt lifts one
  std::uint32_t off = 0;                 // repetitions farther from the median than a trusted counter may deviate, in either direction
  double off_ratio = absent;             // their mean over that median
  double scatter = absent;               // of the repetitions, over their median; absent for fewer than three
  double error = 0;                      // standard error of their median, over it; 0 where the scatter is absent
  double zero_bound = absent;            // a zero test allows so much beyond exact_hi
  std::uint32_t ranks = 1, threads = 1;  // of its team; threads of a rank
  double joint = absent;                 // median in another group of events over that in the first; absent where there is one group

  /// The least and the most that the count may be: an unsteady case's is anything between its quartiles.
  double least() const { return unsteady ? low : measured; }
  double most() const { return unsteady ? high : measured; }
  /// Whether the case is open: inside an interval, or beside it by no more than is borne, so wide that many a wrong counter would be too.
  bool is_open() const { return zero == ZeroTest::no && std::abs(ratio - 1) <= borne && exact_hi > rules::widest_told * exact_lo; }
  /// Whether the ratio can tell a right counter from a wrong one.
  bool tells() const { return zero == ZeroTest::no && !counted_nothing && ratio == ratio && !is_open(); }
  /// Whether the interval is so narrow that a ratio of 1 says that the counter is right.
  bool is_narrow() const { return tells() && exact_lo > 0 && exact_hi <= 1.05 * exact_lo; }
  /// Whether the interval is narrow and the count is sure.
  bool is_sharp() const { return is_narrow() && !unsteady; }
};

/// The verdict that cases alone give on a counter.
struct CaseVerdict {
  char grade = '-';                        // A always right, B always the same factor, D neither, - too few can tell
  double factor = absent;                  // of A and B: measured over exact, without the strays
  std::vector<std::uint32_t> strays = {};  // of B: single cases that are far from the factor

  bool is_good() const { return grade == 'A' || grade == 'B'; }
};

/// Sums up evidence: parts add up, so that leaving one out costs little.
class Summary {
 public:
  void add(const Evidence& evidence, const Limits& limits);
  void add(const Summary& other);

  std::size_t cases() const { return all_.n; }
  std::size_t sharp() const { return sharp_.n; }
  std::size_t narrow() const { return narrow_; }
  std::size_t unsteady() const { return unsteady_; }  // of the narrow ones
  std::size_t zero_tests() const { return zero_tests_; }
  std::size_t zero_failures() const { return zero_failures_; }
  std::size_t nothings() const { return nothings_.size(); }  // counted nothing where there is something
  std::size_t judged() const { return all_.n + nothings_.size(); }
  bool says_something() const { return judged() + zero_failures_ > 0; }

  double bias() const { return most_telling().bias(); }
  double cv() const { return most_telling().cv(); }
  double min() const { return all_.n == 0 ? absent : all_.min; }
  double max() const { return all_.n == 0 ? absent : all_.max; }

  /// Gives the verdict. `strays`: so many are borne, if they are more than these cases alone would bear.
  CaseVerdict verdict(const Limits& limits, std::size_t strays = 0) const;
  /// Whether every case, be they ever so few, bears a factor that others showed.
  bool agrees_with(double factor) const { return strays_of(factor).empty(); }
  /// Whether the cases, three or more of them sharp, bear a factor that others showed.
  bool bears(double factor, const Limits& limits) const;

 private:
  struct Moments {
    std::size_t n = 0;
    double logs = 0, offsets = 0, squares = 0;  // of ln r, r - 1, (r - 1)^2
    double errors = 0;                          // of the squares of the standard errors of r
    double min = std::numeric_limits<double>::infinity(), max = 0;
    void add(double ratio, double error);
    void add(const Moments& other);
    double bias() const;
    double cv() const;
    /// The part of cv that is left where the scatter of repetitions is taken off.
    double cv_between_cases() const;
  };
  /// A case that tells, and the factors for which its count would be right.
  struct Judged {
    std::uint32_t at;
    bool sharp;
    double ratio, error, least, most;
    bool bears(double factor) const { return least <= factor && factor <= most; }
  };
  const Moments& most_telling() const { return sharp_.n >= rules::fewest_cases ? sharp_ : all_; }
  std::vector<std::uint32_t> strays_of(double factor) const;
  CaseVerdict steady(const Limits& limits, std::size_t strays) const;

  Moments all_, sharp_;
  std::vector<Judged> judged_;
  std::vector<std::uint32_t> nothings_;
  std::size_t zero_tests_ = 0, zero_failures_ = 0, narrow_ = 0, unsteady_ = 0;
};

Summary summarize(std::span<const Evidence> evidence, const Limits& limits);

}  // namespace plumbline
