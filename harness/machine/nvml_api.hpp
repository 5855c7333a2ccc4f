// The part of NVIDIA's management library (NVML) that is used here, declared as its API reference has it (docs.nvidia.com/deploy/nvml-api),
// so that no header of NVIDIA's is needed to build. Names carry the version of their layout (_v2, _v3): those never change. Values and
// layouts were held against nvidia-ml-py 13.615.71.
#pragma once

namespace plumbline::nvml {

using Return = int;  // nvmlReturn_t
inline constexpr Return success = 0, invalid_argument = 2, not_supported = 3, no_permission = 4, driver_not_loaded = 9,
                        function_not_found = 13, gpu_is_lost = 15, reset_required = 16, version_mismatch = 18;

struct DeviceHandle;  // of the library, never looked into
using Device = DeviceHandle*;

/// nvmlPciInfo_t as nvmlDeviceGetPciInfo_v3 fills it.
struct PciInfo {
  char bus_id_legacy[16];
  unsigned domain, bus, device, device_and_vendor_id, subsystem_id;
  char bus_id[32];
};

/// nvmlMemory_t of nvmlDeviceGetMemoryInfo, in bytes.
struct Memory {
  unsigned long long total, free, used;
};

// Enumerations, passed as unsigned int: nvmlClockType_t, nvmlMemoryErrorType_t, nvmlEccCounterType_t, nvmlTemperatureSensors_t,
// nvmlPstates_t.
inline constexpr unsigned clock_sm = 1, clock_memory = 2;
inline constexpr unsigned errors_corrected = 0, errors_uncorrected = 1;
inline constexpr unsigned errors_volatile = 0;  // since the driver was loaded
inline constexpr unsigned sensor_gpu = 0;
inline constexpr unsigned performance_state_unknown = 32;

inline constexpr unsigned longest_text = 96;  // NVML_DEVICE_UUID_V2_BUFFER_SIZE and NVML_DEVICE_NAME_V2_BUFFER_SIZE, the longest
inline constexpr unsigned most_links = 36;    // NVML_NVLINK_MAX_LINKS

/// A function of the library that returns nvmlReturn_t.
template <class... Parameters>
struct Function {
  const char* name;
  using Pointer = Return (*)(Parameters...);
};
using Text = Function<Device, char*, unsigned>;  // buffer, its bytes
using Number = Function<Device, unsigned*>;
using TwoNumbers = Function<Device, unsigned*, unsigned*>;
using Clock = Function<Device, unsigned, unsigned*>;  // which clock, MHz
using Bits = Function<Device, unsigned long long*>;

inline constexpr Function<> initialize{"nvmlInit_v2"}, shut_down{"nvmlShutdown"};

inline constexpr Function<char*, unsigned> driver_version{"nvmlSystemGetDriverVersion"}, library_version{"nvmlSystemGetNVMLVersion"};
inline constexpr Function<int*> cuda_driver_version{"nvmlSystemGetCudaDriverVersion_v2"};  // 1000 major + 10 minor

inline constexpr Function<unsigned*> device_count{"nvmlDeviceGetCount_v2"};
inline constexpr Function<unsigned, Device*> device_by_index{"nvmlDeviceGetHandleByIndex_v2"};
inline constexpr Function<const char*, Device*> device_by_pci{"nvmlDeviceGetHandleByPciBusId_v2"};
inline constexpr Function<Device, PciInfo*> pci_info{"nvmlDeviceGetPciInfo_v3"};

inline constexpr Text name{"nvmlDeviceGetName"}, uuid{"nvmlDeviceGetUUID"}, vbios_version{"nvmlDeviceGetVbiosVersion"};
inline constexpr Function<Device, int*, int*> compute_capability{"nvmlDeviceGetCudaComputeCapability"};
inline constexpr Function<Device, Memory*> memory_info{"nvmlDeviceGetMemoryInfo"};
inline constexpr TwoNumbers ecc_mode{"nvmlDeviceGetEccMode"}, mig_mode{"nvmlDeviceGetMigMode"};  // now, after the next reset
inline constexpr Function<Device, unsigned, unsigned, unsigned long long*> ecc_errors{"nvmlDeviceGetTotalEccErrors"};
inline constexpr Number is_mig_device{"nvmlDeviceIsMigDeviceHandle"}, most_mig_devices{"nvmlDeviceGetMaxMigDeviceCount"};
inline constexpr Function<Device, unsigned, Device*> mig_device_by_index{"nvmlDeviceGetMigDeviceHandleByIndex"};
inline constexpr Number persistence_mode{"nvmlDeviceGetPersistenceMode"}, compute_mode{"nvmlDeviceGetComputeMode"};

inline constexpr Number power_limit{"nvmlDeviceGetEnforcedPowerLimit"}, default_power_limit{"nvmlDeviceGetPowerManagementDefaultLimit"},
    power{"nvmlDeviceGetPowerUsage"};  // mW
inline constexpr Clock clock_now{"nvmlDeviceGetClockInfo"}, clock_most{"nvmlDeviceGetMaxClockInfo"},
    clock_of_applications{"nvmlDeviceGetApplicationsClock"};
inline constexpr Function<Device, unsigned, unsigned*> temperature{"nvmlDeviceGetTemperature"};  // which sensor, degrees Celsius
inline constexpr Number performance_state{"nvmlDeviceGetPerformanceState"};
inline constexpr Bits clock_event_reasons{"nvmlDeviceGetCurrentClocksEventReasons"};
inline constexpr Bits clock_throttle_reasons{"nvmlDeviceGetCurrentClocksThrottleReasons"};  // its older name

inline constexpr Number pcie_generation{"nvmlDeviceGetCurrPcieLinkGeneration"}, pcie_generation_most{"nvmlDeviceGetMaxPcieLinkGeneration"},
    pcie_width{"nvmlDeviceGetCurrPcieLinkWidth"}, pcie_width_most{"nvmlDeviceGetMaxPcieLinkWidth"};
inline constexpr Function<Device, unsigned, unsigned*> link_state{"nvmlDeviceGetNvLinkState"};

}  // namespace plumbline::nvml
