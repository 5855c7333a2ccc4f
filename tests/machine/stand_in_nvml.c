/* A library that answers like NVIDIA's management library on a node with two made-up GPUs, for machines that have none. The first GPU
   knows everything; the second is one that lacks much. With OLD_DRIVER it has not the functions that came late. Every function is
   declared anew from the API reference, apart from the harness's own declarations. */
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

enum { SUCCESS = 0, INVALID_ARGUMENT = 2, NOT_SUPPORTED = 3, NO_PERMISSION = 4, NOT_FOUND = 6, INSUFFICIENT_SIZE = 7 };

typedef struct nvmlDevice_st {
  unsigned index;
} *nvmlDevice_t;
typedef struct {
  char busIdLegacy[16];
  unsigned int domain, bus, device, pciDeviceId, pciSubSystemId;
  char busId[32];
} nvmlPciInfo_t;
typedef struct {
  unsigned long long total, free, used;
} nvmlMemory_t;

static struct nvmlDevice_st gpus[2] = {{0}, {1}};
static struct nvmlDevice_st mig_parts[2] = {{0}, {0}};
static const char *const bus_ids[2] = {"00000000:17:00.0", "00000001:65:00.0"};

/* What a test sets. */
static int init_result = SUCCESS, first_gpu_result = SUCCESS, starts = 0, stops = 0;
static unsigned long long event_reasons = 0x1;
static atomic_int asked = 0;
void stand_in_start_with(int result) { init_result = result; }
void stand_in_first_gpu(int result) { first_gpu_result = result; }
void stand_in_event_reasons(unsigned long long reasons) { event_reasons = reasons; }
/* How often a GPU was asked what holds its clock down. */
int stand_in_asked(void) { return atomic_load(&asked); }
int stand_in_still_open(void) { return starts - stops; }

static int text(char *buffer, unsigned length, const char *value) {
  if (strlen(value) + 1 > length) return INSUFFICIENT_SIZE;
  memcpy(buffer, value, strlen(value) + 1);
  return SUCCESS;
}
static int second(nvmlDevice_t gpu) { return gpu == &gpus[1]; }
static int number(unsigned *out, unsigned value) {
  *out = value;
  return SUCCESS;
}
static int of_first(nvmlDevice_t gpu, unsigned *out, unsigned value) { return second(gpu) ? NOT_SUPPORTED : number(out, value); }

int nvmlInit_v2(void) {
  if (init_result == SUCCESS) ++starts;
  return init_result;
}
int nvmlShutdown(void) {
  ++stops;
  return SUCCESS;
}
const char *nvmlErrorString(int result) { return result == 999 ? "Unknown Error" : result == 10 ? "Timeout" : "some error"; }

int nvmlSystemGetDriverVersion(char *version, unsigned length) { return text(version, length, "550.54.15"); }
int nvmlSystemGetNVMLVersion(char *version, unsigned length) { return text(version, length, "12.550.54.15"); }
int nvmlSystemGetCudaDriverVersion_v2(int *version) {
  *version = 12040;
  return SUCCESS;
}

int nvmlDeviceGetCount_v2(unsigned *count) { return number(count, 2); }
int nvmlDeviceGetHandleByIndex_v2(unsigned index, nvmlDevice_t *gpu) {
  if (index > 1) return INVALID_ARGUMENT;
  if (index == 1 && first_gpu_result != SUCCESS) return first_gpu_result;
  *gpu = &gpus[1 - index]; /* not in the order of their addresses */
  return SUCCESS;
}
int nvmlDeviceGetHandleByPciBusId_v2(const char *address, nvmlDevice_t *gpu) {
  unsigned domain = 0, bus = 0, device = 0;
  if (sscanf(address, "%x:%x:%x", &domain, &bus, &device) != 3) return INVALID_ARGUMENT;
  char full[32];
  snprintf(full, sizeof full, "%08x:%02x:%02x.0", domain, bus, device);
  for (int i = 0; i < 2; ++i)
    if (strcmp(full, bus_ids[i]) == 0) {
      *gpu = &gpus[i];
      return SUCCESS;
    }
  return NOT_FOUND;
}
int nvmlDeviceGetPciInfo_v3(nvmlDevice_t gpu, nvmlPciInfo_t *info) {
  memset(info, 0xff, sizeof *info);
  info->domain = gpu->index;
  info->bus = second(gpu) ? 0x65 : 0x17;
  info->device = 0;
  strcpy(info->busId, bus_ids[gpu->index]);
  return SUCCESS;
}

int nvmlDeviceGetName(nvmlDevice_t gpu, char *name, unsigned length) {
  return text(name, length, second(gpu) ? "Made-up GPU 2" : "Made-up GPU 1 with a long name");
}
int nvmlDeviceGetUUID(nvmlDevice_t gpu, char *uuid, unsigned length) {
  return text(uuid, length, second(gpu) ? "GPU-22222222-0000-0000-0000-000000000002" : "GPU-11111111-0000-0000-0000-000000000001");
}
int nvmlDeviceGetVbiosVersion(nvmlDevice_t gpu, char *version, unsigned length) {
  return text(version, length, second(gpu) ? "" : "96.00.A5.00.01");
}
int nvmlDeviceGetCudaComputeCapability(nvmlDevice_t gpu, int *major, int *minor) {
  *major = second(gpu) ? 7 : 9;
  *minor = second(gpu) ? 5 : 0;
  return SUCCESS;
}
int nvmlDeviceGetMemoryInfo(nvmlDevice_t gpu, nvmlMemory_t *memory) {
  memory->total = second(gpu) ? 16106127360ULL : 151397597184ULL;
  memory->free = 1;
  memory->used = 2;
  return SUCCESS;
}
int nvmlDeviceGetEccMode(nvmlDevice_t gpu, unsigned *current, unsigned *pending) {
  if (second(gpu)) return NOT_SUPPORTED;
  *current = 1;
  *pending = 0;
  return SUCCESS;
}
int nvmlDeviceGetTotalEccErrors(nvmlDevice_t gpu, unsigned kind, unsigned since, unsigned long long *errors) {
  if (second(gpu)) return NOT_SUPPORTED;
  if (since != 0) return INVALID_ARGUMENT;
  *errors = kind == 0 ? 5000000000ULL : 0; /* corrected, more than 32 bits hold; uncorrected */
  return SUCCESS;
}
int nvmlDeviceGetPersistenceMode(nvmlDevice_t gpu, unsigned *mode) { return number(mode, second(gpu) ? 0 : 1); }
int nvmlDeviceGetComputeMode(nvmlDevice_t gpu, unsigned *mode) { return number(mode, second(gpu) ? 77 : 3); }

int nvmlDeviceGetEnforcedPowerLimit(nvmlDevice_t gpu, unsigned *limit) { return second(gpu) ? NO_PERMISSION : number(limit, 699500); }
int nvmlDeviceGetPowerManagementDefaultLimit(nvmlDevice_t gpu, unsigned *limit) { return of_first(gpu, limit, 700000); }
int nvmlDeviceGetPowerUsage(nvmlDevice_t gpu, unsigned *power) { return of_first(gpu, power, 123456); }
int nvmlDeviceGetClockInfo(nvmlDevice_t gpu, unsigned clock, unsigned *mhz) {
  (void)gpu;
  return number(mhz, clock == 1 ? 345 : clock == 2 ? 2619 : 9999);
}
int nvmlDeviceGetMaxClockInfo(nvmlDevice_t gpu, unsigned clock, unsigned *mhz) {
  (void)gpu;
  return number(mhz, clock == 1 ? 1980 : clock == 2 ? 3201 : 9999);
}
int nvmlDeviceGetApplicationsClock(nvmlDevice_t gpu, unsigned clock, unsigned *mhz) { return of_first(gpu, mhz, clock == 1 ? 1830 : 3200); }
int nvmlDeviceGetTemperature(nvmlDevice_t gpu, unsigned sensor, unsigned *degrees) {
  return sensor != 0 ? INVALID_ARGUMENT : number(degrees, second(gpu) ? 41 : 33);
}
int nvmlDeviceGetPerformanceState(nvmlDevice_t gpu, unsigned *state) { return number(state, second(gpu) ? 32 : 0); }
int nvmlDeviceGetCurrentClocksThrottleReasons(nvmlDevice_t gpu, unsigned long long *reasons) {
  (void)gpu;
  *reasons = event_reasons;
  atomic_fetch_add(&asked, 1);
  return SUCCESS;
}

int nvmlDeviceGetCurrPcieLinkGeneration(nvmlDevice_t gpu, unsigned *generation) { return number(generation, second(gpu) ? 1 : 5); }
int nvmlDeviceGetMaxPcieLinkGeneration(nvmlDevice_t gpu, unsigned *generation) { return number(generation, second(gpu) ? 3 : 5); }
int nvmlDeviceGetCurrPcieLinkWidth(nvmlDevice_t gpu, unsigned *lanes) { return number(lanes, second(gpu) ? 8 : 16); }
int nvmlDeviceGetMaxPcieLinkWidth(nvmlDevice_t gpu, unsigned *lanes) {
  (void)gpu;
  return number(lanes, 16);
}
/* The first GPU has 18 links; one is down, and one that is left out gives a gap. */
int nvmlDeviceGetNvLinkState(nvmlDevice_t gpu, unsigned link, unsigned *active) {
  if (second(gpu) || link == 3) return NOT_SUPPORTED;
  if (link > 18) return INVALID_ARGUMENT;
  *active = link != 7;
  return SUCCESS;
}

#ifndef OLD_DRIVER
int nvmlDeviceGetCurrentClocksEventReasons(nvmlDevice_t gpu, unsigned long long *reasons) {
  return nvmlDeviceGetCurrentClocksThrottleReasons(gpu, reasons);
}
int nvmlDeviceGetMigMode(nvmlDevice_t gpu, unsigned *current, unsigned *pending) {
  if (second(gpu)) return NOT_SUPPORTED;
  *current = 1;
  *pending = 1;
  return SUCCESS;
}
int nvmlDeviceIsMigDeviceHandle(nvmlDevice_t gpu, unsigned *is_part) {
  (void)gpu;
  return number(is_part, 0);
}
int nvmlDeviceGetMaxMigDeviceCount(nvmlDevice_t gpu, unsigned *count) { return number(count, second(gpu) ? 0 : 7); }
int nvmlDeviceGetMigDeviceHandleByIndex(nvmlDevice_t gpu, unsigned index, nvmlDevice_t *part) {
  (void)gpu;
  if (index != 0 && index != 4) return NOT_FOUND;
  *part = &mig_parts[index / 4];
  return SUCCESS;
}
#endif
