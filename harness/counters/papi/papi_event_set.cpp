#include "counters/papi/papi_event_set.hpp"

#include <pthread.h>

#include <algorithm>

#include "counters/papi/papi_derived.hpp"
#include "counters/papi/sde_export.hpp"

namespace plumbline {
namespace {

std::string version_text(int version) {
  return std::to_string(PAPI_VERSION_MAJOR(version)) + "." + std::to_string(PAPI_VERSION_MINOR(version)) + "." +
         std::to_string(PAPI_VERSION_REVISION(version));
}

/// PAPI answers OK with the value -1 for a software-defined event that nobody registered: only our own list knows them.
bool is_unknown_sde(const std::string& name) {
  if (!name.starts_with("sde:::")) return false;
  const auto& known = sde_counters();
  return std::none_of(known.begin(), known.end(), [&](const EventDescription& event) { return event.name == name; });
}

}  // namespace

Availability papi_trouble(const std::string& call, int error) {
  const auto status = [error] {
    switch (error) {
      case PAPI_EPERM:
        return Status::permission;
      case PAPI_ECLOST:
        return Status::stolen;
      case PAPI_ENOEVNT:
      case PAPI_ECMP:
      case PAPI_ECNFLCT:
      case PAPI_ECOUNT:
      case PAPI_ENOTPRESET:
      case PAPI_ENOCNTR:
      case PAPI_ENOCMP:
      case PAPI_ENOSUPP:
      case PAPI_ENOIMPL:
      case PAPI_ECMP_DISABLED:
      case PAPI_EMULPASS:
        return Status::unavailable;
      default:
        return Status::failed;
    }
  };
  const char* words = PAPI_strerror(error);
  return {status(), call + ": " + (words != nullptr ? words : "error " + std::to_string(error))};
}

std::string papi_version() { return version_text(PAPI_VER_CURRENT); }

const Availability& papi_library() {
  static const Availability started = []() -> Availability {
    export_emulated_counters();
    const int version = PAPI_library_init(PAPI_VER_CURRENT);
    if (version > 0 && version != PAPI_VER_CURRENT)
      return {Status::unavailable, "the PAPI library is version " + version_text(version) + ", this program was compiled with " +
                                       papi_version() + ": build it again with the library's own papi.h"};
    if (version < 0) return papi_trouble("PAPI_library_init", version);
    if (const int error = PAPI_thread_init(pthread_self); error != PAPI_OK) return papi_trouble("PAPI_thread_init", error);
    return {};
  }();
  return started;
}

std::optional<PapiEvent> papi_event_of(const std::string& name, Refusal& why) {
  why = {name, {}, false};
  if (is_unknown_sde(name)) {
    why = {name, {Status::unavailable, "no software-defined event '" + name + "' is registered"}, true};
    return std::nullopt;
  }
  PapiEvent event{.name = name};
  if (const int error = PAPI_event_name_to_code(name.c_str(), &event.code); error != PAPI_OK) {
    why = {name, papi_trouble("PAPI_event_name_to_code", error), error == PAPI_ENOEVNT};
    return std::nullopt;
  }
  PAPI_event_info_t info{};
  if (const int error = PAPI_get_event_info(event.code, &info); error != PAPI_OK) {
    why.why = papi_trouble("PAPI_get_event_info", error);
    return std::nullopt;
  }
  event.emulated = name.starts_with(sde_prefix);
  event.component = PAPI_COMPONENT_INDEX(event.code);
  if (!IS_PRESET(event.code)) return event;
  if (info.count == 0) {
    why.why = {Status::unavailable, "this CPU has no " + name + " in PAPI " + papi_version()};
    return std::nullopt;
  }
  event.component = info.component_index;
  if (info.count == 1 && std::string_view(info.derived) == "NOT_DERIVED") return event;
  event.type = info.derived;
  event.postfix = info.postfix;
  for (unsigned native = 0; native < info.count; ++native) event.natives.push_back(static_cast<int>(info.code[native]));
  if (!derived_value(event.type, event.postfix, std::vector<long long>(event.natives.size(), 1))) {
    why.why = {Status::unavailable, name + " is " + event.type + " '" + event.postfix + "', no weighted sum of counts"};
    return std::nullopt;
  }
  return event;
}

std::vector<int> papi_codes_of(const std::vector<PapiEvent>& events) {
  std::vector<int> codes;
  const auto add = [&](int code) {
    if (std::find(codes.begin(), codes.end(), code) == codes.end()) codes.push_back(code);
  };
  for (const PapiEvent& event : events) {
    add(event.code);
    for (const int native : event.natives) add(native);
  }
  return codes;
}

Availability PapiEventSet::fill(int component, const std::vector<int>& codes) {
  if (const int error = PAPI_create_eventset(&set_); error != PAPI_OK) return papi_trouble("PAPI_create_eventset", error);
  if (const int error = PAPI_assign_eventset_component(set_, component); error != PAPI_OK)
    return papi_trouble("PAPI_assign_eventset_component", error);
  for (const int code : codes)
    if (const int error = PAPI_add_event(set_, code); error != PAPI_OK) return papi_trouble("PAPI_add_event", error);
  return {};
}

Availability PapiEventSet::start() {
  const int error = PAPI_start(set_);
  running_ = error == PAPI_OK;
  return running_ ? Availability{} : papi_trouble("PAPI_start", error);
}

void PapiEventSet::close() {
  if (set_ == PAPI_NULL) return;
  if (running_) PAPI_stop(set_, nullptr);
  running_ = false;
  PAPI_cleanup_eventset(set_);
  PAPI_destroy_eventset(&set_);
  set_ = PAPI_NULL;
}

Availability papi_try_together(const std::vector<PapiEvent>& events) {
  PapiEventSet set;
  Availability tried = set.fill(events.front().component, papi_codes_of(events));
  if (tried.ok() && !events.front().emulated) tried = set.start();
  return tried;
}

}  // namespace plumbline
