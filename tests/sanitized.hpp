// A test asks here whether AddressSanitizer is compiled in: GCC says so by a macro, clang (until 20) by a feature.
#pragma once

namespace plumbline {

#if defined(__SANITIZE_ADDRESS__)
constexpr bool address_sanitized = true;
#elif defined(__has_feature)
constexpr bool address_sanitized = __has_feature(address_sanitizer);
#else
constexpr bool address_sanitized = false;
#endif

}  // namespace plumbline
