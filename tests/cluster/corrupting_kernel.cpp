// A copy of the program is linked with this: a sum of two arrays, of which one bit is flipped in memory while it computes, every time that
// it does: on the host nodeB unless its folder has a file "healed", and wherever the file is that FAULTY_SUM_WHILE names. Where the folder
// has a file "broken", nodeB cannot set the sum up at all.
#include <unistd.h>

#include <bit>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "core/array.hpp"
#include "core/error.hpp"
#include "core/host_name.hpp"
#include "core/kernel.hpp"
#include "core/rounding.hpp"

namespace plumbline {
namespace {

template <class Real>
struct Arrays {
  const Real *a, *b;
  Real* sum;
};

bool is_the_bad_host() {
  const char* file = std::getenv("FAULTY_SUM_WHILE");
  return file != nullptr ? access(file, F_OK) == 0 : host_name() == "nodeB" && access("healed", F_OK) != 0;
}

void require_whole_host() {
  if (host_name() == "nodeB" && access("broken", F_OK) == 0) throw io_error("this host is broken");
}

void flip_a_bit(double& value) { value = std::bit_cast<double>(std::bit_cast<std::uint64_t>(value) ^ (std::uint64_t{1} << 40)); }

void add(const void* arguments, std::size_t begin, std::size_t end) {
  const auto& x = *static_cast<const Arrays<double>*>(arguments);
  for (std::size_t i = begin; i < end; ++i) x.sum[i] = x.a[i] + x.b[i];
  if (begin == 0 && is_the_bad_host()) flip_a_bit(x.sum[end / 2]);
}

template <class Real>
class SumCase final : public Workload {
 public:
  static Work model(const Parameters& p, std::string_view) {
    const std::uint64_t n = p.integer("n");
    return {.flops = {{"flops.fp64.add", n}}};
  }
  SumCase(const Parameters& p, std::pmr::memory_resource& memory)
      : a_(p.integer("n"), memory), b_(a_.size(), memory), sum_(a_.size(), memory), arguments_{a_.data(), b_.data(), sum_.data()} {
    require_whole_host();
  }

  std::size_t extent() const override { return a_.size(); }
  void initialise(std::size_t begin, std::size_t end) override {
    for (std::size_t i = begin; i < end; ++i) a_[i] = Real(varied(1, i)), b_[i] = Real(varied(2, i)), sum_[i] = Real(0.5);
  }
  const void* arguments() const override { return &arguments_; }
  void sweep_all() {
    for (std::size_t i = 0; i < extent(); ++i) sum_[i] = a_[i] + b_[i];
  }
  double error() const override {
    LargestError largest;
    for (std::size_t i = 0; i < extent(); ++i) largest.compare(sum_[i], static_cast<long double>(a_[i]) + static_cast<long double>(b_[i]));
    return largest.value();
  }
  double tolerance() const override { return rounding_bound<Real>(1); }

 private:
  Array<Real> a_, b_, sum_;
  Arrays<Real> arguments_;
};

constexpr Flavor flavors[] = {{"gcc12-O3-v2", "fp64", &add}};
const Register<SumCase, double> registered{"faulty/sum",
                                           "The sum of two arrays, wrong on nodeB",
                                           {{.name = "n", .preset = std::int64_t{4096}, .description = "elements of each array"}},
                                           flavors};

}  // namespace
}  // namespace plumbline
