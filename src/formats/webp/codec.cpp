// WebP's pixels, through libwebp; the chunks beside them are ours (chunks.hpp).
//
// A lossless picture stays lossless, in every bit: libwebp is asked to keep the colours of
// transparent pixels too, which it would change otherwise because nobody sees them.
#include "src/formats/table.hpp"

#include <fmt/format.h>
#include <webp/decode.h>
#include <webp/encode.h>
#include <atomic>
#include <span>
#include "src/picture/image.hpp"
#include "src/picture/pixel_arena.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "src/formats/codec/codec.hpp"
#include "src/formats/webp/chunks.hpp"
#include "src/metadata/exif.hpp"
#include "src/metadata/xmp.hpp"
#include "src/picture/trailing_data.hpp"

namespace qturn::webp {
namespace {

// libwebp has the pixels of a lossless picture once more, in words.
constexpr std::uint64_t webp_decoding_bytes_per_pixel = 5;

// The most memory that libwebp and the written file take, with or without loss: 34 bytes per pixel
// of noise (1.2.4, 2026-11-22).
constexpr std::uint64_t webp_encoding_bytes_per_pixel = 36;

constexpr const char* compressed_once_more = "a lossy WebP is compressed again";

struct WebpExtras final : Extras {
  struct Frame {
    FramePlace place;
    bool lossless = true;
    Bytes described;
    std::vector<OwnedWebpChunk> others;  // in the frame besides its pixels
  };
  bool lossless = true;
  bool alpha = false;  // in frames that were made here
  Size canvas;
  std::vector<Frame> frames;             // of an animation
  std::vector<OwnedWebpChunk> skeleton;  // empty if the picture goes to another format

  std::shared_ptr<Extras> copy() const override { return std::make_shared<WebpExtras>(*this); }
};

const std::uint8_t* as_u8(std::span<const std::byte> bytes) {
  return reinterpret_cast<const std::uint8_t*>(bytes.data());
}

OwnedWebpChunk owned(const WebpChunk& chunk) {
  return {std::string(chunk.type), Bytes(chunk.data.begin(), chunk.data.end())};
}

// Every chunk but the pixels, for which the first of them leaves an empty one.
std::vector<OwnedWebpChunk> skeleton_of(const std::vector<WebpChunk>& chunks) {
  std::vector<OwnedWebpChunk> skeleton;
  bool pixels = false;
  for (const WebpChunk& chunk : chunks) {
    if (!is_webp_pixels(chunk)) {
      skeleton.push_back(owned(chunk));
    } else if (!std::exchange(pixels, true)) {
      skeleton.emplace_back();
    }
  }
  return skeleton;
}

// Places are stored in twos. A frame that would come to an odd place in some orientation cannot
// stay a part of the canvas; then every frame becomes all of it, as it is shown.
bool has_even_places(const std::vector<WebpFrame>& frames, Size canvas) {
  return std::ranges::all_of(frames, [&](const WebpFrame& frame) {
    const FramePlace& place = frame.place;
    return (canvas.width - place.width) % 2 == 0 && (canvas.height - place.height) % 2 == 0;
  });
}

Page page_of(std::span<const std::byte> file) {
  WebPBitstreamFeatures features;
  if (WebPGetFeatures(as_u8(file), file.size(), &features) != VP8_STATUS_OK) {
    throw ImageFileError("damaged: the header of a WebP's pixels");
  }
  return {.width = features.width,
          .height = features.height,
          .channels = features.has_alpha ? 4 : 3,
          .type = SampleFormat::u8};
}

// What libwebp says about an encoding that failed.
std::string reason(WebPEncodingError error) {
  switch (error) {
    case VP8_ENC_ERROR_BAD_DIMENSION:
      return fmt::format("a WebP has at most {} rows and columns", WEBP_MAX_DIMENSION);
    case VP8_ENC_ERROR_PARTITION0_OVERFLOW:
    case VP8_ENC_ERROR_PARTITION_OVERFLOW:
    case VP8_ENC_ERROR_FILE_TOO_BIG:
      return "the picture is too large for a WebP";
    default:
      return fmt::format("libwebp cannot encode the picture (error {})", static_cast<int>(error));
  }
}

// A picture of libwebp's, its output, and the stop flag that it asks.
struct Encoder {
  WebPPicture picture;
  Bytes written;
  const std::atomic<bool>& stop;

  explicit Encoder(const std::atomic<bool>& stop_flag) : stop(stop_flag) {
    if (!WebPPictureInit(&picture)) throw ImageFileError("libwebp is another than was built with");
    picture.custom_ptr = this;
    picture.user_data = this;
    picture.writer = [](const std::uint8_t* data, std::size_t size, const WebPPicture* from) {
      const auto* bytes = reinterpret_cast<const std::byte*>(data);
      Bytes& to = static_cast<Encoder*>(from->custom_ptr)->written;
      try {
        to.insert(to.end(), bytes, bytes + size);
      } catch (const std::bad_alloc&) {  // which must not travel through libwebp
        return 0;
      }
      return 1;
    };
    picture.progress_hook = [](int, const WebPPicture* from) {
      return static_cast<Encoder*>(from->user_data)->stop.load(std::memory_order_relaxed) ? 0 : 1;
    };
  }
  ~Encoder() { WebPPictureFree(&picture); }
  Encoder(const Encoder&) = delete;
  Encoder& operator=(const Encoder&) = delete;

  void expect(int done) const {
    if (done) return;
    if (stop) throw Interrupted();
    if (picture.error_code == VP8_ENC_ERROR_OUT_OF_MEMORY ||
        picture.error_code == VP8_ENC_ERROR_BITSTREAM_OUT_OF_MEMORY ||
        picture.error_code == VP8_ENC_ERROR_BAD_WRITE) {
      throw std::bad_alloc();
    }
    throw ImageFileError(reason(picture.error_code));
  }
};

WebPConfig config_for(bool lossless, std::optional<int> quality) {
  WebPConfig config;
  if (!WebPConfigInit(&config)) throw ImageFileError("libwebp is another than was built with");
  config.method = 4;  // libwebp's own middle between speed and size
  config.exact = 1;
  // For a lossless picture the quality is effort: libwebp's default.
  if (lossless) {
    config.lossless = 1;
  } else {
    config.quality = static_cast<float>(quality.value_or(95));
  }
  return config;
}

void decode_pixels(std::span<const std::byte> file, const Page& page) {
  const auto decode_into = page.channels == 4 ? WebPDecodeRGBAInto : WebPDecodeRGBInto;
  if (!decode_into(as_u8(file), file.size(), static_cast<std::uint8_t*>(page.pixels), page.bytes(),
                   static_cast<int>(page.row_bytes()))) {
    throw ImageFileError("damaged: the pixels of a WebP");
  }
}

// The encoder stores no alpha that is opaque everywhere, so a picture that has one is taken for one
// that has none: that is what is read of the result.
void leave_out_opaque_alpha(Page& page) {
  constexpr std::int64_t all = 4, kept = 3;
  if (page.channels != all) return;
  auto* const pixels = static_cast<std::uint8_t*>(page.pixels);
  const std::int64_t count = page.width * page.height;
  for (std::int64_t i = 0; i < count; ++i)
    if (pixels[all * i + kept] != 255) return;
  for (std::int64_t i = 0; i < count; ++i) std::copy_n(pixels + all * i, kept, pixels + kept * i);
  page.channels = kept;
}

Page page_of(const Bytes& still, const FramePlace& place) {
  const Page page = page_of(still);
  if (page.width != place.width || page.height != place.height) {
    throw ImageFileError("damaged: a frame of a WebP has another size than its pixels");
  }
  return page;
}

using Pixel = std::array<std::uint8_t, 4>;

// In integers as libwebp does it, so that what is shown stays the same.
Pixel blended(const Pixel& over, const Pixel& under) {
  if (over[3] == 255) return over;
  if (over[3] == 0) return under;
  const unsigned rest = (under[3] * (256U - over[3])) >> 8;
  const unsigned alpha = over[3] + rest;
  const std::uint64_t scale = (1U << 24) / alpha;
  Pixel result{};
  for (std::size_t k = 0; k < 3; ++k) {
    result[k] = static_cast<std::uint8_t>(((over[k] * over[3] + under[k] * rest) * scale) >> 24);
  }
  result[3] = static_cast<std::uint8_t>(alpha);
  return result;
}

// What an animation shows, frame by frame.
class Canvas {
 public:
  Canvas(Size size, PixelArena& arena)
      : page_{.width = size.width, .height = size.height, .channels = 4} {
    page_.pixels = arena.take(page_.bytes());
    std::memset(page_.pixels, 0, page_.bytes());
  }

  const Page& page() const { return page_; }

  void clear(const FramePlace& place) {
    for (std::int64_t y = 0; y < place.height; ++y) {
      std::memset(row(place, y), 0, sizeof(Pixel) * static_cast<std::size_t>(place.width));
    }
  }

  void draw(const Page& frame, const FramePlace& place, bool blends) {
    const auto channels = static_cast<std::size_t>(frame.channels);
    const auto* from = static_cast<const std::uint8_t*>(frame.pixels);
    for (std::int64_t y = 0; y < place.height; ++y) {
      std::uint8_t* to = row(place, y);
      for (std::int64_t x = 0; x < place.width; ++x, from += channels, to += sizeof(Pixel)) {
        Pixel pixel{0, 0, 0, 255}, under{};
        std::copy_n(from, channels, pixel.begin());
        std::copy_n(to, under.size(), under.begin());
        std::ranges::copy(blends ? blended(pixel, under) : pixel, to);
      }
    }
  }

 private:
  std::uint8_t* row(const FramePlace& place, std::int64_t y) const {
    return static_cast<std::uint8_t*>(page_.pixels) + (place.y + y) * page_.row_bytes() +
           place.x * page_.pixel_bytes();
  }

  Page page_;
};

// The frames as they are stored, or, if their places are odd, what is shown.
void decode_frames(const std::vector<WebpFrame>& frames, Image& image, WebpExtras& extras,
                   PixelArena& arena, const std::atomic<bool>& stop) {
  const bool is_stored = has_even_places(frames, extras.canvas);
  std::optional<Canvas> canvas;
  PixelArena one;
  if (!is_stored) canvas.emplace(extras.canvas, one);
  PixelArena part;
  for (const WebpFrame& frame : frames) {
    if (stop) throw Interrupted();
    const Bytes still = assemble_webp(frame.chunks, {});
    Page page = page_of(still, frame.place);
    page.pixels = (is_stored ? arena : part).take(page.bytes());
    decode_pixels(still, page);
    WebpExtras::Frame kept{.place = frame.place,
                           .lossless = webp_is_lossless(frame.chunks),
                           .described = Bytes(frame.described.begin(), frame.described.end()),
                           .others = {}};
    for (const WebpChunk& chunk : frame.chunks) {
      if (!is_webp_pixels(chunk)) kept.others.push_back(owned(chunk));
    }
    if (canvas) {
      canvas->draw(page, frame.place, frame.blends);
      page = canvas->page();
      page.pixels = arena.take(page.bytes());
      std::memcpy(page.pixels, canvas->page().pixels, page.bytes());
      if (frame.disposed) canvas->clear(frame.place);
      part.clear();
      kept.place = {0, 0, extras.canvas.width, extras.canvas.height};
      kept.lossless = extras.lossless;
      kept.described.back() = std::byte{webp_takes_place};
      extras.alpha = true;
    }
    leave_out_opaque_alpha(page);
    image.pages.push_back(page);
    extras.frames.push_back(std::move(kept));
  }
}

// The sizes of all frames, for read_header.
struct FramesSize {
  std::uint64_t pixels = 0, bytes = 0, largest = 0;
  bool is_stored = true;  ///< and not composed to whole pictures
};

FramesSize size_of(const std::vector<WebpFrame>& frames, Size canvas) {
  FramesSize size;
  const bool is_stored = size.is_stored = has_even_places(frames, canvas);
  for (const WebpFrame& frame : frames) {
    const Page page = page_of(assemble_webp(frame.chunks, {}), frame.place);
    const auto whole = static_cast<std::uint64_t>(canvas.width * canvas.height);
    const auto own = static_cast<std::uint64_t>(page.width * page.height);
    size.pixels += is_stored ? own : whole;
    size.bytes += is_stored ? page.bytes() : 4 * whole;
    size.largest = std::max(size.largest, is_stored ? own : whole);
  }
  return size;
}

// What the container's specification describes, and C2PA.
bool is_known(const WebpChunk& chunk) {
  constexpr std::array<std::string_view, 10> types = {"VP8 ", "VP8L", "VP8X", "ALPH", "ANIM",
                                                      "ANMF", "ICCP", "EXIF", "XMP ", "C2PA"};
  return std::ranges::find(types, chunk.type) != types.end();
}

Header read_webp_header(std::span<const std::byte> file) {
  const std::vector<WebpChunk> chunks = webp_chunks(file);
  Header header;
  header.stored = webp_orientation(chunks);
  for (const WebpChunk& chunk : chunks) {
    if (chunk.type == "EXIF") look_at_exif(chunk.data, header);
    if (chunk.type == "XMP ") look_at_xmp(text_of(chunk.data), header);
    if (chunk.type == "C2PA") add_placed(signed_manifest(), header);
    if (!is_known(chunk) && !chunk.data.empty())
      add_unknown(fmt::format("WebP {}", chunk.type), header);
  }
  std::uint64_t largest = 0;
  if (const std::optional<Size> canvas = webp_canvas(chunks)) {
    const std::vector<WebpFrame> frames = webp_frames(chunks);
    const FramesSize size = size_of(frames, *canvas);
    header.width = canvas->width;
    header.height = canvas->height;
    header.pages = static_cast<int>(frames.size());
    header.pixels_total = size.pixels;
    header.pixel_bytes_total = size.bytes;
    largest = size.largest;
    // Two pages to draw on. What was made of the frames before lies beside the encoder: noise is 5
    // bytes a pixel, and there are two of it when the file is made.
    header.decoding_bytes = 8 * largest;
    header.encoding_bytes = 10 * size.pixels;
    if (!size.is_stored) header.storage_change = "its frames become whole pictures";
  } else {
    const Page page = page_of(file);
    header.width = page.width;
    header.height = page.height;
    header.pixels_total = largest = static_cast<std::uint64_t>(page.width * page.height);
    header.pixel_bytes_total = page.bytes();
  }
  header.decoding_bytes += (2 << 20) + webp_decoding_bytes_per_pixel * largest + 2 * file.size();
  header.encoding_bytes += (1 << 20) + webp_encoding_bytes_per_pixel * largest + 2 * file.size();
  header.lossy = !webp_is_lossless(chunks);
  if (header.lossy) header.storage_change = compressed_once_more;
  return header;
}

Image decode_webp(std::span<const std::byte> file, Samples samples, PixelArena& arena,
                  const std::atomic<bool>& stop, std::vector<std::string>& warnings) {
  const std::vector<WebpChunk> chunks = webp_chunks(file);
  if (stop) throw Interrupted();
  auto extras = std::make_shared<WebpExtras>();
  extras->metadata = webp_metadata(chunks);
  extras->lossless = webp_is_lossless(chunks);
  Image image{.format = &codec, .stored = webp_orientation(chunks), .pages = {}};
  image.canvas = webp_canvas(chunks);
  if (image.canvas) {
    const std::vector<WebpFrame> frames = webp_frames(chunks);
    extras->canvas = *image.canvas;
    if (samples == Samples::for_another_format) {
      throw ImageFileError("an animated WebP can only stay a WebP");
    }
    decode_frames(frames, image, *extras, arena, stop);
  } else {
    Page page = page_of(file);
    page.pixels = arena.take(page.bytes());
    decode_pixels(file, page);
    if (samples == Samples::as_stored) leave_out_opaque_alpha(page);
    image.pages = {page};
  }
  warn_of_trailing_data(file, webp_end(file), warnings);
  if (samples == Samples::as_stored) {
    extras->skeleton = skeleton_of(chunks);
    if (!extras->lossless) warnings.emplace_back(compressed_once_more);
  }
  image.extras = std::move(extras);
  return image;
}

Bytes encode_page(const Page& page, bool lossless, std::optional<int> quality,
                  const std::atomic<bool>& stop) {
  if (page.width > WEBP_MAX_DIMENSION || page.height > WEBP_MAX_DIMENSION) {
    throw ImageFileError(reason(VP8_ENC_ERROR_BAD_DIMENSION));
  }
  Encoder encoder(stop);
  WebPPicture& picture = encoder.picture;
  picture.width = static_cast<int>(page.width);
  picture.height = static_cast<int>(page.height);
  picture.use_argb = lossless ? 1 : 0;
  const auto import = page.channels == 4 ? WebPPictureImportRGBA : WebPPictureImportRGB;
  encoder.expect(import(&picture, static_cast<const std::uint8_t*>(page.pixels),
                        static_cast<int>(page.row_bytes())));
  const WebPConfig config = config_for(lossless, quality);
  encoder.expect(WebPEncode(&config, &picture));
  return std::move(encoder.written);
}

Bytes encode_frames(const Image& image, const WebpExtras& extras, Orientation applied,
                    const std::atomic<bool>& stop) {
  std::vector<OwnedWebpChunk> pixels;
  for (std::size_t i = 0; i < image.pages.size(); ++i) {
    const WebpExtras::Frame& frame = extras.frames[i];
    const FramePlace place = qturn::turned(frame.place, applied, extras.canvas);
    pixels.push_back(
        {"ANMF", webp_frame(encode_page(image.pages[i], frame.lossless, image.quality, stop),
                            frame.described, place, frame.others)});
  }
  return assemble_webp(extras.skeleton, pixels, turned_size(applied, extras.canvas), extras.alpha);
}

Bytes encode_webp(const Image& turned, Orientation applied, const std::atomic<bool>& stop) {
  const auto* extras = dynamic_cast<const WebpExtras*>(turned.extras.get());
  if (extras && !extras->frames.empty()) return encode_frames(turned, *extras, applied, stop);
  const Page& page = turned.pages.front();
  const Bytes encoded =
      encode_page(page, extras ? extras->lossless : !turned.quality, turned.quality, stop);
  static const Metadata none;
  if (!extras || extras->skeleton.empty()) {
    return assemble_webp(webp_chunks(encoded), turned.extras ? turned.extras->metadata : none);
  }
  std::vector<OwnedWebpChunk> pixels;
  for (const WebpChunk& chunk : webp_chunks(encoded)) {
    if (is_webp_pixels(chunk)) pixels.push_back(owned(chunk));
  }
  return assemble_webp(extras->skeleton, pixels, {page.width, page.height}, false);
}

std::string webp_library_version() {
  const int version = WebPGetEncoderVersion();
  return fmt::format("libwebp {}.{}.{}", version >> 16, version >> 8 & 255, version & 255);
}

std::vector<FilePart> webp_parts(std::span<const std::byte> file, Orientation applied) {
  using enum FilePart::Kind;
  const std::vector<WebpChunk> chunks = webp_chunks(file);
  std::vector<FilePart> parts;
  for (const WebpChunk& chunk : chunks) {
    const std::string name = fmt::format("the chunk {}", chunk.type);
    if (chunk.type == "VP8X" || chunk.type == "ANMF") continue;  // sizes, flags; see below
    if (is_webp_pixels(chunk)) {
      parts.emplace_back(pixels, name, chunk.data);
    } else if (chunk.type == "EXIF") {
      parts.emplace_back(exif, name, chunk.data);
    } else if (chunk.type == "XMP ") {
      add_xmp_parts(name, text_of(chunk.data), parts);
    } else {
      parts.emplace_back(fixed, name, chunk.data);
    }
  }
  const std::optional<Size> canvas = webp_canvas(chunks);
  if (!canvas) return parts;
  const std::vector<WebpFrame> frames = webp_frames(chunks);
  // Where one would come to an odd place, each becomes a whole picture.
  const bool stay = std::ranges::all_of(frames, [&](const WebpFrame& frame) {
    return (canvas->width - frame.place.width) % 2 == 0 &&
           (canvas->height - frame.place.height) % 2 == 0;
  });
  const Size turned_canvas = turned_size(applied, *canvas);
  for (const WebpFrame& frame : frames) {
    const FramePlace place = stay ? turned(frame.place, applied, *canvas)
                                  : FramePlace{0, 0, turned_canvas.width, turned_canvas.height};
    constexpr std::size_t delay_at = 12, delay_bytes = 3;
    const auto delay = text_of(frame.described).substr(delay_at, delay_bytes);
    parts.push_back(said_part("a frame", fmt::format("{} {} {} {} {}", place.x, place.y,
                                                     place.width, place.height, delay)));
  }
  return parts;
}

// WebP's row of the table.

constexpr Capacity capacity = {
    .samples = bit_of(SampleFormat::u8), .channels = [](int count, Meaning::Alpha alpha) {
      return count == 3 || (count == 4 && alpha == Meaning::Alpha::unassociated);
    }};

bool recognises(std::span<const std::byte> head, std::string_view) {
  const std::string_view text = text_of(head);
  return text.starts_with("RIFF") && text.size() >= 12 && text.substr(8, 4) == "WEBP";
}

Bytes encode(const Image& image, Orientation applied, const std::atomic<bool>& stop,
             std::vector<std::string>&) {
  if (image.format != &codec) check_fits(image, codec.name, capacity);
  return encode_webp(image, applied, stop);
}

Bytes retag(std::span<const std::byte> file, Orientation tag, MissingTag missing,
            const TurnEmbedded& turn_embedded, std::vector<std::string>& warnings) {
  const Header header = read_webp_header(file);
  if (missing == MissingTag::is_added) {
    warnings.emplace_back("browsers do not look at the orientation of a WebP");
  }
  const MetadataTurn turn{
      .stored = header.stored, .tag = tag, .size = header.size(), .turn_embedded = turn_embedded};
  return turn_webp_metadata(Bytes(file.begin(), file.end()), turn, missing, warnings);
}

void check(std::span<const std::byte> file, MetadataCheck& check) {
  const std::vector<WebpChunk> chunks = webp_chunks(file);
  for (const WebpChunk& chunk : chunks) {
    if (chunk.type == "EXIF") check.exif(chunk.data);
  }
  for (const WebpChunk& chunk : chunks) {
    if (chunk.type == "XMP ") check.xmp("XMP", text_of(chunk.data));
  }
  check.trailing_data(file, webp_end(file));
}

}  // namespace

const Codec codec = {
    .name = "webp",
    .suffixes = {".webp"},
    .recognises = recognises,
    .check_limits = check_webp_limits,
    .read_header = read_webp_header,
    .decode = decode_webp,
    .encode = encode,
    .takes_quality = true,
    .encoding_bytes_per_pixel = webp_encoding_bytes_per_pixel,
    .keeps_metadata = true,
    .finish =
        [](Bytes encoded, const MetadataTurn& turn, std::vector<std::string>& warnings) {
          return turn_webp_metadata(std::move(encoded), turn, MissingTag::stays_absent, warnings);
        },
    .retag = retag,
    .check = check,
    .parts = webp_parts,
    .library_version = webp_library_version,
};

}  // namespace qturn::webp
