// NVTX, header-only in a program or a shared library, calls whoever NVTX_INJECTION64_PATH names. This is the part of that interface which
// ranges take, written out: it is stable since NVTX 2 and needs no header of NVIDIA's (a test holds it against them).
#pragma once
#include <cstddef>
#include <cstdint>

namespace plumbline::nvtx {

using Function = void (*)();

/// The tables of functions (NvtxCallbackModule), and the places in them (NvtxCallbackIdCore, NvtxCallbackIdCore2).
enum Module : int { module_core = 1, module_core2 = 5 };
enum Core : unsigned {
  core_range_start_ex = 4,
  core_range_start_ascii = 5,
  core_range_start_wide = 6,
  core_range_end = 7,
  core_range_push_ex = 8,
  core_range_push_ascii = 9,
  core_range_push_wide = 10,
  core_range_pop = 11
};
enum Core2 : unsigned {
  core2_range_start_ex = 2,
  core2_range_end = 3,
  core2_range_push_ex = 4,
  core2_range_pop = 5,
  core2_register_ascii = 10,
  core2_register_wide = 11,
  core2_create_ascii = 12,
  core2_create_wide = 13,
  core2_destroy = 14
};

/// The structure that NVTX gives by GetExportTable(export_callbacks).
inline constexpr std::uint32_t export_callbacks = 1;
struct ExportedCallbacks {
  std::size_t struct_size;
  int (*module_table)(int module, Function*** table, unsigned* size);
};
using GetExportTable = const void* (*)(std::uint32_t id);

/// nvtxEventAttributes_v2.
struct Attributes {
  std::uint16_t version, size;
  std::uint32_t category;
  std::int32_t color_type;
  std::uint32_t color;
  std::int32_t payload_type, reserved;
  std::uint64_t payload;
  std::int32_t message_type;
  union {
    const char* ascii;
    const wchar_t* wide;
    const void* registered;
  } message;
};
enum MessageType : std::int32_t { message_none = 0, message_ascii = 1, message_wide = 2, message_registered = 3 };

}  // namespace plumbline::nvtx
