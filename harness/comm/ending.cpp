#include "comm/ending.hpp"

#include <algorithm>
#include <array>

namespace plumbline {
namespace {

constexpr std::array by_severity{Exit::ok,           Exit::regression,    Exit::io_or_failed_case,
                                 Exit::wrong_result, Exit::stopped_early, Exit::user_error};

}  // namespace

int severity(Exit code) { return static_cast<int>(std::find(by_severity.begin(), by_severity.end(), code) - by_severity.begin()); }

Exit exit_of_severity(int severity) { return by_severity.at(static_cast<std::size_t>(severity)); }

Exit worse(Exit a, Exit b) { return severity(a) >= severity(b) ? a : b; }

}  // namespace plumbline
