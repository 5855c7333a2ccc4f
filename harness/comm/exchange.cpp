#include "comm/exchange.hpp"

#include <algorithm>

namespace plumbline {
namespace {

/// splitmix64 (Steele, Lea, Flood 2014), each rank and each length a stream of its own.
std::uint64_t word_of(int rank, std::size_t words, std::size_t index) {
  std::uint64_t z = (static_cast<std::uint64_t>(rank) << 48) + (static_cast<std::uint64_t>(words) << 24) + index * 0x9e3779b97f4a7c15ULL;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

}  // namespace

std::string_view to_string(ExchangeTraffic traffic) {
  switch (traffic) {
    case ExchangeTraffic::ping_pong:
      return "latency";
    case ExchangeTraffic::one_way:
      return "one way";
    case ExchangeTraffic::both_ways:
      return "both ways";
  }
  return "?";
}

std::size_t window_of(std::size_t message_bytes) {
  constexpr std::size_t most_messages = 64, most_bytes = std::size_t{2} << 20;
  return std::clamp<std::size_t>(most_bytes / message_bytes, 2, most_messages);
}

void fill_messages(std::span<std::uint64_t> words, int rank) {
  for (std::size_t i = 0; i < words.size(); ++i) words[i] = word_of(rank, words.size(), i);
}

bool are_messages_of(std::span<const std::uint64_t> words, int rank) {
  for (std::size_t i = 0; i < words.size(); ++i)
    if (words[i] != word_of(rank, words.size(), i)) return false;
  return true;
}

}  // namespace plumbline
