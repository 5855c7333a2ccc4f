#include "counters/cupti/cupti_calls.hpp"

#include <cupti_callbacks.h>
#include <cupti_driver_cbid.h>
#include <cupti_runtime_cbid.h>

#include <algorithm>
#include <array>
#include <utility>

#include "counters/cupti/cupti_library.hpp"

namespace plumbline {
namespace {

struct Call {
  CUpti_CallbackDomain domain;
  CUpti_CallbackId id;
  CallKind kind;

  bool is_of(CallsOf calls_of) const {
    const bool launches = kind == CallKind::kernel || kind == CallKind::graph;
    if (calls_of == CallsOf::all) return true;
    return calls_of == CallsOf::both ? launches : domain != CUPTI_CB_DOMAIN_RUNTIME_API;
  }
};

// A runtime's call launches by a call of the driver: the outermost is the launch, whichever it is.
constexpr std::array known_calls{
    Call{CUPTI_CB_DOMAIN_RUNTIME_API, CUPTI_RUNTIME_TRACE_CBID_cudaLaunch_v3020, CallKind::kernel},
    Call{CUPTI_CB_DOMAIN_RUNTIME_API, CUPTI_RUNTIME_TRACE_CBID_cudaLaunch_ptsz_v7000, CallKind::kernel},
    Call{CUPTI_CB_DOMAIN_RUNTIME_API, CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_v7000, CallKind::kernel},
    Call{CUPTI_CB_DOMAIN_RUNTIME_API, CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_ptsz_v7000, CallKind::kernel},
    Call{CUPTI_CB_DOMAIN_RUNTIME_API, CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernelExC_v11060, CallKind::kernel},
    Call{CUPTI_CB_DOMAIN_RUNTIME_API, CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernelExC_ptsz_v11060, CallKind::kernel},
    Call{CUPTI_CB_DOMAIN_RUNTIME_API, CUPTI_RUNTIME_TRACE_CBID___cudaLaunchKernel_v13000, CallKind::kernel},
    Call{CUPTI_CB_DOMAIN_RUNTIME_API, CUPTI_RUNTIME_TRACE_CBID___cudaLaunchKernel_ptsz_v13000, CallKind::kernel},
    Call{CUPTI_CB_DOMAIN_RUNTIME_API, CUPTI_RUNTIME_TRACE_CBID_cudaLaunchCooperativeKernel_v9000, CallKind::kernel},
    Call{CUPTI_CB_DOMAIN_RUNTIME_API, CUPTI_RUNTIME_TRACE_CBID_cudaLaunchCooperativeKernel_ptsz_v9000, CallKind::kernel},
    Call{CUPTI_CB_DOMAIN_RUNTIME_API, CUPTI_RUNTIME_TRACE_CBID_cudaGraphLaunch_v10000, CallKind::graph},
    Call{CUPTI_CB_DOMAIN_RUNTIME_API, CUPTI_RUNTIME_TRACE_CBID_cudaGraphLaunch_ptsz_v10000, CallKind::graph},
    Call{CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_cuLaunch, CallKind::kernel},
    Call{CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_cuLaunchGrid, CallKind::kernel},
    Call{CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_cuLaunchGridAsync, CallKind::kernel},
    Call{CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel, CallKind::kernel},
    Call{CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel_ptsz, CallKind::kernel},
    Call{CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx, CallKind::kernel},
    Call{CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz, CallKind::kernel},
    Call{CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel, CallKind::kernel},
    Call{CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel_ptsz, CallKind::kernel},
    Call{CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch, CallKind::graph},
    Call{CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch_ptsz, CallKind::graph},
    Call{CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCapture, CallKind::capture_begins},
    Call{CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCapture_ptsz, CallKind::capture_begins},
    Call{CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCapture_v2, CallKind::capture_begins},
    Call{CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCapture_v2_ptsz, CallKind::capture_begins},
    Call{CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCaptureToGraph, CallKind::capture_begins},
    Call{CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCaptureToGraph_ptsz, CallKind::capture_begins},
    Call{CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_cuStreamEndCapture, CallKind::capture_ends},
    Call{CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_cuStreamEndCapture_ptsz, CallKind::capture_ends},
    Call{CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING, CallKind::context_ends},
    Call{CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_cuProfilerStart, CallKind::profiling_begins},
    Call{CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_cuProfilerStop, CallKind::profiling_ends},
};

thread_local int depth = 0;  // of such calls that this thread is in

CuptiCall told(CallKind kind, const CUpti_CallbackData& data) {
  CuptiCall call{.kind = kind, .entered = data.callbackSite == CUPTI_API_ENTER, .context = data.context, .correlation = data.correlationId};
  if (data.symbolName != nullptr) call.kernel = data.symbolName;
  // The driver and the runtime return numbers of which 0 is success.
  call.failed = !call.entered && data.functionReturnValue != nullptr && *static_cast<const int*>(data.functionReturnValue) != 0;
  return call;
}

}  // namespace

class CuptiCalls::Subscriber {
 public:
  Subscriber(const CuptiLibrary& cupti, CallsOf calls_of, std::function<void(const CuptiCall&)> heard)
      : cupti_(cupti), calls_of_(calls_of), heard_(std::move(heard)) {
    PLUMBLINE_CUPTI(cupti_, cuptiSubscribe, &handle_, &called, this);
  }
  Subscriber(const Subscriber&) = delete;
  Subscriber& operator=(const Subscriber&) = delete;
  ~Subscriber() { PLUMBLINE_CUPTI_RESULT(cupti_, cuptiUnsubscribe, handle_); }

  void listen(bool on) {
    for (const auto& call : known_calls)
      if (call.is_of(calls_of_)) PLUMBLINE_CUPTI(cupti_, cuptiEnableCallback, on ? 1 : 0, handle_, call.domain, call.id);
    depth = 0;
  }

 private:
  static void CUPTIAPI called(void* self, CUpti_CallbackDomain domain, CUpti_CallbackId id, const void* data) {
    const auto call =
        std::find_if(known_calls.begin(), known_calls.end(), [&](const Call& one) { return one.domain == domain && one.id == id; });
    if (call == known_calls.end()) return;
    const auto& me = *static_cast<const Subscriber*>(self);
    if (call->kind == CallKind::context_ends)
      return me.heard_({.kind = call->kind, .context = static_cast<const CUpti_ResourceData*>(data)->context});
    CuptiCall what = told(call->kind, *static_cast<const CUpti_CallbackData*>(data));
    if (!what.entered && depth > 0) --depth;
    what.nested = depth > 0;
    if (!what.nested || me.calls_of_ == CallsOf::all) me.heard_(what);
    if (what.entered) ++depth;
  }

  const CuptiLibrary& cupti_;
  const CallsOf calls_of_;
  const std::function<void(const CuptiCall&)> heard_;
  CUpti_SubscriberHandle handle_ = nullptr;
};

CuptiCalls::CuptiCalls(const CuptiLibrary& cupti, CallsOf calls_of, std::function<void(const CuptiCall&)> heard)
    : subscriber_(std::make_unique<Subscriber>(cupti, calls_of, std::move(heard))) {}
CuptiCalls::~CuptiCalls() = default;
void CuptiCalls::listen(bool on) { subscriber_->listen(on); }

}  // namespace plumbline
