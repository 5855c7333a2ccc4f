#include "profile/record_bytes.hpp"

#include <algorithm>
#include <fstream>

#include "preload/record_file_head.h"

namespace plumbline {

namespace fs = std::filesystem;

std::string record_bytes(const fs::path& file, std::uint64_t format) {
  RecordFileHead head{};
  std::ifstream in(file, std::ios::binary);
  in.read(reinterpret_cast<char*>(&head), sizeof head);
  if (!in || head.format != format) return "";
  std::string bytes(std::min<std::uint64_t>(head.bytes, fs::file_size(file)), '\0');
  in.seekg(0);
  in.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  return bytes;
}

std::vector<fs::path> record_files(const fs::path& folder, const std::string& extension) {
  std::vector<fs::path> files;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(folder, none))
    if (entry.path().extension() == extension) files.push_back(entry.path());
  std::ranges::sort(files);
  return files;
}

}  // namespace plumbline
