#include "profile/preloading.hpp"

#include <cstdlib>

namespace plumbline {

bool is_name_for_loader(const std::filesystem::path& library) { return library.string().find_first_of(": ") == std::string::npos; }

SetVariable preloading(const std::vector<std::filesystem::path>& libraries) {
  SetVariable variable{.name = "LD_PRELOAD", .value = ""};
  for (const auto& library : libraries) variable.value += (variable.value.empty() ? "" : ":") + library.string();
  if (const char* const others = std::getenv("LD_PRELOAD"); others != nullptr && *others != '\0')
    variable.value += std::string(":") + others;
  return variable;
}

}  // namespace plumbline
