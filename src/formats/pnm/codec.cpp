// PBM, PGM, PPM, PAM and PFM, read and written here: every sample, the largest value and the scale
// of floats stay as they are.
#include "src/formats/table.hpp"

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

#include "src/formats/codec/codec.hpp"

namespace qturn::pnm {
namespace {

static_assert(std::endian::native == std::endian::little);

// What is kept of the text before the samples.
struct PnmForm {
  char kind = 0;                // '1' to '7', 'F' or 'f': the letter after 'P'
  std::uint32_t max_value = 1;  // of a sample; 1 for bitmaps and floats
  int channels = 1;
  std::string scale = "-1.0";  // floats, as it is written: negative means little-endian
  std::string tuple_type;      // PAM: what the channels mean
};

struct PnmExtras final : Extras {
  PnmForm form;

  std::shared_ptr<Extras> copy() const override { return std::make_shared<PnmExtras>(*this); }
};

struct PnmHeader : PnmForm {
  std::int64_t width = 0, height = 0;
  double scale_value = -1;
  bool has_comments = false;
  std::string_view samples;

  bool is_float() const { return kind == 'F' || kind == 'f'; }
  bool is_bitmap() const { return kind == '1' || kind == '4'; }
  bool is_text() const { return kind <= '3'; }
  bool is_big_endian() const { return scale_value > 0; }
  SampleFormat type() const {
    return is_float() ? SampleFormat::f32 : max_value > 255 ? SampleFormat::u16 : SampleFormat::u8;
  }
  std::uint64_t row_samples() const {
    return static_cast<std::uint64_t>(width) * static_cast<std::uint64_t>(channels);
  }
  // The bytes of a row in the file, unless it is text.
  std::uint64_t row_bytes() const {
    return kind == '4' ? (row_samples() + 7) / 8
                       : row_samples() * static_cast<std::uint64_t>(sample_bytes(type()));
  }
};

bool is_blank(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }

// And comments.
void skip_blanks(std::string_view& text) {
  while (!text.empty() && (is_blank(text[0]) || text[0] == '#')) {
    const std::size_t end = text[0] == '#' ? std::min(text.find('\n'), text.size() - 1) : 0;
    text.remove_prefix(end + 1);
  }
}

// The next word of the text, after blanks and comments.
std::string_view next_word(std::string_view& text) {
  skip_blanks(text);
  const auto* const end = std::find_if(text.begin(), text.end(), is_blank);
  const std::string_view word = text.substr(0, static_cast<std::size_t>(end - text.begin()));
  text.remove_prefix(word.size());
  return word;
}

double scale_of(const std::string& word) {
  double scale = 0;
  try {
    scale = std::stod(word);
  } catch (const std::exception&) {
    throw ImageFileError("damaged PFM scale");
  }
  if (scale == 0 || !std::isfinite(scale)) throw ImageFileError("damaged PFM scale");
  return scale;
}

std::uint32_t next_number(std::string_view& text) {
  const std::string_view word = next_word(text);
  const bool digits =
      std::all_of(word.begin(), word.end(), [](char c) { return c >= '0' && c <= '9'; });
  if (word.empty()) throw ImageFileError("truncated: the PNM file ends within its numbers");
  if (!digits || word.size() > 9) throw ImageFileError("damaged PNM number");
  return static_cast<std::uint32_t>(std::stoul(std::string(word)));
}

// What is left of a line, without the blanks around it; `text` is left at the line's end.
std::string_view rest_of_line(std::string_view& text) {
  std::string_view rest = text.substr(0, text.find('\n'));
  text.remove_prefix(rest.size());
  while (!rest.empty() && is_blank(rest.front())) rest.remove_prefix(1);
  while (!rest.empty() && is_blank(rest.back())) rest.remove_suffix(1);
  return rest;
}

// The lines of a PAM's header, from "P7" to "ENDHDR"; `text` is left at the line's end.
void read_pam_lines(PnmHeader& header, std::string_view& text) {
  bool has_depth = false, has_max = false;
  for (std::string_view word = next_word(text); word != "ENDHDR"; word = next_word(text)) {
    if (word == "WIDTH") {
      header.width = next_number(text);
    } else if (word == "HEIGHT") {
      header.height = next_number(text);
    } else if (word == "DEPTH") {
      header.channels = static_cast<int>(next_number(text));
      has_depth = true;
    } else if (word == "MAXVAL") {
      header.max_value = next_number(text);
      has_max = true;
    } else if (word == "TUPLTYPE") {
      if (!header.tuple_type.empty()) header.tuple_type += ' ';
      header.tuple_type += rest_of_line(text);
    } else {
      throw ImageFileError(word.empty() ? "truncated within the PAM header"
                                        : "damaged PAM header: an unknown line");
    }
  }
  if (!rest_of_line(text).empty()) {
    throw ImageFileError("damaged PAM header: more than ENDHDR in its last line");
  }
  if (!has_depth || !has_max || header.channels < 1) throw ImageFileError("damaged PAM header");
  constexpr std::uint64_t most_bytes = 256;
  const std::uint64_t bytes =
      static_cast<std::uint64_t>(header.channels) * (header.max_value > 255 ? 2 : 1);
  if (bytes > most_bytes) {
    throw ImageFileError(fmt::format("{} channels are not supported: a pixel may have {} bytes",
                                     header.channels, most_bytes));
  }
}

PnmHeader read_header_of(std::span<const std::byte> file) {
  const std::string_view all(reinterpret_cast<const char*>(file.data()), file.size());
  std::string_view text = all;
  if (text.size() < 3) throw ImageFileError("truncated within the PNM header");
  PnmHeader header;
  header.kind = text[1];
  text.remove_prefix(2);
  if (header.kind == '7') {
    read_pam_lines(header, text);
  } else {
    header.channels = header.kind == '3' || header.kind == '6' || header.kind == 'F' ? 3 : 1;
    header.width = next_number(text);
    header.height = next_number(text);
  }
  if (header.is_float()) {
    header.scale = next_word(text);
    header.scale_value = scale_of(header.scale);
  } else if (!header.is_bitmap() && header.kind != '7') {
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

std::uint32_t checked(std::uint32_t value, std::uint32_t max_value) {
  if (value > max_value) {
    throw ImageFileError(
        fmt::format("damaged: a sample of {} where {} is the largest", value, max_value));
  }
  return value;
}

// value * full / max, rounded, as netpbm does it; different samples stay different.
template <typename Sample>
void scale_to_full(std::span<Sample> samples, std::uint32_t max_value) {
  constexpr std::uint64_t full = static_cast<Sample>(-1);
  if (max_value == full) return;
  for (Sample& sample : samples) {
    sample = static_cast<Sample>((sample * full + max_value / 2) / max_value);
  }
}

template <typename Sample>
void read_text(PnmHeader& header, Sample* to, const std::atomic<bool>& stop) {
  const std::uint64_t count = header.row_samples() * static_cast<std::uint64_t>(header.height);
  constexpr std::uint64_t moment = 1 << 16;
  for (std::uint64_t i = 0; i < count; ++i) {
    if (i % moment == 0 && stop) throw Interrupted();
    if (!header.is_bitmap()) {
      to[i] = static_cast<Sample>(checked(next_number(header.samples), header.max_value));
      continue;
    }
    // Bits need no blanks between them.
    skip_blanks(header.samples);
    if (header.samples.empty()) {
      throw ImageFileError(
          fmt::format("truncated after {} of {} rows", i / header.row_samples(), header.height));
    }
    const char bit = header.samples.front();
    if (bit != '0' && bit != '1') throw ImageFileError("damaged PNM number");
    to[i] = bit == '0' ? static_cast<Sample>(-1) : Sample{0};
    header.samples.remove_prefix(1);
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
      to[i] = static_cast<std::byte>(checked(row[i], header.max_value));
    }
  } else if (header.type() == SampleFormat::u16) {
    for (std::uint64_t i = 0; i < count; ++i) {
      const std::uint32_t stored = static_cast<std::uint32_t>(row[2 * i]) << 8 | row[2 * i + 1];
      const auto sample = static_cast<std::uint16_t>(checked(stored, header.max_value));
      std::memcpy(to + 2 * i, &sample, 2);
    }
  } else {
    std::memcpy(to, row, 4 * count);
  }
}

bool begins_a_picture(std::string_view text) {
  constexpr std::string_view kinds = "1234567Ff";
  return text.size() > 2 && text[0] == 'P' && kinds.find(text[1]) != kinds.npos &&
         (is_blank(text[2]) || text[2] == '#');
}

// Comments, and what follows the samples, would not be in the result.
void look_at_trailing_data(std::string_view rest, const PnmHeader& header,
                           std::vector<std::string>& warnings) {
  const auto* const text = std::find_if_not(rest.begin(), rest.end(), is_blank);
  const std::string_view other = rest.substr(static_cast<std::size_t>(text - rest.begin()));
  if (begins_a_picture(other)) throw ImageFileError("holds several pictures");
  const std::size_t bytes = header.is_text() ? other.size() : rest.size();
  if (bytes > 0) warnings.push_back(fmt::format("{} bytes after the pixels are not kept", bytes));
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

Header read_header(std::span<const std::byte> file) {
  const PnmHeader pnm = read_header_of(file);
  Header header = header_of_size({pnm.width, pnm.height});
  header.pixel_bytes_total = pnm.row_samples() * static_cast<std::uint64_t>(pnm.height) *
                             static_cast<std::uint64_t>(sample_bytes(pnm.type()));
  header.encoding_bytes = header.pixel_bytes_total + (1 << 16);
  if (pnm.is_text()) header.storage_change = "samples in text become binary";
  return header;
}

// Full range, and floats in the order of this machine's bytes.
void show(const PnmHeader& header, const Page& page, std::vector<std::string>& warnings) {
  const std::size_t count = page.bytes() / static_cast<std::size_t>(sample_bytes(page.type));
  if (header.is_float()) {
    auto* bytes = static_cast<std::byte*>(page.pixels);
    for (std::size_t i = 0; header.is_big_endian() && i < count; ++i, bytes += 4) {
      std::reverse(bytes, bytes + 4);
    }
    if (std::abs(header.scale_value) != 1) {
      warnings.push_back(fmt::format("the scale of its floats ({}) is not kept", header.scale));
    }
  } else if (header.is_bitmap()) {
    return;
  } else if (page.type == SampleFormat::u8) {
    scale_to_full(std::span(static_cast<std::uint8_t*>(page.pixels), count), header.max_value);
  } else {
    scale_to_full(std::span(static_cast<std::uint16_t*>(page.pixels), count), header.max_value);
  }
}

// What the channels of a PAM mean; it need not say so.
Meaning meaning_of(const PnmHeader& header) {
  struct TupleType {
    std::string_view name;
    int channels;
  };
  constexpr TupleType known[] = {
      {"BLACKANDWHITE", 1},       {"GRAYSCALE", 1},       {"RGB", 3},
      {"BLACKANDWHITE_ALPHA", 2}, {"GRAYSCALE_ALPHA", 2}, {"RGB_ALPHA", 4}};
  Meaning meaning = meaning_of_channels(header.channels);
  const auto* const found = std::ranges::find(known, header.tuple_type, &TupleType::name);
  const bool is_known = found != std::end(known) && found->channels == header.channels;
  if (!header.tuple_type.empty() && !is_known) {
    meaning.refusal = fmt::format("a PAM with {} channels of type {} cannot become another format",
                                  header.channels, header.tuple_type);
  }
  return meaning;
}

// Bitmaps become grey. For another format, samples are scaled to the full range of 8 or 16 bits.
Image decode(std::span<const std::byte> file, Samples asked, PixelArena& arena,
             const std::atomic<bool>& stop, std::vector<std::string>& warnings) {
  PnmHeader header = read_header_of(file);
  const std::string_view samples = header.samples;
  Page page{.width = header.width,
            .height = header.height,
            .channels = header.channels,
            .type = header.type()};
  page.pixels = arena.take(page.bytes());
  if (header.is_text() && page.type == SampleFormat::u8) {
    read_text(header, static_cast<std::uint8_t*>(page.pixels), stop);
  } else if (header.is_text()) {
    read_text(header, static_cast<std::uint16_t*>(page.pixels), stop);
  } else {
    for (std::int64_t y = 0; y < page.height; ++y) {
      if (stop.load(std::memory_order_relaxed)) throw Interrupted();
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
  look_at_trailing_data(rest, header, warnings);
  auto extras = std::make_shared<PnmExtras>();
  extras->form = header;
  if (asked == Samples::for_another_format) {
    extras->meaning = meaning_of(header);
    show(header, page, warnings);
  }
  return {.format = &codec, .stored = Orientation::identity, .pages = {page}, .extras = extras};
}

// The form for a picture from another format.
PnmForm form_of(const Page& page) {
  const bool grey = page.channels == 1;
  if (page.type == SampleFormat::f32) return {.kind = grey ? 'f' : 'F', .tuple_type = {}};
  return {.kind = grey ? '5' : '6',
          .max_value = page.type == SampleFormat::u8 ? 255U : 65535U,
          .channels = page.channels,
          .tuple_type = {}};
}

std::string header_text(const PnmForm& form, char kind, const Page& page) {
  if (kind == '7') {
    return fmt::format("P7\nWIDTH {}\nHEIGHT {}\nDEPTH {}\nMAXVAL {}\n{}ENDHDR\n", page.width,
                       page.height, form.channels, form.max_value,
                       form.tuple_type.empty() ? "" : "TUPLTYPE " + form.tuple_type + "\n");
  }
  std::string size = fmt::format("P{}\n{} {}\n", kind, page.width, page.height);
  if (kind == '4') return size;
  if (page.type == SampleFormat::f32) return size + form.scale + "\n";
  return size + fmt::format("{}\n", form.max_value);
}

Bytes encode(const Image& image, const std::atomic<bool>& stop) {
  const Page& page = image.pages.front();
  const auto* extras = dynamic_cast<const PnmExtras*>(image.extras.get());
  const PnmForm form = extras ? extras->form : form_of(page);
  constexpr char from_text_to_binary = '4' - '1';
  const char kind =
      form.kind <= '3' ? static_cast<char>(form.kind + from_text_to_binary) : form.kind;
  const bool bitmap = kind == '4', floats = page.type == SampleFormat::f32;
  const std::string header = header_text(form, kind, page);
  Bytes file;
  file.reserve(header.size() + page.bytes());
  const auto bytes = std::as_bytes(std::span(header.data(), header.size()));
  file.insert(file.end(), bytes.begin(), bytes.end());
  for (std::int64_t y = 0; y < page.height; ++y) {
    if (stop.load(std::memory_order_relaxed)) throw Interrupted();
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

constexpr Capacity capacity = {
    .samples = bit_of(SampleFormat::u8) | bit_of(SampleFormat::u16),
    .channels = [](int count, Meaning::Alpha) { return count == 1 || count == 3; }};

bool recognises(std::span<const std::byte> head, std::string_view) {
  const std::string_view text = text_of(head);
  return text.size() >= 3 && text[0] == 'P' && std::isspace(static_cast<unsigned char>(text[2])) &&
         ((text[1] >= '1' && text[1] <= '6') || text[1] == 'F' || text[1] == 'f' ||
          (text[1] == '7' && text[2] == '\n'));
}

}  // namespace

const Codec codec = {
    .name = "pnm",
    .suffixes = {".pnm", ".ppm", ".pgm", ".pbm", ".pfm", ".pam"},
    .recognises = recognises,
    .read_header = read_header,
    .decode = decode,
    .encode =
        [](const Image& image, Orientation, const std::atomic<bool>& stop,
           std::vector<std::string>&) {
          if (image.format != &codec) check_fits(image, codec.name, capacity);
          return encode(image, stop);
        },
    .parts = [](std::span<const std::byte> file, Orientation) -> std::vector<FilePart> {
      const PnmHeader header = read_header_of(file);
      return {said_part("what its samples mean", fmt::format("{} {} {}", header.max_value,
                                                             header.scale, header.tuple_type))};
    },
};

}  // namespace qturn::pnm
