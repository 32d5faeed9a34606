#include "src/oiio/codec.hpp"

#include <OpenImageIO/imageio.h>

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <mutex>
#include <utility>

#include "src/oiio/file_structure.hpp"
#include "src/oiio/memory.hpp"
#include "src/oiio/storage.hpp"
#include "src/oiio/visible_part.hpp"

namespace qturn {
namespace {

// Files are spread over the threads by the pipeline: a codec that starts its own would only get in
// the way.
void use_one_thread() {
  static std::once_flag once;
  std::call_once(once, [] {
    OIIO::attribute("threads", 1);
    OIIO::attribute("exr_threads", -1);
    OIIO::attribute("debug", 0);  // it would write to stderr
    if (OIIO::openimageio_version() >= 30000) {
      OIIO::attribute("openexr:core", 1);         // the other reader lets OpenEXR write to stderr
      OIIO::attribute("limits:imagesize_MB", 0);  // the budget for pixels is ours to keep
    }
  });
}

[[noreturn]] void fail(std::string message) {
  // Only the first line: the others repeat it, or name a file that does not exist.
  message.erase(std::min(message.find('\n'), message.size()));
  if (message.empty()) message = "the pixels cannot be decoded";
  throw ImageFileError(message);
}

bool stop_requested(void* flag, float) {
  return static_cast<std::atomic<bool>*>(flag)->load(std::memory_order_relaxed);
}

class Reader {
 public:
  Reader(std::span<const std::byte> file, Format format)
      : part_(visible_part(file, format)),
        memory_(part_.pieces),
        input_(OIIO::ImageInput::create(plugin_name(format))) {
    use_one_thread();
    if (!input_) fail(OIIO::geterror());
    input_->threads(1);
    open(false);
    // Unasked, CMYK comes out as RGB.
    constexpr int separated = 5;
    if (spec().get_int_attribute("tiff:PhotometricInterpretation") == separated) open(true);
  }

  OIIO::ImageSpec spec() { return input_->spec(); }

  bool seek(int page) {
    const bool found = input_->seek_subimage(page, 0);
    if (!found) input_->geterror();
    return found;
  }

  bool has_second_level(int page) {
    const bool found = input_->seek_subimage(page, 1);
    if (!found) input_->geterror();
    return found;
  }

  void read(int page, const OIIO::ImageSpec& spec, void* pixels, const std::atomic<bool>& stop) {
    const bool complete = input_->read_image(page, 0, 0, spec.nchannels, spec.format, pixels,
                                             OIIO::AutoStride, OIIO::AutoStride, OIIO::AutoStride,
                                             stop_requested, const_cast<std::atomic<bool>*>(&stop));
    if (stop) throw Interrupted();
    if (!complete || input_->has_error()) fail(input_->geterror());
  }

 private:
  void open(bool raw_colour) {
    input_->close();
    memory_.seek(0);
    input_->set_ioproxy(&memory_);
    OIIO::ImageSpec spec, options;
    options.attribute("oiio:UnassociatedAlpha", 1);
    if (raw_colour) options.attribute("oiio:RawColor", 1);
    if (!input_->open("picture", spec, options)) fail(input_->geterror());
  }

  VisiblePart part_;
  OiioSource memory_;
  std::unique_ptr<OIIO::ImageInput> input_;
};

std::vector<OIIO::ImageSpec> read_specs(Reader& reader, Format format) {
  std::vector<OIIO::ImageSpec> specs;
  // Readers of the other formats lose their place when asked for a second page.
  const bool may_have_pages = format == Format::tiff || format == Format::openexr;
  for (int page = 0; page == 0 || (may_have_pages && reader.seek(page)); ++page) {
    specs.push_back(reader.spec());
    check_page(specs.back(), format);
    if (may_have_pages && reader.has_second_level(page)) {
      throw ImageFileError("a picture with reduced copies of itself (mip map) is not supported");
    }
  }
  if (format == Format::openexr && specs.size() > 1) {
    throw ImageFileError("an OpenEXR file of several parts is not supported");
  }
  return specs;
}

Page page_of(const OIIO::ImageSpec& spec) {
  return {.width = spec.width,
          .height = spec.height,
          .channels = spec.nchannels,
          .type = *sample_type(spec.format)};
}

Orientation common_orientation(const std::vector<OIIO::ImageSpec>& specs,
                               const FileStructure& structure) {
  if (structure.orientation) return *structure.orientation;
  const auto of = [](const OIIO::ImageSpec& spec) {
    const int number = spec.get_int_attribute("Orientation", 1);
    return number >= 1 && number <= 8 ? static_cast<Orientation>(number) : Orientation::identity;
  };
  const Orientation first = of(specs.front());
  for (const OIIO::ImageSpec& spec : specs) {
    if (of(spec) != first) throw ImageFileError("its pages are stored in different orientations");
  }
  return first;
}

bool is_opaque(const Page& page) {
  if (page.channels != 4 || page.type != SampleFormat::u8) return false;
  const std::span pixels(static_cast<const std::uint8_t*>(page.pixels), page.bytes());
  for (std::size_t i = 3; i < pixels.size(); i += 4) {
    if (pixels[i] != 255) return false;
  }
  return true;
}

// What is multiplied by an alpha of one is the same with and without it.
bool has_straight_alpha(const OiioExtras& extras, Format format) {
  return extras.structure.alpha_mask ||
         (extras.opaque && (format == Format::webp || format == Format::tga));
}

void drop_fourth_channel(Page& page, OIIO::ImageSpec& spec) {
  auto* pixels = static_cast<std::uint8_t*>(page.pixels);
  const std::int64_t count = page.width * page.height;
  for (std::int64_t i = 0; i < count; ++i) {
    for (std::int64_t k = 0; k < 3; ++k) pixels[3 * i + k] = pixels[4 * i + k];
  }
  page.channels = 3;
  spec.nchannels = 3;
  spec.default_channel_names();
}

void check_pages(std::size_t readable, const FileStructure& structure) {
  if (structure.pages && *structure.pages != readable) {
    throw ImageFileError(
        fmt::format("only {} of {} pages can be read", readable, *structure.pages));
  }
}

bool is_lossless_webp(const OIIO::ImageSpec& spec, Format target) {
  return target == Format::webp && spec.get_string_attribute("compression") == "lossless";
}

// OpenImageIO lets libwebp blacken what is fully transparent.
void check_transparent_colours(const Page& page, const OIIO::ImageSpec& spec, Format target) {
  if (!is_lossless_webp(spec, target) || spec.nchannels != 4) return;
  const std::span pixels(static_cast<const std::uint8_t*>(page.pixels), page.bytes());
  for (std::size_t i = 0; i < pixels.size(); i += 4) {
    if (pixels[i + 3] == 0 && (pixels[i] != 0 || pixels[i + 1] != 0 || pixels[i + 2] != 0)) {
      throw ImageFileError("the colours of fully transparent pixels cannot be kept in a WebP");
    }
  }
}

Bytes encode_page(const Page& page, const OIIO::ImageSpec& spec, Format target,
                  const std::atomic<bool>& stop) {
  if (stop) throw Interrupted();
  Bytes encoded;
  OiioSink sink(encoded);
  const auto output = OIIO::ImageOutput::create(plugin_name(target));
  if (!output) fail(OIIO::geterror());
  output->threads(1);
  output->set_ioproxy(&sink);
  if (!output->open("picture", spec)) fail(output->geterror());
  const bool complete =
      output->write_image(spec.format, page.pixels, OIIO::AutoStride, OIIO::AutoStride,
                          OIIO::AutoStride, stop_requested, const_cast<std::atomic<bool>*>(&stop));
  if (stop) throw Interrupted();
  if (!complete || !output->close() || output->has_error()) fail(output->geterror());
  return encoded;
}

// OpenImageIO 2.4 writes even a lossless WebP by way of YCbCr.
void check_lossless_webp(const Bytes& encoded, const Page& page, const std::atomic<bool>& stop) {
  Reader reader(encoded, Format::webp);
  const OIIO::ImageSpec spec = reader.spec();
  std::vector<std::uint8_t> read(spec.image_bytes());
  reader.read(0, spec, read.data(), stop);
  // libwebp leaves out an alpha channel that is opaque everywhere. One that the reader multiplies
  // the colours by tells nothing of what was written.
  const bool readable = spec.nchannels != 4 || is_opaque(page) ||
                        spec.get_int_attribute("oiio:UnassociatedAlpha") != 0;
  bool same = readable && spec.width == page.width && spec.height == page.height;
  const int channels = std::min(spec.nchannels, page.channels);
  const auto* written = static_cast<const std::uint8_t*>(page.pixels);
  for (std::int64_t i = 0; same && i < page.width * page.height; ++i) {
    same = std::equal(written, written + channels, read.data() + i * spec.nchannels);
    written += page.channels;
  }
  if (!same) {
    throw ImageFileError(fmt::format("{} cannot write a WebP without loss (3.0 and later can)",
                                     oiio_library_version()));
  }
}

}  // namespace

Header read_oiio_header(std::span<const std::byte> file, Format format) {
  const FileStructure structure = read_structure(file, format);
  Reader reader(file, format);
  const std::vector<OIIO::ImageSpec> specs = read_specs(reader, format);
  check_pages(specs.size(), structure);

  Header header;
  header.width = specs.front().width;
  header.height = specs.front().height;
  header.pages = static_cast<int>(specs.size());
  header.stored = common_orientation(specs, structure);
  header.storage_change = structure.storage_change;
  std::uint64_t largest_page = 0;
  for (const OIIO::ImageSpec& spec : specs) {
    header.pixel_bytes_total += page_of(spec).bytes();
    largest_page = std::max<std::uint64_t>(largest_page, page_of(spec).bytes());
    if (header.storage_change.empty()) header.storage_change = storage_change_of(spec, format);
  }
  // The output, at the worst as large as the pixels, twice while its buffer grows. Some readers
  // decode a page whole before they hand it out.
  header.working_bytes = (1 << 20) + 2 * header.pixel_bytes_total;
  if (structure.whole_pages) header.working_bytes += largest_page;
  return header;
}

Image decode_oiio(std::span<const std::byte> file, Format format, Format target, PixelArena& arena,
                  const std::atomic<bool>& stop, std::vector<std::string>& warnings) {
  FileStructure structure = read_structure(file, format);
  Reader reader(file, format);
  auto extras = std::make_shared<OiioExtras>();
  extras->specs = read_specs(reader, format);
  check_pages(extras->specs.size(), structure);

  Image image{.format = format,
              .stored = common_orientation(extras->specs, structure),
              .pages = {},
              .extras = {}};
  for (std::size_t i = 0; i < extras->specs.size(); ++i) {
    Page page = page_of(extras->specs[i]);
    page.pixels = arena.take(page.bytes());
    reader.read(static_cast<int>(i), extras->specs[i], page.pixels, stop);
    image.pages.push_back(page);
  }
  extras->metadata = std::move(structure.metadata);
  if (extras->metadata.icc.empty()) extras->metadata.icc = icc_profile_of(extras->specs.front());
  warnings.insert(warnings.end(), structure.warnings.begin(), structure.warnings.end());
  extras->structure = std::move(structure);
  OIIO::ImageSpec& first = extras->specs.front();
  if (extras->structure.reserved_bytes && target != format && first.nchannels == 4) {
    drop_fourth_channel(image.pages.front(), first);
  }
  extras->opaque = is_opaque(image.pages.front());
  if (first.alpha_channel >= 0 && has_straight_alpha(*extras, format)) {
    first.attribute("oiio:UnassociatedAlpha", 1);
  }
  image.extras = extras;
  return image;
}

void check_conversion(const Image& image, Format target) {
  if (image.pages.size() > 1 && target != Format::tiff) {
    throw ImageFileError(
        fmt::format("{} pages cannot be kept in {}", image.pages.size(), name(target)));
  }
  check_alpha(image, target);
  for (const Page& page : image.pages) converted_spec(image, page, target);
}

Bytes encode_oiio(const Image& turned, Orientation applied, Format target,
                  const std::atomic<bool>& stop) {
  use_one_thread();
  const auto* extras =
      turned.format == target ? dynamic_cast<const OiioExtras*>(turned.extras.get()) : nullptr;
  if (extras) check_alpha(turned, target);
  std::vector<Bytes> encoded;
  for (std::size_t i = 0; i < turned.pages.size(); ++i) {
    const Page& page = turned.pages[i];
    const OIIO::ImageSpec spec = extras ? turned_spec(*extras, i, page, applied, target)
                                        : converted_spec(turned, page, target);
    check_transparent_colours(page, spec, target);
    encoded.push_back(encode_page(page, spec, target, stop));
    if (is_lossless_webp(spec, target)) check_lossless_webp(encoded.back(), page, stop);
  }
  return finish_file(std::move(encoded), turned, extras ? &extras->structure : nullptr, target,
                     applied);
}

std::string oiio_library_version() {
  return fmt::format("OpenImageIO {}.{}.{}", OIIO_VERSION_MAJOR, OIIO_VERSION_MINOR,
                     OIIO_VERSION_PATCH);
}

}  // namespace qturn
