// A reader of files that anybody may have written, as tests and fuzzers call it. Each .cpp beside this one is one.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace plumbline::fuzz {

/// Reads the bytes as such a file. Throws plumbline::Error where they are none; anything else is a fault of the reader.
void read(std::string_view bytes);

/// The bytes with their checksums mended, so that what was damaged is looked at; as they are where a format has none.
std::string mended(std::string_view bytes);

/// Files as this program writes them, or others do, to begin with.
std::vector<std::string> seeds();

}  // namespace plumbline::fuzz
