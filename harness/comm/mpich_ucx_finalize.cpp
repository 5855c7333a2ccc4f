#include "comm/mpich_ucx_finalize.hpp"

#include <dlfcn.h>

#include <charconv>

namespace plumbline {
namespace {

bool leave_out = false;

}  // namespace

bool finalize_may_deadlock(std::string_view library_version) {
  constexpr std::string_view name = "MPICH Version:";
  const auto at = library_version.find(name);
  if (at == library_version.npos) return false;
  auto number = library_version.substr(at + name.size());
  number.remove_prefix(number.find_first_not_of(" \t") == number.npos ? number.size() : number.find_first_not_of(" \t"));
  int major = 0, minor = 0;
  const auto [dot, bad_major] = std::from_chars(number.data(), number.data() + number.size(), major);
  if (bad_major != std::errc() || dot == number.data() + number.size()) return false;
  if (std::from_chars(dot + 1, number.data() + number.size(), minor).ec != std::errc()) return false;
  return major < 4 || (major == 4 && minor < 2);
}

void leave_out_ucx_disconnect() { leave_out = true; }

}  // namespace plumbline

// Takes the place of libucp's function of this name for libmpich (the linker exports it because libmpich refers to it). Its
// declaration in ucp.h: ucs_status_ptr_t ucp_disconnect_nb(ucp_ep_h ep), both pointers; a null result is UCS_OK, "done".
extern "C" void* ucp_disconnect_nb(void* endpoint);
extern "C" void* ucp_disconnect_nb(void* endpoint) {
  if (plumbline::leave_out) return nullptr;
  using Function = void* (*)(void*);
  const auto original = reinterpret_cast<Function>(dlsym(RTLD_NEXT, "ucp_disconnect_nb"));
  return original == nullptr ? nullptr : original(endpoint);
}
