#include "src/picture/trailing_data.hpp"

#include <catch2/catch_test_macros.hpp>

#include "tests/fixtures/codec_pictures.hpp"

namespace trailing_data_test {

namespace {

using namespace qturn;
using namespace qturn::tests;
using std::string_view_literals::operator""sv;

}  // namespace

TEST_CASE("Trailing bytes cause a warning unless they are zeros or also stand before the end") {
  const auto warned = [](std::string_view kept, std::string_view rest) {
    std::vector<std::string> warnings;
    const std::string file = std::string(kept) + std::string(rest);
    warn_of_trailing_data(bytes_of(file), kept.size(), warnings);
    return !warnings.empty();
  };
  CHECK(warned("a picture", "tail"));
  CHECK(warned("a picture", "pictures"));
  CHECK(warned("a picture", "re"));  // too few to be told from chance
  CHECK(warned(std::string(65, 'x'), std::string(65, 'x')));
  CHECK_FALSE(warned("a picture", "ture"));
  CHECK_FALSE(warned("a picture", "\0\0\0"sv));
  CHECK_FALSE(warned("a picture", ""));
}

}  // namespace trailing_data_test
