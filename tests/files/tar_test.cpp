#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <sys/stat.h>

#include <atomic>
#include <cstring>

#include "src/files/tar/input.hpp"
#include "src/sinks/tar_sample_writer.hpp"
#include "tests/fixtures/tar_files.hpp"
#include "tests/fixtures/temporary_folder.hpp"

namespace tar_test {

using Catch::Matchers::ContainsSubstring;
using qturn::TarError;
using qturn::TarReader;
using tests::Members;

namespace {

const Members three = {{"x/a.jpg", std::string(700, 'a')},
                       {"x/a.txt", ""},
                       {"x/" + std::string(200, 'b') + ".cls", "1"}};

qturn::NewMember member(const std::string& name, const std::string& content) {
  const auto bytes = qturn::bytes_of(content);
  return {name, {bytes.begin(), bytes.end()}};
}

std::string written(const Members& members) {
  std::string made;
  qturn::TarWriter writer([&](std::span<const std::byte> part) { made += qturn::text_of(part); });
  for (const auto& [name, content] : members) writer.add(member(name, content));
  writer.finish();
  return made;
}

std::string refusal(const std::string& name, const std::string& content) {
  TarReader reader(tests::reader_of(tests::tar({{name, content}})));
  return reader.next().value().refusal;
}

}  // namespace

TEST_CASE("Tars are read in any form, compressed or not") {
  for (const int format :
       {ARCHIVE_FORMAT_TAR_USTAR, ARCHIVE_FORMAT_TAR_PAX_INTERCHANGE, ARCHIVE_FORMAT_TAR_GNUTAR}) {
    for (const int filter : {ARCHIVE_FILTER_NONE, ARCHIVE_FILTER_GZIP, ARCHIVE_FILTER_ZSTD}) {
      CAPTURE(format, filter);
      const Members some =
          format == ARCHIVE_FORMAT_TAR_USTAR ? Members(three.begin(), three.begin() + 2) : three;
      const std::string file = tests::tar(some, {format, filter});
      CHECK(
          qturn::may_be_tar(qturn::bytes_of(file).first(std::min<std::size_t>(file.size(), 512))));
      CHECK(tests::members_of(file) == some);
    }
  }
  CHECK_FALSE(qturn::may_be_tar(qturn::bytes_of(std::string(512, 'x'))));
  CHECK_FALSE(qturn::may_be_tar(qturn::bytes_of(std::string(512, '\0'))));
  CHECK_THROWS_WITH(TarReader(tests::reader_of("some text")), "is not a tar");
}

TEST_CASE("A tar that is a file is listed without its contents, which are read where they lie") {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder.path() / "in.tar";
  for (const int format :
       {ARCHIVE_FORMAT_TAR_USTAR, ARCHIVE_FORMAT_TAR_PAX_INTERCHANGE, ARCHIVE_FORMAT_TAR_GNUTAR}) {
    CAPTURE(format);
    Members some =
        format == ARCHIVE_FORMAT_TAR_USTAR ? Members(three.begin(), three.begin() + 2) : three;
    some.emplace_back("large.png", std::string(3 << 20, 'p'));
    some.emplace_back("last.txt", "last");
    folder.add("in.tar", tests::tar(some, {format, ARCHIVE_FILTER_NONE}));
    const std::atomic<bool> stop{false};
    qturn::TarInput input(file, stop);
    std::size_t read = 0;
    TarReader reader(
        [&](std::span<std::byte> memory) {
          const std::size_t got = input.read_some(memory);
          read += got;
          return got;
        },
        [&](std::uint64_t bytes) { return input.skip(bytes); });
    qturn::TarFiles files(file);
    while (const auto member = reader.next()) {
      REQUIRE(member->offset);
      CHECK(files.add(*member));
      CHECK_FALSE(files.add(*member));
    }
    CHECK(read < 100'000);
    for (const auto& [name, content] : some) {
      const qturn::Bytes whole = qturn::read_head(file / name, 4 << 20, &files);
      CHECK(qturn::text_of(whole) == content);
      const qturn::Bytes head = qturn::read_head(file / name, 3, &files);
      CHECK(qturn::text_of(head) == content.substr(0, 3));
    }
    CHECK_FALSE(files.contain(file / "other.txt"));
    CHECK_FALSE(files.contain("last.txt"));
    folder.add("in.tar", "another");
    CHECK_THROWS_WITH(qturn::read_head(file / "last.txt", 9, &files),
                      ContainsSubstring("in.tar: has changed since it was listed"));
  }
}

TEST_CASE("A tar that is cut where its contents are passed over is not taken for whole") {
  const TemporaryFolder folder;
  const std::string whole = tests::tar({{"a.png", std::string(9000, 'a')}, {"b.png", "b"}});
  for (const std::size_t bytes : {511, 512, 700, 9000, 9727, 9728, 9729, 10240, 10752}) {
    CAPTURE(bytes);
    folder.add("in.tar", whole.substr(0, bytes));
    const auto list = [&] {
      const std::atomic<bool> stop{false};
      qturn::TarInput input(folder.path() / "in.tar", stop);
      TarReader reader([&](std::span<std::byte> memory) { return input.read_some(memory); },
                       [&](std::uint64_t passed) { return input.skip(passed); });
      while (reader.next()) {
      }
    };
    CHECK_THROWS_AS(list(), TarError);
  }
}

TEST_CASE("A written tar is the same whatever the day, and holds names as they are") {
  Members members = three;
  members.emplace_back("\xe4\xff.jpg", "latin");
  const std::string file = written(members);
  CHECK(tests::members_of(file) == members);
  CHECK(file.size() % 512 == 0);
  CHECK(file.substr(108, 28) == std::string("0000000\0"
                                            "0000000\0"
                                            "00000001274\0",
                                            28));  // owners, size
  CHECK(file.substr(136, 11) == "00000000000");    // time
  CHECK(written(members) == file);
}

TEST_CASE("A tar that is cut anywhere is never taken for whole") {
  const std::string file = written(three);
  std::size_t most = 0;
  // The last block of zeros may be missing.
  for (std::size_t bytes = 512; bytes < file.size() - 512; bytes += bytes % 512 == 1 ? 510 : 1) {
    CAPTURE(bytes);
    TarReader reader(tests::reader_of(file.substr(0, bytes)));
    std::size_t whole = 0;
    CHECK_THROWS_AS(
        [&] {
          while (reader.next()) {
            (void)reader.content();
            ++whole;
          }
        }(),
        TarError);
    most = std::max(most, whole);
  }
  CHECK(most == 3);
  for (const int filter : {ARCHIVE_FILTER_GZIP, ARCHIVE_FILTER_ZSTD}) {
    const std::string packed = tests::tar(three, {ARCHIVE_FORMAT_TAR_GNUTAR, filter});
    for (std::size_t bytes = 8; bytes < packed.size() - 8; ++bytes) {
      CAPTURE(filter, bytes);
      CHECK_THROWS_AS(tests::members_of(packed.substr(0, bytes)), TarError);
    }
  }
}

TEST_CASE("A gzip tar whose checksum, length or end is wrong is never taken for whole") {
  const std::string packed = tests::tar(three, {ARCHIVE_FORMAT_TAR_GNUTAR, ARCHIVE_FILTER_GZIP});
  for (std::size_t at = packed.size() - 8; at < packed.size(); ++at) {
    CAPTURE(at);
    std::string damaged = packed;
    damaged[at] = static_cast<char>(damaged[at] ^ 1);
    CHECK_THROWS_WITH(tests::members_of(damaged), ContainsSubstring("is damaged or cut"));
    CHECK_THROWS_AS(tests::members_of(packed.substr(0, at)), TarError);
  }
  CHECK_THROWS_AS(tests::members_of(packed + "garbage"), TarError);
  CHECK(tests::members_of(packed + std::string(100'000, '\0')) == three);
  // Two streams, as pigz and cat write them.
  const std::string plain = written(three);
  const auto gzip = [](const std::string& part) {
    std::string made(1 << 20, '\0');
    std::size_t used = 0;
    archive* writer = archive_write_new();
    archive_write_set_format_raw(writer);
    archive_write_add_filter_gzip(writer);
    archive_write_open_memory(writer, made.data(), made.size(), &used);
    archive_entry* entry = archive_entry_new();
    archive_entry_set_filetype(entry, AE_IFREG);
    archive_write_header(writer, entry);
    archive_write_data(writer, part.data(), part.size());
    archive_entry_free(entry);
    archive_write_close(writer);
    archive_write_free(writer);
    made.resize(used);
    return made;
  };
  CHECK(tests::members_of(gzip(plain.substr(0, 1000)) + gzip(plain.substr(1000))) == three);
}

TEST_CASE("A tar is read to the end of the file, and what is more than padding is told") {
  const std::string file = written(three);
  const auto has_more = [](const std::string& whole) {
    std::size_t left = whole.size();
    TarReader reader([&left, inner = tests::reader_of(whole)](std::span<std::byte> memory) mutable {
      const std::size_t got = inner(memory.first(std::min<std::size_t>(memory.size(), 700)));
      left -= got;
      return got;
    });
    while (reader.next()) (void)reader.content();
    CHECK(left == 0);
    return reader.has_more();
  };
  CHECK_FALSE(has_more(file));
  CHECK_FALSE(has_more(file + std::string(1 << 20, '\0')));
  CHECK(has_more(file + file));
  CHECK(has_more(file + std::string(10, '\0') + "x"));
  CHECK(has_more(file + "x"));
}

TEST_CASE("Names that lead elsewhere, links and devices are refused, each by its reason") {
  CHECK(refusal("../a.jpg", "x") == "has a name with ..");
  CHECK(refusal("x/../../a.jpg", "x") == "has a name with ..");
  CHECK(refusal("/etc/a.jpg", "x") == "has an absolute name");
  CHECK(refusal("a.jpg/.", "x") == "has a name that ends as a folder's");
  CHECK(refusal(".", "x") == "has a name that ends as a folder's");
  CHECK(refusal("a.jpg", "-> b.jpg") == "is a symbolic link");
  CHECK(refusal("./x//a.jpg", "x").empty());
  TarReader reader(tests::reader_of(tests::tar({{"./x//a..b.jpg", "x"}})));
  CHECK(reader.next().value().name == "x/a..b.jpg");
  for (const char* name : {"\x1f\x8b", "\x28\xb5\x2f\xfd"}) {  // as gzip and zstd begin
    TarReader begins_so(tests::reader_of(tests::tar({{name, "x"}})));
    CHECK(begins_so.next().value().name == name);
  }
}

/// With the sum that fits the first header.
std::string summed(std::string file) {
  file.replace(148, 8, 8, ' ');
  unsigned sum = 0;
  for (const char c : file.substr(0, 512)) sum += static_cast<unsigned char>(c);
  char digits[8];
  std::snprintf(digits, sizeof digits, "%06o", sum);
  return file.replace(148, 8, std::string(digits, 7) + " ");
}

TEST_CASE("A member that is one hole has its zeros") {
  std::string file = tests::tar({{"a.bin", ""}, {"b.txt", "abc"}},
                                {ARCHIVE_FORMAT_TAR_GNUTAR, ARCHIVE_FILTER_NONE});
  file[156] = 'S';  // GNU's form of holes: no bytes at 1000, and that is all of the file
  file.replace(386, 24,
               std::string("00000001750\0"
                           "00000000000\0",
                           24));
  file.replace(483, 12, std::string("00000001750\0", 12));
  file = summed(std::move(file));
  TarReader reader(tests::reader_of(file));
  const auto member = reader.next();
  REQUIRE(member);
  CHECK(member->bytes == 1000);
  CHECK_FALSE(member->offset);
  CHECK(qturn::text_of(reader.content()) == std::string(1000, '\0'));
  CHECK(reader.next().value().name == "b.txt");
  CHECK(qturn::text_of(reader.content()) == "abc");
  CHECK_FALSE(reader.next());
}

TEST_CASE("A member that promises a terabyte takes no memory") {
  std::string file =
      tests::tar({{"a.jpg", "abc"}}, {ARCHIVE_FORMAT_TAR_GNUTAR, ARCHIVE_FILTER_NONE});
  const std::string terabyte("\x80\0\0\0\0\0\x01\0\0\0\0\0", 12);  // in binary
  file = summed(file.replace(124, 12, terabyte));
  TarReader reader(tests::reader_of(file));
  CHECK(reader.next().value().bytes == std::uint64_t{1} << 40);
  CHECK_THROWS_AS(reader.content(), TarError);
}

TEST_CASE("What a reader or a writer throws comes out as it is") {
  struct Broken {};
  const auto fails_after = [](int calls) {
    return [calls, whole = tests::reader_of(written(three))](std::span<std::byte> memory) mutable {
      if (calls-- == 0) throw Broken();
      return whole(memory.first(512));
    };
  };
  CHECK_THROWS_AS(TarReader(fails_after(0)), Broken);
  TarReader reader(fails_after(2));
  CHECK_THROWS_AS(
      [&] {
        while (reader.next()) (void)reader.content();
      }(),
      Broken);
  qturn::TarWriter writer([](std::span<const std::byte>) { throw Broken(); });
  CHECK_THROWS_AS(writer.add(member("a", "x")), Broken);
}

TEST_CASE("A tar is in its place when it is finished, and not before") {
  const TemporaryFolder folder;
  const auto place = folder.path() / "new/out.tar";
  const qturn::TarWriterOptions options;
  const qturn::NewMember a = member("a", "x");
  const std::atomic<bool> stop = false;
  const auto count = [&] {
    return std::distance(std::filesystem::directory_iterator(folder.path() / "new"), {});
  };
  {
    qturn::TarOutput output(place, options, stop);
    output.add({&a, 1});
    CHECK_FALSE(std::filesystem::exists(place));
    CHECK(count() == 1);
  }
  CHECK(count() == 0);
  qturn::TarOutput output(place, options, stop);
  CHECK(output.is_empty());
  output.add({&a, 1});
  CHECK(output.finish().empty());
  CHECK(count() == 1);
  CHECK(content_of(place) == written({{"a", "x"}}));
}

TEST_CASE("What a member takes in a tar is known before it is written") {
  const std::size_t end = 1024;
  for (const std::size_t length : {1, 99, 100, 101, 510, 511, 512, 1100}) {
    for (const std::size_t bytes : {0, 1, 511, 512, 513}) {
      const std::string name(length, 'n'), content(bytes, 'c');
      CAPTURE(length, bytes);
      CHECK(written({{name, content}}).size() == qturn::bytes_in_tar(member(name, content)) + end);
    }
  }
}

TEST_CASE("A tar has as many bytes of JPEGs as its file, if a JPEG is among its first members") {
  const TemporaryFolder folder;
  const auto bytes_of_jpegs = [&](const Members& members, const tests::TarForm& form = {}) {
    return qturn::jpeg_bytes_at_most(folder.add("some.tar", tests::tar(members, form)));
  };
  const std::string jpeg(10'000, 'x');
  const std::string file = tests::tar({{"a.cls", "1"}, {"a.JPG", jpeg}});
  CHECK(bytes_of_jpegs({{"a.cls", "1"}, {"a.JPG", jpeg}}) == file.size());
  const std::uint64_t packed =
      bytes_of_jpegs({{"a.jpeg", jpeg}}, {ARCHIVE_FORMAT_TAR_USTAR, ARCHIVE_FILTER_ZSTD});
  CHECK(packed == std::filesystem::file_size(folder.path() / "some.tar"));
  CHECK(bytes_of_jpegs({{"a.png", jpeg}, {"b.png", jpeg}}) == 0);
  CHECK(bytes_of_jpegs({{"a.png", std::string(5 << 20, 'x')}, {"b.jpg", jpeg}}) == 0);
  CHECK(qturn::jpeg_bytes_at_most(folder.add("text.tar", "not a tar")) == 0);
  CHECK(qturn::jpeg_bytes_at_most(folder.path() / "missing.tar") == 0);
}

}  // namespace tar_test
