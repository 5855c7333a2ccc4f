// The kernels of the module as parameters of a test, and the points at which each is tried.
#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <string>
#include <vector>

#include "core/application.hpp"
#include "opened_module.hpp"
#include "tests/kernels/refusal.hpp"
#include "tests/printed_amounts.hpp"

namespace plumbline {

inline std::vector<const Kernel*> all_kernels() {
  std::vector<const Kernel*> all;
  for (const Kernel& kernel : opened_module().kernels()) all.push_back(&kernel);
  return all;
}

/// The kernel's name as GoogleTest allows it: validation_triad.
inline std::string word_of(const testing::TestParamInfo<const Kernel*>& tested) {
  std::string name = tested.param->name;
  std::replace_if(
      name.begin(), name.end(), [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; }, '_');
  return name;
}

/// Each word of each parameter, and for every integer whose preset is above 64 the one that `size` gives for its preset; none above the
/// most that the kernel's proof states.
template <class Size>
std::vector<Parameters> points(const Kernel& kernel, Size size) {
  std::vector<Parameters> all(1);
  for (const ParameterSpec& spec : kernel.parameters) {
    std::vector<Value> values{spec.preset};
    if (!spec.choices.empty())
      values.assign(spec.choices.begin(), spec.choices.end());
    else if (const auto preset = std::get<std::int64_t>(spec.preset); preset > 64)
      values = {std::clamp(size(preset), spec.min, spec.max)};
    if (const Parameters& most = kernel.proof.at_most; most.has(spec.name))
      values = {std::min(std::get<std::int64_t>(values.front()), static_cast<std::int64_t>(most.integer(spec.name)))};
    std::vector<Parameters> product;
    for (const Parameters& point : all)
      for (const Value& value : values) product.emplace_back(point).set(spec.name, value);
    all = std::move(product);
  }
  return all;
}

/// Fills the data of a case, an application's those of a rank alone.
inline void initialise(Workload& data) {
  if (auto* const application = dynamic_cast<ApplicationData*>(&data)) application->take_place(0, 1);
  data.initialise(0, data.extent());
}

/// A loop that sweeps the first half of each range, in whole grains, and then the rest.
class InTwoParts {
 public:
  InTwoParts(Sweep sweep, std::size_t grain) : sweep_(sweep), grain_(grain) {}
  void operator()(const void* arguments, std::size_t begin, std::size_t end) const {
    const std::size_t half = begin + (end - begin) / 2 / grain_ * grain_;
    if (half != begin) sweep_(arguments, begin, half);
    sweep_(arguments, half, end);
  }

 private:
  Sweep sweep_;
  std::size_t grain_;
};

/// The points of `size` and those that the kernel itself states, where its loop has an edge that they do not meet.
template <class Size>
std::vector<Parameters> points_and_edges(const Kernel& kernel, Size size) {
  std::vector<Parameters> all = points(kernel, size);
  all.insert(all.end(), kernel.proof.edges.begin(), kernel.proof.edges.end());
  return all;
}

/// A size of less than a block of threads.
inline std::int64_t small(std::int64_t) { return 48; }
/// The small points and edges at which a kernel is tried on the host, which does one element after the other: kernels of ceilings repeat
/// their work there a few times only.
inline std::vector<Parameters> points_on_the_host(const Kernel& kernel) {
  constexpr std::uint64_t few = 4;
  std::vector<Parameters> all = points_and_edges(kernel, small);
  if (!kernel.name.starts_with("ert/")) return all;
  for (Parameters& point : all)
    if (point.has("iterations") && point.integer("iterations") > few) point.set("iterations", std::int64_t{few});
  return all;
}
/// A size of many blocks, of which the last one has a rest to do.
inline std::int64_t large(std::int64_t preset) { return preset > 4096 ? 66002 : preset; }

}  // namespace plumbline
