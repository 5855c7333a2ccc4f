// All nodes must mean the same folder by a journal's name: one of them lays a mark, the others look for it.
#pragma once
#include <filesystem>
#include <string>

namespace plumbline {

/// Makes the journal's folder where there is none, and the session's mark in it. Throws io_error.
void lay_mark(const std::filesystem::path& directory, const std::string& session);

/// Removes the mark. The folder stays: other clients of a network file system may know it already, and go on in it.
void remove_mark(const std::filesystem::path& directory, const std::string& session);

/// Whether a file is called as marks are.
bool is_mark(const std::filesystem::path& file);

/// Says in words what this node has in place of the mark; empty where the mark is there.
std::string why_without_mark(const std::filesystem::path& directory, const std::string& session);

}  // namespace plumbline
