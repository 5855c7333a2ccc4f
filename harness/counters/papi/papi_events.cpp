// PAPI's events on this machine are listed here.
#include "counters/emulated/emulated.hpp"
#include "counters/papi/papi.hpp"
#include "counters/papi/papi_event_set.hpp"
#include "counters/papi/sde_export.hpp"

namespace plumbline {
namespace {

/// Adds the events of one enumeration of PAPI's, from `first`.
template <class Add>
void enumerate(int component, Add add) {
  int code = static_cast<int>(PAPI_NATIVE_MASK);
  for (int error = PAPI_enum_cmp_event(&code, PAPI_ENUM_FIRST, component); error == PAPI_OK;
       error = PAPI_enum_cmp_event(&code, PAPI_ENUM_EVENTS, component)) {
    PAPI_event_info_t info{};
    if (PAPI_get_event_info(code, &info) == PAPI_OK) add(info);
  }
}

void add_presets(std::vector<EventDescription>& all) {
  int code = static_cast<int>(PAPI_PRESET_MASK);
  if (PAPI_enum_event(&code, PAPI_ENUM_FIRST) != PAPI_OK) return;
  do {
    PAPI_event_info_t info{};
    if (PAPI_get_event_info(code, &info) != PAPI_OK) continue;
    all.push_back({info.symbol, "events", info.long_descr, {}});
    if (info.count == 0) all.back().availability = {Status::unavailable, "this CPU has none in PAPI " + papi_version()};
  } while (PAPI_enum_event(&code, PAPI_ENUM_EVENTS) == PAPI_OK);
}

}  // namespace

std::vector<EventDescription> papi_events() {
  std::vector<EventDescription> all;
  if (!papi_library().ok()) return all;
  add_presets(all);
  for (int component = 0; component < PAPI_num_components(); ++component) {
    const auto* info = PAPI_get_component_info(component);
    if (info == nullptr || info->disabled != 0 || std::string_view(info->name) == "sde") continue;
    enumerate(component, [&](const PAPI_event_info_t& event) {
      Refusal why;
      const auto one = papi_event_of(event.symbol, why);
      all.push_back({event.symbol, "events", event.long_descr, one ? papi_try_together({*one}) : why.why});
    });
  }
  for (const auto& event : sde_counters()) {
    all.push_back(event);
    if (!emulated_backend()->availability().ok()) all.back().description += " (counted under the emulator)";
  }
  return all;
}

std::vector<EventDescription> papi_components() {
  std::vector<EventDescription> all;
  if (!papi_library().ok()) return all;
  for (int component = 0; component < PAPI_num_components(); ++component) {
    const auto* info = PAPI_get_component_info(component);
    if (info == nullptr) continue;
    all.push_back({info->name, "", info->description, {}});
    if (info->disabled != 0) all.back().availability = {Status::unavailable, info->disabled_reason};
  }
  return all;
}

std::string papi_code(const std::string& event) {
  int code = 0;
  PAPI_event_info_t info{};
  if (!papi_library().ok() || PAPI_event_name_to_code(event.c_str(), &code) != PAPI_OK || PAPI_get_event_info(code, &info) != PAPI_OK)
    return event;
  if (!IS_PRESET(code)) return info.symbol;
  std::string natives;
  for (unsigned native = 0; native < info.count; ++native) natives += (native == 0 ? "" : ", ") + std::string(info.name[native]);
  return std::string(info.derived) + (info.postfix[0] == '\0' ? "" : " " + std::string(info.postfix)) + " of " + natives;
}

EventNames papi_emulated_events() {
  EventNames names;
  if (papi_library().ok())
    for (const auto& event : sde_counters()) names.push_back(event.name);
  return names;
}

}  // namespace plumbline
