// NumPy's arrays (.npy): masks, depth maps and the like, of 2 axes (rows, columns) or 3 (and the
// values of a pixel). A pixel is bytes, whatever its type is. Of the header only the two numbers
// change places, so that its length and its padding stay.
//
//   '\x93NUMPY', version, length, "{'descr': '<f4', 'fortran_order': False, 'shape': (480, 640), }"
//
// https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
#include "src/formats/table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <qturn/cpu.hpp>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <utility>

namespace qturn::npy {
namespace {

using std::string_view_literals::operator""sv;

constexpr std::string_view magic = "\x93NUMPY";
constexpr std::uint64_t most_pixel_bytes = 256;

[[noreturn]] void fail_damaged() { throw ImageFileError("damaged NumPy header"); }

std::uint64_t pixel_of(std::uint64_t bytes, std::uint64_t times) {
  if (bytes > most_pixel_bytes || times > most_pixel_bytes || bytes * times > most_pixel_bytes) {
    throw ImageFileError(fmt::format("an array whose pixels have more than {} bytes is not turned",
                                     most_pixel_bytes));
  }
  return bytes * times;
}

struct Layout {
  std::string_view type;  // "<f4"; empty if a value has fields
  std::uint64_t value_bytes = 0;
  std::vector<std::string_view> shape = {};  // the numbers, as they are written
  bool is_fortran = false;
  std::size_t data = 0;  // where the values begin
  std::int64_t width = 0, height = 0;
  int channels = 1;

  int pixel_bytes() const { return static_cast<int>(value_bytes) * channels; }
};

// The literals of Python that a header consists of.
class HeaderText {
 public:
  explicit HeaderText(std::string_view text) : text_(text) {}

  Layout read() {
    Layout layout;
    std::string keys;
    expect('{');
    while (!takes('}')) {
      const std::string_view key = string();
      expect(':');
      if (key == "descr") {
        layout.value_bytes = type(0, layout.type);
      } else if (key == "fortran_order") {
        layout.is_fortran = boolean();
      } else if (key == "shape") {
        layout.shape = numbers();
      }
      keys += key.substr(0, 1);
      if (!takes(',') && !begins('}')) fail_damaged();
    }
    std::ranges::sort(keys);
    if (keys != "dfs" || layout.value_bytes == 0) fail_damaged();
    skip_blanks();
    if (!text_.empty()) fail_damaged();
    return layout;
  }

 private:
  void skip_blanks() {
    text_.remove_prefix(std::min(text_.find_first_not_of(" \t\r\n"), text_.size()));
  }
  bool begins(char c) {
    skip_blanks();
    return text_.starts_with(c);
  }
  bool takes(char c) {
    const bool is_there = begins(c);
    if (is_there) text_.remove_prefix(1);
    return is_there;
  }
  void expect(char c) {
    if (!takes(c)) fail_damaged();
  }

  std::string_view string() {
    const char quote = begins('"') ? '"' : '\'';
    expect(quote);
    std::size_t end = 0;
    while (end < text_.size() && text_[end] != quote) end += text_[end] == '\\' ? 2 : 1;
    if (end >= text_.size()) fail_damaged();
    const std::string_view found = text_.substr(0, end);
    text_.remove_prefix(end + 1);
    return found;
  }

  bool boolean() {
    skip_blanks();
    for (const auto& [word, value] : {std::pair("False"sv, false), std::pair("True"sv, true)}) {
      if (!text_.starts_with(word)) continue;
      text_.remove_prefix(word.size());
      return value;
    }
    fail_damaged();
  }

  // A tuple.
  std::vector<std::string_view> numbers() {
    std::vector<std::string_view> found;
    expect('(');
    while (!takes(')')) {
      skip_blanks();
      const std::size_t end = std::min(text_.find_first_not_of("0123456789"), text_.size());
      if (end == 0) fail_damaged();
      found.push_back(text_.substr(0, end));
      text_.remove_prefix(end);
      if (!takes(',') && !begins(')')) fail_damaged();
    }
    return found;
  }

  // The bytes of a value: "<f4", or a list of fields, as in [('x', '<f4'), ('y', '<i2', (3,))].
  std::uint64_t type(int depth, std::string_view& name) {
    constexpr int deepest = 16;
    if (!begins('[')) return bytes_of_type(name = string());
    if (depth == deepest) fail_damaged();
    expect('[');
    std::uint64_t bytes = 0;
    while (!takes(']')) {
      expect('(');
      if (takes('(')) {  // a title before the name
        string();
        expect(',');
        string();
        expect(')');
      } else {
        string();
      }
      expect(',');
      std::string_view unused;
      std::uint64_t field = type(depth + 1, unused);
      if (takes(',') && begins('('))
        for (const std::string_view number : numbers()) field = pixel_of(field, value_of(number));
      expect(')');
      bytes = pixel_of(bytes + field, 1);
      if (!takes(',') && !begins(']')) fail_damaged();
    }
    return bytes;
  }

  static std::uint64_t bytes_of_type(std::string_view type) {
    if (!type.empty() && "<>|="sv.find(type[0]) != "<>|="sv.npos) type.remove_prefix(1);
    if (type.starts_with('O')) throw ImageFileError("an array of Python objects is not turned");
    if (type.empty() || "biufcmMSUV"sv.find(type[0]) == std::string_view::npos) fail_damaged();
    const bool is_time = type[0] == 'm' || type[0] == 'M';
    const std::uint64_t count = value_of(type.substr(1, is_time ? type.find('[') - 1 : type.npos));
    return pixel_of(count, type[0] == 'U' ? 4 : 1);
  }

 public:
  static std::uint64_t value_of(std::string_view digits) {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error != std::errc() || end != digits.data() + digits.size()) fail_damaged();
    return value;
  }

 private:
  std::string_view text_;
};

// Where the text of the header lies.
std::string_view header_text(std::span<const std::byte> file) {
  const std::string_view text = text_of(file);
  constexpr std::size_t at = magic.size() + 2;
  const int version = text.size() > at ? text[magic.size()] : 0;
  if (version < 1 || version > 3 || text[magic.size() + 1] != 0)
    throw ImageFileError("a NumPy array of an unknown version is not turned");
  const std::size_t digits = version == 1 ? 2 : 4;
  std::size_t length = 0;
  if (text.size() >= at + digits)
    for (std::size_t i = digits; i-- > 0;)
      length = length << 8 | std::to_integer<std::size_t>(file[at + i]);
  if (text.size() - at < digits || text.size() - at - digits < length)
    throw ImageFileError("truncated within the NumPy header");
  return text.substr(at + digits, length);
}

Layout read_layout(std::span<const std::byte> file) {
  const std::string_view text = header_text(file);
  Layout layout = HeaderText(text).read();
  layout.data = static_cast<std::size_t>(text.end() - text_of(file).begin());
  const auto& shape = layout.shape;
  const std::string in_words = fmt::format("({})", fmt::join(shape, ", "));
  if (shape.size() != 2 && shape.size() != 3) {
    throw ImageFileError(
        fmt::format("its shape is {}, and arrays of 2 or 3 axes are turned, whose first two are "
                    "rows and columns",
                    in_words));
  }
  const std::uint64_t height = HeaderText::value_of(shape[0]),
                      width = HeaderText::value_of(shape[1]),
                      channels = shape.size() == 3 ? HeaderText::value_of(shape[2]) : 1;
  if (height == 0 || width == 0 || channels == 0) throw ImageFileError("an array without values");
  constexpr std::uint64_t most_colours = 4;
  if (channels > most_colours && std::min(width, height) <= most_colours) {
    throw ImageFileError(
        fmt::format("its shape is {}, so the values of a pixel may come first; save it with the "
                    "rows and columns first",
                    in_words));
  }
  if (layout.is_fortran && shape.size() == 3) {
    throw ImageFileError(
        "its order is Fortran's, in which three axes are not turned; save it with "
        "numpy.ascontiguousarray");
  }
  const std::uint64_t pixel_bytes = pixel_of(layout.value_bytes, channels);
  const std::uint64_t bytes = file.size() - layout.data;
  const std::uint64_t rows = width > bytes ? 0 : bytes / (width * pixel_bytes);
  if (rows < height)
    throw ImageFileError(fmt::format("truncated after {} of {} rows", rows, height));
  if (const std::uint64_t more = bytes - height * width * pixel_bytes; more > 0)
    throw ImageFileError(fmt::format("damaged: {} bytes after the array", more));
  layout.width = static_cast<std::int64_t>(width);
  layout.height = static_cast<std::int64_t>(height);
  layout.channels = static_cast<int>(channels);
  return layout;
}

// The two numbers change places.
Bytes turned_head(std::span<const std::byte> file, const Layout& layout, Orientation applied) {
  const std::string_view text = text_of(file.first(layout.data));
  if (!swaps_axes(applied)) return {file.begin(), file.begin() + static_cast<long>(text.size())};
  const std::string_view rows = layout.shape[0], columns = layout.shape[1];
  const std::string turned = fmt::format("{}{}{}{}{}", std::string_view(text.begin(), rows.begin()),
                                         columns, std::string_view(rows.end(), columns.begin()),
                                         rows, std::string_view(columns.end(), text.end()));
  return {bytes_of(turned).begin(), bytes_of(turned).end()};
}

struct NpyExtras final : Extras {
  explicit NpyExtras(Bytes of_file) : head(std::move(of_file)) {}
  Bytes head;  // all before the values

  std::shared_ptr<Extras> copy() const override { return std::make_shared<NpyExtras>(*this); }
};

Header read_header(std::span<const std::byte> file) {
  const Layout layout = read_layout(file);
  Header header = header_of_size({layout.width, layout.height});
  header.pixel_bytes_total = file.size() - layout.data;
  header.encoding_bytes = file.size();
  return header;
}

// What other formats take a value for.
std::optional<SampleFormat> samples_of(const Layout& layout) {
  constexpr std::string_view types[] = {"|u1", "<u2", "<u4", "<f2", "<f4", "<f8"};
  const auto* const found = std::ranges::find(types, layout.type);
  constexpr int most_colours = 4;
  if (found == std::end(types) || layout.channels > most_colours) return std::nullopt;
  return static_cast<SampleFormat>(found - types);
}

Image decode(std::span<const std::byte> file, Samples samples, PixelArena& arena,
             const std::atomic<bool>& stop, std::vector<std::string>&) {
  if (stop) throw Interrupted();
  const Layout layout = read_layout(file);
  Page page{.pixels = nullptr,
            .width = layout.width,
            .height = layout.height,
            .channels = layout.pixel_bytes()};
  if (samples == Samples::for_another_format) {
    const auto type = samples_of(layout);
    if (!type) throw ImageFileError("no other format takes the values of this array");
    page.type = *type;
    page.channels = layout.channels;
  }
  page.pixels = arena.take(page.bytes());
  const std::byte* values = file.data() + layout.data;
  if (layout.is_fortran)
    transform(
        {values, page.height, page.width, page.height * page.pixel_bytes(), page.pixel_bytes()},
        page.view(), Orientation::transpose);
  else
    std::memcpy(page.pixels, values, page.bytes());
  return {.format = &codec,
          .pages = {page},
          .extras = std::make_shared<NpyExtras>(turned_head(file, layout, Orientation::identity))};
}

Bytes encode(const Image& image, Orientation applied, const std::atomic<bool>& stop,
             std::vector<std::string>&) {
  if (stop) throw Interrupted();
  const Page& page = image.pages.front();
  const auto* extras = dynamic_cast<const NpyExtras*>(image.extras.get());
  if (!extras) throw ImageFileError("no array is made of a picture");
  const Bytes& head = extras->head;
  Layout layout = HeaderText(header_text(head)).read();
  layout.data = head.size();
  Bytes file;
  file.reserve(head.size() + page.bytes());
  file = turned_head(head, layout, applied);
  file.resize(head.size() + page.bytes());
  std::byte* values = file.data() + head.size();
  if (layout.is_fortran)
    transform(
        page.view(),
        {values, page.height, page.width, page.height * page.pixel_bytes(), page.pixel_bytes()},
        Orientation::transpose);
  else
    std::memcpy(values, page.pixels, page.bytes());
  return file;
}

}  // namespace

const Codec codec = {
    .name = "npy",
    .suffixes = {".npy"},
    .recognises = [](std::span<const std::byte> head,
                     std::string_view) { return text_of(head).starts_with(magic); },
    .read_header = read_header,
    .decode = decode,
    .encode = encode,
    .parts =
        [](std::span<const std::byte> file, Orientation applied) {
          return std::vector{FilePart::of_copy(FilePart::fixed, "the header",
                                               turned_head(file, read_layout(file), applied))};
        },
    .is_array = true,
};

}  // namespace qturn::npy
