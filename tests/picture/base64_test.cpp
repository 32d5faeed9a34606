#include "src/picture/base64.hpp"

#include <catch2/catch_test_macros.hpp>

namespace base64_test {

using qturn::base64;
using qturn::bytes_of_base64;

TEST_CASE("Bytes and base64 are the same, by the examples of RFC 4648") {
  const std::pair<std::string, std::string> examples[] = {
      {"", ""},
      {"f", "Zg=="},
      {"fo", "Zm8="},
      {"foo", "Zm9v"},
      {"foob", "Zm9vYg=="},
      {"fooba", "Zm9vYmE="},
      {"foobar", "Zm9vYmFy"},
      {"\xff\xef\xbe", "/+++"},
  };
  for (const auto& [bytes, text] : examples) {
    CAPTURE(text);
    const auto as_bytes = std::as_bytes(std::span(bytes));
    CHECK(base64(as_bytes) == text);
    CHECK(bytes_of_base64(text) == std::vector(as_bytes.begin(), as_bytes.end()));
  }
}

TEST_CASE("What is not base64 is not decoded") {
  for (const char* text : {"Z", "Zg", "Zg=", "Zm 9", "Zm9-", "=m9v", "Zg==Zg==", "Z==="}) {
    CAPTURE(text);
    CHECK_FALSE(bytes_of_base64(text));
  }
}

}  // namespace base64_test
