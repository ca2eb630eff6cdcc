#include "sim/cli/program/atomic_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/base/input_file.h"
#include "tests/unit/cli/servecast.h"

namespace servecast::atomic_file_test {

namespace fs = std::filesystem;

TEST(AtomicFile, replaces_the_text_and_keeps_the_permissions) {
  const TestFolder folder;
  const std::string file = folder.write("a.yaml", "old");
  fs::permissions(file, fs::perms::owner_read | fs::perms::owner_write | fs::perms::others_read);
  replace_file(file, "new");
  EXPECT_EQ(read_whole(file, settings_mib), "new");
  EXPECT_EQ(fs::status(file).permissions(), fs::perms::owner_read | fs::perms::owner_write | fs::perms::others_read);
  EXPECT_THAT(folder.names(), testing::ElementsAre("a.yaml"));
}

TEST(AtomicFile, follows_symbolic_links) {
  const TestFolder folder;
  const std::string file = folder.write("a.yaml", "old");
  fs::create_symlink("a.yaml", folder / "link.yaml");
  replace_file(folder / "link.yaml", "new");
  EXPECT_TRUE(fs::is_symlink(folder / "link.yaml"));
  EXPECT_EQ(read_whole(file, settings_mib), "new");
}

TEST(AtomicFile, says_what_cannot_be_read_or_written) {
  const TestFolder folder;
  EXPECT_THROW(read_whole(folder / "none", settings_mib), UserError);
  EXPECT_THROW(read_whole(folder / "", settings_mib), UserError);
  EXPECT_THROW(replace_file(folder / "none", "new"), UserError);
  EXPECT_THAT(folder.names(), testing::IsEmpty());
}

}  // namespace servecast::atomic_file_test
