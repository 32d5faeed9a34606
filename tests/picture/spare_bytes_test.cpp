// Memory that is handed on.
#include "src/picture/file_bytes.hpp"

#include <catch2/catch_test_macros.hpp>

namespace spare_bytes_test {

using namespace qturn;

TEST_CASE("Memory that was given is taken again, and other memory is empty") {
  SpareBytes spare(1000, 5);
  CHECK(spare.take(50).empty());
  Bytes bytes(100);
  const std::byte* const place = bytes.data();
  spare.give(std::move(bytes));
  CHECK(spare.take(50).data() == place);
  CHECK(spare.take(50).empty());
}

TEST_CASE("The smallest that is large enough is taken") {
  SpareBytes spare(1000, 5);
  for (const std::size_t size : {100, 80, 120, 60, 300}) spare.give(Bytes(size));
  CHECK(spare.take(80).size() == 80);
  CHECK(spare.take(80).size() == 100);
  CHECK(spare.take(130).size() == 300);
  CHECK(spare.take(60).size() == 60);
}

TEST_CASE("Fresh memory has room for files a bit larger, and what is too small stays") {
  SpareBytes spare(1000, 5);
  for (const std::size_t size : {80, 100}) spare.give(Bytes(size));
  const Bytes fresh = spare.take(130);
  CHECK(fresh.capacity() >= 130);
  CHECK(fresh.capacity() <= 200);
  CHECK(spare.take(70).size() == 80);
  CHECK(spare.take(70).size() == 100);
  CHECK(spare.take(70).empty());
}

TEST_CASE("Nothing is kept of what has no memory") {
  SpareBytes spare(1000, 5);
  spare.give({});
  spare.give(Bytes(100));
  CHECK(spare.take(0).size() == 100);
}

TEST_CASE("No more is kept than the limit") {
  SpareBytes spare(250, 5);
  for (int i = 0; i < 3; ++i) spare.give(Bytes(100));
  spare.give(Bytes(1000));
  CHECK(spare.take(100).size() == 100);
  CHECK(spare.take(100).size() == 100);
  CHECK(spare.take(100).empty());
}

TEST_CASE("No more pieces are kept than the limit, the last ones given") {
  SpareBytes spare(1000, 2);
  for (const std::size_t size : {100, 80, 120, 60}) spare.give(Bytes(size));
  CHECK(spare.take(10).size() == 60);
  CHECK(spare.take(10).size() == 120);
  CHECK(spare.take(10).empty());
}

TEST_CASE("Large pieces that nobody takes do not keep the others out") {
  SpareBytes spare(100 << 20, 6);
  for (int i = 0; i < 3; ++i) spare.give(Bytes(15 << 20));
  for (int i = 0; i < 6; ++i) spare.give(Bytes(9 << 20));
  for (int i = 0; i < 2; ++i) spare.give(Bytes(2 << 20));
  CHECK(spare.take(2 << 20).size() == 2 << 20);
  CHECK(spare.take(2 << 20).size() == 2 << 20);
}

TEST_CASE("Memory that is much too large stays for a larger file") {
  SpareBytes spare(100 << 20, 5);
  spare.give(Bytes(20 << 20));
  CHECK(spare.take(5 << 20).empty());
  CHECK(spare.take(15 << 20).empty());
  CHECK(spare.take(16 << 20).size() == 20 << 20);
}

TEST_CASE("What is kept goes back until it is no more than asked for, the oldest first") {
  SpareBytes spare(1000, 5);
  for (const std::size_t size : {100, 300, 200}) spare.give(Bytes(size));
  CHECK(spare.keep_at_most(1000) == 600);
  CHECK(spare.keep_at_most(350) == 200);
  CHECK(spare.take(100).size() == 200);
  CHECK(spare.keep_at_most(0) == 0);
  CHECK(spare.take(100).empty());
}

}  // namespace spare_bytes_test
