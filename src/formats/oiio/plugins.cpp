// The formats that are taken as OpenImageIO's plugins read and write them.
//
// Plugins have faults: some write files that they cannot read again. So whatever is written is read
// again before anyone gets it, and compared: pixels, channels, attributes. What differs is refused.
// A header that no attribute tells in full goes from the source to the result, byte for byte.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <span>
#include <utility>

#include "src/formats/codec/codec.hpp"
#include "src/formats/oiio/jp2.hpp"
#include "src/formats/oiio/memory_files.hpp"
#include "src/formats/oiio/module.hpp"
#include "src/formats/oiio/spec.hpp"
#include "src/picture/bytes.hpp"
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
    kept,          ///< the result has the source's
    kept_upright,  ///< unless the axes are swapped, and it is in use
    lost           ///< a warning says so if they are in use
  } kind = kept;
  std::string_view name = {};
};

struct Plugin {
  const char* name;                   ///< OpenImageIO's, and the row's
  const char* file_name = "picture";  ///< for a picture from another format
  unsigned samples = 0;               ///< it takes from other formats
  std::span<const Field> fields = {};
  /// Throws ImageFileError for what is not kept, by name. May be null.
  void (*check)(File file) = nullptr;
  std::uint64_t scratch = 2;  ///< bytes that it takes for each byte of the pixels
};

constexpr std::size_t sgi_header_bytes = 512;

struct RowExtras final : Extras {
  const Plugin* plugin = nullptr;
  OIIO::ImageSpec spec;  ///< as stored
  Bytes source;          ///< the header with the fields, or the frame of a JPEG 2000
  bool is_little = false;

  std::shared_ptr<Extras> copy() const override { return std::make_shared<RowExtras>(*this); }
};

extern const Plugin jpeg2000_plugin, sgi_plugin;
constexpr bool is_jpeg2000(const Plugin& plugin) { return &plugin == &jpeg2000_plugin; }

OIIO::ImageSpec read_spec(const Plugin& plugin, File file) {
  if (plugin.check) plugin.check(file);
  if (is_jpeg2000(plugin)) return jpeg2000_spec(file);
  OiioReader reader(plugin.name, file);
  OIIO::ImageSpec spec = reader.spec();
  check_spec(spec);
  if (spec.depth > 1) throw ImageFileError("a volume is not supported");
  if (reader.has(1, 0)) {
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
  extras->plugin = &plugin;
  extras->spec = reader.spec();
  const OIIO::ImageSpec& spec = extras->spec;
  extras->meaning = meaning_of(spec, Meaning::Alpha::unassociated);
  if (samples == Samples::for_another_format) {
    check_conversion(spec);
    if (is_jpeg2000(plugin)) extras->meaning = jpeg2000_meaning(file);
    if (spec.get_string_attribute("oiio:ColorSpace") == "KodakLog") {
      warnings.emplace_back("its samples are logarithmic, which is not kept");
    }
  } else {
    extras->source = source_of(plugin, file);
    extras->is_little = text_of(file).starts_with("XPDS");
    if (&plugin == &sgi_plugin && !spec.find_attribute("compression")) {
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
  return {.stored = stored, .pages = {page}, .extras = std::move(extras)};
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
    if (std::min(written.size(), source.size()) < field.to) return;
    if (field.kind == Field::lost) {
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
  const auto* own = dynamic_cast<const RowExtras*>(image.extras.get());
  if (own && own->plugin != &plugin) own = nullptr;
  if (!own) {
    // Few formats say what a fourth channel means.
    check_fits(image, plugin.name,
               {.samples = plugin.samples,
                .channels = [](int count, Meaning::Alpha) { return count == 1 || count == 3; }});
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
const Plugin dpx_plugin = {
    .name = "dpx",
    .samples = bit_of(SampleFormat::u8) | bit_of(SampleFormat::u16) | bit_of(SampleFormat::f32),
    .fields = dpx_fields,
    .check = check_dpx};

constexpr Field sgi_fields[] = {{12, sgi_header_bytes}};  // range, name, kind of colours
const Plugin sgi_plugin = {.name = "sgi",
                           .samples = bit_of(SampleFormat::u8) | bit_of(SampleFormat::u16),
                           .fields = sgi_fields};

const Plugin jpeg2000_plugin = {.name = "jpeg2000",
                                .file_name = "picture.jp2",
                                .samples = bit_of(SampleFormat::u8) | bit_of(SampleFormat::u16),
                                .scratch = 12};

template <const Plugin& plugin>
constexpr ModuleRow row_of(decltype(Codec::finish) finish = nullptr) {
  return {
      .read_header = [](File file) { return read_header(plugin, file); },
      .decode =
          [](File file, Samples samples, PixelArena& arena, const std::atomic<bool>& stop,
             Warnings& warnings) { return decode(plugin, file, samples, arena, stop, warnings); },
      .encode = [](const Image& image, Orientation applied, const std::atomic<bool>& stop,
                   Warnings& warnings) { return encode(plugin, image, applied, stop, warnings); },
      .finish = finish,
      .parts = [](File file, Orientation applied) { return parts(plugin, file, applied); }};
}

}  // namespace
}  // namespace qturn::oiio

const qturn::oiio::Module* qturn_openimageio(const char* version) {
  using namespace qturn::oiio;
  static const Module module = {.openexr = qturn::openexr::row,
                                .jpeg2000 = row_of<jpeg2000_plugin>(finish_jpeg2000),
                                .dpx = row_of<dpx_plugin>(),
                                .sgi = row_of<sgi_plugin>()};
  return version == std::string_view(QTURN_VERSION) ? &module : nullptr;
}
