// Division, square root and exponential are done, one an element. Each is one operation by convention, and on a GPU a sequence of
// instructions that its counters see: the conventional FLOPs are exact here, what is executed is an interval.
#include <cmath>

#include "core/kernel_data.hpp"
#include "cuda/arithmetic.cuh"
#include "cuda/register.cuh"

namespace plumbline {
namespace {

enum class Special { div, sqrt, exp };

template <class Real>
struct Specials {
  Special function;
  Real dividend;
  const Real* x;
  Real* y;
};

PLUMBLINE_BOTH double exponential(double x) { return exp(x); }
PLUMBLINE_BOTH float exponential(float x) { return expf(x); }
Counted exponential(Counted x) { return std::exp(static_cast<double>(x)); }  // by convention no FLOP of the contract's kinds

template <Special function, class Real>
struct SpecialBody {
#pragma nv_exec_check_disable
  PLUMBLINE_BOTH static void element(const Specials<Real>& s, std::size_t i) {
    if constexpr (function == Special::div)
      s.y[i] = cuda::quotient(s.dividend, s.x[i]);
    else if constexpr (function == Special::sqrt)
      s.y[i] = cuda::square_root(s.x[i]);
    else
      s.y[i] = exponential(s.x[i]);
  }
};

Special function_of(const Parameters& p) {
  const std::string& word = p.word("function");
  return word == "div" ? Special::div : word == "sqrt" ? Special::sqrt : Special::exp;
}

/// Gives act<Body>() for the function.
template <class Real, class Act>
void select(const Specials<Real>& s, Act act) {
  switch (s.function) {
    case Special::div:
      return act.template operator()<SpecialBody<Special::div, Real>>();
    case Special::sqrt:
      return act.template operator()<SpecialBody<Special::sqrt, Real>>();
    case Special::exp:
      return act.template operator()<SpecialBody<Special::exp, Real>>();
  }
}

template <class Real>
class SpecialCase final : public ElementwiseData<Specials<Real>, Real, DeviceArray> {
 public:
  static Work model(const Parameters& p, std::string_view) {
    const std::uint64_t n = p.integer("n");
    Work work{.streams = {loaded<Real>("x", n), stored<Real>("y", n)},
              .note = "one operation an element by convention; what is executed is a sequence of instructions, some of them fp32"};
    constexpr std::uint64_t longest = 32;  // instructions of a kind in a sequence
    const auto executed = [&](const std::string& precision) {
      for (const char* kind : {"add", "mul", "fma"}) work.flops["flops." + precision + "." + kind] = Amount(0, longest * n);
    };
    executed(std::string(precision_of<Real>()));
    if (sizeof(Real) == 8) executed("fp32");  // by which fp64 sequences test exponents
    if (function_of(p) != Special::exp) work.flops[flops<Real>(p.word("function"))] = n;
    return work;
  }

  SpecialCase(const Parameters& p, DeviceMemory& memory) : SpecialCase::ElementwiseData(p.integer("n"), {1, 0}, memory) {
    this->arguments_ = {function_of(p), Real(0.75), this->array(0), this->array(1)};
  }

  static void launch(const Specials<Real>& s, std::size_t begin, std::size_t end) {
    select(s, [&]<class Chosen>() { cuda::launch_elements<Chosen>(s, begin, end); });
  }
  static void on_host(const Specials<Real>& s, std::size_t begin, std::size_t end) {
    select(s, [&]<class Chosen>() { cuda::elements_on_host<Chosen>(s, begin, end); });
  }

  long double exact(std::size_t i) const final {
    const long double x = given<Real>(1, i), values[] = {0.75L / x, std::sqrt(x), std::exp(x)};
    return values[static_cast<int>(this->arguments_.function)];
  }
  // Quotient and root are rounded once; CUDA's exponentials are within 2 units in the last place, 4 roundings.
  double tolerance() const override { return rounding_bound<Real>(this->arguments_.function == Special::exp ? 4 : 1); }
};

const cuda::Register<SpecialCase> special_registered{
    "validation/special",
    "Division, square root or exponential of each element",
    {{.name = "function", .preset = std::string("div"), .description = "of each element", .choices = {"div", "sqrt", "exp"}},
     {.name = "n", .preset = std::int64_t{1} << 20, .description = "elements", .max = std::int64_t{1} << 38}}};

}  // namespace
}  // namespace plumbline
