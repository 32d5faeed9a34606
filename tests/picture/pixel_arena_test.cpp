#include "src/picture/pixel_arena.hpp"

#include <catch2/catch_test_macros.hpp>

#include <cstdint>
#include <cstring>
#include <new>

namespace pixel_arena_test {

namespace {

using namespace qturn;

int allocated = 0, released = 0;

const BlockSource counting{
    .allocate = [](std::size_t bytes) -> void* {
      ++allocated;
      return ::operator new(bytes);
    },
    .release =
        [](void* block) {
          ++released;
          ::operator delete(block);
        },
};

void reset_counts() { allocated = released = 0; }

}  // namespace

TEST_CASE("Blocks are aligned, apart from each other and writable to the end") {
  PixelArena arena;
  auto* a = static_cast<std::byte*>(arena.take(1000));
  auto* b = static_cast<std::byte*>(arena.take(1));
  CHECK(reinterpret_cast<std::uintptr_t>(a) % 64 == 0);
  CHECK(reinterpret_cast<std::uintptr_t>(b) % 64 == 0);
  std::memset(a, 1, 1000);
  std::memset(b, 2, 1);
  CHECK(a[999] == std::byte{1});
  CHECK(b[0] == std::byte{2});
}

TEST_CASE("Ordinary blocks go back at each clear") {
  reset_counts();
  PixelArena arena(counting);
  arena.take(10);
  arena.take(20);
  arena.clear();
  CHECK(allocated == 2);
  CHECK(released == 2);
  arena.take(10);
  CHECK(allocated == 3);
}

TEST_CASE("Kept blocks serve the next picture, the smallest that is large enough first") {
  reset_counts();
  {
    PixelArena arena(counting, 10000);
    void* large = arena.take(1000);
    void* small = arena.take(100);
    arena.clear();
    CHECK(released == 0);
    CHECK(arena.take(90) == small);
    CHECK(arena.take(90) == large);
    CHECK(allocated == 2);
    arena.take(90);
    CHECK(allocated == 3);
  }
  CHECK(released == allocated);
}

TEST_CASE("A kept block that is too small makes room for the larger one") {
  reset_counts();
  PixelArena arena(counting, 10000);
  arena.take(100);
  arena.clear();
  arena.take(200);
  CHECK(allocated == 2);
  CHECK(released == 1);
}

TEST_CASE("A kept block that is much too large goes back, with all others that are kept") {
  reset_counts();
  PixelArena arena(counting, 100 << 20);
  arena.take(20 << 20);
  arena.take(1000);
  arena.clear();
  CHECK(arena.kept_bytes() == (20 << 20) + 1000);
  arena.take(17 << 20);
  CHECK(allocated == 3);
  CHECK(released == 2);
  arena.clear();
  arena.take((17 << 20) - 1000);
  CHECK(allocated == 3);
}

TEST_CASE("Kept blocks go back until they are no more than asked for, and taken ones stay") {
  reset_counts();
  PixelArena arena(counting, 1000);
  arena.take(300);
  arena.take(200);
  arena.clear();
  arena.keep_at_most(500);
  CHECK(released == 0);
  arena.keep_at_most(250);
  CHECK(released == 1);
  CHECK(arena.kept_bytes() == 200);
  arena.take(200);
  arena.keep_at_most(0);
  CHECK(released == 1);
  arena.release();
  CHECK(released == 2);
}

TEST_CASE("No more is kept than asked for") {
  reset_counts();
  PixelArena arena(counting, 250);
  arena.take(200);
  arena.take(100);
  arena.take(50);
  arena.clear();
  CHECK(released == 1);
  arena.take(200);
  arena.take(50);
  CHECK(allocated == 3);
}

TEST_CASE("What was taken is released with the arena") {
  reset_counts();
  { PixelArena(counting).take(5); }
  CHECK(released == 1);
}

}  // namespace pixel_arena_test
