// Libraries are opened where their owner put them, not from the folder that a program happens to be started in.
#include "core/shared_library.hpp"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <optional>
#include <string>

namespace plumbline {
namespace {

constexpr const char* variable = "LD_LIBRARY_PATH";

class SharedLibraryTest : public testing::Test {
 protected:
  SharedLibraryTest() {
    if (const char* value = std::getenv(variable)) before_ = value;
  }
  ~SharedLibraryTest() override {
    if (before_)
      setenv(variable, before_->c_str(), 1);
    else
      unsetenv(variable);
  }
  static std::string why_not(const std::string& name, const char* path) {
    setenv(variable, path, 1);
    const SharedLibrary opened = open_library(name, RTLD_LAZY | RTLD_LOCAL);
    if (opened.handle != nullptr) dlclose(opened.handle);
    EXPECT_EQ(opened.handle == nullptr, !opened.why_not.empty());
    return opened.why_not;
  }

 private:
  std::optional<std::string> before_;
};

constexpr const char* soname = "libm.so.6";  // that every Linux has

TEST_F(SharedLibraryTest, a_soname_is_found_by_the_loader) {
  EXPECT_EQ(why_not(soname, ""), "");
  EXPECT_EQ(why_not(soname, "/opt/somewhere:/usr/lib"), "");
}

TEST_F(SharedLibraryTest, a_path_that_leads_to_the_current_folder_is_refused_by_name) {
  for (const char* path : {":", ":/usr/lib", "/usr/lib:", "/usr/lib::/opt"})
    EXPECT_NE(why_not(soname, path).find("LD_LIBRARY_PATH has an empty element"), std::string::npos) << path;
  EXPECT_NE(why_not(soname, "/usr/lib:lib").find("the relative element 'lib'"), std::string::npos);
}

TEST_F(SharedLibraryTest, only_absolute_paths_are_opened) {
  EXPECT_NE(why_not("./libm.so.6", "").find("absolute path only"), std::string::npos);
  EXPECT_NE(why_not("/nowhere/libm.so.6", ":").find("/nowhere/libm.so.6"), std::string::npos) << "a path does not ask the loader's";
}

}  // namespace
}  // namespace plumbline
