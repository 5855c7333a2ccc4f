// The main of GoogleTest programs: 0 when all passed, 77 (ctest's "skipped") when none failed and some could not run here.
#include <gtest/gtest.h>

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  const int failed = RUN_ALL_TESTS();
  if (failed) return failed;
  return testing::UnitTest::GetInstance()->skipped_test_count() > 0 ? 77 : 0;
}
