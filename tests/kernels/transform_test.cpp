#include <qturn/cpu.hpp>

#include <sys/mman.h>
#include <unistd.h>
#ifdef __aarch64__
#include <sys/auxv.h>
#include <sys/prctl.h>
#endif

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <cstdint>
#include <limits>
#include <vector>

#include "kernels/src/cpu/paths.hpp"
#include "tests/fixtures/pictures.hpp"

namespace qturn::tests::transform_test {
namespace {

using Catch::Matchers::Message;

std::string difference_from_definition(const Plan& src, Layout dst_layout,
                                       Orientation orientation) {
  const Size turned = turned_size(orientation, {src.width, src.height});
  const Plan dst{turned.width, turned.height, src.pixel_bytes, dst_layout};
  std::vector<unsigned char> from = random_bytes(src.buffer_bytes(), 1);
  std::vector<unsigned char> got = random_bytes(dst.buffer_bytes(), 2);
  std::vector<unsigned char> wanted = got;
  transform_by_definition(src.view_in(from.data()), dst.view_in(wanted.data()), orientation);
  transform(src.view_in(from.data()), dst.view_in(got.data()), orientation);
  const std::string difference = first_difference(dst, got, wanted);
  return difference.empty() ? "" : describe(src, dst, orientation) + ": " + difference;
}

TEST_CASE("every orientation of every pixel size is its definition, whatever the sizes") {
  const int pixel_bytes =
      GENERATE(1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 15, 16, 24, 31, 32, 33, 48, 64, 100, 255, 256);
  const std::int64_t sizes[][2] = {{1, 1},   {1, 40},  {40, 1},  {15, 16},  {16, 17},  {17, 15},
                                   {31, 33}, {32, 32}, {33, 64}, {63, 127}, {129, 65}, {200, 3},
                                   {2, 99},  {3, 100}, {4, 37},  {5, 8},    {16, 33}};
  const Layout layouts[] = {{}, {5, 3, false, 814}, {16, 16, false}, {1, 7, true, -813}};
  for (const auto& size : sizes) {
    for (const Layout& src : layouts) {
      for (const Layout& dst : layouts) {
        for (Orientation orientation : all_orientations) {
          const Plan plan{size[0], size[1], pixel_bytes, src};
          const std::string difference = difference_from_definition(plan, dst, orientation);
          if (!difference.empty()) FAIL(difference);
        }
      }
    }
  }
}

TEST_CASE("every pixel size from 1 to 256 bytes works") {
  for (int pixel_bytes = 1; pixel_bytes <= 256; ++pixel_bytes) {
    for (Orientation orientation : all_orientations) {
      const Plan src{19, 18, pixel_bytes, {2, 1, false}};
      const std::string difference = difference_from_definition(src, {1, 3, false}, orientation);
      if (!difference.empty()) FAIL(difference);
    }
  }
}

// All that the CPU can do, on the same pixels: each way must be the definition, byte for byte, and
// leave alone what lies around the picture. Past the caches too, however small the picture is.
std::string difference_of_a_path(const Plan& src, Layout dst_layout, Orientation orientation) {
  const Size turned = turned_size(orientation, {src.width, src.height});
  const Plan dst{turned.width, turned.height, src.pixel_bytes, dst_layout};
  std::vector<unsigned char> from = random_bytes(src.buffer_bytes(), 3);
  const std::vector<unsigned char> poison = random_bytes(dst.buffer_bytes(), 4);
  std::vector<unsigned char> wanted = poison;
  transform_by_definition(src.view_in(from.data()), dst.view_in(wanted.data()), orientation);
  for (const CpuPath& path : cpu_paths()) {
    for (Store store : {Store::through_caches, Store::past_caches}) {
      std::vector<unsigned char> got = poison;
      path.move(reduce(src.view_in(from.data()), dst.view_in(got.data()), orientation), store);
      const std::string difference = first_difference(dst, got, wanted);
      if (!difference.empty()) {
        return std::string(path.name) +
               (store == Store::past_caches ? " past the caches: " : " through the caches: ") +
               describe(src, dst, orientation) + ": " + difference;
      }
    }
  }
  return {};
}

TEST_CASE("the last path is the plain one") {
  REQUIRE_FALSE(cpu_paths().empty());
  CHECK(std::string(cpu_paths().back().name) == "plain");
}

#if defined(__aarch64__) && !defined(__clang__)  // for whose versions Highway has no SVE
TEST_CASE("SVE comes first where its vectors are longer than NEON's") {
  std::string names;
  for (const CpuPath& path : cpu_paths()) names += std::string(path.name) + " ";
  const bool has_sve = (getauxval(AT_HWCAP) & HWCAP_SVE) != 0;
  const bool is_long = has_sve && (prctl(PR_SVE_GET_VL) & PR_SVE_VL_LEN_MASK) > 16;
  CHECK(names == (!has_sve ? "NEON plain " : is_long ? "SVE NEON plain " : "NEON SVE plain "));
}
#endif

TEST_CASE("every instruction set moves the same pixels, at the edges of tiles, strips and bands") {
  const int pixel_bytes = GENERATE(1, 2, 3, 4, 5, 6, 8, 12, 16, 24);
  const std::int64_t edges[] = {1, 2, 3, 4, 5, 7, 8, 15, 16, 17, 31, 33, 63, 64, 65, 129};
  const Layout layouts[] = {{}, {5, 3, false, 814}, {64, 64, false}, {1, 7, true, -813}};
  int which = 0;
  for (std::int64_t width : edges) {
    for (std::int64_t height : edges) {
      // Sizes are many; the layouts of source and destination take turns.
      const Layout& src = layouts[which % 4];
      const Layout& dst = layouts[which / 4 % 4];
      ++which;
      for (Orientation orientation : all_orientations) {
        const Plan plan{width, height, pixel_bytes, src};
        const std::string difference = difference_of_a_path(plan, dst, orientation);
        if (!difference.empty()) FAIL(difference);
      }
    }
  }
  // Beyond a strip of 512 bytes, and a band of 4096.
  const std::int64_t large[][2] = {
      {4096 / pixel_bytes + 9, 130}, {130, 4096 / pixel_bytes + 9}, {515, 513}};
  for (const auto& size : large) {
    for (Orientation orientation : {Orientation::rotate90, Orientation::transverse,
                                    Orientation::rotate180, Orientation::flip}) {
      const Plan plan{size[0], size[1], pixel_bytes, layouts[1]};
      const std::string difference = difference_of_a_path(plan, layouts[3], orientation);
      if (!difference.empty()) FAIL(difference);
    }
  }
}

// Memory that ends, and begins, at a page that may not be touched.
class GuardedMemory {
 public:
  explicit GuardedMemory(std::size_t bytes)
      : page_(static_cast<std::size_t>(sysconf(_SC_PAGESIZE))),
        inside_((bytes + page_ - 1) / page_ * page_),
        memory_(mmap(nullptr, inside_ + 2 * page_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) {
    REQUIRE(memory_ != MAP_FAILED);
    REQUIRE(mprotect(first(), inside_, PROT_READ | PROT_WRITE) == 0);
  }
  GuardedMemory(const GuardedMemory&) = delete;
  GuardedMemory& operator=(const GuardedMemory&) = delete;
  ~GuardedMemory() { munmap(memory_, inside_ + 2 * page_); }

  unsigned char* first() const { return static_cast<unsigned char*>(memory_) + page_; }
  unsigned char* last(std::size_t bytes) const { return first() + inside_ - bytes; }

 private:
  std::size_t page_;
  std::size_t inside_;
  void* memory_;
};

TEST_CASE("no instruction set reads or writes a byte beside the pictures") {
  const int pixel_bytes = GENERATE(1, 2, 3, 4, 6, 8, 12, 16);
  const GuardedMemory src_memory(66 * 64 * 16);
  const GuardedMemory dst_memory(66 * 64 * 16);
  int moved = 0, wrong = 0;
  for (std::int64_t width : {2, 5, 17, 33, 64, 66}) {
    for (std::int64_t height : {2, 5, 17, 33, 64, 61}) {
      const auto bytes = static_cast<std::size_t>(width * height * pixel_bytes);
      for (Orientation orientation : all_orientations) {
        const Size turned = turned_size(orientation, {width, height});
        for (const bool at_the_end : {false, true}) {
          unsigned char* from = at_the_end ? src_memory.last(bytes) : src_memory.first();
          unsigned char* to = at_the_end ? dst_memory.last(bytes) : dst_memory.first();
          const std::vector<unsigned char> pixels = random_bytes(width * height * pixel_bytes, 1);
          std::copy(pixels.begin(), pixels.end(), from);
          const ConstView src{from, width, height, width * pixel_bytes, pixel_bytes};
          const View dst{to, turned.width, turned.height, turned.width * pixel_bytes, pixel_bytes};
          std::vector<unsigned char> wanted(bytes);
          transform_by_definition(
              src,
              {wanted.data(), turned.width, turned.height, turned.width * pixel_bytes, pixel_bytes},
              orientation);
          const Reduced reduced = reduce(src, dst, orientation);
          for (const CpuPath& path : cpu_paths()) {
            for (const Store store : {Store::through_caches, Store::past_caches}) {
              std::fill_n(to, bytes, static_cast<unsigned char>(0xCD));
              path.move(reduced, store);
              ++moved;
              wrong += !std::equal(wanted.begin(), wanted.end(), to);
            }
          }
        }
      }
    }
  }
  CHECK(moved > 0);
  CHECK(wrong == 0);
}

TEST_CASE("a picture that no cache holds is moved like any other") {
  const Plan src{3001, 2801, 1, {3, 1, false}};
  for (Orientation orientation : {Orientation::rotate90, Orientation::flop, Orientation::flip}) {
    CHECK(difference_from_definition(src, {1, 5, false}, orientation) == "");
  }
  const Reduced small =
      reduce({&src, 100, 100, 100, 1}, {nullptr, 100, 100, 100, 1}, Orientation::identity);
  CHECK(store_for(small) == Store::through_caches);
  const Reduced large =
      reduce({&src, 3001, 2801, 3001, 1}, {nullptr, 3001, 2801, 3001, 1}, Orientation::identity);
  CHECK(store_for(large) == Store::past_caches);
  // 6 MB go past the caches where they are copied, and not where they are transposed.
  const ConstView hd{&src, 1920, 1080, 5760, 3};
  CHECK(store_for(reduce(hd, {nullptr, 1920, 1080, 5760, 3}, Orientation::flip)) ==
        Store::past_caches);
  CHECK(store_for(reduce(hd, {nullptr, 1080, 1920, 3240, 3}, Orientation::transpose)) ==
        Store::through_caches);
}

TEST_CASE("an empty picture is a no-op") {
  unsigned char byte = 7;
  transform({nullptr, 0, 5, 0, 1}, {nullptr, 5, 0, 0, 1}, Orientation::rotate90);
  transform({nullptr, 0, 0, 0, 3}, {&byte, 0, 0, 0, 3}, Orientation::flop);
  CHECK(byte == 7);
}

TEST_CASE("a source whose rows are all the same row may be spread") {
  std::vector<unsigned char> row{1, 2, 3};
  std::vector<unsigned char> got(6);
  transform({row.data(), 3, 2, 0, 1}, {got.data(), 3, 2, 3, 1}, Orientation::flop);
  CHECK(got == std::vector<unsigned char>{3, 2, 1, 3, 2, 1});
}

TEST_CASE("one half of a picture may be turned into its other half") {
  std::vector<unsigned char> picture{1, 2, 0, 0, 3, 4, 0, 0};
  const View whole{picture.data(), 4, 2, 4, 1};
  transform(sub_view(whole, 0, 0, 2, 2), sub_view(whole, 2, 0, 2, 2), Orientation::rotate90);
  CHECK(picture == std::vector<unsigned char>{1, 2, 3, 1, 3, 4, 4, 2});
}

TEST_CASE("pixels are turned by their size alone, whatever they mean") {
  const std::uint16_t src[2][3] = {{1, 2, 3}, {4, 5, 6}};  // 1 x 2 pixels of 3 channels
  std::uint16_t dst[6] = {};
  transform({src[0], 1, 2, 6, 6}, {dst, 2, 1, 12, 6}, Orientation::rotate90);
  CHECK(std::vector<std::uint16_t>(dst, dst + 6) == std::vector<std::uint16_t>{4, 5, 6, 1, 2, 3});

  const float quiet[2] = {std::numeric_limits<float>::quiet_NaN(), -0.0f};
  float turned[2] = {};
  transform({quiet, 2, 1, 8, 4}, {turned, 2, 1, 8, 4}, Orientation::flop);
  CHECK(std::memcmp(&turned[1], &quiet[0], 4) == 0);
  CHECK(std::memcmp(&turned[0], &quiet[1], 4) == 0);

  const std::uint8_t rgba[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  std::uint8_t mirrored[8] = {};
  transform({rgba, 2, 1, 8, 4}, {mirrored, 2, 1, 8, 4}, Orientation::rotate180);
  CHECK(std::vector<std::uint8_t>(mirrored, mirrored + 8) ==
        std::vector<std::uint8_t>{5, 6, 7, 8, 1, 2, 3, 4});
}

unsigned char source_memory[64];
unsigned char target_memory[64];

void refused(ConstView src, View dst, const char* message,
             Orientation orientation = Orientation::flop) {
  CHECK_THROWS_MATCHES(transform(src, dst, orientation), std::invalid_argument, Message(message));
}

TEST_CASE("a destination of the wrong shape is refused with both shapes") {
  refused({source_memory, 4, 3, 4, 1}, {target_memory, 4, 3, 4, 1}, "dst is 4x3, expected 3x4",
          Orientation::rotate90);
  refused({source_memory, 4, 3, 4, 1}, {target_memory, 3, 4, 3, 1}, "dst is 3x4, expected 4x3",
          Orientation::flip);
}

TEST_CASE("pixels of different sizes, of no byte or of more than 256 are refused") {
  refused({source_memory, 2, 2, 6, 3}, {target_memory, 2, 2, 8, 4},
          "dst has pixels of 4 bytes, expected 3");
  refused({source_memory, 1, 1, 8, 0}, {target_memory, 1, 1, 8, 0},
          "src has pixels of 0 bytes, expected 1 to 256");
  refused({source_memory, 0, 1, 8, 1}, {target_memory, 0, 1, 8, 257},
          "dst has pixels of 257 bytes, expected 1 to 256");
}

TEST_CASE("a negative width or height, and pixels at address 0, are refused") {
  refused({source_memory, -1, 2, 4, 1}, {target_memory, -1, 2, 4, 1},
          "src is -1x2, expected no less than 0x0");
  refused({source_memory, 2, 2, 2, 1}, {nullptr, 2, 2, 2, 1}, "dst is 2x2 at address 0");
}

TEST_CASE("views of more bytes than any memory has are refused") {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();
  const View small{target_memory, 1, 2, 1, 1};
  refused({source_memory, most / 2, 1, 0, 4}, small,
          "src is 4611686018427387903x1 with a pitch of 0, expected no more than 2^62 bytes");
  refused({source_memory, 1, 2, least, 1}, small,
          "src is 1x2 with a pitch of -9223372036854775808, expected no more than 2^62 bytes");
  refused({source_memory, 1, most, 4, 1}, small,
          "src is 1x9223372036854775807 with a pitch of 4, expected no more than 2^62 bytes");
  // The pitch of a single row has no meaning.
  const View row{target_memory, 1, 1, most, 1};
  CHECK_NOTHROW(transform({source_memory, 1, 1, least, 1}, row, Orientation::flop));
}

TEST_CASE("a destination whose rows overlap each other is refused") {
  refused({source_memory, 4, 2, 4, 1}, {target_memory, 4, 2, -3, 1},
          "dst has a pitch of -3, expected at least 4 either way");
}

TEST_CASE("a source and a destination that share a byte are refused") {
  const auto refused = [](ConstView src, View dst) {
    CHECK_THROWS_AS(transform(src, dst, Orientation::flop), std::invalid_argument);
  };
  const View whole{source_memory, 8, 8, 8, 1};
  transform_test::refused(whole, whole, "src 8x8 and dst 8x8 overlap in memory");
  refused(sub_view(whole, 0, 0, 4, 4), sub_view(whole, 3, 3, 4, 4));
  refused(sub_view(whole, 4, 4, 4, 4), sub_view(whole, 1, 1, 4, 4));
  // Upside down, and around the end of a row.
  refused(sub_view(whole, 0, 0, 4, 4), {source_memory + 4 * 8, 4, 4, -8, 1});
  refused({source_memory + 6, 4, 2, 8, 1}, {source_memory, 4, 2, 8, 1});
  // Other pitches are compared by their spans.
  refused({source_memory, 4, 4, 8, 1}, {source_memory + 5, 4, 4, 9, 1});
}

TEST_CASE("rectangles side by side in one picture do not overlap") {
  const View whole{source_memory, 8, 8, 8, 1};
  const auto allowed = [](ConstView src, View dst) {
    CHECK_NOTHROW(transform(src, dst, Orientation::flop));
  };
  allowed(sub_view(whole, 0, 0, 4, 8), sub_view(whole, 4, 0, 4, 8));
  allowed(sub_view(whole, 4, 0, 4, 8), sub_view(whole, 0, 0, 4, 8));
  allowed(sub_view(whole, 4, 0, 4, 4), sub_view(whole, 0, 2, 4, 4));
  allowed(sub_view(whole, 0, 0, 8, 4), sub_view(whole, 0, 4, 8, 4));
  allowed(sub_view(whole, 0, 0, 4, 8), {source_memory + 7 * 8 + 4, 4, 8, -8, 1});
  allowed(sub_view(whole, 0, 0, 4, 1), sub_view(whole, 4, 0, 4, 1));
}

TEST_CASE("a number that is not an orientation is refused, of an empty picture too") {
  const auto wrong = static_cast<Orientation>(0);
  const char* message = "orientation is 0, expected 1 to 8";
  refused({source_memory, 2, 2, 2, 1}, {target_memory, 2, 2, 2, 1}, message, wrong);
  refused({}, {}, message, wrong);
}

}  // namespace
}  // namespace qturn::tests::transform_test
