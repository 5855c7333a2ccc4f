// The names of functions as people see them in a table: short, and no two alike.
#pragma once
#include <string>
#include <vector>

namespace plumbline::app {

/// The names of a table's rows, of at most 40 characters each: without the function's arguments and the type that it gives. Where several
/// would look alike (instances of a template, overloads) each is cut in its middle, so that the place in which they differ is seen.
std::vector<std::string> shown_names(const std::vector<std::string>& names);

}  // namespace plumbline::app
