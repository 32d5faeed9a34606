#include "tests/fuzz/structure_mutator.hpp"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <filesystem>
#include <map>
#include <string>

#include "kernels/jpeg/src/markers.hpp"
#include "src/formats/codec/zlib.hpp"
#include "src/formats/container/boxes.hpp"
#include "src/formats/heif/heif.hpp"
#include "src/metadata/tiff_structure.hpp"
#include "src/picture/bytes.hpp"
#include "tests/fixtures/sources.hpp"
#include "tests/fixtures/tar_files.hpp"
#include "tests/fixtures/temporary_folder.hpp"

namespace structure_mutator_test {

namespace {

using namespace qturn;
using File = std::span<const std::byte>;

// As libFuzzer does it: a byte changes, and the size may.
std::size_t mutate(std::uint8_t* data, std::size_t size, std::size_t most) {
  static unsigned calls = 0;
  const std::size_t now = ++calls % 3 == 0 ? most : size;
  std::fill(data + size, data + std::max(size, now), std::uint8_t{0x5A});
  if (size > 0) data[calls % size] ^= 0xFF;
  return now;
}

// How many parts the file has, each as long as it says and where it should be; -1 if one is not.
int segments(File file) {
  JpegMarkers markers(file);
  int count = 0;
  while (const auto segment = markers.next()) {
    ++count;
    if (segment->marker == jpeg_marker::eoi) return count;
  }
  return -1;
}

int chunks(File file) {
  std::size_t at = 8;
  int count = 0;
  for (; file.size() - at >= 12; ++count) {
    const auto length = static_cast<std::size_t>(big_endian(file, at, 4));
    if (length > file.size() - at - 12) return -1;
    if (crc32(file.subspan(at + 4, 4 + length)) != big_endian(file, at + 8 + length, 4)) return -1;
    at += 12 + length;
  }
  return at == file.size() ? count : -1;
}

int boxes(File file) {
  int count = 0;
  std::uint64_t end = 0;
  try {
    for_each_box(file, 0, file.size(), [&](const Box& box) {
      ++count;
      end = box.end;
    });
  } catch (const ImageFileError&) {
    return -1;
  }
  return end == file.size() ? count : -1;
}

// Of the first directory, which lead to the others.
int entries(File file) {
  if (file.size() < 8) return -1;
  Bytes plain(file.begin(), file.end());  // of a camera raw file
  const std::size_t low = file[0] == std::byte{'I'} ? 2 : 3;
  if (plain[low] != std::byte{43}) {
    plain[low] = std::byte{42};
    plain[5 - low] = std::byte{0};
  }
  const auto tiff = TiffStructure::open(plain);
  if (!tiff) return -1;
  int count = 0;
  std::uint64_t at = tiff->first_directory();
  for (int directories = 0; at != 0 && directories < 20; ++directories) {
    const TiffEntries directory = tiff->directory(at);
    if (!directory.whole || !std::ranges::is_sorted(directory.entries, {}, &TiffEntry::tag))
      return -1;
    count += static_cast<int>(directory.entries.size());
    at = directory.next;
  }
  return count;
}

int members(File file) {
  int count = 0;
  try {
    TarReader reader(::tests::reader_of(std::string(text_of(file))));
    while (reader.next()) ++count;
  } catch (const TarError& error) {
    // A changed header may mean another kind of member, whose content means something.
    return std::string_view(error.what()).find("hecksum") == std::string_view::npos ? count : -1;
  }
  return count;
}

struct Kind {
  const char* folder;
  int (*parts)(File);
};

}  // namespace

TEST_CASE("A changed structure is one that parses") {
  for (const Kind& kind :
       {Kind{"jpeg", segments}, Kind{"png", chunks}, Kind{"tiff", entries}, Kind{"heif", boxes},
        Kind{"jxl", boxes}, Kind{"raw", entries}, Kind{"tar", members}}) {
    INFO(kind.folder);
    std::map<int, int> changes;  // of the number of parts
    int files = 0, same = 0;
    const auto folder = qturn::tests::sources() / "tests/fuzz" / kind.folder;
    for (const auto& seed_file : std::filesystem::directory_iterator(folder)) {
      INFO(seed_file.path());
      // What fuzzing adds has its hash for a name, and may parse one way here and another there.
      constexpr std::size_t hash_digits = 40;
      if (seed_file.path().filename().string().size() == hash_digits) continue;
      const std::string text = content_of(seed_file.path());
      // The first byte of a seed of png_fuzz is not the file's.
      const File file = bytes_of(text).subspan(kind.parts == chunks ? 1 : 0);
      const int before = kind.parts(file);
      // A codestream without boxes, a compressed tar, or what fuzzing has found.
      if (before <= 0 || fuzz::mutated_structure(file, 1, mutate).empty()) continue;
      ++files;
      for (std::uint32_t seed = 0; seed < 200; ++seed) {
        INFO(seed);
        const Bytes made = fuzz::mutated_structure(file, seed, mutate);
        const int after = kind.parts(made);
        REQUIRE(after >= 0);
        ++changes[after - before];
        same += std::ranges::equal(made, file);
      }
    }
    CHECK(files > 1);
    CHECK(same < 30 * files);
    CHECK(changes[0] > 50 * files);   // exchanged, or with other content
    CHECK(changes[1] > 10 * files);   // inserted
    CHECK(changes[-1] > 10 * files);  // deleted
  }
}

TEST_CASE("The same seed makes the same change, and another one another") {
  const auto file = content_of(qturn::tests::sources() / "tests/fuzz/jpeg/100.jpg");
  const auto keep = [](std::uint8_t*, std::size_t size, std::size_t) { return size; };
  CHECK(fuzz::mutated_structure(bytes_of(file), 5, keep) ==
        fuzz::mutated_structure(bytes_of(file), 5, keep));
  CHECK(fuzz::mutated_structure(bytes_of(file), 5, keep) !=
        fuzz::mutated_structure(bytes_of(file), 6, keep));
}

TEST_CASE("Items of a HEIC stay where they are in the data when it moves") {
  const auto text = content_of(qturn::tests::sources() / "tests/fuzz/heif/heic");
  const File file = bytes_of(text);
  const auto first_bytes = [](File of) {
    const heif::HeifFile heif(of, Limits{});
    return heif.content(heif.item(heif.primary)).value();
  };
  int moved = 0;
  for (std::uint32_t seed = 0; seed < 500; ++seed) {
    // Content stays, so nothing but the places can make the picture another one.
    const Bytes made = fuzz::mutated_structure(
        file, seed, [](std::uint8_t*, std::size_t size, std::size_t) { return size; });
    try {
      const auto mdat = find_box(made, 0, made.size(), "mdat");
      if (!mdat || mdat->begin == find_box(file, 0, file.size(), "mdat")->begin) continue;
      if (first_bytes(made) == first_bytes(file)) ++moved;
    } catch (const ImageFileError&) {  // a box is missing, or is there twice
    }
  }
  CHECK(moved > 20);
}

TEST_CASE("A file without such a structure is left to others") {
  for (const char* text : {"", "0 .5 .5 .5 .5\n", "{\"images\": []}", "GIF89a", "II", "MM\0*"}) {
    CHECK(fuzz::mutated_structure(bytes_of(text), 1, mutate).empty());
  }
}

}  // namespace structure_mutator_test
