// The first word of a ceiling's name says which of a node's GPUs it belongs to: "GPU FP64 FMA" to the first, "GPU1 FP64 FMA" to the second,
// in the order of PCI addresses and UUIDs.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace plumbline {

/// The word of a GPU: "GPU" for the first one (0), "GPU1", "GPU2", ... for the others.
std::string gpu_word(int device);
/// The words of several: "GPU, GPU1".
std::string gpu_words(const std::vector<int>& devices);
/// The number of the GPU that a name's first word names, 0 where it names none.
int gpu_of_name(std::string_view name);
/// The number of the GPU in "GPU2 FP64 FMA" or "ceiling/GPU2 FP64 FMA/fp64/r1t1"; nothing where the name is no GPU's.
std::optional<int> gpu_of_ceiling(std::string_view name);
/// The name of the same ceiling on another GPU: "GPU1 FP64 FMA" from "GPU FP64 FMA". Names that are no GPU's stay as they are.
std::string name_on_gpu(std::string_view name, int device);

}  // namespace plumbline
