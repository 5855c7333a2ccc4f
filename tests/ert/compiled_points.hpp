// These points are ert/compiled in every form and k, at sizes that leave remainders, passes odd and even.
#pragma once
#include <memory>
#include <vector>

#include "core/kernel.hpp"
#include "ert/compiled.hpp"

namespace plumbline {

inline const Kernel& compiled_kernel() { return *find_kernel("ert/compiled"); }

inline Parameters compiled_parameters(const char* form, std::int64_t k, std::int64_t n, std::int64_t repeat) {
  return {{"form", std::string(form)}, {"k", k}, {"n", n}, {"repeat", repeat}};
}

inline bool is_fused(const Parameters& p) { return p.word("form").ends_with("fma"); }

inline std::vector<Parameters> compiled_points() {
  std::vector<Parameters> all;
  for (const char* form : {"fma", "add", "scalar_fma", "scalar_add"})
    for (std::int64_t k = 1; k <= 256; k *= 2)
      for (const int n : {1, 2, 3, 1411})
        for (const int repeat : {1, 2})
          if (const auto p = compiled_parameters(form, k, n, repeat); k > 1 || !is_fused(p)) all.push_back(p);
  return all;
}

inline std::unique_ptr<Workload> compiled_data(const Parameters& p, std::string_view precision) {
  auto data = compiled_kernel().prepare(p, precision, *std::pmr::new_delete_resource());
  data->initialise(0, data->extent());
  return data;
}

}  // namespace plumbline
