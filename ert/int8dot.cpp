// The ceiling of int8 comes from dot products of four numbers added to int32 sums, eight operations a lane (VPDPBUSD of AVX512_VNNI and
// AVX-VNNI). Their operations are integer ones, so they are no FLOPs of any precision: they have a quantity and a precision "int8" of their
// own.
#include "ert/int8dot.hpp"

#include "ert/dot_chains_case.hpp"
#include "int8dot.flavors.hpp"

namespace plumbline {
namespace {

/// Sums never leave int32: they stay below 2^27 for 2^18 iterations.
template <class Real>
struct Int8Numbers {
  using Loop = Int8Dot<Real>;
  using A = typename Loop::Unsigned;
  using B = Real;
  static constexpr const char* flops = "flops.int8.fma";
  static constexpr std::size_t of_dot = 4, element_bytes = 1;

  static int start(std::size_t i) { return between(1 << 16, 1 << 17, 1, i); }
  /// The unsigned factors: above 127, which a signed one cannot be. In a pair the second is 1 to 4 larger.
  static int a(std::size_t k) { return between(128, 252, 2, k / 2) + static_cast<int>(k % 2 * (1 + k / 2 % 4)); }
  static int b(std::size_t k) { return between(64, 127, 3, k); }
  /// The factor c is -b, but by 1 less, 1 more, 1 less, 2 more for the four: with c a sum loses all that it won with b but the differences
  /// of the pairs in a and the last of them. (Were the four alike in sum, factors taken for signed ones would go unnoticed.)
  static int c(std::size_t k) {
    constexpr int more[] = {-1, 1, -1, 2};
    return -b(k) + more[k % 4];
  }
  template <class T>
  static T stored(int number) {
    return T(number);
  }

 private:
  static int between(int lo, int hi, std::uint64_t stream, std::size_t i) { return static_cast<int>(varied_between(lo, hi, stream, i)); }
};

template <class Real>
class Int8DotCase final : public DotChainsCase<Int8Numbers<Real>> {
  using DotChainsCase<Int8Numbers<Real>>::DotChainsCase;
};

const Register<Int8DotCase, std::int8_t> registered{"ert/int8dot",
                                                    "Register-only chains of dot products: four int8 numbers into int32 sums (VPDPBUSD)",
                                                    dot_chain_parameters(), int8dot_flavors};

}  // namespace
}  // namespace plumbline
