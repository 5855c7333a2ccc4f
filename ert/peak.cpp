// Arithmetic that never leaves the registers finds the ceilings of FLOP/s by kind of instruction. (Empirical Roofline Toolkit, Lo et al.
// 2014; four pipes at once: FMA beside ADD.)
#include "ert/peak.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <type_traits>

#include "core/array.hpp"
#include "core/kernel.hpp"
#include "ert/peak_fp16.hpp"
#include "peak.flavors.hpp"

namespace plumbline {
namespace {

constexpr std::uint64_t most_iterations = 1 << 18;  // sums of add stay below 2, and exact in fp32

struct Form {
  std::string_view word;
  PeakForm form;
  std::uint64_t fma, add, mul;  // operations of one block in one iteration; an fma is two of them where the ISA has none
};

constexpr std::array forms{
    Form{"fma", PeakForm::fma, 2 * peak_elements, 0, 0},
    Form{"add", PeakForm::add, 0, 2 * peak_elements, 0},
    Form{"mul", PeakForm::mul, 0, 0, 2 * peak_elements},
    Form{"muladd", PeakForm::muladd, 0, 2 * peak_elements, 2 * peak_elements},
    Form{"fmaadd", PeakForm::fmaadd, 3 * peak_fmaadd_multiplied, 4 * peak_fmaadd_added, 0},
    Form{"scalar_fma", PeakForm::scalar_fma, 2 * peak_elements, 0, 0},
    Form{"scalar_add", PeakForm::scalar_add, 0, 2 * peak_elements, 0},
};

/// The shape of a form's loop, as the word ends; a round is so many iterations, or half of one.
struct Shape {
  std::string_view ending;
  PeakShape shape;
  std::uint64_t times, parts;
};
constexpr std::array shapes{Shape{"_deep", PeakShape::deep, deep_times, 1}, Shape{"_brief", PeakShape::brief, 1, 2},
                            Shape{"_wide", PeakShape::wide, 1, 1}, Shape{"", PeakShape::plain, 1, 1}};

const Shape& shape_of(const Parameters& p) {
  return *std::find_if(shapes.begin(), shapes.end(), [&](const Shape& s) { return p.word("form").ends_with(s.ending); });
}

const Form& form_of(const Parameters& p) {
  const std::string word = p.word("form");
  const std::string_view plain = std::string_view(word).substr(0, word.size() - shape_of(p).ending.size());
  return *std::find_if(forms.begin(), forms.end(), [&](const Form& f) { return f.word == plain; });
}

std::uint64_t block_elements(const Form& f) {
  return f.form == PeakForm::fmaadd ? peak_fmaadd_multiplied + peak_fmaadd_added : peak_elements;
}

template <class Real>
Peak<Real> constants(PeakForm form, PeakShape shape) {
  Peak<Real> x{.form = form, .shape = shape, .iterations = 0, .start = nullptr, .result = nullptr, .p = {}, .q = {}, .r = {}};
  if constexpr (std::is_same_v<Real, Fp16>) return set_constants(x), x;
  if (shape == PeakShape::brief) {  // one such reflection
    x.p = Real(-(1 - 0x1p-17));
    x.r = Real(0.75 * (2 - 0x1p-17));
    return x;
  }
  switch (form) {
    case PeakForm::fma:
    case PeakForm::scalar_fma:
      if (fma_accumulates) {  // grows by 1 + 2^-18
        x.p = Real(0.3716);
        x.q = Real((1 + 0x1p-18) / 1.3716 - 1);
        break;
      }
      [[fallthrough]];
    case PeakForm::muladd:  // reflects x about 3/4, ever nearer: p q = -(1 - 2^-16)
      x.p = Real(-1.3716);
      x.q = Real((1 - 0x1p-16) / 1.3716);
      x.r = Real(0.75 * (2 - 0x1p-16) / (1 + (1 - 0x1p-16) / 1.3716));
      break;
    case PeakForm::add:
    case PeakForm::scalar_add:  // drifts by 2^-20, exactly in fp32 too
      x.p = Real(0.625 + 0x1p-20);
      x.q = Real(0.625);
      break;
    case PeakForm::mul:  // grows by 1 + 2^-18
      x.p = Real(1.3716);
      x.q = Real((1 + 0x1p-18) / 1.3716);
      break;
    case PeakForm::fmaadd:  // reflects about 1/2, ever nearer, or grows by 1 + 0.68 x 2^-19 (none for the golden ratio); drifts by -2^-21
      x.p = fma_accumulates ? Real(5184437 * 0x1p-23) : Real(1 - 181 * 0x1p-23);
      x.q = x.p + Real(0x1p-22);
      break;
  }
  return x;
}

long double power(long double base, std::uint64_t exponent) {
  long double result = 1;
  for (; exponent != 0; exponent >>= 1, base *= base)
    if (exponent & 1) result *= base;
  return result;
}

/// The result of n applications of x -> a x + b.
long double affine(long double a, long double b, std::uint64_t n, long double x) {
  const long double fixed = b / (1 - a);
  return fixed + power(a, n) * (x - fixed);
}

template <class Real>
class PeakCase final : public Workload {
 public:
  static Work model(const Parameters& p, std::string_view flavor) {
    const Form& f = form_of(p);
    const Shape& shape = shape_of(p);
    if (p.integer("iterations") * shape.times > most_iterations)
      throw std::invalid_argument("iterations of form=" + p.word("form") + " are at most " + std::to_string(most_iterations / shape.times));
    const std::uint64_t times = p.integer("blocks") * p.integer("iterations") * shape.times;
    const std::uint64_t elements = p.integer("blocks") * block_elements(f), real = sizeof(Real);
    const std::string flops = "flops." + std::string(precision_of<Real>());
    Work work{
        .streams = {{.array = "start", .footprint_bytes = elements * real, .read = true, .loads = elements, .element_bytes = real},
                    {.array = "result", .footprint_bytes = elements * real, .written = true, .stores = elements, .element_bytes = real}}};
    const std::string isa = split_flavor(flavor).isa;
    const bool fused = !isa.empty() && isa != "v2";
    const std::uint64_t apart = fused ? 0 : f.fma;
    if (fused && f.fma != 0) work.flops[flops + ".fma"] = times * f.fma / shape.parts;
    if (f.add + apart != 0) work.flops[flops + ".add"] = times * (f.add + apart) / shape.parts;
    if (f.mul + apart != 0) work.flops[flops + ".mul"] = times * (f.mul + apart) / shape.parts;
    if (isa == "v2" && f.fma != 0) work.note = "this ISA has no FMA: a multiplication and an addition instead";
    return work;
  }

  PeakCase(const Parameters& p, std::pmr::memory_resource& memory)
      : form_(form_of(p)),
        blocks_(p.integer("blocks")),
        iterations_(p.integer("iterations") * shape_of(p).times),
        start_(blocks_ * block_elements(form_), memory),
        result_(blocks_ * block_elements(form_), memory),
        arguments_(constants<Real>(form_.form, shape_of(p).shape)) {
    arguments_.iterations = p.integer("iterations");
    arguments_.start = start_.data();
    arguments_.result = result_.data();
  }

  std::size_t extent() const override { return blocks_; }
  void initialise(std::size_t begin, std::size_t end) override {
    const std::size_t block = block_elements(form_);
    for (std::size_t i = begin * block; i < end * block; ++i) {
      start_[i] = Real(varied(1, i));
      result_[i] = Real(0.5);
    }
  }
  const void* arguments() const override { return &arguments_; }
  void sweep_all() { sweep(arguments_, 0, extent()); }

  /// The error relative to the value, or to the operands' size (1/2) where the map brings it near zero.
  double error() const override {
    double worst = 0;
    if constexpr (std::is_same_v<Real, Fp16>) {
      const Fp16Iterations multiplied(arguments_, iterations_, true), added(arguments_, iterations_, false);
      for (std::size_t i = 0; i < result_.size(); ++i)
        worst = std::max(worst, error_at(i, static_cast<long double>((is_multiplied(i) ? multiplied : added)(start_[i]))));
    } else {
      for (std::size_t i = 0; i < result_.size(); ++i) worst = std::max(worst, error_at(i, expected(i)));
    }
    return worst;
  }

  double tolerance() const override {
    if (std::is_same_v<Real, Fp16>) return 0;
    const double unit = sizeof(Real) == 4 ? 0x1p-24 : 0x1p-53;
    const auto n = static_cast<double>(iterations_);
    switch (form_.form) {
      case PeakForm::add:
      case PeakForm::scalar_add:
        return 4 * unit;  // rounded to the grid of [1, 2) once, then exact
      case PeakForm::mul:
        return 8 * n * unit;  // two roundings an iteration, carried along, and two in q
      case PeakForm::fma:
      case PeakForm::scalar_fma:
        if (fma_accumulates) return 8 * n * unit;
        return 16 * std::min(n, 0x1p16) * unit;  // four roundings at most, on values below 1.4, relative to 1/2
      case PeakForm::fmaadd:
        if (fma_accumulates) return 8 * n * unit;  // three roundings
        return 20 * std::min(n, 0x1p15) * unit;    // three steps, each with two roundings at most on values below 1
      default:
        return 16 * std::min(n, 0x1p16) * unit;  // as fma
    }
  }

 private:
  double error_at(std::size_t i, long double exact) const {
    const auto got = static_cast<long double>(result_[i]);
    const auto error = static_cast<double>(std::fabs(got - exact) / std::max(0.5L, std::fabs(exact)));
    return std::isnan(error) ? HUGE_VAL : error;
  }

  /// Whether an element is in a chain of FMAs: in a block of fmaadd the first ones are.
  bool is_multiplied(std::size_t i) const { return i % block_elements(form_) < peak_fmaadd_multiplied; }

  long double expected(std::size_t i) const {
    const auto start = static_cast<long double>(start_[i]);
    const auto p = static_cast<long double>(arguments_.p), q = static_cast<long double>(arguments_.q),
               r = static_cast<long double>(arguments_.r);
    const std::uint64_t n = iterations_;
    if (arguments_.shape == PeakShape::brief) return affine(p, r, n, start);
    switch (form_.form) {
      case PeakForm::add:
      case PeakForm::scalar_add:
        return start + static_cast<long double>(n) * (p - q);
      case PeakForm::mul:
        return start * power(p * q, n);
      case PeakForm::fmaadd:
        if (is_multiplied(i)) return fma_accumulates ? start * power((1 + p) * (1 - p) * (1 + p), n) : affine(-p, q, 3 * n, start);
        return start + 2 * static_cast<long double>(n) * (p - q);
      case PeakForm::fma:
      case PeakForm::scalar_fma:
        if (fma_accumulates) return start * power((1 + p) * (1 + q), n);
        [[fallthrough]];
      default:
        return affine(p * q, q * r + r, n, start);
    }
  }

  const Form& form_;
  std::size_t blocks_;
  std::uint64_t iterations_;  // of the map; brief: halves of them
  Array<Real> start_, result_;
  Peak<Real> arguments_;
};

const Register<PeakCase, double, float, Fp16> registered{
    "ert/peak",
    "Register-only chains of arithmetic, by kind of instruction (ERT, Lo et al. 2014)",
    {{.name = "form",
      .preset = std::string("fma"),
      .description = "kind of instruction; fmaadd: as many FMAs as ADDs, on pipes of their own where the core has four; ending in "
                     "_deep, _brief or _wide: three times or half the steps a round, more chains",
      .choices = {"fma", "add", "mul", "muladd", "fmaadd", "scalar_fma", "scalar_add", "fma_deep", "add_deep", "mul_deep", "muladd_deep",
                  "fmaadd_deep", "scalar_fma_deep", "scalar_add_deep", "muladd_brief", "scalar_fma_wide", "scalar_add_wide"}},
     {.name = "iterations", .preset = std::int64_t{100}, .description = "rounds of the inner loop", .max = most_iterations},
     {.name = "blocks", .preset = std::int64_t{8}, .description = "of 384 elements (fmaadd: 896), which the team divides", .max = 1 << 20}},
    peak_flavors};

}  // namespace
}  // namespace plumbline
