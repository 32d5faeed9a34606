#include "src/formats/oiio/rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <span>
#include <utility>

#include "src/formats/codec/capacity.hpp"
#include "src/formats/oiio/jp2.hpp"
#include "src/formats/oiio/proof.hpp"
#include "src/formats/oiio/reader.hpp"
#include "src/formats/oiio/sink.hpp"
#include "src/formats/oiio/spec.hpp"
#include "src/picture/endian.hpp"
#include "src/picture/message_text.hpp"
#include "src/picture/trailing_data.hpp"

namespace qturn::oiio {
namespace {

using File = std::span<const std::byte>;
using Warnings = std::vector<std::string>;
using std::string_view_literals::operator""sv;

/// Bytes of a header.
struct Field {
  std::size_t from, to;
  enum Kind : std::uint8_t {
    kept,          ///< the result has those of the source
    kept_upright,  ///< unless the axes are swapped, and it is in use
    made,          ///< that too; in a picture from another format they are 0
    lost           ///< a warning says so if they are in use
  } kind = kept;
  std::string_view name = {};
};

struct Plugin {
  const Codec* row;
  const char* name;                   ///< OpenImageIO's
  const char* file_name = "picture";  ///< for a picture from another format
  unsigned samples = 0;               ///< it takes from other formats
  bool takes_grey = true;
  std::span<const Field> fields = {};
  /// Throws ImageFileError for what is not kept, by name. May be null.
  void (*check)(File file) = nullptr;
  /// Warns of what another format does not get. May be null.
  void (*warn)(OiioReader& reader, Warnings& warnings) = nullptr;
  std::uint64_t scratch = 2;  ///< bytes that it takes for each byte of the pixels
};

constexpr std::size_t sgi_header_bytes = 512;

struct RowExtras final : Extras {
  OIIO::ImageSpec spec;  ///< as stored
  Bytes source;          ///< the header with the fields, or the frame of a JPEG 2000
  bool is_little = false;

  std::shared_ptr<Extras> copy() const override { return std::make_shared<RowExtras>(*this); }
};

constexpr bool is_jpeg2000(const Plugin& plugin) { return plugin.row == &jpeg2000; }
constexpr bool is_written(const Plugin& plugin) { return plugin.samples != 0; }

OIIO::ImageSpec read_spec(const Plugin& plugin, File file) {
  if (plugin.check) plugin.check(file);
  if (is_jpeg2000(plugin)) return jpeg2000_spec(file);
  OiioReader reader(plugin.name, file);
  OIIO::ImageSpec spec = reader.spec();
  check_spec(spec);
  if (spec.depth > 1) throw ImageFileError("a volume is not supported");
  if (is_written(plugin) && reader.has(1, 0)) {
    throw ImageFileError("several pictures in a file are not supported");
  }
  return spec;
}

Header read_header(const Plugin& plugin, File file) {
  const OIIO::ImageSpec spec = read_spec(plugin, file);
  Header header = header_of(spec);
  const std::uint64_t pixels = header.pixel_bytes_total;
  header.decoding_bytes = (4 << 20) + file.size() + plugin.scratch * pixels;
  // The result may be larger than the pixels, exists twice, and is read again.
  header.encoding_bytes = (8 << 20) + 2 * file.size() + (plugin.scratch + 4) * pixels;
  if (is_jpeg2000(plugin)) describe_jpeg2000(file, header);
  return header;
}

Bytes source_of(const Plugin& plugin, File file) {
  if (is_jpeg2000(plugin)) return jpeg2000_frame(file);
  const std::size_t end = plugin.fields.empty() ? 0 : plugin.fields.back().to;
  const File head = file.first(std::min(end, file.size()));
  return {head.begin(), head.end()};
}

/// OpenImageIO widens a sample of fewer bits by repeating its upper ones. Another format gets the
/// nearest to the same part of the largest value, as other programs make it.
template <class Sample>
void round_samples(void* pixels, std::size_t bytes, int bits) {
  constexpr int all = 8 * sizeof(Sample);
  constexpr std::uint32_t largest = std::numeric_limits<Sample>::max();
  if (bits <= 0 || bits >= all) return;
  const std::uint32_t stored = (1U << bits) - 1;
  for (Sample& sample : std::span(static_cast<Sample*>(pixels), bytes / sizeof(Sample)))
    sample = static_cast<Sample>(((sample >> (all - bits)) * largest + stored / 2) / stored);
}

Image decode(const Plugin& plugin, File file, Samples samples, PixelArena& arena,
             const std::atomic<bool>& stop, Warnings& warnings) {
  if (plugin.check) plugin.check(file);
  OiioReader reader(plugin.name, file);
  auto extras = std::make_shared<RowExtras>();
  extras->spec = reader.spec();
  const OIIO::ImageSpec& spec = extras->spec;
  extras->meaning = meaning_of(spec, Meaning::Alpha::unassociated);
  if (samples == Samples::for_another_format) {
    check_conversion(spec);
    if (is_jpeg2000(plugin)) extras->meaning = jpeg2000_meaning(file);
    if (plugin.warn) plugin.warn(reader, warnings);
    if (spec.get_string_attribute("oiio:ColorSpace") == "KodakLog") {
      warnings.emplace_back("its samples are logarithmic, which is not kept");
    }
  } else {
    extras->source = source_of(plugin, file);
    extras->is_little = text_of(file).starts_with("XPDS");
    if (plugin.row == &sgi && !spec.find_attribute("compression")) {
      warn_of_trailing_data(file, sgi_header_bytes + spec.image_bytes(true), warnings);
    }
  }
  Page page = page_of(spec, samples);
  page.pixels = arena.take(page.bytes());
  reader.read(spec.nchannels, type_of_samples(spec, samples), page.pixels, stop);
  if (samples == Samples::for_another_format) {
    const int bits = spec.get_int_attribute("oiio:BitsPerSample");
    if (spec.format == OIIO::TypeUInt16)
      round_samples<std::uint16_t>(page.pixels, page.bytes(), bits);
    if (spec.format == OIIO::TypeUInt8)
      round_samples<std::uint8_t>(page.pixels, page.bytes(), bits);
  }
  extras->metadata.icc = icc_of(spec);
  const Orientation stored = orientation_of(spec);
  return {.format = plugin.row, .stored = stored, .pages = {page}, .extras = std::move(extras)};
}

// Zeros, ones, or the floating-point numbers for nothing, in either order of bytes.
bool is_unused(File field) {
  constexpr std::array<std::uint64_t, 4> nothing = {0, 0xFFFFFFFF, 0x7FC00000, 0x0000C07F};
  for (std::size_t at = 0; at < field.size(); at += 4) {
    if (std::ranges::count(nothing, big_endian(field, at, 4)) == 0) return false;
  }
  return true;
}

// Puts the fields of `source`, which is empty for a picture from another format, into `written`.
void take_fields(const Plugin& plugin, Bytes& written, File source, Orientation applied,
                 Warnings& warnings) {
  for (const Field& field : plugin.fields) {
    const std::size_t size = field.to - field.from;
    if (written.size() < field.to) return;
    if (source.size() < field.to) {
      if (field.kind == Field::made) std::fill_n(&written[field.from], size, std::byte{0});
    } else if (field.kind == Field::lost) {
      if (is_unused(source.subspan(field.from, size))) continue;
      warnings.push_back(fmt::format("its {} is left out", field.name));
    } else if (field.kind != Field::kept_upright || !swaps_axes(applied) ||
               is_unused(source.subspan(field.from, size))) {
      std::copy_n(&source[field.from], size, &written[field.from]);
    }
  }
}

// Two attributes of DPX that belong to the axes.
void swap_scanned_sizes(OIIO::ImageSpec& spec) {
  constexpr auto x = "dpx:XScannedSize", y = "dpx:YScannedSize";
  const OIIO::ParamValue *across = spec.find_attribute(x), *down = spec.find_attribute(y);
  if (!across || !down) return;
  const float old_across = across->get_float(), old_down = down->get_float();
  spec.attribute(x, old_down);
  spec.attribute(y, old_across);
}

Bytes encode(const Plugin& plugin, const Image& image, Orientation applied,
             const std::atomic<bool>& stop, Warnings& warnings) {
  const Page& page = image.pages.front();
  const auto* own =
      image.format == plugin.row ? dynamic_cast<const RowExtras*>(image.extras.get()) : nullptr;
  if (!own) {
    const bool grey = plugin.takes_grey;
    // What a fourth channel means, few of these formats say.
    check_fits(
        image, plugin.row->name,
        {.samples = plugin.samples,
         .channels = grey ? [](int count, Meaning::Alpha) { return count == 1 || count == 3; }
                          : [](int count, Meaning::Alpha) { return count == 3; }});
  }
  if (is_jpeg2000(plugin) && std::min(page.width, page.height) < 32) {
    throw ImageFileError("JPEG 2000 is written only with 32 rows and columns or more");
  }
  OIIO::ImageSpec spec = own ? turned_spec(own->spec, page, applied) : converted_spec(image, page);
  if (own && swaps_axes(applied)) swap_scanned_sizes(spec);
  OIIO::ImageSpec how = spec;
  how.attribute("oiio:UnassociatedAlpha", 1);
  if (!how.find_attribute("compression")) how.attribute("compression", "none");
  // One plugin reads it with a type that it does not heed.
  const int bits = spec.get_int_attribute("oiio:BitsPerSample");
  if (bits != 0) how.attribute("oiio:BitsPerSample", bits);
  how.attribute("oiio:Endian", own && own->is_little ? "little" : "big");
  if (spec.find_attribute("dpx:Version")) how.attribute("Orientation", 1);
  const bool is_framed = own && is_jpeg2000(plugin);
  Bytes file = write(plugin.name, is_framed ? "picture.j2k" : plugin.file_name, page, how, stop);
  if (is_framed && !is_codestream(file))
    throw PluginError("OpenImageIO has not written the picture");
  if (is_framed) {
    file = in_jpeg2000_frame(file, own->source, applied);
  } else {
    take_fields(plugin, file, own ? File(own->source) : File(), applied, warnings);
  }
  if (plugin.check) plugin.check(file);
  prove_written(plugin.name, file, page, spec, own ? Attributes::count : Attributes::do_not_count,
                stop);
  return file;
}

std::vector<FilePart> parts(const Plugin& plugin, File file, Orientation applied) {
  if (is_jpeg2000(plugin)) return jpeg2000_parts(file, applied);
  std::vector<FilePart> parts;
  for (const Field& field : plugin.fields) {
    if (field.kind == Field::lost || field.to > file.size()) continue;
    if (field.kind == Field::kept_upright) continue;
    parts.emplace_back(FilePart::fixed, fmt::format("bytes {} to {}", field.from, field.to),
                       file.subspan(field.from, field.to - field.from));
  }
  return parts;
}

// --- The plugins

constexpr Field dpx_fields[] = {
    {8, 16},      // version
    {20, 24},     // ditto key
    {36, 768},    // names, dates, copyright, key
    {784, 800},   // low and high data
    {801, 803},   // transfer, colorimetric
    {820, 1408},  // description; other elements
    {1416, 1424, Field::lost, "centre on the original"},
    {1432, 1620},  // file, date, device
    {1620, 1628, Field::lost, "border on the original"},
    {1628, 1636, Field::kept_upright},  // aspect ratio
    {1644, 2048},                       // film, television
};
// Where rows are columns, the plugin exchanges width and height, and not the pixels. It does not
// find the next row after one that does not fill its last word, and misreads 12 bits in 16. Nobody
// else reads 10 bits side by side.
void check_dpx(File file) {
  constexpr std::size_t end = 2048;
  if (file.size() < end) throw ImageFileError("truncated within the DPX header");
  const auto number = text_of(file).starts_with("XPDS") ? little_endian : big_endian;
  const std::uint64_t orientation = number(file, 768, 2), width = number(file, 772, 4);
  const std::uint64_t descriptor = number(file, 800, 1), bits = number(file, 803, 1);
  const bool is_packed = number(file, 804, 2) == 0;
  if (orientation >= 4 && orientation < 8) {
    throw ImageFileError("a DPX that is stored by columns is not supported");
  }
  constexpr std::uint64_t rgb = 50;
  const std::uint64_t channels = descriptor < rgb ? 1 : descriptor == rgb ? 3 : 4;
  const bool fills_words = width * channels * bits % 32 == 0;
  if (bits == 8 || bits == 12 || (bits == 16 && !is_packed) ? !fills_words : false) {
    throw ImageFileError("a DPX whose rows are not whole words of 32 bits is not supported");
  }
  if ((bits == 10 && is_packed) || (bits == 12 && !is_packed)) {
    throw ImageFileError(
        fmt::format("a DPX of {} {} bits is not supported", is_packed ? "packed" : "filled", bits));
  }
}
constexpr Plugin dpx_plugin = {
    .row = &dpx,
    .name = "dpx",
    .samples = bit_of(SampleFormat::u8) | bit_of(SampleFormat::u16) | bit_of(SampleFormat::f32),
    .fields = dpx_fields,
    .check = check_dpx};

constexpr Field sgi_fields[] = {{12, sgi_header_bytes}};  // range, name, kind of colours
constexpr Plugin sgi_plugin = {.row = &sgi,
                               .name = "sgi",
                               .samples = bit_of(SampleFormat::u8) | bit_of(SampleFormat::u16),
                               .fields = sgi_fields};

constexpr Field rla_fields[] = {
    {16, 18},                         // frame
    {26, 528},                        // gamma, chromaticities, names
    {528, 548, Field::made},          // the date of writing
    {548, 572},                       // name of the aspect
    {572, 580, Field::kept_upright},  // aspect
    {580, 612},                       // name of the channels
    {614, 658},                       // time, filter
    {668, 736},                       // name of other channels
};
void check_rla(File file) {
  constexpr std::size_t fields_at = 612;
  if (file.size() > fields_at + 2 && big_endian(file, fields_at, 2) != 0) {
    throw ImageFileError("a picture in fields (interlaced) is not supported");
  }
}
constexpr Plugin rla_plugin = {
    .row = &rla,
    .name = "rla",
    .samples = bit_of(SampleFormat::u8) | bit_of(SampleFormat::u16) | bit_of(SampleFormat::f32),
    .fields = rla_fields,
    .check = check_rla};

constexpr Field iff_fields[] = {{28, 32}};  // aspect
// The plugin passes over chunks that it does not know.
void check_iff(File file) {
  if (file.size() > 32 && big_endian(file, 28, 2) != big_endian(file, 30, 2)) {
    throw ImageFileError("an IFF whose pixels are not square is not supported");
  }
  constexpr std::array known = {"TBHD"sv, "AUTH"sv, "DATE"sv, "FOR4"sv, "RGBA"sv, "ZBUF"sv};
  for (std::size_t at = 12; at + 8 <= file.size();) {
    const std::string_view name = text_of(file.subspan(at, 4));
    if (std::ranges::count(known, name) == 0) {
      throw ImageFileError(
          fmt::format("an IFF with a chunk '{}' is not supported", message_text(name)));
    }
    const std::uint64_t size = big_endian(file, at + 4, 4);
    at += name == "FOR4" ? 12 : 8 + (size + 3) / 4 * 4;
  }
}
constexpr Plugin iff_plugin = {.row = &iff,
                               .name = "iff",
                               .samples = bit_of(SampleFormat::u8) | bit_of(SampleFormat::u16),
                               .takes_grey = false,
                               .fields = iff_fields,
                               .check = check_iff};

constexpr Plugin jpeg2000_plugin = {.row = &jpeg2000,
                                    .name = "jpeg2000",
                                    .file_name = "picture.jp2",
                                    .samples = bit_of(SampleFormat::u8) | bit_of(SampleFormat::u16),
                                    .scratch = 12};

constexpr Plugin cineon_plugin = {.row = &cineon, .name = "cineon"};

// The plugin shows black where a mask lies beyond the bits.
void check_dds(File file) {
  constexpr std::size_t flags_at = 80, bits_at = 88, masks_at = 92, end = 108;
  constexpr std::uint64_t normal_map = 0x80000000, compressed = 4;
  if (file.size() < end) throw ImageFileError("truncated within the DDS header");
  const std::uint64_t flags = little_endian(file, flags_at, 4);
  const std::uint64_t bits = little_endian(file, bits_at, 4);
  if (flags & normal_map) throw ImageFileError("a normal map (DDS) is not supported");
  for (std::size_t at = masks_at; at < end; at += 4) {
    if (!(flags & compressed) && bits < 32 && little_endian(file, at, 4) >> bits != 0) {
      throw ImageFileError("damaged: the masks of the DDS");
    }
  }
}
void warn_of_dds(OiioReader& reader, Warnings& warnings) {
  const OIIO::ImageSpec spec = reader.spec();
  if (spec.get_string_attribute("textureformat") != "Plain Texture") {
    throw ImageFileError("DDS is supported only with one picture, not as a cube or a volume");
  }
  const std::string compression = spec.get_string_attribute("compression");
  if (compression == "DXT2" || compression == "DXT4") {
    throw ImageFileError(fmt::format("DDS with {} is not supported", compression));
  }
  if (reader.has(0, 1)) warnings.emplace_back("its smaller copies (mip map) are left out");
}
constexpr Plugin dds_plugin = {.row = &dds, .name = "dds", .check = check_dds, .warn = warn_of_dds};

// A PSD without the picture that its layers make has a white one.
void check_psd(File file) {
  constexpr std::size_t mode_at = 24, palette_at = 26;
  constexpr std::uint64_t grey = 1, rgb = 3, version = 1057;
  const auto number = [&](std::size_t at, std::size_t bytes) {
    if (at > file.size() || file.size() - at < bytes) throw ImageFileError("truncated: the PSD");
    return static_cast<std::size_t>(big_endian(file, at, bytes));
  };
  const std::size_t mode = number(mode_at, 2);
  if (mode != grey && mode != rgb) throw ImageFileError("a PSD is supported only in grey or RGB");
  const std::size_t resources = palette_at + 4 + number(palette_at, 4);
  const std::size_t end = resources + 4 + number(resources, 4);
  for (std::size_t at = resources + 4; at < end;) {
    const std::size_t value = at + 6 + (number(at + 6, 1) + 2) / 2 * 2;
    if (number(at + 4, 2) == version && number(value + 8, 1) == 0) {
      throw ImageFileError("a PSD without its merged picture is not supported");
    }
    at = value + 4 + (number(value, 4) + 1) / 2 * 2;
  }
}
void warn_of_psd(OiioReader& reader, Warnings& warnings) {
  if (reader.spec().alpha_channel >= 0) {
    throw ImageFileError("a PSD with transparency is not supported: it is blended with white");
  }
  warnings.emplace_back("its layers and metadata are left out");
}
constexpr Plugin psd_plugin = {
    .row = &psd, .name = "psd", .check = check_psd, .warn = warn_of_psd, .scratch = 3};

using Suffixes = decltype(Codec::suffixes);
using Recognises = bool (*)(File head, std::string_view suffix);

template <const Plugin& plugin>
Codec row(std::string_view name, const Suffixes& suffixes, Recognises recognises,
          std::string_view alias = {}) {
  constexpr bool written = is_written(plugin);
  return {
      .name = name,
      .alias = alias,
      .suffixes = suffixes,
      .recognises = recognises,
      .read_header = [](File file) { return read_header(plugin, file); },
      .decode =
          [](File file, Samples samples, PixelArena& arena, const std::atomic<bool>& stop,
             Warnings& warnings) { return decode(plugin, file, samples, arena, stop, warnings); },
      .encode =
          !written
              ? nullptr
              : +[](const Image& image, Orientation applied, const std::atomic<bool>& stop,
                    Warnings& warnings) { return encode(plugin, image, applied, stop, warnings); },
      .finish = is_jpeg2000(plugin) ? finish_jpeg2000 : nullptr,
      .parts = !written
                   ? nullptr
                   : +[](File file, Orientation applied) { return parts(plugin, file, applied); }};
}

}  // namespace

const Codec jpeg2000 = row<jpeg2000_plugin>(
    "jpeg2000", {".jp2", ".j2k", ".j2c", ".jpc", ".jpx", ".jpf"},
    [](File head, std::string_view) { return is_jp2(head) || is_codestream(head); }, "jp2");

const Codec dpx = row<dpx_plugin>("dpx", {".dpx"}, [](File head, std::string_view) {
  return text_of(head).starts_with("SDPX") || text_of(head).starts_with("XPDS");
});

// Of its two letters, many other files could be.
const Codec sgi = row<sgi_plugin>("sgi", {".sgi"}, [](File head, std::string_view) {
  return head.size() >= 12 && big_endian(head, 0, 2) == 0x01DA && big_endian(head, 2, 1) <= 1 &&
         (big_endian(head, 3, 1) == 1 || big_endian(head, 3, 1) == 2) &&
         big_endian(head, 4, 2) >= 1 && big_endian(head, 4, 2) <= 3;
});

// It has no signature, but a number of a revision.
const Codec rla = row<rla_plugin>("rla", {".rla"}, [](File head, std::string_view suffix) {
  return suffix == ".rla" && head.size() >= 28 && big_endian(head, 26, 2) == 0xFFFE;
});

const Codec iff = row<iff_plugin>("iff", {".iff"}, [](File head, std::string_view) {
  return head.size() >= 12 && text_of(head).starts_with("FOR4") &&
         text_of(head).substr(8, 4) == "CIMG";
});

const Codec cineon = row<cineon_plugin>("cineon", {".cin"}, [](File head, std::string_view) {
  return text_of(head).starts_with("\x80\x2a\x5f\xd7") ||
         text_of(head).starts_with("\xd7\x5f\x2a\x80");
});

const Codec dds = row<dds_plugin>("dds", {".dds"}, [](File head, std::string_view) {
  return text_of(head).starts_with("DDS |\0\0\0"sv);
});

const Codec psd = row<psd_plugin>("psd", {".psd"}, [](File head, std::string_view) {
  return text_of(head).starts_with("8BPS\0\1"sv) || text_of(head).starts_with("8BPS\0\2"sv);
});

}  // namespace qturn::oiio
