#include "counters/cupti_launches.hpp"

#include <cupti_callbacks.h>
#include <cupti_driver_cbid.h>
#include <cupti_runtime_cbid.h>

#include <algorithm>
#include <array>

#include "counters/cupti_library.hpp"

namespace plumbline {
namespace {

struct LaunchCall {
  CUpti_CallbackDomain domain;
  CUpti_CallbackId id;
  bool of_graph;
};

// A runtime's call launches by a call of the driver: the outermost is the launch, whichever it is.
constexpr std::array launch_calls{
    LaunchCall{CUPTI_CB_DOMAIN_RUNTIME_API, CUPTI_RUNTIME_TRACE_CBID_cudaLaunch_v3020, false},
    LaunchCall{CUPTI_CB_DOMAIN_RUNTIME_API, CUPTI_RUNTIME_TRACE_CBID_cudaLaunch_ptsz_v7000, false},
    LaunchCall{CUPTI_CB_DOMAIN_RUNTIME_API, CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_v7000, false},
    LaunchCall{CUPTI_CB_DOMAIN_RUNTIME_API, CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_ptsz_v7000, false},
    LaunchCall{CUPTI_CB_DOMAIN_RUNTIME_API, CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernelExC_v11060, false},
    LaunchCall{CUPTI_CB_DOMAIN_RUNTIME_API, CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernelExC_ptsz_v11060, false},
    LaunchCall{CUPTI_CB_DOMAIN_RUNTIME_API, CUPTI_RUNTIME_TRACE_CBID___cudaLaunchKernel_v13000, false},
    LaunchCall{CUPTI_CB_DOMAIN_RUNTIME_API, CUPTI_RUNTIME_TRACE_CBID___cudaLaunchKernel_ptsz_v13000, false},
    LaunchCall{CUPTI_CB_DOMAIN_RUNTIME_API, CUPTI_RUNTIME_TRACE_CBID_cudaLaunchCooperativeKernel_v9000, false},
    LaunchCall{CUPTI_CB_DOMAIN_RUNTIME_API, CUPTI_RUNTIME_TRACE_CBID_cudaLaunchCooperativeKernel_ptsz_v9000, false},
    LaunchCall{CUPTI_CB_DOMAIN_RUNTIME_API, CUPTI_RUNTIME_TRACE_CBID_cudaGraphLaunch_v10000, true},
    LaunchCall{CUPTI_CB_DOMAIN_RUNTIME_API, CUPTI_RUNTIME_TRACE_CBID_cudaGraphLaunch_ptsz_v10000, true},
    LaunchCall{CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_cuLaunch, false},
    LaunchCall{CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_cuLaunchGrid, false},
    LaunchCall{CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_cuLaunchGridAsync, false},
    LaunchCall{CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel, false},
    LaunchCall{CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel_ptsz, false},
    LaunchCall{CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx, false},
    LaunchCall{CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz, false},
    LaunchCall{CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel, false},
    LaunchCall{CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel_ptsz, false},
    LaunchCall{CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch, true},
    LaunchCall{CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch_ptsz, true},
};

thread_local int depth = 0;  // of launch calls that this thread is in

}  // namespace

class CuptiLaunches::Subscriber {
 public:
  explicit Subscriber(const CuptiLibrary& cupti) : cupti_(cupti) { PLUMBLINE_CUPTI(cupti_, cuptiSubscribe, &handle_, &called, this); }
  Subscriber(const Subscriber&) = delete;
  Subscriber& operator=(const Subscriber&) = delete;
  ~Subscriber() { PLUMBLINE_CUPTI_RESULT(cupti_, cuptiUnsubscribe, handle_); }

  void listen(bool on) {
    for (const auto& call : launch_calls) PLUMBLINE_CUPTI(cupti_, cuptiEnableCallback, on ? 1 : 0, handle_, call.domain, call.id);
    depth = 0;
  }

  std::uint64_t kernels = 0, graphs = 0;

 private:
  static void CUPTIAPI called(void* self, CUpti_CallbackDomain domain, CUpti_CallbackId id, const void* data) {
    if (static_cast<const CUpti_CallbackData*>(data)->callbackSite == CUPTI_API_EXIT) {
      if (depth > 0) --depth;
      return;
    }
    if (depth++ > 0) return;
    const auto call =
        std::find_if(launch_calls.begin(), launch_calls.end(), [&](const LaunchCall& one) { return one.domain == domain && one.id == id; });
    if (call == launch_calls.end()) return;
    auto& subscriber = *static_cast<Subscriber*>(self);
    ++(call->of_graph ? subscriber.graphs : subscriber.kernels);
  }

  const CuptiLibrary& cupti_;
  CUpti_SubscriberHandle handle_ = nullptr;
};

CuptiLaunches::CuptiLaunches(const CuptiLibrary& cupti) : subscriber_(std::make_unique<Subscriber>(cupti)) {}
CuptiLaunches::~CuptiLaunches() = default;
void CuptiLaunches::enter() { subscriber_->listen(true); }
void CuptiLaunches::leave() { subscriber_->listen(false); }
std::uint64_t CuptiLaunches::kernels() const { return subscriber_->kernels; }
std::uint64_t CuptiLaunches::graphs() const { return subscriber_->graphs; }

}  // namespace plumbline
