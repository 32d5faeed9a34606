#include "src/formats/jxl/codestream.hpp"

#include <array>
#include <vector>

#include "src/picture/errors.hpp"

namespace qturn::jxl {
namespace {

class BitReader {
 public:
  explicit BitReader(std::span<const std::byte> bytes) : bytes_(bytes) {}

  std::uint64_t at() const { return at_; }

  std::uint32_t bits(unsigned count) {
    if (count > 8 * bytes_.size() - at_) {
      throw ImageFileError("truncated: its JPEG XL header is incomplete");
    }
    std::uint32_t value = 0;
    for (unsigned i = 0; i < count; ++i, ++at_) {
      const auto byte = std::to_integer<std::uint32_t>(bytes_[at_ / 8]);
      value |= (byte >> at_ % 8 & 1) << i;
    }
    return value;
  }

  bool flag() { return bits(1) != 0; }

  /// One of four forms of a number, chosen by two bits.
  struct Form {
    unsigned bits, offset;
  };
  std::uint32_t number(const std::array<Form, 4>& forms) {
    const Form form = forms[bits(2)];
    return bits(form.bits) + form.offset;
  }

  std::uint32_t enumerator() { return number({{{0, 0}, {0, 1}, {4, 2}, {6, 18}}}); }

  void skip(std::uint64_t count) {
    for (; count > 32; count -= 32) bits(32);
    bits(static_cast<unsigned>(count));
  }

 private:
  std::span<const std::byte> bytes_;
  std::uint64_t at_ = 0;
};

constexpr unsigned half_float_bits = 16;

std::int64_t of_ratio(unsigned ratio, std::int64_t height) {
  constexpr std::array<std::array<std::int64_t, 2>, 7> ratios = {
      {{1, 1}, {12, 10}, {4, 3}, {3, 2}, {16, 9}, {5, 4}, {2, 1}}};
  return height * ratios[ratio - 1][0] / ratios[ratio - 1][1];
}

Size read_size(BitReader& reader) {
  const bool small = reader.flag();
  const auto side = [&]() -> std::int64_t {
    if (small) return 8 * (std::int64_t{reader.bits(5)} + 1);
    return reader.number({{{9, 1}, {13, 1}, {18, 1}, {30, 1}}});
  };
  Size size;
  size.height = side();
  const unsigned ratio = reader.bits(3);
  size.width = ratio == 0 ? side() : of_ratio(ratio, size.height);
  return size;
}

void skip_bit_depth(BitReader& reader) {
  const bool is_float = reader.flag();
  reader.number({{{0, 8}, {0, 10}, {0, 12}, {6, 1}}});
  if (is_float) reader.skip(4);
}

void skip_extra_channel(BitReader& reader) {
  constexpr std::uint32_t alpha = 0, spot_colour = 2, filter_array = 5;
  if (reader.flag()) return;  // all default
  const std::uint32_t type = reader.enumerator();
  skip_bit_depth(reader);
  reader.number({{{0, 0}, {0, 3}, {0, 4}, {3, 1}}});
  reader.skip(8 * std::uint64_t{reader.number({{{0, 0}, {4, 0}, {5, 16}, {10, 48}}})});
  if (type == alpha) reader.skip(1);
  if (type == spot_colour) reader.skip(4 * half_float_bits);
  if (type == filter_array) reader.number({{{0, 1}, {2, 0}, {4, 3}, {8, 19}}});
}

void skip_chromaticity(BitReader& reader) {
  for (int i = 0; i < 2; ++i) {
    reader.number({{{19, 0}, {19, 1 << 19}, {20, 1 << 20}, {21, 1 << 21}}});
  }
}

void skip_colour_encoding(BitReader& reader) {
  constexpr std::uint32_t grey = 1, xyb = 2, custom = 2;
  constexpr unsigned gamma_bits = 24;
  if (reader.flag()) return;  // all default
  const bool has_profile = reader.flag();
  const std::uint32_t space = reader.enumerator();
  if (has_profile) return;
  if (space != xyb && reader.enumerator() == custom) skip_chromaticity(reader);
  if (space != xyb && space != grey && reader.enumerator() == custom) {
    for (int i = 0; i < 3; ++i) skip_chromaticity(reader);
  }
  if (space != xyb) {
    if (reader.flag()) {
      reader.skip(gamma_bits);
    } else {
      reader.enumerator();
    }
  }
  reader.enumerator();  // the rendering intent
}

class BitWriter {
 public:
  void put(std::uint64_t value, unsigned count) {
    for (unsigned i = 0; i < count; ++i) bits_.push_back((value >> i & 1) != 0);
  }

  void copy(std::span<const std::byte> from, std::uint64_t begin, std::uint64_t end) {
    for (; begin < end; ++begin) {
      bits_.push_back((std::to_integer<unsigned>(from[begin / 8]) >> begin % 8 & 1) != 0);
    }
  }

  Bytes bytes() const {
    Bytes bytes(bits_.size() / 8);
    for (std::size_t i = 0; i < 8 * bytes.size(); ++i) {
      if (bits_[i]) bytes[i / 8] |= std::byte{1} << static_cast<int>(i % 8);
    }
    return bytes;
  }

 private:
  std::vector<bool> bits_;
};

constexpr unsigned no = 0, yes = 1;

// The orientation, and that there is no other size, no preview and no animation.
void put_extra_fields(BitWriter& writer, Orientation orientation) {
  writer.put(yes, 1);
  writer.put(static_cast<unsigned>(orientation) - 1, 3);
  writer.put(no, 3);
}

// 24 bits more than the single bit that says that all is default.
void put_defaults(BitWriter& writer, Orientation orientation) {
  constexpr unsigned form_of_six_bits = 3, eight = 7;  // 1 to 64 are written as 0 to 63
  writer.put(no, 1);                                   // not all is default
  put_extra_fields(writer, orientation);
  writer.put(no, 1);  // samples are not floats, but of eight bits
  writer.put(form_of_six_bits, 2);
  writer.put(eight, 6);
  writer.put(yes, 1);  // buffers of 16 bits are enough
  writer.put(no, 2);   // no extra channels
  writer.put(yes, 1);  // XYB
  writer.put(yes, 1);  // the colour encoding is the default
  writer.put(yes, 1);  // and so is the tone mapping
  writer.put(no, 2);   // no extensions
}

// The default in 50 bits: with the orientation before, 56 are inserted.
void put_tone_mapping(BitWriter& writer) {
  constexpr unsigned intensity_255 = 0x5BF8;  // as a half float
  writer.put(no, 1);
  writer.put(intensity_255, half_float_bits);
  writer.put(0, half_float_bits);  // the darkest
  writer.put(no, 1);               // the next is not relative
  writer.put(0, half_float_bits);  // linear below
}

}  // namespace

JxlHeader read_jxl_header(std::span<const std::byte> codestream) {
  BitReader reader(codestream);
  if (!text_of(codestream).starts_with(jxl_signature)) {
    throw ImageFileError("damaged: its codestream does not begin as a JPEG XL's");
  }
  reader.skip(8 * jxl_signature.size());
  JxlHeader header{.size = read_size(reader)};
  header.metadata_at = reader.at();
  if (reader.flag()) return header;
  if (reader.flag()) {
    header.form = JxlHeader::with_orientation;
    header.orientation = static_cast<Orientation>(reader.bits(3) + 1);
    return header;
  }
  header.form = JxlHeader::without_orientation;
  skip_bit_depth(reader);
  reader.skip(1);
  for (std::uint32_t left = reader.number({{{0, 0}, {0, 1}, {4, 2}, {12, 1}}}); left > 0; --left) {
    skip_extra_channel(reader);
  }
  reader.skip(1);
  skip_colour_encoding(reader);
  header.tone_mapping_at = reader.at();
  return header;
}

JxlHead with_orientation(std::span<const std::byte> codestream, const JxlHeader& header,
                         Orientation orientation) {
  if (header.orientation == orientation) return {};
  BitWriter writer;
  writer.copy(codestream, 0, header.metadata_at);
  std::uint64_t end = header.metadata_at;
  switch (header.form) {
    case JxlHeader::all_default:
      put_defaults(writer, orientation);
      end += 1;
      break;
    case JxlHeader::without_orientation:
      writer.put(no, 1);
      put_extra_fields(writer, orientation);
      writer.copy(codestream, header.metadata_at + 2, header.tone_mapping_at);
      put_tone_mapping(writer);
      end = header.tone_mapping_at;
      break;
    case JxlHeader::with_orientation:
      writer.put(no, 1);
      writer.put(yes, 1);
      writer.put(static_cast<unsigned>(orientation) - 1, 3);
      end += 5;
      break;
  }
  // The bits that are left of the byte are as many as in the source.
  const std::uint64_t whole = (end + 7) / 8;
  writer.copy(codestream, end, 8 * whole);
  return {static_cast<std::size_t>(whole), writer.bytes()};
}

}  // namespace qturn::jxl
