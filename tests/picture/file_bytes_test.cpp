#include "src/picture/file_bytes.hpp"

#include <catch2/catch_test_macros.hpp>

#include <array>

namespace qturn::tests::file_bytes_test {
namespace {

const Bytes three = {std::byte{1}, std::byte{2}, std::byte{3}};

Bytes all_of(const FileBytes& bytes) { return {bytes.begin(), bytes.end()}; }

/// Memory for five bytes, which counts how often it comes back.
struct Lender {
  std::array<std::byte, 5> memory{};
  int returned = 0;

  FileBytes lend() {
    return {FileBytes::Memory(memory.data(),
                              [this](std::byte* back) { returned += back == memory.data(); }),
            memory.size()};
  }
};

}  // namespace

TEST_CASE("a vector goes in and comes out where it lies") {
  Bytes vector = three;
  const std::byte* const place = vector.data();
  FileBytes bytes = std::move(vector);
  CHECK(bytes.data() == place);
  bytes.resize(2);
  CHECK(bytes.size() == 2);
  const Bytes out = std::move(bytes);
  CHECK(out.data() == place);
  CHECK(out.size() == 2);
}

TEST_CASE("lent memory is used up to its capacity, and goes back once") {
  Lender lender;
  {
    FileBytes bytes = lender.lend();
    CHECK(bytes.empty());
    CHECK(bytes.capacity() == 5);
    bytes.append(three);
    bytes.append(std::span(three).first(2));
    CHECK(bytes.data() == lender.memory.data());
    CHECK(all_of(bytes) == Bytes{three[0], three[1], three[2], three[0], three[1]});
    FileBytes moved = std::move(bytes);
    CHECK(moved.size() == 5);
    CHECK(moved.data() == lender.memory.data());
    CHECK(lender.returned == 0);
  }
  CHECK(lender.returned == 1);
}

TEST_CASE("what does not fit into lent memory becomes a vector with the same bytes") {
  Lender lender;
  FileBytes bytes = lender.lend();
  bytes.append(three);
  bytes.append(three);
  CHECK(lender.returned == 1);
  CHECK(all_of(bytes) == Bytes{three[0], three[1], three[2], three[0], three[1], three[2]});
  CHECK(bytes.data() != lender.memory.data());
}

TEST_CASE("lent memory becomes a copy where a vector is wanted, and is not one for other bytes") {
  Lender lender;
  FileBytes bytes = lender.lend();
  bytes.append(three);
  const Bytes copy = std::move(bytes);
  CHECK(copy == three);
  CHECK(FileBytes(three).size() == 3);
  CHECK(std::move(bytes).spare().empty());
  CHECK(FileBytes(three).spare() == three);
}

}  // namespace qturn::tests::file_bytes_test
