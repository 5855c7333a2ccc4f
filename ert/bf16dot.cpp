// The ceiling of bf16 comes from dot products of pairs of bf16 numbers added to fp32 sums, four FLOPs a lane (AVX512_BF16's VDPBF16PS,
// Arm's BFDOT).
#include "ert/bf16dot.hpp"

#include <type_traits>

#include "bf16dot.flavors.hpp"
#include "ert/dot_chains_case.hpp"

namespace plumbline {
namespace {

constexpr double unit = 0x1p-8;  // of the factors; products are multiples of its square

/// The type that the flavored loop sees: a bf16 number as its bits.
template <class Real>
struct Stored {
  using type = Real;
};
template <>
struct Stored<Bf16> {
  using type = unsigned short;
};

/// All numbers are multiples of 2^-16 and below 2^8, so that fp32 holds every sum exactly, however the hardware orders and rounds the
/// parts of a dot product (Intel rounds twice, others once or not at all), and the check is exact.
template <class Real>
struct Bf16Numbers {
  using A = typename Stored<Real>::type;
  using B = A;
  using Loop = Bf16Dot<A>;
  static constexpr const char* flops = "flops.bf16.fma";
  static constexpr std::size_t of_dot = 2, element_bytes = 2;

  static double start(std::size_t i) { return std::floor(varied(1, i) * 0x1p16) * 0x1p-16; }
  /// The element i of the factors a: in a pair the second is 1 to 4 units larger; all are in [0.5, 1).
  static double a(std::size_t i) { return (varied_between(128, 251, 2, i / 2) + static_cast<double>(i % 2 * (1 + i / 2 % 4))) * unit; }
  static double b(std::size_t i) { return varied_between(129, 255, 3, i) * unit; }
  /// The factor c is -b, but by one unit more for the first of a pair and less for the second: with c a sum loses all that it won with b
  /// but the difference of the pair in a, 1 to 4 units, times a unit.
  static double c(std::size_t i) { return i % 2 == 0 ? -b(i) - unit : -b(i) + unit; }
  template <class T>
  static T stored(double number) {
    if constexpr (std::is_same_v<Real, Bf16>)
      return Bf16(number).bits();
    else
      return T(number);
  }
};

template <class Real>
class Bf16DotCase final : public DotChainsCase<Bf16Numbers<Real>> {
  using DotChainsCase<Bf16Numbers<Real>>::DotChainsCase;
};

const Register<Bf16DotCase, Bf16> registered{
    "ert/bf16dot", "Register-only chains of dot products: pairs of bf16 numbers into fp32 sums (VDPBF16PS, BFDOT)", dot_chain_parameters(),
    bf16dot_flavors};

}  // namespace
}  // namespace plumbline
