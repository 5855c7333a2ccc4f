#include "store/table_stream.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <nlohmann/json.hpp>
#include <string>

#include "core/json_text.hpp"
#include "core/own_file.hpp"

namespace plumbline {
namespace {

using nlohmann::json;

constexpr std::size_t length_bytes = 8;

/// The bytes that come from a descriptor, of which only so many may still come.
class Incoming {
 public:
  Incoming(int descriptor, std::uint64_t most_bytes) : descriptor_(descriptor), left_(most_bytes) {}

  /// Takes `count` bytes; false where the stream ends before. The memory is taken as they come, whatever was promised.
  bool take(std::uint64_t count, std::string& bytes) {
    if (count > left_) throw Damage("it has more rows than a file of its size can have");
    left_ -= count;
    bytes.clear();
    while (bytes.size() < count) {
      const std::size_t have = bytes.size(), wanted = static_cast<std::size_t>(std::min<std::uint64_t>(count - have, 1U << 20));
      bytes.resize(have + wanted);
      ssize_t got = -1;
      do got = ::read(descriptor_, bytes.data() + have, wanted);
      while (got < 0 && errno == EINTR);
      bytes.resize(have + static_cast<std::size_t>(std::max<ssize_t>(0, got)));
      if (got <= 0) return false;
    }
    return true;
  }

 private:
  int descriptor_;
  std::uint64_t left_;
};

std::uint64_t length_in(std::string_view head) {
  std::uint64_t length = 0;
  for (std::size_t i = length_bytes; i > 0; --i) length = length << 8 | static_cast<unsigned char>(head[i]);
  return length;
}

void take_head(std::string_view bytes, PackedTables& taker) try {
  const json head = json::parse(bytes);
  std::vector<PackedColumn> columns;
  for (const auto& column : head.at("columns"))
    columns.push_back({column.at("name").get<std::string>(), column.at("type").get<std::string>()});
  taker.table(head.at("table").get<std::string>(), columns);
} catch (const json::exception&) {
  throw Damage("what was read of it says of no table what it is");
}

[[noreturn]] void throw_sent(const std::string& bytes) {
  const auto space = bytes.find(' ');
  const std::string code = bytes.substr(0, space), message = space == bytes.npos ? "" : bytes.substr(space + 1);
  for (const Exit known : {Exit::user_error, Exit::io_or_failed_case})
    if (code == std::to_string(static_cast<int>(known))) throw Error(known, message);
  throw Damage("what was read of it is no error that there is");
}

}  // namespace

void TableSender::frame(char what, std::string_view bytes) {
  std::string head(1, what);
  for (std::size_t i = 0; i < length_bytes; ++i) head += static_cast<char>(bytes.size() >> (8 * i) & 0xFFU);
  if (!write_all(descriptor_, head) || !write_all(descriptor_, bytes)) throw io_error("nobody reads the tables that are sent");
}

void TableSender::text(std::string_view name, std::string_view value) { frame('t', fmt::format("{}\n{}", name, value)); }

void TableSender::table(std::string_view name, const std::vector<PackedColumn>& columns) {
  json head = {{"table", name}, {"columns", json::array()}};
  for (const auto& [column, type, units, long_name, better] : columns)
    head["columns"].push_back({{"name", column}, {"type", type}, {"units", units}, {"long_name", long_name}, {"better", better}});
  frame('h', json_text(head));
}

void TableSender::rows(std::string_view packed) { frame('r', packed); }

void TableSender::end() { frame('.', ""); }
void TableSender::end(const Damage& damage) { frame('d', damage.what()); }
void TableSender::end(const Error& error) { frame('e', fmt::format("{} {}", static_cast<int>(error.code()), error.what())); }

bool receive_tables(int descriptor, PackedTables& taker, std::uint64_t most_bytes) {
  Incoming incoming(descriptor, most_bytes);
  std::string head, bytes;
  while (incoming.take(1 + length_bytes, head) && incoming.take(length_in(head), bytes)) {
    switch (head[0]) {
      case 't':
        taker.text(std::string_view(bytes).substr(0, bytes.find('\n')),
                   std::string_view(bytes).substr(std::min(bytes.size(), bytes.find('\n') + 1)));
        break;
      case 'h':
        take_head(bytes, taker);
        break;
      case 'r':
        taker.rows(bytes);
        break;
      case '.':
        return true;
      case 'd':
        throw Damage(bytes);
      case 'e':
        throw_sent(bytes);
      default:
        throw Damage("what was read of it is no table");
    }
  }
  return false;
}

}  // namespace plumbline
