// The geometric series of series.cpp on GPUs has one thread an element, and every product and sum is an instruction of its own. Horner's
// loop is the only form with FMAs, and nothing else.
#include "cuda/arithmetic.cuh"
#include "cuda/register.cuh"
#include "validation/series.hpp"

namespace plumbline {
namespace {

using cuda::fused, cuda::plus, cuda::times;

template <SeriesForm form, int order, class Real>
struct Body {
  PLUMBLINE_BOTH static void element(const Series<Real>& s, std::size_t i) {
    const Real x = s.x[i], one = s.one;
    if constexpr (form == SeriesForm::loop) {
      Real horner = one;
#pragma unroll 1
      for (int k = 0; k < s.n; ++k) horner = fused(horner, x, one);
      s.sum[i] = horner;
    } else if constexpr (form == SeriesForm::power) {
      Real total = one, power = one;
#pragma unroll 1
      for (int k = 0; k < s.n; ++k) {
        power = times(power, x);
        total = plus(total, power);
      }
      s.sum[i] = total;
    } else {
      Real total = plus(one, x), power = x;
#pragma unroll
      for (int k = 1; k < order; ++k) {
        power = times(power, x);
        total = plus(total, power);
      }
      s.sum[i] = total;
    }
  }
};

/// Gives act<Body>() for the form, and for the order where it is compiled in.
template <class Real, class Act>
void select(const Series<Real>& s, Act act) {
  switch (s.form) {
    case SeriesForm::loop:
      return act.template operator()<Body<SeriesForm::loop, 0, Real>>();
    case SeriesForm::power:
      return act.template operator()<Body<SeriesForm::power, 0, Real>>();
    case SeriesForm::inlined:
      switch (s.n) {
#define PLUMBLINE_SERIES_BODY(k) \
  case k:                        \
    return act.template operator()<Body<SeriesForm::inlined, k, Real>>();
        PLUMBLINE_SERIES_ORDERS(PLUMBLINE_SERIES_BODY)
#undef PLUMBLINE_SERIES_BODY
      }
  }
}

template <class Real>
class SeriesCase final : public SeriesData<Real, DeviceArray> {
 public:
  static Work model(const Parameters& p, std::string_view) {
    Work work = SeriesCase::traffic(p);
    const std::uint64_t n = p.integer("n"), points = p.integer("m") * p.integer("m");
    if (series_form_of(p) == SeriesForm::loop) {
      work.flops[flops<Real>("fma")] = points * n;
    } else {
      work.flops[flops<Real>("add")] = points * n;
      if (const std::uint64_t products = SeriesCase::products(p); products != 0) work.flops[flops<Real>("mul")] = points * products;
    }
    return work;
  }

  using SeriesData<Real, DeviceArray>::SeriesData;

  static void launch(const Series<Real>& s, std::size_t begin, std::size_t end) {
    const std::initializer_list<std::uint64_t> no_loop{}, orders{static_cast<std::uint64_t>(s.n)};
    select(s, [&]<class Chosen>() { cuda::launch_elements<Chosen>(s, begin, end, s.form == SeriesForm::inlined ? no_loop : orders); });
  }
  static void on_host(const Series<Real>& s, std::size_t begin, std::size_t end) {
    select(s, [&]<class Chosen>() { cuda::elements_on_host<Chosen>(s, begin, end); });
  }
};

const cuda::Register<SeriesCase> series_registered{series_facts(1024)};

}  // namespace
}  // namespace plumbline
