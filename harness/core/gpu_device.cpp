#include "core/gpu_device.hpp"

#include <charconv>

namespace plumbline {
namespace {

constexpr std::string_view word = "GPU";

struct Named {
  int device = 0;
  std::string_view rest;  // from the blank behind the word on
};

/// Splits a name into its GPU and the rest; nothing where the first word is not a GPU's.
std::optional<Named> split(std::string_view name) {
  const std::string_view first = name.substr(0, name.find(' '));
  if (!first.starts_with(word)) return std::nullopt;
  Named named{.rest = name.substr(first.size())};
  const std::string_view number = first.substr(word.size());
  if (number.empty()) return named;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), named.device);
  if (error != std::errc() || end != number.data() + number.size() || number.front() == '0' || named.device < 1) return std::nullopt;
  return named;
}

}  // namespace

std::string gpu_word(int device) { return std::string(word) + (device == 0 ? "" : std::to_string(device)); }

std::string gpu_words(const std::vector<int>& devices) {
  std::string words;
  for (const int device : devices) words += (words.empty() ? "" : ", ") + gpu_word(device);
  return words;
}

int gpu_of_name(std::string_view name) {
  const auto named = split(name);
  return named ? named->device : 0;
}

std::optional<int> gpu_of_ceiling(std::string_view name) {
  constexpr std::string_view ceiling = "ceiling/";
  if (name.starts_with(ceiling)) name.remove_prefix(ceiling.size());
  const auto named = split(name);
  return named ? std::optional(named->device) : std::nullopt;
}

std::string name_on_gpu(std::string_view name, int device) {
  const auto named = split(name);
  return named ? gpu_word(device) + std::string(named->rest) : std::string(name);
}

}  // namespace plumbline
