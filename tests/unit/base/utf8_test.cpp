#include "models/base/utf8.h"

#include <gtest/gtest.h>

namespace servecast::utf8_test {

TEST(Utf8, accepts_text) {
  EXPECT_TRUE(is_utf8(""));
  EXPECT_TRUE(is_utf8("plain"));
  EXPECT_TRUE(is_utf8("caf\u00e9 \u6df1\u5ea6 \U0001F600"));
  EXPECT_TRUE(is_utf8("\xF4\x8F\xBF\xBF"));  // U+10FFFF, the last one
}

TEST(Utf8, refuses_other_bytes) {
  EXPECT_FALSE(is_utf8("caf\xE9"));  // Latin-1; also: cut short
  EXPECT_FALSE(is_utf8("\xE9t\xE9"));
  EXPECT_FALSE(is_utf8("\x80"));      // nothing begins with it
  EXPECT_FALSE(is_utf8("\xC0\xAF"));  // '/' written too long
  EXPECT_FALSE(is_utf8("\xE0\x80\xAF"));
  EXPECT_FALSE(is_utf8("\xED\xA0\x80"));      // half of a UTF-16 pair
  EXPECT_FALSE(is_utf8("\xF4\x90\x80\x80"));  // past the last one
}

}  // namespace servecast::utf8_test
