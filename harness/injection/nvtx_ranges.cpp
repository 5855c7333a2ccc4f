// A program's NVTX ranges become phases: NVTX finds InitializeInjectionNvtx2 in the library that NVTX_INJECTION64_PATH names.
#include "injection/nvtx_ranges.hpp"

#include <cwchar>
#include <mutex>
#include <string>
#include <vector>

#include "injection/phases.hpp"

namespace plumbline {
namespace {

using namespace nvtx;

constexpr int not_tracked = -2;  // NVTX_NO_PUSH_POP_TRACKING: what a push answers that tells no depth
constexpr const char* nameless = "(a range without a name)";

/// UTF-8 of wide characters, each of which is one of Unicode here.
std::string narrowed(const wchar_t* text) {
  std::string all;
  for (; text != nullptr && *text != L'\0'; ++text) {
    const auto code = static_cast<std::uint32_t>(*text);
    const auto next = [&](unsigned shift) { all += static_cast<char>(0x80U | (code >> shift & 0x3fU)); };
    if (code < 0x80)
      all += static_cast<char>(code);
    else if (code < 0x800)
      all += static_cast<char>(0xc0U | code >> 6U), next(0);
    else if (code < 0x10000)
      all += static_cast<char>(0xe0U | code >> 12U), next(6), next(0);
    else if (code < 0x110000)
      all += static_cast<char>(0xf0U | code >> 18U), next(12), next(6), next(0);
  }
  return all;
}

/// Domains and registered strings, by the handles that NVTX hands to the program: the place in this list, from 1 on. They live as long as
/// the process.
class Names {
 public:
  void* add(std::string name) {
    const std::lock_guard lock(mutex_);
    names_.push_back(std::move(name));
    return reinterpret_cast<void*>(names_.size());
  }
  /// The name; empty where the handle is none of these.
  std::string of(const void* handle) const {
    const std::lock_guard lock(mutex_);
    const auto place = reinterpret_cast<std::size_t>(handle);
    return place == 0 || place > names_.size() ? std::string() : names_[place - 1];
  }

 private:
  mutable std::mutex mutex_;
  std::vector<std::string> names_;
};

Names& names() {
  static auto* const all = new Names;
  return *all;
}

std::string said(const char* text) { return text == nullptr || *text == '\0' ? nameless : text; }

std::string message_of(const Attributes* given) {
  std::string message;
  if (given != nullptr && given->message_type == message_ascii && given->message.ascii != nullptr) message = given->message.ascii;
  if (given != nullptr && given->message_type == message_wide) message = narrowed(given->message.wide);
  if (given != nullptr && given->message_type == message_registered) message = names().of(given->message.registered);
  return said(message.c_str());
}

/// The name of a domain's range: "domain/message".
std::string message_in(const void* domain, const Attributes* given) {
  const std::string of_domain = names().of(domain);
  return of_domain.empty() ? message_of(given) : of_domain + "/" + message_of(given);
}

std::uint64_t number_of(const void* domain) { return reinterpret_cast<std::uint64_t>(domain); }

int push(const std::string& name, const void* domain) { return phases::enter(name, number_of(domain)), not_tracked; }
int pop(const void* domain) { return phases::leave(number_of(domain)), not_tracked; }

// The functions as NVTX calls them.
std::uint64_t range_start_ex(const Attributes* given) { return phases::begin(message_of(given)); }
std::uint64_t range_start_ascii(const char* message) { return phases::begin(said(message)); }
std::uint64_t range_start_wide(const wchar_t* message) { return phases::begin(said(narrowed(message).c_str())); }
void range_end(std::uint64_t number) { phases::end(number); }
int range_push_ex(const Attributes* given) { return push(message_of(given), nullptr); }
int range_push_ascii(const char* message) { return push(said(message), nullptr); }
int range_push_wide(const wchar_t* message) { return push(said(narrowed(message).c_str()), nullptr); }
int range_pop() { return pop(nullptr); }
std::uint64_t domain_start(const void* domain, const Attributes* given) { return phases::begin(message_in(domain, given)); }
void domain_end(const void* /*domain*/, std::uint64_t number) { phases::end(number); }
int domain_push(const void* domain, const Attributes* given) { return push(message_in(domain, given), domain); }
int domain_pop(const void* domain) { return pop(domain); }
void* register_ascii(const void* /*domain*/, const char* text) { return names().add(said(text)); }
void* register_wide(const void* /*domain*/, const wchar_t* text) { return names().add(said(narrowed(text).c_str())); }
void* create_ascii(const char* name) { return names().add(said(name)); }
void* create_wide(const wchar_t* name) { return names().add(said(narrowed(name).c_str())); }

template <class Given>
Function as_function(Given* given) {
  return reinterpret_cast<Function>(given);
}

struct Entry {
  unsigned place;
  Function function;
};

/// Puts functions into a table of NVTX. False: it has no such table.
bool fill(const ExportedCallbacks& exported, Module module, const std::vector<Entry>& entries) {
  Function** table = nullptr;
  unsigned size = 0;
  if (exported.module_table(module, &table, &size) == 0 || table == nullptr) return false;
  for (const auto& [place, function] : entries)
    if (place < size && table[place] != nullptr) *table[place] = function;
  return true;
}

}  // namespace
}  // namespace plumbline

/// NVTX's entry; 1: from now on it calls the functions that were put into its tables.
extern "C" __attribute__((visibility("default"))) int InitializeInjectionNvtx2(plumbline::nvtx::GetExportTable get_table) {
  using namespace plumbline;
  const auto* exported = static_cast<const ExportedCallbacks*>(get_table == nullptr ? nullptr : get_table(export_callbacks));
  if (exported == nullptr || exported->struct_size < sizeof *exported || exported->module_table == nullptr) return 0;
  const bool core = fill(*exported, module_core,
                         {{core_range_start_ex, as_function(range_start_ex)},
                          {core_range_start_ascii, as_function(range_start_ascii)},
                          {core_range_start_wide, as_function(range_start_wide)},
                          {core_range_end, as_function(range_end)},
                          {core_range_push_ex, as_function(range_push_ex)},
                          {core_range_push_ascii, as_function(range_push_ascii)},
                          {core_range_push_wide, as_function(range_push_wide)},
                          {core_range_pop, as_function(range_pop)}});
  const bool core2 = fill(*exported, module_core2,
                          {{core2_range_start_ex, as_function(domain_start)},
                           {core2_range_end, as_function(domain_end)},
                           {core2_range_push_ex, as_function(domain_push)},
                           {core2_range_pop, as_function(domain_pop)},
                           {core2_register_ascii, as_function(register_ascii)},
                           {core2_register_wide, as_function(register_wide)},
                           {core2_create_ascii, as_function(create_ascii)},
                           {core2_create_wide, as_function(create_wide)}});
  return core || core2 ? 1 : 0;
}
