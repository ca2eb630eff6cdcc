#include "sim/plan/runs/sha256.h"

#include <gtest/gtest.h>

namespace servecast::sha256_test {

// NIST's examples (FIPS 180-4, "SHA-256 example" of the Cryptographic Standards site) and the empty text.
TEST(Sha256, digests_are_those_of_the_standard) {
  EXPECT_EQ(Sha256().hex(), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(Sha256().add("abc").hex(), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(Sha256().add("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq").hex(),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(Sha256().add(std::string(1000000, 'a')).hex(),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, pieces_are_the_same_as_the_whole) {
  const std::string text(1000, 'x');
  for (const std::size_t cut : {1, 63, 64, 65, 127, 999})
    EXPECT_EQ(Sha256().add(text.substr(0, cut)).add(text.substr(cut)).hex(), Sha256().add(text).hex()) << cut;
}

}  // namespace servecast::sha256_test
