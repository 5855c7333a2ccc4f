// A short name for a text is made by FNV-1a of 64 bits (Fowler, Noll, Vo). It tells texts apart; it is no protection against malice.
#pragma once
#include <cstdint>
#include <string_view>

namespace plumbline {

constexpr std::uint64_t fnv_start = 14695981039346656037ULL;

/// Continues the hash of an earlier text: `hash` is its value.
constexpr std::uint64_t fnv1a(std::string_view text, std::uint64_t hash = fnv_start) {
  for (const char letter : text) hash = (hash ^ static_cast<unsigned char>(letter)) * 1099511628211ULL;
  return hash;
}

}  // namespace plumbline
