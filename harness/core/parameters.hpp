// A kernel's parameters are integers and words, in declared order.
#pragma once
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace plumbline {

using Value = std::variant<std::int64_t, std::string>;

std::string to_string(const Value& value);

/// A kernel's declaration of one parameter.
struct ParameterSpec {
  std::string name;
  Value preset;                           // used where a campaign does not name the parameter
  std::string description;                // with unit
  std::vector<std::string> choices = {};  // allowed words; empty for integers
  std::int64_t min = 1, max = std::numeric_limits<std::int64_t>::max();
};

/// The values of a kernel's parameters, in the order in which it declares them.
class Parameters {
 public:
  Parameters() = default;
  Parameters(std::initializer_list<std::pair<std::string, Value>> values) : values_(values) {}

  void set(std::string_view name, Value value);
  bool has(std::string_view name) const;
  /// The value of a parameter. Throws std::out_of_range naming the parameter.
  const Value& at(std::string_view name) const;
  std::uint64_t integer(std::string_view name) const;
  const std::string& word(std::string_view name) const;

  auto begin() const { return values_.begin(); }
  auto end() const { return values_.end(); }
  std::size_t size() const { return values_.size(); }
  /// The values as part of a case's id: "form=loop/n=7/m=1024"; empty when there are none.
  std::string path() const;
  /// The values as a JSON object: {"form":"loop","n":7}.
  std::string json() const;

  bool operator==(const Parameters&) const = default;

 private:
  std::vector<std::pair<std::string, Value>> values_;
};

}  // namespace plumbline
