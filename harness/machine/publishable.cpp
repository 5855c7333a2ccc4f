#include "machine/publishable.hpp"

#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <iterator>
#include <string_view>

namespace plumbline {
namespace {

constexpr std::string_view left_out = "(left out)";

bool in_a_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-' || c == '.'; }

/// Every place where `what` stands as a whole word, as `instead`. A path may follow anything ("-I/home/jdoe").
std::string replaced(std::string text, std::string_view what, std::string_view instead) {
  for (std::size_t at = text.find(what); at != text.npos; at = text.find(what, at)) {
    const std::size_t end = at + what.size();
    const bool begins = at == 0 || what.front() == '/' || !in_a_name(text[at - 1]), ends = end == text.size() || !in_a_name(text[end]);
    if (begins && ends) text.replace(at, what.size(), instead);
    at += begins && ends ? instead.size() : 1;
  }
  return text;
}

std::string lower(std::string_view text) {
  std::string small(text);
  std::transform(small.begin(), small.end(), small.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return small;
}

/// Short names count only as a whole part of the name: "--auth", "DB_PASS", and not "authors" or "bypass".
bool has_short_name(std::string_view name) {
  constexpr std::array<std::string_view, 4> words{"auth", "pass", "pwd", "oauth"};
  for (std::size_t begin = 0; begin < name.size();) {
    const std::size_t end = std::min(name.find_first_of("-_.", begin), name.size());
    if (std::find(words.begin(), words.end(), name.substr(begin, end - begin)) != words.end()) return true;
    begin = end + 1;
  }
  return false;
}

/// The name before the "=" or ":" at `at`, e.g. of "/home/jdoe/token=x", "{"token": x" or "Authorization: x".
std::string_view name_before(std::string_view text, std::size_t at) {
  std::size_t end = at;
  while (end > 0 && (text[end - 1] == ' ' || text[end - 1] == '"' || text[end - 1] == '\'')) --end;
  std::size_t begin = end;
  while (begin > 0 && in_a_name(text[begin - 1])) --begin;
  return text.substr(begin, end - begin);
}

/// The place where the value of the first secret in `text` begins; npos: nowhere.
std::size_t secret_in(std::string_view text) {
  for (std::size_t at = text.find_first_of("=:"); at != text.npos; at = text.find_first_of("=:", at + 1)) {
    if (!names_a_secret(name_before(text, at))) continue;
    const std::size_t value = text.find_first_not_of(' ', at + 1);
    return value == text.npos ? at + 1 : value;
  }
  const std::size_t bearer = lower(text).find("bearer ");
  return bearer == text.npos ? bearer : bearer + std::string_view("bearer ").size();
}

/// Hides what a URL tells of its user, "https://user:password@host" -> "https://(left out)@host", of every URL in the text.
std::string without_logins(std::string text) {
  for (std::size_t scheme = text.find("://"); scheme != text.npos; scheme = text.find("://", scheme + 3)) {
    const std::size_t begin = scheme + 3, end = std::min(text.find_first_of("/ ,;?#\"'", begin), text.size());
    const std::size_t at = text.substr(0, end).rfind('@');
    if (at != text.npos && at >= begin) text.replace(begin, at - begin, left_out);
  }
  return text;
}

}  // namespace

Person this_person() {
  Person person;
  if (const char* home = std::getenv("HOME")) person.home = home;
  if (const char* name = std::getenv("USER")) person.name = name;
  if (const passwd* entry = getpwuid(getuid()); entry != nullptr) {
    if (person.name.empty()) person.name = entry->pw_name;
    if (person.home.empty()) person.home = entry->pw_dir;
  }
  return person;
}

std::string without_person(const std::string& text, const Person& person) {
  std::string told = text;
  std::string home = person.home;
  while (home.size() > 1 && home.back() == '/') home.pop_back();
  if (home.size() > 1 && home != "/root") told = replaced(told, home, "~");
  if (!person.name.empty() && person.name != "root") told = replaced(told, person.name, "USER");
  return told;
}

bool names_a_secret(std::string_view name) {
  const std::string small = lower(name);
  std::string letters;
  std::copy_if(small.begin(), small.end(), std::back_inserter(letters), [](unsigned char c) { return std::isalpha(c) != 0; });
  constexpr std::array<std::string_view, 11> words{"passw",     "passphrase", "secret", "token",         "credential", "apikey",
                                                   "accesskey", "privatekey", "jwt",    "authorization", "cookie"};
  return has_short_name(small) || std::any_of(words.begin(), words.end(), [&](auto word) { return letters.find(word) != letters.npos; });
}

std::vector<std::string> publishable(const std::vector<std::string>& words, const Person& person) {
  std::vector<std::string> told;
  bool value_of_secret = false;  // the word before was "--token" or "Authorization:"
  for (const auto& word : words) {
    const bool scheme = lower(word) == "bearer" || (value_of_secret && lower(word) == "basic");  // what follows is the secret
    const std::size_t secret = secret_in(word);
    if (value_of_secret && !scheme)
      told.emplace_back(left_out);
    else
      told.push_back(without_person(without_logins(word.substr(0, secret)), person) + std::string(secret == word.npos ? "" : left_out));
    const bool option = word.starts_with('-') && secret == word.npos && names_a_secret(word);
    value_of_secret = scheme || option || (secret == word.size() && word.ends_with(':'));
  }
  return told;
}

}  // namespace plumbline
