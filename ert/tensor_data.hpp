// Numbers for tensor cores are made here as their bits: operands of each type, of so few bits that sums of products are exact, and the sums
// themselves.
#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

#include "core/array.hpp"
#include "core/narrow.hpp"

namespace plumbline {

/// A type of operands as the instructions name it. `bits`: of a magnitude in [1/2, 1) that are used, so that the largest sum is exact.
struct TensorType {
  std::string_view name;
  int least_capability;  // of mma.sync
  std::size_t bytes;
  int bits;
  std::size_t sum_bytes;
};
inline constexpr std::array tensor_types{
    TensorType{"fp64", 80, 8, 20, 8}, TensorType{"tf32", 80, 4, 9, 4}, TensorType{"fp16", 75, 2, 8, 4},
    TensorType{"bf16", 80, 2, 8, 4},  TensorType{"fp8", 89, 1, 3, 4},  TensorType{"int8", 75, 1, 6, 4},  // fp8: e4m3
};
inline const TensorType& tensor_type(std::string_view name) {
  return *std::find_if(tensor_types.begin(), tensor_types.end(), [&](const TensorType& t) { return t.name == name; });
}

/// The element i of A (stream 1) or B (stream 2): +-[1/2, 1) with the type's bits; int8 counts in 1/64.
inline double tensor_value(const TensorType& type, std::uint64_t stream, std::size_t i) {
  const double magnitude = std::floor(std::ldexp(varied(stream, i), type.bits)) * std::ldexp(1.0, -type.bits);
  return varied(stream + 8, i) < 0.75 ? magnitude : -magnitude;
}
inline std::uint64_t tensor_bits(const TensorType& type, double value) {
  if (type.bytes == 8) return std::bit_cast<std::uint64_t>(value);
  if (type.bytes == 4) return std::bit_cast<std::uint32_t>(static_cast<float>(value));
  if (type.name == "fp16") return Fp16(value).bits();
  if (type.name == "bf16") return Bf16(value).bits();
  if (type.name == "int8") return static_cast<std::uint8_t>(static_cast<std::int8_t>(value * 64));
  return (value < 0 ? 0x80U : 0U) | 6U << 3 | static_cast<unsigned>((std::fabs(value) * 2 - 1) * 8);  // e4m3: 2^-1, three bits
}
/// The number that has these bits.
inline double tensor_number(const TensorType& type, std::uint64_t bits) {
  if (type.bytes == 8) return std::bit_cast<double>(bits);
  if (type.bytes == 4) return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
  if (type.name == "fp16") return static_cast<double>(Fp16::from_bits(static_cast<std::uint16_t>(bits)));
  if (type.name == "bf16") return std::bit_cast<float>(static_cast<std::uint32_t>(bits << 16));
  if (type.name == "int8") return static_cast<std::int8_t>(bits) / 64.0;
  const double magnitude = std::ldexp(1 + static_cast<double>(bits & 7) / 8, static_cast<int>(bits >> 3 & 15) - 7);
  return (bits & 0x80) != 0 ? -magnitude : magnitude;
}

/// Stores a sum of products of such numbers as the type adds them up: fp64, fp32, or for int8 32-bit integers that count in 1/4096.
inline void store_sum(const TensorType& type, unsigned char* to, double value) {
  const auto as = [&]<class T>(T sum) { std::memcpy(to, &sum, sizeof sum); };
  type.sum_bytes == 8 ? as(value) : type.name == "int8" ? as(static_cast<std::int32_t>(value * 4096)) : as(static_cast<float>(value));
}
inline void load_sums(const TensorType& type, const unsigned char* from, std::span<double> to) {
  const auto as = [&]<class T>(T value, double unit) {
    for (std::size_t i = 0; i < to.size(); ++i) {
      std::memcpy(&value, from + i * sizeof value, sizeof value);
      to[i] = static_cast<double>(value) * unit;
    }
  };
  type.sum_bytes == 8 ? as(0.0, 1) : type.name == "int8" ? as(std::int32_t{}, 1.0 / 4096) : as(0.0F, 1);
}
inline double load_sum(const TensorType& type, const unsigned char* from) {
  double sum;
  load_sums(type, from, {&sum, 1});
  return sum;
}

}  // namespace plumbline
