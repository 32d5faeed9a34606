// What callers pass for pictures in memory: their bytes, and the words of the command line.
#pragma once

#include <fmt/format.h>
#include <nanobind/nanobind.h>

#include <qturn/pictures.hpp>

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace qturn::python {

/// A message as Python takes it: bytes of a file that it quotes may not be UTF-8, and are escaped.
std::string readable(std::string_view message);
std::vector<std::string> readable(std::vector<std::string> messages);

/// The bytes of a file that Python owns, for as long as this lives. A mutable buffer is copied,
/// because another thread may change it while the GIL is released. A path is read, also the path of
/// an image that Pillow has opened.
class FileBytes {
 public:
  /// Throws nanobind::type_error for what has no buffer, nanobind::value_error for one in pieces.
  explicit FileBytes(nanobind::handle data);
  FileBytes(const FileBytes&) = delete;
  FileBytes& operator=(const FileBytes&) = delete;
  ~FileBytes() = default;

  std::span<const std::byte> operator*() const { return bytes_; }

 private:
  struct View : Py_buffer {
    View() : Py_buffer{} {}
    View(const View&) = delete;
    View& operator=(const View&) = delete;
    ~View() { PyBuffer_Release(this); }
  };

  static nanobind::object content(nanobind::handle data);

  nanobind::object object_;
  View view_;
  std::span<const std::byte> bytes_;
  std::vector<std::byte> copy_;
};

// The words that the command line has for them.
inline constexpr std::pair<std::string_view, JpegMode> jpeg_words[] = {
    {"lossless", JpegMode::lossless}, {"planar", JpegMode::planar}};
inline constexpr std::pair<std::string_view, JpegEdges> edge_words[] = {
    {"reencode", JpegEdges::reencode},
    {"trim", JpegEdges::trim},
    {"tag", JpegEdges::tag},
    {"skip", JpegEdges::skip},
    {"fail", JpegEdges::fail}};
inline constexpr std::pair<std::string_view, PngMode> png_words[] = {{"small", PngMode::small},
                                                                     {"fast", PngMode::fast}};

template <typename Value, std::size_t Count>
Value value_of(std::string_view argument, std::string_view word,
               const std::pair<std::string_view, Value> (&words)[Count]) {
  std::string expected;
  for (const auto& [each, value] : words) {
    if (each == word) return value;
    expected += fmt::format("{}{}", expected.empty() ? "" : ", ", each);
  }
  throw nanobind::value_error(
      fmt::format("{} is \"{}\", expected one of {}", argument, word, expected).c_str());
}

/// Throws nb::value_error.
Limits limits_of(const std::optional<nanobind::dict>& wanted);

}  // namespace qturn::python
