// A text is published with a result only without the home and the name of who measured, and without secrets.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace plumbline {

struct Person {
  std::string name, home;  // empty: unknown
};
/// The person whose process this is.
Person this_person();

/// The text with the home folder as "~", and the name as "USER" where it stands as a word. "root" and "/root" say nothing about anybody and
/// stay.
std::string without_person(const std::string& text, const Person& person);

/// Whether an option, a variable or a header of this name holds a password, token, key or other secret.
bool names_a_secret(std::string_view name);

/// The words of a command without the person, with "(left out)" for all of a word from where the value of a secret begins ("--token=x",
/// "--token x", "Authorization: x"), and for what a URL has before its "@".
std::vector<std::string> publishable(const std::vector<std::string>& words, const Person& person);

}  // namespace plumbline
