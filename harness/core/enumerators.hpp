// The enumerators of an enum, which only the compiler knows, are asked of it here: how many there are, and their names.
#pragma once
#include <array>
#include <cstddef>
#include <string_view>
#include <utility>

namespace plumbline {

/// The name of an enumerator as it is written; empty for a value that is none. GCC and Clang print a template's argument as "Status::ok",
/// or as "(Status)42" where no enumerator has the value.
template <auto value>
constexpr std::string_view enumerator_name() {
  constexpr std::string_view text = __PRETTY_FUNCTION__, before = "value = ";
  constexpr std::size_t begin = text.find(before) + before.size();
  constexpr std::string_view argument = text.substr(begin, text.find_first_of(";]", begin) - begin);
  constexpr std::string_view name = argument.substr(argument.find_last_of(":)") + 1);
  return std::string_view("-0123456789").find(name.front()) == text.npos ? name : std::string_view();
}

/// The number of enumerators of an enum whose values are 0, 1, 2, ...
template <class Enum, std::size_t known = 0>
constexpr std::size_t enumerator_count() {
  if constexpr (enumerator_name<static_cast<Enum>(known)>().empty())
    return known;
  else
    return enumerator_count<Enum, known + 1>();
}

/// The names of these enumerators, in order.
template <class Enum>
inline constexpr auto enumerator_names = []<std::size_t... at>(std::index_sequence<at...>) {
  return std::array<std::string_view, sizeof...(at)>{enumerator_name<static_cast<Enum>(at)>()...};
}
(std::make_index_sequence<enumerator_count<Enum>()>());

/// The name of an enumerator of such an enum.
template <class Enum>
constexpr std::string_view enumerator_name(Enum value) {
  return enumerator_names<Enum>[static_cast<std::size_t>(value)];
}

}  // namespace plumbline
