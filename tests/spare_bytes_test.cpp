// Memory that is handed on.
#include "src/formats/spare_bytes.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace qturn;

TEST_CASE("Memory that was given is taken again, and other memory is empty") {
  SpareBytes spare(1000);
  CHECK(spare.take().capacity() == 0);
  Bytes bytes(100);
  const std::byte* const place = bytes.data();
  spare.give(std::move(bytes));
  CHECK(spare.take().data() == place);
  CHECK(spare.take().capacity() == 0);
}

TEST_CASE("No more is kept than was said") {
  SpareBytes spare(250);
  for (int i = 0; i < 3; ++i) spare.give(Bytes(100));
  spare.give(Bytes(1000));
  CHECK(spare.take().size() == 100);
  CHECK(spare.take().size() == 100);
  CHECK(spare.take().capacity() == 0);
}
