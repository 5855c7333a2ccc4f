// The matrix product C = A B of n x n matrices is computed by three plain loops, and by OpenBLAS as a flavor of its own.
#include "validation/dgemm.hpp"

#include "dgemm.flavors.hpp"
#include "libraries/openblas.hpp"

namespace plumbline {
namespace {

template <class Real>
class DgemmCase final : public DgemmData<Real, Array> {
 public:
  using DgemmData<Real, Array>::DgemmData;
  static Work model(const Parameters& p, std::string_view flavor) {
    const std::uint64_t n = p.integer("n");
    if (flavor != openblas_flavor) return plain_model(n);
    return openblas_work(n, n, n, sizeof(Real), (n + library_rows - 1) / library_rows);  // a call a thread
  }

  std::size_t grain() const override { return library_rows; }

 private:
  static constexpr std::size_t library_rows = 4;  // the library's kernels take four rows at a time

  static Work plain_model(std::uint64_t n) {
    const std::uint64_t real = sizeof(Real), row = n * real, matrix = n * row;
    Work work{.flops = flops<Real>({"add", "mul"}, n * n * n),  // 0 + a b + a b + ...
              .streams = {{.array = "a",
                           .footprint_bytes = matrix,
                           .read = true,
                           .loads = n * n,
                           .element_bytes = real,
                           // A row of B and one of C pass from one element to the next; without them each element costs its line.
                           .layers = {{.reuse_bytes = 2 * row, .fetched_bytes = n * n * 64}}},
                          {.array = "b",
                           .footprint_bytes = matrix,
                           .read = true,
                           .loads = n * n * n,
                           .element_bytes = real,
                           .layers = {{.reuse_bytes = matrix + 2 * row, .fetched_bytes = n * matrix}},
                           .shared = true},
                          {.array = "c",
                           .footprint_bytes = matrix,
                           .written = true,
                           .stores = n * n,
                           .element_bytes = real,
                           // All but the same row of A passes from its last use to its next.
                           .layers = {{.reuse_bytes = matrix + 2 * row, .fetched_bytes = matrix, .upper_bound = true}}},
                          // The row of C, once set to zero, stays cached, or is fetched and written for each row of B.
                          {.array = "c, accumulated",
                           .read = true,
                           .written = true,
                           .loads = n * n * n,
                           .stores = n * n * n,
                           .element_bytes = real,
                           .layers = {{.reuse_bytes = 2 * row, .fetched_bytes = n * matrix}}}}};
    work.add_outer_loop(n, matrix + 2 * row);
    work.add_outer_loop(n * n, 2 * row);
    return work;
  }
};

template <class Real>
void sweep_library(const void* arguments, std::size_t begin, std::size_t end) {
  const auto& x = *static_cast<const Dgemm<Real>*>(arguments);
  openblas_product(end - begin, x.n, x.n, x.a + begin * x.n, x.b, x.c + begin * x.n);
}

std::span<const Flavor> all_flavors() {
  static const std::vector<Flavor> flavors = with_openblas(dgemm_flavors, sweep_library<double>, sweep_library<float>);
  return flavors;
}

const Register<DgemmCase> registered{dgemm_facts("Matrix product C = A B: three plain loops, or OpenBLAS on the thread's rows"),
                                     all_flavors, absent_openblas};

}  // namespace
}  // namespace plumbline
