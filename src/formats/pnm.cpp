#include "src/formats/pnm.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cctype>
#include <cmath>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace qturn {
namespace {

static_assert(std::endian::native == std::endian::little);

struct PnmExtras final : Extras {
  bool bitmap = false;
};

// What stands before the samples.
struct PnmHeader {
  char kind = 0;  // '1' to '6', 'F' or 'f': the letter after 'P'
  std::int64_t width = 0, height = 0;
  std::uint32_t max_value = 1;  // of a sample; 1 for bitmaps and floats
  double scale = -1;            // floats: negative means little-endian
  bool has_comments = false;
  std::string_view samples;

  bool is_float() const { return kind == 'F' || kind == 'f'; }
  bool is_bitmap() const { return kind == '1' || kind == '4'; }
  bool is_text() const { return kind <= '3'; }
  int channels() const { return kind == '3' || kind == '6' || kind == 'F' ? 3 : 1; }
  SampleFormat type() const {
    return is_float() ? SampleFormat::f32 : max_value > 255 ? SampleFormat::u16 : SampleFormat::u8;
  }
  std::uint64_t row_samples() const {
    return static_cast<std::uint64_t>(width) * static_cast<std::uint64_t>(channels());
  }
  // Of a row in the file, unless it is text.
  std::uint64_t row_bytes() const {
    return kind == '4' ? (row_samples() + 7) / 8
                       : row_samples() * static_cast<std::uint64_t>(sample_bytes(type()));
  }
};

bool is_blank(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }

// The next word of the text, after blanks and comments.
std::string_view next_word(std::string_view& text) {
  while (!text.empty() && (is_blank(text[0]) || text[0] == '#')) {
    const std::size_t end = text[0] == '#' ? std::min(text.find('\n'), text.size() - 1) : 0;
    text.remove_prefix(end + 1);
  }
  const auto end = std::find_if(text.begin(), text.end(), is_blank);
  const std::string_view word = text.substr(0, static_cast<std::size_t>(end - text.begin()));
  text.remove_prefix(word.size());
  return word;
}

std::uint32_t next_number(std::string_view& text) {
  const std::string_view word = next_word(text);
  const bool digits =
      std::all_of(word.begin(), word.end(), [](char c) { return c >= '0' && c <= '9'; });
  if (word.empty()) throw ImageFileError("truncated: the PNM file ends within its numbers");
  if (!digits || word.size() > 9) throw ImageFileError("damaged PNM number");
  return static_cast<std::uint32_t>(std::stoul(std::string(word)));
}

PnmHeader read_header_of(std::span<const std::byte> file) {
  const std::string_view all(reinterpret_cast<const char*>(file.data()), file.size());
  std::string_view text = all;
  if (text.size() < 3) throw ImageFileError("truncated within the PNM header");
  PnmHeader header{.kind = text[1], .samples = {}};
  text.remove_prefix(2);
  header.width = next_number(text);
  header.height = next_number(text);
  if (header.is_float()) {
    try {
      header.scale = std::stod(std::string(next_word(text)));
    } catch (const std::exception&) {
      throw ImageFileError("damaged PFM scale");
    }
  } else if (!header.is_bitmap()) {
    header.max_value = next_number(text);
  }
  if (text.empty()) throw ImageFileError("truncated within the PNM header");
  header.samples = text.substr(1);
  header.has_comments = all.substr(0, all.size() - text.size()).find('#') != all.npos;
  if (header.width == 0 || header.height == 0) throw ImageFileError("a PNM without pixels");
  if (header.max_value == 0 || header.max_value > 65535) throw ImageFileError("damaged PNM header");

  // In text, a sample takes a digit, and a blank too unless it is a bit.
  const auto height = static_cast<std::uint64_t>(header.height);
  const std::uint64_t row_bytes = header.is_text() ? header.row_samples() : header.row_bytes();
  if (header.samples.size() / row_bytes < height) {
    throw ImageFileError(fmt::format("truncated after {} of {} rows",
                                     header.is_text() ? 0 : header.samples.size() / row_bytes,
                                     height));
  }
  return header;
}

// v * full / max, rounded down, which keeps different samples different.
template <typename Sample>
Sample scaled(std::uint32_t value, std::uint32_t max_value) {
  constexpr std::uint64_t full = static_cast<Sample>(-1);
  return static_cast<Sample>(std::min(value, max_value) * full / max_value);
}

template <typename Sample>
void read_text(PnmHeader& header, Sample* to) {
  const std::uint64_t count = header.row_samples() * static_cast<std::uint64_t>(header.height);
  for (std::uint64_t i = 0; i < count; ++i) {
    if (!header.is_bitmap()) {
      to[i] = scaled<Sample>(next_number(header.samples), header.max_value);
      continue;
    }
    // Bits need no blanks between them.
    const std::size_t at = header.samples.find_first_of("01");
    if (at == std::string_view::npos) {
      throw ImageFileError(
          fmt::format("truncated after {} of {} rows", i / header.row_samples(), header.height));
    }
    to[i] = header.samples[at] == '0' ? static_cast<Sample>(-1) : Sample{0};
    header.samples.remove_prefix(at + 1);
  }
}

void read_binary_row(const PnmHeader& header, const unsigned char* row, std::byte* to) {
  const std::uint64_t count = header.row_samples();
  if (header.kind == '4') {
    for (std::uint64_t x = 0; x < count; ++x) {
      to[x] = (row[x / 8] >> (7 - x % 8) & 1) != 0 ? std::byte{0} : std::byte{255};
    }
  } else if (header.type() == SampleFormat::u8) {
    for (std::uint64_t i = 0; i < count; ++i) {
      to[i] = std::byte{scaled<std::uint8_t>(row[i], header.max_value)};
    }
  } else if (header.type() == SampleFormat::u16) {
    for (std::uint64_t i = 0; i < count; ++i) {
      const std::uint32_t stored = static_cast<std::uint32_t>(row[2 * i]) << 8 | row[2 * i + 1];
      const auto sample = scaled<std::uint16_t>(stored, header.max_value);
      std::memcpy(to + 2 * i, &sample, 2);
    }
  } else {
    std::memcpy(to, row, 4 * count);
    for (std::uint64_t i = 0; header.scale > 0 && i < count; ++i) {
      std::reverse(to + 4 * i, to + 4 * i + 4);
    }
  }
}

bool begins_a_picture(std::string_view text) {
  constexpr std::string_view kinds = "1234567Ff";
  return text.size() > 2 && text[0] == 'P' && kinds.find(text[1]) != kinds.npos &&
         (is_blank(text[2]) || text[2] == '#');
}

// What stands behind the samples, and comments, would not be in the result.
void look_behind(std::string_view rest, const PnmHeader& header,
                 std::vector<std::string>& warnings) {
  const auto text = std::find_if_not(rest.begin(), rest.end(), is_blank);
  const std::string_view other = rest.substr(static_cast<std::size_t>(text - rest.begin()));
  if (begins_a_picture(other)) throw ImageFileError("holds several pictures");
  const std::size_t bytes = header.is_text() ? other.size() : rest.size();
  if (bytes > 0) warnings.push_back(fmt::format("{} bytes behind the pixels are not kept", bytes));
  if (header.has_comments) warnings.emplace_back("its comments are not kept");
}

void append_row(Bytes& file, const std::byte* row, const Page& page) {
  const std::size_t at = file.size();
  file.insert(file.end(), row, row + page.row_bytes());
  if (page.type == SampleFormat::u16) {
    for (std::size_t i = at; i < file.size(); i += 2) std::swap(file[i], file[i + 1]);
  }
}

void append_bits(Bytes& file, const std::byte* row, std::int64_t width) {
  for (std::int64_t x = 0; x < width; x += 8) {
    unsigned bits = 0;
    for (std::int64_t i = 0; i < 8; ++i) {
      const bool black = x + i < width && row[x + i] == std::byte{0};
      bits = bits << 1 | (black ? 1U : 0U);
    }
    file.push_back(static_cast<std::byte>(bits));
  }
}

}  // namespace

Header read_pnm_header(std::span<const std::byte> file) {
  const PnmHeader pnm = read_header_of(file);
  Header header;
  header.width = pnm.width;
  header.height = pnm.height;
  header.pixel_bytes_total = pnm.row_samples() * static_cast<std::uint64_t>(pnm.height) *
                             static_cast<std::uint64_t>(sample_bytes(pnm.type()));
  header.working_bytes = header.pixel_bytes_total + (1 << 16);
  if (pnm.is_text()) {
    header.storage_change = "samples in text become binary";
  } else if (!pnm.is_bitmap() && !pnm.is_float() && pnm.max_value != 255 &&
             pnm.max_value != 65535) {
    header.storage_change = fmt::format("samples up to {} become samples up to {}", pnm.max_value,
                                        pnm.max_value < 256 ? 255 : 65535);
  } else if (pnm.is_float() && pnm.scale != -1) {
    header.storage_change = "the scale of the floats becomes 1, their bytes little-endian";
  }
  return header;
}

Image decode_pnm(std::span<const std::byte> file, PixelArena& arena,
                 std::vector<std::string>& warnings) {
  PnmHeader header = read_header_of(file);
  const std::string_view samples = header.samples;
  Page page{.width = header.width,
            .height = header.height,
            .channels = header.channels(),
            .type = header.type()};
  page.pixels = arena.take(page.bytes());
  if (header.is_text() && page.type == SampleFormat::u8) {
    read_text(header, static_cast<std::uint8_t*>(page.pixels));
  } else if (header.is_text()) {
    read_text(header, static_cast<std::uint16_t*>(page.pixels));
  } else {
    for (std::int64_t y = 0; y < page.height; ++y) {
      // Floats are stored from the bottom row up.
      const std::int64_t from = header.is_float() ? page.height - 1 - y : y;
      const char* row =
          header.samples.data() + static_cast<std::uint64_t>(from) * header.row_bytes();
      read_binary_row(header, reinterpret_cast<const unsigned char*>(row),
                      static_cast<std::byte*>(page.pixels) + y * page.row_bytes());
    }
  }
  std::string_view rest = header.samples;
  if (header.is_text()) {
    const std::string_view read = samples.substr(0, samples.size() - rest.size());
    header.has_comments |= read.find('#') != read.npos;
  } else {
    rest.remove_prefix(static_cast<std::uint64_t>(page.height) * header.row_bytes());
  }
  look_behind(rest, header, warnings);
  auto extras = std::make_shared<PnmExtras>();
  extras->bitmap = header.is_bitmap();
  return {
      .format = Format::pnm, .stored = Orientation::identity, .pages = {page}, .extras = extras};
}

Bytes encode_pnm(const Image& image) {
  const Page& page = image.pages.front();
  const auto* extras = dynamic_cast<const PnmExtras*>(image.extras.get());
  const bool grey = page.channels == 1, floats = page.type == SampleFormat::f32;
  const bool bitmap = extras && extras->bitmap;
  const char kind = floats ? (grey ? 'f' : 'F') : bitmap ? '4' : grey ? '5' : '6';
  std::string header = fmt::format("P{}\n{} {}\n", kind, page.width, page.height);
  if (floats) {
    header += "-1.0\n";
  } else if (!bitmap) {
    header += page.type == SampleFormat::u8 ? "255\n" : "65535\n";
  }
  Bytes file;
  file.reserve(header.size() + page.bytes());
  const auto bytes = std::as_bytes(std::span(header.data(), header.size()));
  file.insert(file.end(), bytes.begin(), bytes.end());
  for (std::int64_t y = 0; y < page.height; ++y) {
    const std::int64_t from = floats ? page.height - 1 - y : y;
    const std::byte* row = static_cast<const std::byte*>(page.pixels) + from * page.row_bytes();
    if (bitmap) {
      append_bits(file, row, page.width);
    } else {
      append_row(file, row, page);
    }
  }
  return file;
}

}  // namespace qturn
