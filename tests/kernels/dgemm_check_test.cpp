// The check of the matrix product sees a single wrong element at any n, in single precision too.
#include <gtest/gtest.h>

#include <limits>
#include <utility>

#include "validation/dgemm.hpp"

namespace plumbline {
namespace {

/// A and B are ones, so that each element of C is n.
class Ones final : public DgemmData<float, Array> {
 public:
  Ones(const Parameters& p, std::pmr::memory_resource& memory) : DgemmData(p, memory) {
    for (auto* matrix : {&a_, &b_}) matrix->fill(0, matrix->size(), [](std::size_t) { return 1.0F; });
    c_.fill(0, c_.size(), [this](std::size_t) { return static_cast<float>(n_); });
  }
  bool passes_with(std::size_t element, float value) {
    const float right = std::exchange(c_[element], value);
    const bool passed = error() <= tolerance();
    c_[element] = right;
    return passed;
  }
};

TEST(dgemm_check, sees_one_wrong_element_where_its_rows_sum_does_not) {
  Parameters p;
  p.set("n", std::int64_t{4608});  // n 2^-24 of a row's sum is 1.27 elements
  Ones data(p, *std::pmr::new_delete_resource());
  const std::size_t element = 17 * 4608 + 4000;  // of a row that is not checked element by element
  EXPECT_TRUE(data.passes_with(element, 4608)) << "it is right";
  EXPECT_FALSE(data.passes_with(element, 0));
  EXPECT_FALSE(data.passes_with(element, 4608 + 16)) << "too large by a block of its terms";
  EXPECT_FALSE(data.passes_with(element, std::numeric_limits<float>::quiet_NaN()));
}

}  // namespace
}  // namespace plumbline
