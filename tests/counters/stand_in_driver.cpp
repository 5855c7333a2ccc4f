// The driver's part of the stand-in. As the driver does, it loads the library that CUDA_INJECTION64_PATH names when it starts.
#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "stand_in_state.hpp"

using namespace stand_in;

namespace {

int captures = 0;                                     // of streams, under way
std::vector<std::pair<std::string, unsigned>> nodes;  // of the graph that was captured

/// Loads the injected library as the driver does at its start.
void inject() {
  const char* file = std::getenv("CUDA_INJECTION64_PATH");
  static bool injected = false;
  if (file == nullptr || std::exchange(injected, true)) return;
  void* const opened = dlopen(file, RTLD_NOW | RTLD_LOCAL);
  if (opened != nullptr) reinterpret_cast<int (*)()>(dlsym(opened, "InitializeInjection"))();
}

}  // namespace

STAND_IN CUresult cuInit(unsigned) { return inject(), static_cast<CUresult>(settings.driver); }
STAND_IN CUresult cuGetErrorString(CUresult, const char** text) { return *text = "made-up trouble", CUDA_SUCCESS; }
/// The version that a test tells: STAND_IN_DRIVER_CUDA=12040.
STAND_IN CUresult cuDriverGetVersion(int* version) {
  const char* told = std::getenv("STAND_IN_DRIVER_CUDA");
  return *version = told == nullptr ? 13000 : std::atoi(told), CUDA_SUCCESS;
}
STAND_IN CUresult cuDeviceGetCount(int* count) { return *count = settings.devices, CUDA_SUCCESS; }
STAND_IN CUresult cuDeviceGet(CUdevice* device, int ordinal) {
  if (ordinal < 0 || ordinal >= settings.devices) return CUDA_ERROR_INVALID_DEVICE;
  return *device = ordinal, CUDA_SUCCESS;
}
STAND_IN CUresult cuDeviceGetName(char* name, int length, CUdevice) {
  return std::strncpy(name, "Stand-in GPU", static_cast<std::size_t>(length)), CUDA_SUCCESS;
}
/// The first GPU that CUDA_VISIBLE_DEVICES shows is the one with that number, as for the driver.
#undef cuDeviceGetUuid
STAND_IN CUresult cuDeviceGetUuid_v2(CUuuid* uuid, CUdevice device) {
  const char* visible = std::getenv("CUDA_VISIBLE_DEVICES");
  std::memset(uuid->bytes, 0, sizeof uuid->bytes);
  uuid->bytes[sizeof uuid->bytes - 1] = static_cast<char>(device + (visible == nullptr ? 0 : std::atoi(visible)));
  return CUDA_SUCCESS;
}
STAND_IN CUresult cuCtxGetCurrent(CUcontext* context) { return *context = current, CUDA_SUCCESS; }
STAND_IN CUresult cuCtxSetCurrent(CUcontext context) { return current = context, CUDA_SUCCESS; }
STAND_IN CUresult cuCtxGetDevice(CUdevice* device) {
  return *device = static_cast<int>((reinterpret_cast<char*>(current) - contexts.data()) % most_gpus), CUDA_SUCCESS;
}
STAND_IN CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute attribute, CUdevice) {
  return *value = attribute == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR ? 9 : 0, CUDA_SUCCESS;
}
STAND_IN CUresult cuCtxSynchronize() { return work_done += unfinished, unfinished = 0, static_cast<CUresult>(settings.synchronize); }
/// STAND_IN_DRIVER_HELD: another process has the GPU for itself.
STAND_IN CUresult cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice device) {
  if (std::getenv("STAND_IN_DRIVER_HELD") != nullptr) return CUDA_ERROR_DEVICE_UNAVAILABLE;
  return *context = context_at(static_cast<std::size_t>(device)), CUDA_SUCCESS;
}
STAND_IN CUresult cuDevicePrimaryCtxRelease_v2(CUdevice) { return CUDA_SUCCESS; }
#undef cuCtxCreate
STAND_IN CUresult cuCtxCreate(CUcontext* context, unsigned, CUdevice device) {
  return *context = current = context_at(most_gpus + static_cast<std::size_t>(device)), CUDA_SUCCESS;
}
#undef cuCtxDestroy
STAND_IN CUresult cuCtxDestroy(CUcontext context) {
  CUpti_ResourceData data{};
  data.context = context;
  if (is_listened_to(CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING))
    subscriber.called(subscriber.user, CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING, &data);
  return CUDA_SUCCESS;
}
/// A function is its name; the work is the grid's. A grid of nothing fails.
STAND_IN CUresult cuLaunchKernel(CUfunction function, unsigned grid, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, CUstream,
                                 void**, void**) {
  const auto* name = reinterpret_cast<const char*>(function);
  const int result = grid == 0 ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
  correlation = next_correlation();
  call(CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel, CUPTI_API_ENTER, name);
  if (captures > 0 && grid > 0)
    nodes.push_back({name, grid});
  else if (grid > 0)
    run(grid, name), record_kernel(name, grid);
  call(CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel, CUPTI_API_EXIT, name, result);
  return static_cast<CUresult>(result);
}
/// Runs what was launched while a stream was captured.
STAND_IN CUresult cuGraphLaunch(CUgraphExec, CUstream) {
  correlation = next_correlation();
  call(CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch, CUPTI_API_ENTER);
  for (std::size_t i = 0; i < nodes.size(); ++i) record_kernel(nodes[i].first.c_str(), nodes[i].second, i + 1);
  call(CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch, CUPTI_API_EXIT);
  return CUDA_SUCCESS;
}
#undef cuStreamBeginCapture
STAND_IN CUresult cuStreamBeginCapture_v2(CUstream, CUstreamCaptureMode) {
  call(CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCapture_v2, CUPTI_API_ENTER);
  const bool profiled = std::any_of(profilers_on.begin(), profilers_on.end(), [](const auto* one) { return one->started; });
  const int result = profiled ? CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED : CUDA_SUCCESS;
  call(CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCapture_v2, CUPTI_API_EXIT, nullptr, result);
  if (result == CUDA_SUCCESS) ++captures;
  return static_cast<CUresult>(result);
}
STAND_IN CUresult cuStreamEndCapture(CUstream, CUgraph*) {
  call(CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_cuStreamEndCapture, CUPTI_API_ENTER);
  call(CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_cuStreamEndCapture, CUPTI_API_EXIT);
  --captures;
  return CUDA_SUCCESS;
}
STAND_IN CUresult cuProfilerStart() {
  call(CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_cuProfilerStart, CUPTI_API_ENTER);
  call(CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_cuProfilerStart, CUPTI_API_EXIT);
  return CUDA_SUCCESS;
}
STAND_IN CUresult cuProfilerStop() {
  call(CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_cuProfilerStop, CUPTI_API_ENTER);
  call(CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_cuProfilerStop, CUPTI_API_EXIT);
  return CUDA_SUCCESS;
}
#undef cuMemcpyHtoD
#undef cuMemsetD8
STAND_IN CUresult cuMemcpyHtoD(CUdeviceptr, const void*, std::size_t bytes) {
  return record_copy(CUPTI_ACTIVITY_MEMCPY_KIND_HTOD, bytes), CUDA_SUCCESS;
}
STAND_IN CUresult cuMemsetD8(CUdeviceptr, unsigned char, std::size_t bytes) { return record_setting(bytes), CUDA_SUCCESS; }
