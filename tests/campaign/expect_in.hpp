// A message is expected to have certain parts word for word; a failure shows all of it.
#pragma once
#include <gtest/gtest.h>

#include <initializer_list>
#include <string>

namespace plumbline::test {

inline void expect_in(const std::string& text, std::initializer_list<const char*> parts) {
  for (const char* part : parts) EXPECT_NE(text.find(part), std::string::npos) << "'" << part << "' is missing in: " << text;
}

}  // namespace plumbline::test
