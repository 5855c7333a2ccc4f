// One measured case's word on a counter, and what many such words come to.
#pragma once
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "core/counter.hpp"
#include "core/records.hpp"

namespace plumbline {

enum class ZeroTest { no, passed, failed };

struct Evidence {
  std::uint32_t at = 0;  // the case's number
  double measured = absent, ratio = absent;
  double exact_lo = absent, exact_hi = absent;
  ZeroTest zero = ZeroTest::no;
  bool counted_nothing = false;             // or as good as nothing, where there is something
  bool unsteady = false;                    // its own repetitions differ by more than a trusted counter may deviate
  std::uint32_t repetitions = 0, lost = 0;  // lost: repetitions that counted far less than their median
  double scatter = absent;                  // of the repetitions, over their median; absent for fewer than three
  double joint = absent;                    // median in another group of events over that in the first; absent where there is one group

  /// A ratio that can tell a right counter from a wrong one: not the answer "inside" to an interval that begins at nothing.
  bool tells() const { return zero == ZeroTest::no && !counted_nothing && ratio == ratio && !(exact_lo <= 0 && ratio == 1); }
  /// One so sure, and of an interval so narrow, that a ratio of 1 says that the counter is right.
  bool is_sharp() const { return tells() && !unsteady && exact_lo > 0 && exact_hi <= 1.05 * exact_lo; }
};

/// What a trusted counter may deviate by: FLOPs are counted, bytes are at the mercy of caches and of other traffic.
struct Limits {
  double bias, worst, dispersion;
};
constexpr Limits limits_of(Kind kind) { return kind == Kind::flops ? Limits{0.01, 0.02, 0.005} : Limits{0.05, 0.15, 0.03}; }

/// With fewer cases a grade would say more about the choice of cases than about the counter.
inline constexpr std::size_t fewest_cases = 3;

/// Sums over evidence, of the sharp cases where there are enough of them: parts add up, so that leaving one out costs nothing.
class Summary {
 public:
  void add(const Evidence& evidence, const Limits& limits);
  void add(const Summary& other);

  std::size_t cases() const { return all_.n; }
  std::size_t sharp() const { return sharp_.n; }
  std::size_t zero_tests() const { return zero_tests_; }
  std::size_t zero_failures() const { return zero_failures_; }
  std::size_t nothings() const { return nothings_; }  // counted nothing where there is something
  bool fails() const { return zero_failures_ + nothings_ > 0; }

  double bias() const { return judged().bias(); }
  double cv() const { return judged().cv(); }
  double min() const { return all_.n == 0 ? absent : all_.min; }
  double max() const { return all_.n == 0 ? absent : all_.max; }

  /// Always the same factor from the model; where the model leaves an interval, inside it after division by the factor.
  bool is_steady(const Limits& limits) const;
  bool is_trusted(const Limits& limits) const;
  /// A, B or D by these cases alone; '-' where too few can tell.
  char grade(const Limits& limits) const;

 private:
  struct Moments {
    std::size_t n = 0;
    double logs = 0, offsets = 0, squares = 0;  // of ln r, r - 1, (r - 1)^2
    double min = std::numeric_limits<double>::infinity(), max = 0;
    void add(double ratio);
    void add(const Moments& other);
    double bias() const;
    double cv() const;
  };
  const Moments& judged() const { return sharp_.n >= fewest_cases ? sharp_ : all_; }

  Moments all_, sharp_;
  double least_factor_ = 0, most_factor_ = std::numeric_limits<double>::infinity();  // for which the intervals hold the counts
  std::size_t zero_tests_ = 0, zero_failures_ = 0, nothings_ = 0;
};

Summary summarize(std::span<const Evidence> evidence, const Limits& limits);

}  // namespace plumbline
