#include "machine/publishable.hpp"

#include <gtest/gtest.h>

namespace plumbline {
namespace {

const Person jane{"jdoe", "/home/jdoe"};

TEST(publishable, home_and_name_of_who_measures_are_left_out) {
  EXPECT_EQ(without_person("/home/jdoe/bin/plumbline", jane), "~/bin/plumbline");
  EXPECT_EQ(without_person("/scratch/jdoe/x.h5:jdoe@node", jane), "/scratch/USER/x.h5:USER@node");
  EXPECT_EQ(without_person("-I/home/jdoe", jane), "-I~");
}

TEST(publishable, a_longer_name_is_another_name) {
  EXPECT_EQ(without_person("/home/jdoe2/x", jane), "/home/jdoe2/x");
  EXPECT_EQ(without_person("jdoe-runs", jane), "jdoe-runs");
}

TEST(publishable, root_is_nobody) { EXPECT_EQ(without_person("/root/x owned by root", {"root", "/root"}), "/root/x owned by root"); }

TEST(publishable, values_of_secrets_are_left_out) {
  const std::vector<std::string> words{"run", "--token", "abc", "API_KEY=abc", "--db-password=abc", "https://jdoe:abc@host/x",
                                       "-o",  "token.h5"};
  const std::vector<std::string> told{
      "run", "--token", "(left out)", "API_KEY=(left out)", "--db-password=(left out)", "https://(left out)@host/x", "-o", "token.h5"};
  EXPECT_EQ(publishable(words, jane), told);
}

TEST(publishable, short_names_of_secrets_count_as_whole_words) {
  EXPECT_EQ(publishable({"--pwd=abc", "--auth=abc", "--pass=abc", "DB_PASS=abc", "--bypass=2", "--authors=3", "--passes=time"}, jane),
            (std::vector<std::string>{"--pwd=(left out)", "--auth=(left out)", "--pass=(left out)", "DB_PASS=(left out)", "--bypass=2",
                                      "--authors=3", "--passes=time"}));
}

TEST(publishable, a_word_with_a_secret_does_not_tell_the_person_either) {
  EXPECT_EQ(publishable({"job of jdoe token=x", "/home/jdoe/token=x", "--export=USER=jdoe,API_TOKEN=x"}, jane),
            (std::vector<std::string>{"job of USER token=(left out)", "~/token=(left out)", "--export=USER=USER,API_TOKEN=(left out)"}));
}

TEST(publishable, every_url_of_a_word_loses_its_login) {
  EXPECT_EQ(publishable({"https://a:b@one/x,ssh://c:d@two https://three/x@y"}, jane),
            (std::vector<std::string>{"https://(left out)@one/x,ssh://(left out)@two https://three/x@y"}));
}

TEST(publishable, headers_of_secrets_are_left_out) {
  EXPECT_EQ(
      publishable({"-H", "Authorization: Bearer abc", "X-Api-Key:abc", "{\"password\": \"abc\"}", "Authorization:", "Bearer", "abc", "x"},
                  jane),
      (std::vector<std::string>{"-H", "Authorization: (left out)", "X-Api-Key:(left out)", "{\"password\": (left out)",
                                "Authorization:(left out)", "Bearer", "(left out)", "x"}));
}

}  // namespace
}  // namespace plumbline
