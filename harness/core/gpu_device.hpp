// Which of a node's GPUs a ceiling is of: the first word of its name. "GPU FP64 FMA" is the first one's, "GPU1 FP64 FMA" the second one's,
// in the order of PCI addresses and UUIDs.
#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace plumbline {

/// "GPU" of the first one (0), "GPU1", "GPU2", ... of the others.
std::string gpu_word(int device);
/// The number that a name's first word has, 0 where it has none.
int gpu_of_name(std::string_view name);
/// Likewise, of "GPU2 FP64 FMA" or "ceiling/GPU2 FP64 FMA/fp64/r1t1"; nothing where that is no GPU's.
std::optional<int> gpu_of_ceiling(std::string_view name);
/// The same ceiling of that GPU: "GPU1 FP64 FMA" of "GPU FP64 FMA". Names that are no GPU's stay as they are.
std::string name_on_gpu(std::string_view name, int device);

}  // namespace plumbline
