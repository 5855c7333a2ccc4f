// These points are the ceiling kernels in every form, pattern and k, at sizes that leave remainders.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "core/kernel.hpp"

namespace plumbline {

using Values = std::vector<std::pair<std::string, Value>>;

struct KernelPoint {
  std::string kernel;
  Values values;
};

inline Parameters parameters(const KernelPoint& point) {
  Parameters p;
  for (const auto& spec : find_kernel(point.kernel)->parameters) p.set(spec.name, spec.preset);
  for (const auto& [name, value] : point.values) p.set(name, value);
  return p;
}

inline Value number(std::int64_t value) { return value; }

/// The words that a parameter can be.
inline std::vector<std::string> words_of(const std::string& kernel, const std::string& parameter) {
  for (const auto& spec : find_kernel(kernel)->parameters)
    if (spec.name == parameter) return spec.choices;
  return {};
}

/// Every pattern of ert/stream in all the forms that there are for this machine.
inline std::vector<std::string> stream_words() { return words_of("ert/stream", "pattern"); }
/// Every kind of arithmetic of ert/peak in all the shapes of its loop.
inline std::vector<std::string> peak_words() { return words_of("ert/peak", "form"); }

/// Every form, pattern and k; sizes that leave remainders; passes odd and even.
inline std::vector<KernelPoint> points() {
  std::vector<KernelPoint> all;
  for (const std::string& form : peak_words())
    for (const int iterations : {1, 101})
      all.push_back({"ert/peak", {{"form", form}, {"iterations", number(iterations)}, {"blocks", number(2)}}});
  for (const std::string& pattern : stream_words())
    for (const int n : {1, 255, 1024, 5001})
      for (const int repeat : {1, 2, 3})
        all.push_back({"ert/stream", {{"pattern", pattern}, {"n", number(n)}, {"repeat", number(repeat)}}});
  for (int k = 1; k <= 512; k *= 2)
    for (const int n : {1, 1411})
      for (const int repeat : {1, 2}) all.push_back({"ert/vector", {{"k", number(k)}, {"n", number(n)}, {"repeat", number(repeat)}}});
  for (const int n : {1, 2, 7, 1000})
    for (const int steps : {1, 8, 2003})
      for (const int chains : {1, 3})
        all.push_back({"ert/chase", {{"n", number(n)}, {"steps", number(steps)}, {"chains", number(chains)}}});
  return all;
}

}  // namespace plumbline
