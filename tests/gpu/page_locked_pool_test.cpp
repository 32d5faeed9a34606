// Which piece of memory the pool gives. No GPU is needed: the blocks are plain memory.
#include "src/gpu/owners.hpp"

#include <catch2/catch_test_macros.hpp>

#include <cstdlib>
#include <vector>

namespace qturn::tests::page_locked_pool_test {
namespace {

constexpr std::size_t mebibyte = std::size_t{1} << 20;

PageLockedPool::PageLocked plain_block(std::size_t bytes) {
  return PageLockedPool::PageLocked(static_cast<std::byte*>(std::malloc(bytes)));
}

TEST_CASE("Of the pieces of one size that came back, the newest is given first") {
  PageLockedPool pool(64 * mebibyte, plain_block);
  std::vector<FileBytes> pieces;
  for (int i = 0; i < 3; ++i) pieces.push_back(pool.take(mebibyte));
  const std::byte *const first = pieces[0].data(), *const second = pieces[1].data();
  pieces[0] = {};
  pieces[1] = {};
  const FileBytes newest = pool.take(mebibyte);
  CHECK(newest.data() == second);
  const FileBytes older = pool.take(mebibyte);
  CHECK(older.data() == first);
}

TEST_CASE("A piece that came back is given for a little less, but not for much less") {
  PageLockedPool pool(64 * mebibyte, plain_block);
  FileBytes piece = pool.take(mebibyte);
  const std::byte* const data = piece.data();
  piece = {};
  const FileBytes small = pool.take(mebibyte / 2);
  CHECK(small.data() != data);
  const FileBytes fits = pool.take(mebibyte - mebibyte / 8);
  CHECK(fits.data() == data);
}

}  // namespace
}  // namespace qturn::tests::page_locked_pool_test
