#include "libraries/onednn.hpp"

#include <stdexcept>

#if __has_include(<oneapi/dnnl/dnnl.h>)
#include <dlfcn.h>
#include <oneapi/dnnl/dnnl.h>
#include <oneapi/dnnl/dnnl_debug.h>

#include <array>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "core/shared_library.hpp"
#include "libraries/avx2.hpp"

namespace plumbline {
namespace {

#if DNNL_VERSION_MAJOR >= 3
#define PLUMBLINE_DNNL_OF_VERSION(each)                                                                       \
  each(memory_desc_create_with_tag) each(memory_desc_destroy) each(convolution_forward_primitive_desc_create) \
      each(convolution_backward_data_primitive_desc_create) each(convolution_backward_weights_primitive_desc_create)
#else
#define PLUMBLINE_DNNL_OF_VERSION(each)                                                                                                   \
  each(memory_desc_init_by_tag) each(primitive_desc_create) each(convolution_forward_desc_init) each(convolution_backward_data_desc_init) \
      each(convolution_backward_weights_desc_init)
#endif
#define PLUMBLINE_DNNL(each)                                                                                                          \
  each(version) each(status2str) each(set_max_cpu_isa) each(set_jit_dump) each(set_jit_profiling_flags) each(engine_create)           \
      each(stream_create) each(stream_destroy) each(stream_wait) each(memory_desc_equal) each(memory_create) each(memory_destroy)     \
          each(memory_set_data_handle) each(primitive_desc_query_md) each(primitive_desc_destroy) each(reorder_primitive_desc_create) \
              each(primitive_create) each(primitive_destroy) each(primitive_execute) PLUMBLINE_DNNL_OF_VERSION(each)

/// An OpenMP library keeps the number of threads that its calling thread would start.
struct OpenMp {
  int (*get_max_threads)() = nullptr;
  void (*set_num_threads)(int) = nullptr;
};

struct Library {
#define PLUMBLINE_DNNL_DECLARE(name) decltype(&::dnnl_##name) name = nullptr;
  PLUMBLINE_DNNL(PLUMBLINE_DNNL_DECLARE)
#undef PLUMBLINE_DNNL_DECLARE
  OneDnn seen;
  std::vector<OpenMp> openmp;  // the program's, and the one that came with oneDNN where that is another: it may call either
  dnnl_engine_t engine = nullptr;
};

std::string find_functions(Library& library, void* handle) {
  std::string missing;
#define PLUMBLINE_DNNL_FIND(name)                                                        \
  library.name = reinterpret_cast<decltype(library.name)>(dlsym(handle, "dnnl_" #name)); \
  if (library.name == nullptr) missing = "dnnl_" #name;
  PLUMBLINE_DNNL(PLUMBLINE_DNNL_FIND)
#undef PLUMBLINE_DNNL_FIND
  return missing;
}

std::vector<OpenMp> openmp_of(void* handle) {
  std::vector<OpenMp> found;
  for (void* const scope : {RTLD_DEFAULT, handle}) {
    const OpenMp one{reinterpret_cast<decltype(OpenMp::get_max_threads)>(dlsym(scope, "omp_get_max_threads")),
                     reinterpret_cast<decltype(OpenMp::set_num_threads)>(dlsym(scope, "omp_set_num_threads"))};
    const bool known = !found.empty() && found.front().set_num_threads == one.set_num_threads;
    if (one.get_max_threads != nullptr && one.set_num_threads != nullptr && !known) found.push_back(one);
  }
  return found;
}

/// Opens it, and says why there is none.
std::string open_library_of(Library& library) {
  if (!runs_avx2()) return "this CPU has no AVX2 and FMA, for which oneDNN is to generate its code";
  const std::string name = "libdnnl.so." + std::to_string(DNNL_VERSION_MAJOR);
  const auto [handle, why] = open_library(name, RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) return "oneDNN cannot be opened: " + why + " (Debian: apt-get install libdnnl-dev)";
  if (const std::string missing = find_functions(library, handle); !missing.empty()) return name + " has no " + missing;
  const dnnl_version_t& version = *library.version();
  library.seen.version = std::to_string(version.major) + "." + std::to_string(version.minor) + "." + std::to_string(version.patch);
  library.openmp = openmp_of(handle);
  if (version.cpu_runtime != DNNL_RUNTIME_SEQ && (version.cpu_runtime != DNNL_RUNTIME_OMP || library.openmp.empty()))
    return name + " has threads that are not OpenMP's, which cannot be kept to one";
  if (library.set_max_cpu_isa(dnnl_cpu_isa_avx2) != dnnl_success)
    return name + " cannot be kept to AVX2: it was built without that, or is in use";
  library.set_jit_dump(0);
  library.set_jit_profiling_flags(DNNL_JIT_PROFILE_NONE);
  if (const dnnl_status_t status = library.engine_create(&library.engine, dnnl_cpu, 0); status != dnnl_success)
    return name + " has no engine for CPUs: " + library.status2str(status);
  return "";
}

/// The library is never closed: threads that end at the program's end may still hold objects of it.
const Library& library() {
  static const Library opened = [] {
    Library made;
    made.seen.absent = open_library_of(made);
    return made;
  }();
  return opened;
}

/// OpenMP's parallel regions have one thread as long as such an object lives. The setting is the calling thread's alone.
class OneThread {
 public:
  OneThread() {
    const auto& openmp = library().openmp;
    for (std::size_t i = 0; i < openmp.size(); ++i) before_[i] = openmp[i].get_max_threads();
    for (const OpenMp& one : openmp) one.set_num_threads(1);
  }
  OneThread(const OneThread&) = delete;
  OneThread& operator=(const OneThread&) = delete;
  ~OneThread() {
    const auto& openmp = library().openmp;
    for (std::size_t i = 0; i < openmp.size(); ++i) openmp[i].set_num_threads(before_[i]);
  }

 private:
  std::array<int, 2> before_{};
};

enum class Pass { forward, backward_data, backward_weights };
enum Operand { image, weights, out, operands };

struct PassTraits {
  const char* name;
  Operand result;
  int arguments[operands];         // oneDNN's names of the arrays
  dnnl_query_t layouts[operands];  // and of the layouts that it wants them in
};
constexpr PassTraits passes[] = {
    {"forward", out, {DNNL_ARG_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_DST}, {dnnl_query_src_md, dnnl_query_weights_md, dnnl_query_dst_md}},
    {"backward by data",
     image,
     {DNNL_ARG_DIFF_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_DIFF_DST},
     {dnnl_query_diff_src_md, dnnl_query_weights_md, dnnl_query_diff_dst_md}},
    {"backward by weights",
     weights,
     {DNNL_ARG_SRC, DNNL_ARG_DIFF_WEIGHTS, DNNL_ARG_DIFF_DST},
     {dnnl_query_src_md, dnnl_query_diff_weights_md, dnnl_query_diff_dst_md}}};

struct Destroy {
  void operator()(dnnl_stream_t one) const { library().stream_destroy(one); }
  void operator()(dnnl_memory_t one) const { library().memory_destroy(one); }
  void operator()(dnnl_primitive_desc_t one) const { library().primitive_desc_destroy(one); }
  void operator()(dnnl_primitive_t one) const { library().primitive_destroy(one); }
#if DNNL_VERSION_MAJOR >= 3
  void operator()(dnnl_memory_desc_t one) const { library().memory_desc_destroy(one); }
#endif
};
using Stream = std::unique_ptr<dnnl_stream, Destroy>;
using Memory = std::unique_ptr<dnnl_memory, Destroy>;
using Plan = std::unique_ptr<dnnl_primitive_desc, Destroy>;
using Primitive = std::unique_ptr<dnnl_primitive, Destroy>;

Stream new_stream() {
  dnnl_stream_t made = nullptr;
  if (const dnnl_status_t status = library().stream_create(&made, library().engine, dnnl_stream_default_flags); status != dnnl_success)
    throw std::runtime_error(std::string("oneDNN: no stream of work for this thread: ") + library().status2str(status));
  return Stream(made);
}

using Dimensions = std::array<dnnl_dim_t, 4>;

/// One pass over one shape, prepared: a layout that oneDNN prefers to the caller's has a copy, and primitives that reorder.
class Convolution {
 public:
  Convolution(const ConvolutionShape& shape, Pass pass) : shape_(shape), pass_(pass) {
    const Plan plan = planned();
    convolution_ = primitive(plan.get(), "the convolution");
    for (const Operand one : {image, weights, out}) {
      const Layout given = layout(one, one == weights ? dnnl_hwio : dnnl_nhwc);
      const Description wanted = library().primitive_desc_query_md(plan.get(), traits().layouts[one], 0);
      Array& array = arrays_[one];
      array.given = memory(described(given), DNNL_MEMORY_NONE);
      if (library().memory_desc_equal(described(given), wanted)) continue;
      array.copy = memory(wanted, DNNL_MEMORY_ALLOCATE);
      array.reorder = one == result() ? reorder(wanted, described(given)) : reorder(described(given), wanted);
    }
  }

  void run(const std::array<void*, operands>& pointers, dnnl_stream_t stream) const {
    std::array<dnnl_exec_arg_t, operands> arguments;
    for (const Operand one : {image, weights, out}) {
      const Array& array = arrays_[one];
      require(library().memory_set_data_handle(array.given.get(), pointers[one]), "an array");
      if (array.reorder && one != result()) copy(array, array.given, array.copy, stream);
      arguments[one] = {traits().arguments[one], array.copy ? array.copy.get() : array.given.get()};
    }
    require(library().primitive_execute(convolution_.get(), stream, operands, arguments.data()), "the convolution");
    const Array& results = arrays_[result()];
    if (results.reorder) copy(results, results.copy, results.given, stream);
    require(library().stream_wait(stream), "the convolution");
  }

 private:
  struct Array {
    Memory given, copy;  // the caller's, and ours in another layout or none
    Primitive reorder;
  };

#if DNNL_VERSION_MAJOR >= 3
  using Layout = std::unique_ptr<dnnl_memory_desc, Destroy>;
  using Description = const_dnnl_memory_desc_t;
  static Description described(const Layout& layout) { return layout.get(); }
#else
  using Layout = dnnl_memory_desc_t;
  using Description = const dnnl_memory_desc_t*;
  static Description described(const Layout& layout) { return &layout; }
#endif

  const PassTraits& traits() const { return passes[static_cast<int>(pass_)]; }
  Operand result() const { return traits().result; }

  void require(dnnl_status_t status, const char* what) const {
    if (status == dnnl_success) return;
    const auto text = [](std::uint64_t n) { return std::to_string(n); };
    throw std::runtime_error("oneDNN " + library().seen.version + ", convolution " + traits().name + " of " + text(shape_.images) +
                             " images of " + text(shape_.height) + " x " + text(shape_.width) + " x " + text(shape_.channels) + " with " +
                             text(shape_.filters) + " filters of " + text(shape_.kernel) + " x " + text(shape_.kernel) + " at stride " +
                             text(shape_.stride) + ": " + what + ": " + library().status2str(status));
  }

  Dimensions dimensions(Operand one) const {
    const auto size = [](std::uint64_t n) { return static_cast<dnnl_dim_t>(n); };
    const ConvolutionShape& s = shape_;
    if (one == weights) return {size(s.filters), size(s.channels), size(s.kernel), size(s.kernel)};
    if (one == image) return {size(s.images), size(s.channels), size(s.height), size(s.width)};
    return {size(s.images), size(s.filters), size(s.out_height()), size(s.out_width())};
  }

  Layout layout(Operand one, dnnl_format_tag_t tag) const {
    const Dimensions sizes = dimensions(one);
#if DNNL_VERSION_MAJOR >= 3
    dnnl_memory_desc_t made = nullptr;
    require(library().memory_desc_create_with_tag(&made, 4, sizes.data(), dnnl_f32, tag), "a layout");
    return Layout(made);
#else
    Layout made;
    require(library().memory_desc_init_by_tag(&made, 4, sizes.data(), dnnl_f32, tag), "a layout");
    return made;
#endif
  }

  Plan planned() const {
    const Layout src = layout(image, dnnl_nhwc), filter = layout(weights, dnnl_format_tag_any), dst = layout(out, dnnl_nhwc);
    const Description x = described(src), w = described(filter), y = described(dst);
    const dnnl_dim_t stride = static_cast<dnnl_dim_t>(shape_.stride), strides[2] = {stride, stride}, none[2] = {0, 0};
    const Library& dnnl = library();
    dnnl_primitive_desc_t made = nullptr;
    dnnl_status_t status = dnnl_success;
#if DNNL_VERSION_MAJOR >= 3
    if (pass_ == Pass::forward)
      status = dnnl.convolution_forward_primitive_desc_create(&made, dnnl.engine, dnnl_forward_training, dnnl_convolution_direct, x, w,
                                                              nullptr, y, strides, none, none, none, nullptr);
    else if (pass_ == Pass::backward_data)
      status = dnnl.convolution_backward_data_primitive_desc_create(&made, dnnl.engine, dnnl_convolution_direct, x, w, y, strides, none,
                                                                    none, none, nullptr, nullptr);
    else
      status = dnnl.convolution_backward_weights_primitive_desc_create(&made, dnnl.engine, dnnl_convolution_direct, x, w, nullptr, y,
                                                                       strides, none, none, none, nullptr, nullptr);
#else
    dnnl_convolution_desc_t operation;
    if (pass_ == Pass::forward)
      status = dnnl.convolution_forward_desc_init(&operation, dnnl_forward_training, dnnl_convolution_direct, x, w, nullptr, y, strides,
                                                  none, none);
    else if (pass_ == Pass::backward_data)
      status = dnnl.convolution_backward_data_desc_init(&operation, dnnl_convolution_direct, x, w, y, strides, none, none);
    else
      status = dnnl.convolution_backward_weights_desc_init(&operation, dnnl_convolution_direct, x, w, nullptr, y, strides, none, none);
    if (status == dnnl_success) status = dnnl.primitive_desc_create(&made, &operation, nullptr, dnnl.engine, nullptr);
#endif
    require(status, "no code for it");
    return Plan(made);
  }

  Primitive primitive(const_dnnl_primitive_desc_t plan, const char* what) const {
    dnnl_primitive_t made = nullptr;
    require(library().primitive_create(&made, plan), what);
    return Primitive(made);
  }

  Primitive reorder(Description from, Description to) const {
    dnnl_primitive_desc_t made = nullptr;
    require(library().reorder_primitive_desc_create(&made, from, library().engine, to, library().engine, nullptr),
            "a copy in another layout");
    return primitive(Plan(made).get(), "a copy in another layout");
  }

  Memory memory(Description layout, void* handle) const {
    dnnl_memory_t made = nullptr;
    require(library().memory_create(&made, layout, library().engine, handle), "memory");
    return Memory(made);
  }

  void copy(const Array& array, const Memory& from, const Memory& to, dnnl_stream_t stream) const {
    const dnnl_exec_arg_t arguments[] = {{DNNL_ARG_FROM, from.get()}, {DNNL_ARG_TO, to.get()}};
    require(library().primitive_execute(array.reorder.get(), stream, 2, arguments), "a copy in another layout");
  }

  ConvolutionShape shape_;
  Pass pass_;
  Primitive convolution_;
  std::array<Array, operands> arrays_;
};

void run(const ConvolutionShape& shape, Pass pass, const void* x, const void* w, const void* y) {
  if (!library().seen.absent.empty()) throw std::runtime_error(library().seen.absent);
  const OneThread one_thread;  // when it is prepared, too: then oneDNN divides the work among the threads
  thread_local const Stream stream = new_stream();
  thread_local std::map<std::pair<ConvolutionShape, Pass>, Convolution> prepared;
  auto found = prepared.find({shape, pass});
  if (found == prepared.end()) {
    if (prepared.size() >= OneDnn::kept) prepared.clear();
    found = prepared.try_emplace({shape, pass}, shape, pass).first;
  }
  found->second.run({const_cast<void*>(x), const_cast<void*>(w), const_cast<void*>(y)}, stream.get());
}

}  // namespace

void OneDnn::forward(const ConvolutionShape& shape, const float* image, const float* weights, float* out) const {
  run(shape, Pass::forward, image, weights, out);
}

void OneDnn::backward_data(const ConvolutionShape& shape, const float* out_gradient, const float* weights, float* image_gradient) const {
  run(shape, Pass::backward_data, image_gradient, weights, out_gradient);
}

void OneDnn::backward_weights(const ConvolutionShape& shape, const float* image, const float* out_gradient, float* weight_gradient) const {
  run(shape, Pass::backward_weights, image, weight_gradient, out_gradient);
}

const OneDnn& onednn() { return library().seen; }

}  // namespace plumbline

#else

namespace plumbline {

void OneDnn::forward(const ConvolutionShape&, const float*, const float*, float*) const { throw std::runtime_error(absent); }
void OneDnn::backward_data(const ConvolutionShape&, const float*, const float*, float*) const { throw std::runtime_error(absent); }
void OneDnn::backward_weights(const ConvolutionShape&, const float*, const float*, float*) const { throw std::runtime_error(absent); }

const OneDnn& onednn() {
  static const OneDnn none{
      .absent = "this program was built without oneDNN's header oneapi/dnnl/dnnl.h (Debian: apt-get install libdnnl-dev)", .version = ""};
  return none;
}

}  // namespace plumbline

#endif
