// The loop of the Empirical Roofline Toolkit (Lo et al. 2014) as each compiler makes it: what Table I of Kwack et al. 2018 measures.
// Values stay varied and near 3/4 for ever: single steps reflect them, pairs of steps let them drift a little, forth in one pass and
// back in the next.
#include "ert/compiled.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>

#include "compiled.flavors.hpp"
#include "core/kernel.hpp"
#include "ert/passed_array.hpp"

namespace plumbline {
namespace {

constexpr double drift = 0x1p-20;

struct Form {
  const char* word;
  CompiledForm form;
};
constexpr std::array forms{Form{"fma", CompiledForm::fma}, Form{"add", CompiledForm::add}, Form{"scalar_fma", CompiledForm::scalar_fma},
                           Form{"scalar_add", CompiledForm::scalar_add}};

CompiledForm form_of(const Parameters& p) {
  return std::find_if(forms.begin(), forms.end(), [&](const Form& f) { return f.word == p.word("form"); })->form;
}

#define PLUMBLINE_COMPILED_VALUE(k) k,
constexpr std::array<std::size_t, 9> flops_there_are{PLUMBLINE_COMPILED_FLOPS(PLUMBLINE_COMPILED_VALUE)};

std::uint64_t flops_an_element(const Parameters& p) {
  const std::uint64_t k = p.integer("k");
  if (std::find(flops_there_are.begin(), flops_there_are.end(), k) == flops_there_are.end() || k < flops_of_step(form_of(p)))
    throw std::invalid_argument("ert/compiled: k = " + std::to_string(k) + " with form = " + p.word("form") +
                                "; it is a power of two from 1 (an addition) or 2 (an FMA) to 256");
  return k;
}

template <class Real>
class CompiledCase final : public PassedArray<Compiled<Real>, Real> {
 public:
  static Work model(const Parameters& p, std::string_view flavor) {
    const std::uint64_t n = p.integer("n"), repeat = p.integer("repeat"), k = flops_an_element(p);
    const std::string isa = split_flavor(flavor).isa;
    Work work = CompiledCase::swept(n, repeat, k);
    if (!is_fused(form_of(p))) {
      work.flops[flops<Real>("add")] = repeat * n * k;
    } else if (isa.empty() || isa == "v2") {
      work.flops[flops<Real>("add")] = work.flops[flops<Real>("mul")] = repeat * n * k / 2;
      if (isa == "v2") work.note = "this ISA has no FMA: a multiplication and an addition instead";
    } else {
      work.flops[flops<Real>("fma")] = repeat * n * k / 2;
    }
    return work;
  }

  CompiledCase(const Parameters& p, std::pmr::memory_resource& memory) : CompiledCase::PassedArray(p.integer("n"), compiled_grain, memory) {
    arguments_ = constants(form_of(p), flops_an_element(p));
    arguments_.repeat = p.integer("repeat");
    arguments_.a = this->values();
    arguments_.passes = this->passes();
  }

 private:
  static Compiled<Real> constants(CompiledForm form, std::size_t k) {
    const bool single = k == flops_of_step(form);
    const double low = single || is_fused(form) ? 1.5 : 0.625;
    return {form, k, 0, nullptr, Real(-1), Real(low), Real(low + drift), nullptr};
  }

  double expected(double x, std::uint64_t passes) const override {
    if (passes % 2 == 0) return x;
    const std::size_t step = flops_of_step(arguments_.form);
    return arguments_.k == step ? 1.5 - x : x + static_cast<double>(arguments_.k / (2 * step)) * drift;
  }

  using KernelData<Compiled<Real>>::arguments_;
};

std::vector<std::string> words() {
  std::vector<std::string> all;
  for (const Form& form : forms) all.emplace_back(form.word);
  return all;
}

const Register<CompiledCase> registered{
    "ert/compiled",
    "The loop of ERT as each compiler makes it: k FLOPs between a load and a store (Kwack et al. 2018, Table I)",
    {{.name = "form", .preset = std::string("fma"), .description = "the FLOPs, and whether in vectors", .choices = words()},
     {.name = "k",
      .preset = std::int64_t{8},
      .description = "FLOPs an element, one after the other: a power of two from 1 (an addition) or 2 (an FMA)",
      .max = 256},
     {.name = "n", .preset = std::int64_t{4096}, .description = "elements"},
     {.name = "repeat", .preset = std::int64_t{1}, .description = "passes over the array in one sweep"}},
    compiled_flavors};

}  // namespace
}  // namespace plumbline
