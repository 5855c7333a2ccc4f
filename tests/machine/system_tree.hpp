// A folder with the files of a system that this machine is not.
#pragma once
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace plumbline {

class SystemTree {
 public:
  SystemTree() {
    std::string name = (std::filesystem::temp_directory_path() / "plumbline-system-XXXXXX").string();
    root_ = mkdtemp(name.data());
  }
  ~SystemTree() {
    std::error_code ignored;
    std::filesystem::remove_all(root_, ignored);
  }
  SystemTree(const SystemTree&) = delete;
  SystemTree& operator=(const SystemTree&) = delete;

  SystemTree& file(const std::string& path, const std::string& content) {
    std::filesystem::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path, std::ios::binary) << content;
    return *this;
  }
  const std::filesystem::path& root() const { return root_; }

 private:
  std::filesystem::path root_;
};

}  // namespace plumbline
