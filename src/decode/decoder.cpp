// A batch on its way: headers, then parts of JPEGs on the GPU, then what is left on the CPU.
#include <qturn/cpu.hpp>
#include <qturn/decoder.hpp>

#include <fmt/format.h>
#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/parallel_invoke.h>
#include <oneapi/tbb/task_arena.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "src/formats/codec/codec.hpp"
#include "src/gpu/scan_decoder.hpp"
#include "src/picture/file_limits.hpp"
#include "src/turn/decoded.hpp"

namespace qturn {
namespace {

constexpr int rgb_bytes = 3;
// Fewer pictures keep less of a GPU busy; more of them wait for each other.
constexpr std::size_t largest_part = 64, smallest_part = 16, parts_of_batch = 4;
constexpr std::size_t headers_at_a_time = 16;
constexpr int threads_of_device = 4;
constexpr std::uint64_t compressed_part = std::uint64_t{16} << 20;

std::string said(const ImageFileError& error) {
  if (const auto* const limit = dynamic_cast<const LimitError*>(&error)) {
    return fmt::format("{}; the limit {} permits that", error.what(), limit->hints().front().value);
  }
  return error.what();
}

/// About the device memory that a picture takes: its file, its blocks, its pixels; of a crop also
/// the upright pixels, and the bytes between two passes.
std::uint64_t device_bytes_of(const JpegScanLayout& scan, std::size_t file_bytes,
                              const DecodedPlace& to) {
  constexpr std::uint64_t bytes_of_block = 139 + 64, pixels_of_block = 64;
  int most = 1, factors = 0;
  for (int i = 0; i < scan.components; ++i) {
    const int own = scan.component[i].h * scan.component[i].v;
    most = std::max(most, own);
    factors += own;
  }
  const auto pixels = static_cast<std::uint64_t>(scan.size.width * scan.size.height);
  const std::uint64_t cropped =
      to.crop ? pixels + static_cast<std::uint64_t>(std::max(to.planes.width, to.planes.height) *
                                                    std::max(scan.size.width, scan.size.height))
              : 0;
  return 2 * file_bytes + (pixels + cropped) * rgb_bytes +
         pixels * static_cast<std::uint64_t>(factors) * bytes_of_block /
             (pixels_of_block * static_cast<std::uint64_t>(most));
}

/// While a GPU works, more threads would only look for work, each on a core.
template <class Run>
void with_few_threads(Run run) {
  tbb::task_arena(std::min(tbb::this_task_arena::max_concurrency(), threads_of_device))
      .execute(run);
}

void check_orientation(Orientation orientation, std::size_t i) {
  if (is_valid(orientation)) return;
  throw std::invalid_argument(fmt::format("picture {}: an orientation is 1 to 8, not {}", i,
                                          static_cast<unsigned>(orientation)));
}

void check_crop(const PictureCrop& crop, Size size, std::size_t i) {
  const auto& [left, top, right, bottom] = crop.box;
  const bool is_within = 0 <= left && left <= right && right <= static_cast<float>(size.width) &&
                         0 <= top && top <= bottom && bottom <= static_cast<float>(size.height);
  if (!is_within)
    throw std::invalid_argument(
        fmt::format("the crop of picture {} is {} {} {} {} (left, top, right, bottom), expected "
                    "within {}x{}",
                    i, left, top, right, bottom, size.width, size.height));
  check_orientation(crop.orientation, i);
}

void check_place(const DecodedPlace& to, Size size, std::size_t i) {
  if (to.crop) return check_crop(*to.crop, size, i);
  const Size found =
      to.format ? Size{to.planes.width, to.planes.height} : Size{to.pixels.width, to.pixels.height};
  if (found == size && (to.format || to.pixels.pixel_bytes == rgb_bytes)) return;
  throw std::invalid_argument(
      fmt::format("output {} is {}x{} with {} bytes per pixel, expected {}x{} with {}", i,
                  found.width, found.height, to.format ? rgb_bytes : to.pixels.pixel_bytes,
                  size.width, size.height, rgb_bytes));
}

void clear_on_cpu(const DecodedPlace& to) {
  const auto clear_rows = [](void* data, std::int64_t pitch, std::int64_t bytes,
                             std::int64_t rows) {
    for (std::int64_t y = 0; y < rows; ++y)
      std::memset(static_cast<std::byte*>(data) + y * pitch, 0, static_cast<std::size_t>(bytes));
  };
  if (!to.format) {
    return clear_rows(to.pixels.data, to.pixels.pitch, to.pixels.row_bytes(), to.pixels.height);
  }
  for (int plane = 0; plane < to.format->planes; ++plane) {
    clear_rows(static_cast<std::byte*>(to.planes.data) + plane * to.planes.plane_pitch,
               to.planes.pitch, to.planes.width * sample_bytes(to.format->dst_type),
               to.planes.height);
  }
}

View rgb_in(PixelArena& arena, Size size) {
  View rgb{nullptr, size.width, size.height, size.width * rgb_bytes, rgb_bytes};
  rgb.data = arena.take(static_cast<std::size_t>(rgb.pitch * rgb.height));
  return rgb;
}

/// A page as interleaved R, G and B: itself, or made in `arena`.
View rgb_of(const Image& image, PixelArena& arena) {
  const Page& page = image.pages.front();
  if (has_rgb(image) && page.channels == rgb_bytes) return page.view();
  const View rgb = rgb_in(arena, {page.width, page.height});
  to_rgb(image, rgb);
  return rgb;
}

/// The rows of a picture are not resized as columns are, so it is made upright first.
void resize_on_cpu(View rgb, Orientation applied, const DecodedPlace& to, PixelArena& arena) {
  if (applied != Orientation::identity) {
    const View upright = rgb_in(arena, turned_size(applied, {rgb.width, rgb.height}));
    transform(rgb, upright, applied);
    rgb = upright;
  }
  resize_to_planar({rgb, to.crop->box, to.planes, to.crop->orientation}, to.rule, *to.format);
}

void place_on_cpu(View rgb, Orientation applied, const DecodedPlace& to, PixelArena& arena) {
  if (to.crop) return resize_on_cpu(rgb, applied, to, arena);
  if (to.format) return to_planar(rgb, to.planes, applied, *to.format);
  transform(rgb, to.pixels, applied);
}

}  // namespace

struct DecoderBatch::Files {
  struct File {
    std::span<const std::byte> bytes;
    const Codec* format = nullptr;
    std::optional<JpegToDecode> device;  ///< of a JPEG that a GPU is to decode
    Orientation wanted = Orientation::identity;
    bool as_stored = false;
    Orientation stored = Orientation::identity;
    DecodedPicture picture = {};

    Orientation applied() const { return as_stored ? wanted : compose(stored, wanted); }
  };
  std::vector<File> all;
  Limits limits;
};

DecoderBatch::DecoderBatch(std::unique_ptr<Files> files) : files_(std::move(files)) {}
DecoderBatch::DecoderBatch(DecoderBatch&& other) noexcept = default;
DecoderBatch& DecoderBatch::operator=(DecoderBatch&& other) noexcept = default;
DecoderBatch::~DecoderBatch() = default;

std::size_t DecoderBatch::size() const { return files_->all.size(); }
const DecodedPicture& DecoderBatch::operator[](std::size_t i) const {
  return files_->all.at(i).picture;
}

class JpegDecoder::Impl {
 public:
  explicit Impl(const DecoderOptions& options) {
    if (options.device != DecoderOptions::cpu) device_ = make_scan_decoder(options);
  }

  void open(DecoderBatch::Files& files) const {
    const auto open_all = [&] {
      tbb::parallel_for(tbb::blocked_range<std::size_t>(0, files.all.size(), headers_at_a_time),
                        [&](const tbb::blocked_range<std::size_t>& range) {
                          for (std::size_t i = range.begin(); i < range.end(); ++i)
                            open(files.all[i], files.limits);
                        });
    };
    if (device_ && files.all.size() > headers_at_a_time) return with_few_threads(open_all);
    open_all();
  }

  void decode(DecoderBatch::Files& files, std::span<const DecodedPlace> places,
              cudaStream_t stream) const {
    std::vector<std::size_t> on_device, on_cpu;
    for (std::size_t i = 0; i < files.all.size(); ++i) {
      const DecoderBatch::Files::File& file = files.all[i];
      if (!file.picture.error.empty()) continue;
      check_place(places[i], file.picture.size, i);
      (is_for_device(file, places[i]) ? on_device : on_cpu).push_back(i);
    }
    std::vector<ScanPicture> scans;
    for (const std::size_t i : on_device) {
      const DecoderBatch::Files::File& file = files.all[i];
      scans.push_back({file.bytes, &file.device->header, file.applied(), places[i]});
    }
    const auto decode_all_on_cpu = [&](const std::vector<std::size_t>& which) {
      tbb::parallel_for(std::size_t{0}, which.size(), [&](std::size_t k) {
        decode_on_cpu(files.all[which[k]], files.limits, places[which[k]], stream);
      });
    };
    const std::vector<std::span<ScanPicture>> parts = parts_of(scans);
    const auto decode_all_on_device = [&] {
      if (parts.size() == 1) return device_->decode(parts.front(), stream);
      with_few_threads([&] {
        tbb::parallel_for(std::size_t{0}, parts.size(),
                          [&](std::size_t k) { device_->decode(parts[k], stream); });
      });
    };
    if (on_cpu.empty()) {
      decode_all_on_device();
    } else {
      tbb::parallel_invoke([&] { decode_all_on_cpu(on_cpu); }, decode_all_on_device);
    }
    std::vector<std::size_t> given_up;
    for (std::size_t k = 0; k < scans.size(); ++k)
      if (scans[k].is_given_up) given_up.push_back(on_device[k]);
    decode_all_on_cpu(given_up);
    for (std::size_t i = 0; i < files.all.size(); ++i)
      if (!files.all[i].picture.error.empty()) clear(places[i], stream);
  }

 private:
  void open(DecoderBatch::Files::File& file, const Limits& limits) const try {
    file.format = &decodable_format(file.bytes, {});
    Size size;
    if (file.format->device_decoding) {
      file.device = file.format->device_decoding(file.bytes, limits);
    }
    if (file.device) {
      file.stored = file.device->stored;
      size = file.device->header.scan.size;
    } else {
      const Header header = header_to_decode(file.bytes, *file.format, limits);
      file.stored = header.stored;
      size = header.size();
    }
    if (!device_) file.device.reset();
    file.picture.size = turned_size(file.applied(), size);
  } catch (const ImageFileError& error) {
    file.picture.error = said(error);
  }

  bool is_for_device(const DecoderBatch::Files::File& file, const DecodedPlace& to) const {
    return file.device && device_bytes_of(file.device->header.scan, file.bytes.size(), to) <=
                              device_->part_bytes();
  }

  // Parts of about the same number, each small enough for the device.
  std::vector<std::span<ScanPicture>> parts_of(std::span<ScanPicture> scans) const {
    const std::size_t count = std::clamp((scans.size() + parts_of_batch - 1) / parts_of_batch,
                                         smallest_part, largest_part);
    std::vector<std::span<ScanPicture>> parts;
    std::size_t begin = 0;
    std::uint64_t device_bytes = 0, compressed = 0;
    for (std::size_t i = 0; i < scans.size(); ++i) {
      const std::uint64_t own =
          device_bytes_of(scans[i].header->scan, scans[i].file.size(), scans[i].to);
      const bool is_full = i - begin == count || device_bytes + own > device_->part_bytes() ||
                           compressed + scans[i].file.size() > compressed_part;
      if (i > begin && is_full) {
        parts.push_back(scans.subspan(begin, i - begin));
        begin = i;
        device_bytes = compressed = 0;
      }
      device_bytes += own;
      compressed += scans[i].file.size();
    }
    if (begin < scans.size()) parts.push_back(scans.subspan(begin));
    return parts;
  }

  void decode_on_cpu(DecoderBatch::Files::File& file, const Limits& limits, const DecodedPlace& to,
                     cudaStream_t stream) const try {
    PixelArena arena;
    const Image image = decoded_page(file.bytes, *file.format, limits, arena);
    const View rgb = rgb_of(image, arena);
    if (device_) return device_->upload(rgb, file.applied(), to, stream);
    place_on_cpu(rgb, file.applied(), to, arena);
  } catch (const ImageFileError& error) {
    file.picture = {.size = file.picture.size, .error = said(error)};
  }

  void clear(const DecodedPlace& to, cudaStream_t stream) const {
    if (device_) return device_->clear(to, stream);
    clear_on_cpu(to);
  }

  std::unique_ptr<ScanDecoder> device_;
};

JpegDecoder::JpegDecoder(const DecoderOptions& options) : impl_(std::make_unique<Impl>(options)) {}
JpegDecoder::~JpegDecoder() = default;

DecoderBatch JpegDecoder::open(const EncodedPicture* pictures, std::size_t count,
                               const Limits& limits) const {
  auto files = std::make_unique<DecoderBatch::Files>();
  files->limits = limits;
  files->all.resize(count);
  for (std::size_t i = 0; i < count; ++i) check_orientation(pictures[i].orientation, i);
  for (std::size_t i = 0; i < count; ++i) {
    DecoderBatch::Files::File& file = files->all[i];
    file.bytes = {static_cast<const std::byte*>(pictures[i].data), pictures[i].bytes};
    file.wanted = pictures[i].orientation;
    file.as_stored = pictures[i].as_stored;
  }
  impl_->open(*files);
  return DecoderBatch(std::move(files));
}

void JpegDecoder::decode(DecoderBatch& batch, const View* outputs, cudaStream_t stream) const {
  std::vector<DecodedPlace> places(batch.size());
  for (std::size_t i = 0; i < places.size(); ++i) places[i].pixels = outputs[i];
  impl_->decode(*batch.files_, places, stream);
}

void JpegDecoder::decode(DecoderBatch& batch, const PlanarView* outputs, const PlanarFormat& format,
                         cudaStream_t stream) const {
  if (format.src_type != SampleType::uint8)
    throw std::invalid_argument("pixels are decoded to uint8, expected that as src_type");
  std::vector<DecodedPlace> places(batch.size());
  for (std::size_t i = 0; i < places.size(); ++i)
    places[i] = {.pixels = {}, .planes = outputs[i], .format = &format};
  impl_->decode(*batch.files_, places, stream);
}

void JpegDecoder::decode(DecoderBatch& batch, const PictureCrop* crops, ResizeRule rule,
                         const PlanarView* outputs, const PlanarFormat& format,
                         cudaStream_t stream) const {
  if (format.src_type != SampleType::uint8)
    throw std::invalid_argument("pixels are decoded to uint8, expected that as src_type");
  std::vector<DecodedPlace> places(batch.size());
  for (std::size_t i = 0; i < places.size(); ++i)
    places[i] = {
        .pixels = {}, .planes = outputs[i], .format = &format, .crop = &crops[i], .rule = rule};
  impl_->decode(*batch.files_, places, stream);
}

}  // namespace qturn
