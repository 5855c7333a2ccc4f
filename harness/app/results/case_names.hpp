// Kernels and functions of others become parts of case ids, which are file names as well.
#pragma once
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace plumbline::app {

/// Begins the kernel of a profiled program's cases: "program/heat3d".
inline constexpr std::string_view program_suite = "program/";

/// The name of a kernel or a function as a case id and a file name can bear it: "copy_double" for "void copy<double>(double *, double const
/// *)". Those that would share a name have the hash of their full one behind it; what stands behind a line's end in a full name is for that
/// alone.
class CaseNames {
 public:
  explicit CaseNames(const std::vector<std::string>& full_names);
  /// The name of one of those.
  std::string of(const std::string& full_name) const;

 private:
  std::map<std::string, std::set<std::string>> full_names_;  // by the short one
};

}  // namespace plumbline::app
