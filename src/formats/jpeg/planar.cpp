#include "src/formats/jpeg/planar.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "src/formats/jpeg/libjpeg/blocks.hpp"
#include "src/formats/jpeg/libjpeg/picture.hpp"
#include "src/formats/jpeg/libjpeg/session.hpp"
#include "src/formats/jpeg/lossless.hpp"
#include "src/formats/jpeg/proof.hpp"
#include "src/formats/jpeg/writing/writer.hpp"
#include "src/picture/turn_in_bands.hpp"

namespace qturn::jpeg {
namespace {

constexpr int max_components = 4;
constexpr int max_rows = MAX_SAMP_FACTOR * DCTSIZE;

/// One component's samples, in whole blocks; rows `pitch` bytes apart.
struct Plane {
  JSAMPLE* samples = nullptr;
  std::int64_t width = 0, height = 0;  ///< that belong to the picture
  std::int64_t pitch = 0, rows = 0;    ///< in whole blocks

  std::size_t bytes() const {
    return static_cast<std::size_t>(pitch) * static_cast<std::size_t>(rows);
  }
  JSAMPLE* row(std::int64_t y) const { return samples + y * pitch; }
};

using Planes = std::vector<Plane>;

/// The planes of a picture, without memory.
Planes planes_of(const JpegPicture& picture) {
  const auto share = [](JDIMENSION size, int factor, int max_factor) {
    return (std::int64_t{size} * factor + max_factor - 1) / max_factor;
  };
  Planes planes;
  for (const JpegComponent& component : picture.components) {
    planes.push_back({.width = share(picture.width, component.h, picture.max_h()),
                      .height = share(picture.height, component.v, picture.max_v()),
                      .pitch = std::int64_t{component.width_in_blocks} * DCTSIZE,
                      .rows = std::int64_t{component.height_in_blocks} * DCTSIZE});
  }
  return planes;
}

std::size_t bytes_of(const Planes& planes) {
  std::size_t bytes = 0;
  for (const Plane& plane : planes) bytes += plane.bytes();
  return bytes;
}

void place(Planes& planes, JSAMPLE* memory) {
  for (Plane& plane : planes) {
    plane.samples = memory;
    memory += plane.bytes();
  }
}

// Pointers to the rows of all components that one call of libjpeg's functions for raw data handles.
// Rows below a plane's last are not looked at when encoding, and decoding leaves them alone.
struct RowPointers {
  std::array<std::array<JSAMPROW, max_rows>, max_components> rows;
  std::array<JSAMPARRAY, max_components> components;

  void point(const JpegPicture& picture, const Planes& planes, JDIMENSION first_of_luma) {
    const std::int64_t mcu_row = first_of_luma / (picture.max_v() * DCTSIZE);
    for (std::size_t i = 0; i < planes.size(); ++i) {
      const std::int64_t high = picture.components[i].v * DCTSIZE;
      for (std::int64_t y = 0; y < high; ++y) {
        const std::int64_t row = std::min(mcu_row * high + y, planes[i].rows - 1);
        rows[i][static_cast<std::size_t>(y)] = planes[i].row(row);
      }
      components[i] = rows[i].data();
    }
  }
};

/// How far samples move when an axis is mirrored: `part` of `whole` to the left or top.
struct Shift {
  int part = 0, whole = 1;
};

// `size` pixels share samples by `step`; the last sample belongs to fewer where they do not divide.
Shift shift_of(bool mirrored, JDIMENSION size, int step) {
  const int rest = static_cast<int>(size % static_cast<JDIMENSION>(step));
  if (!mirrored || rest == 0) return {};
  return {step - rest, step};
}

// dst(x, y) is the source `part / whole` of a sample before (x, y). Samples before the first are
// equal to the first.
void resample(const Plane& src, const Plane& dst, Shift along_x, Shift along_y,
              const std::atomic<bool>& stop) {
  const int right = along_x.whole - along_x.part, below = along_y.whole - along_y.part;
  const int whole = along_x.whole * along_y.whole;
  // For a sum of at most 16 samples, of 4 by 4 pixels, this divides exactly, and in vectors.
  const auto reciprocal = static_cast<std::uint32_t>((65536 + whole - 1) / whole);
  for (std::int64_t y = 0; y < src.height; ++y) {
    if (stop.load(std::memory_order_relaxed)) throw Interrupted();
    const JSAMPLE* here = src.row(y);
    const JSAMPLE* above = src.row(std::max<std::int64_t>(y - 1, 0));
    JSAMPLE* out = dst.row(y);
    const auto mean = [=](std::int64_t x, std::int64_t left) {
      const int now = right * here[x] + along_x.part * here[left];
      const int before = right * above[x] + along_x.part * above[left];
      const auto sum = static_cast<std::uint16_t>(below * now + along_y.part * before + whole / 2);
      return static_cast<JSAMPLE>(sum * reciprocal >> 16);
    };
    if (src.width > 0) out[0] = mean(0, 0);
    for (std::int64_t x = 1; x < src.width; ++x) out[x] = mean(x, x - 1);
  }
}

// Fills whole blocks by repeating the last of `width` columns and of `height` rows.
void extend(const Plane& plane, std::int64_t width, std::int64_t height) {
  for (std::int64_t y = 0; y < height; ++y) {
    std::memset(plane.row(y) + width, plane.row(y)[width - 1],
                static_cast<std::size_t>(plane.pitch - width));
  }
  for (std::int64_t y = height; y < plane.rows; ++y) {
    std::memcpy(plane.row(y), plane.row(height - 1), static_cast<std::size_t>(plane.pitch));
  }
}

// Reads a file to its end, and its samples into `planes`.
void decode(JpegDecoder& decoder, const JpegPicture& layout, const Planes& planes) {
  jpeg_decompress_struct& info = decoder.info;
  info.raw_data_out = TRUE;
  info.out_color_space = info.jpeg_color_space;
  info.do_fancy_upsampling = FALSE;
  // Smoothing would invent coefficients that the scans of a progressive file lack.
  info.do_block_smoothing = FALSE;
  RowPointers rows;
  guarded(decoder.errors, [&] {
    jpeg_start_decompress(&info);
    while (info.output_scanline < info.output_height) {
      check_stop(decoder.errors);
      rows.point(layout, planes, info.output_scanline);
      jpeg_read_raw_data(&info, rows.components.data(),
                         static_cast<JDIMENSION>(layout.max_v() * DCTSIZE));
    }
    // The parts of the file that are needed below are gone once the decoder is finished. So only
    // look for the end.
    while (jpeg_consume_input(&info) != JPEG_REACHED_EOI) {
    }
  });
}

// libjpeg's encoder divides by steps, which it multiplies by eight before, in 16 bits.
void check_steps(const JpegPicture& picture) {
  constexpr int largest = 8191;
  for (const JpegComponent& component : picture.components) {
    const auto [least, most] = std::ranges::minmax_element(component.table);
    if (*least == 0) throw ImageFileError("damaged: a quantisation step is zero");
    if (*most > largest) {
      throw ImageFileError(
          fmt::format("cannot be encoded again, because a quantisation step is {}, more than {}",
                      *most, largest));
    }
  }
}

// Settings for the transform to coefficients; write_jpeg does the rest.
void set_up(jpeg_compress_struct& info, const JpegPicture& picture, jpeg_scan_info* scans) {
  const int count = static_cast<int>(picture.components.size());
  info.image_width = picture.width;
  info.image_height = picture.height;
  info.input_components = count;
  info.in_color_space = picture.space;
  jpeg_set_defaults(&info);
  jpeg_set_colorspace(&info, picture.space);
  info.raw_data_in = TRUE;
  for (int i = 0; i < count; ++i) {
    const JpegComponent& component = picture.components[static_cast<std::size_t>(i)];
    info.comp_info[i].h_samp_factor = component.h;
    info.comp_info[i].v_samp_factor = component.v;
    info.comp_info[i].quant_tbl_no = component.slot;
    JQUANT_TBL*& table = info.quant_tbl_ptrs[component.slot];
    if (!table) table = jpeg_alloc_quant_table(reinterpret_cast<j_common_ptr>(&info));
    std::copy(component.table.begin(), component.table.end(), table->quantval);
    // The coefficients of a progressive picture are kept until its last scan. libjpeg writes the
    // first scan while it makes them, so that scan is as small as possible.
    scans[i] = {.comps_in_scan = 1, .component_index = {i}, .Ss = 0, .Se = 0, .Ah = 0, .Al = 0};
  }
  info.scan_info = scans;
  info.num_scans = count;
}

}  // namespace

struct JpegPlanes::Parts {
  explicit Parts(PixelArena& memory) : arena(memory), blocks(memory) {}

  PixelArena& arena;
  JpegBlocks blocks;
  JpegPicture picture;
  Planes planes;
  JSAMPLE* scratch = nullptr;  ///< for turned planes
  JSAMPLE* shifted = nullptr;  ///< for a resampled plane
};

JpegPlanes::JpegPlanes(std::span<const std::byte> file, PixelArena& arena,
                       const std::atomic<bool>& stop, std::vector<std::string>& warnings)
    : JpegPlanes(*std::make_unique<JpegDecoder>(file), arena, stop, warnings) {}

JpegPlanes::JpegPlanes(JpegDecoder& decoder, PixelArena& arena, const std::atomic<bool>& stop,
                       std::vector<std::string>& warnings)
    : parts_(std::make_unique<Parts>(arena)) {
  decoder.stop_by(stop);
  const JpegPicture layout = layout_of(decoder.info);
  parts_->planes = planes_of(layout);
  place(parts_->planes, static_cast<JSAMPLE*>(arena.take(bytes_of(parts_->planes))));
  parts_->blocks.serve(reinterpret_cast<j_common_ptr>(&decoder.info));
  decode(decoder, layout, parts_->planes);
  parts_->picture = describe(decoder);
  check_steps(parts_->picture);
  add_notes(decoder, warnings);
}

JpegPlanes::~JpegPlanes() = default;

void JpegPlanes::prove(const JpegCoefficients& result, Orientation orientation,
                       const std::atomic<bool>& stop) const {
  const JpegPicture& picture = parts_->picture;
  const DescribedBlocks found = result.described();
  prove_layout(picture, found.picture, orientation);
  for (std::size_t i = 0; i < picture.components.size(); ++i) {
    const JpegComponent& component = picture.components[i];
    const Plane& plane = parts_->planes[i];
    prove_reencoded({plane.samples, plane.width, plane.height, plane.pitch, plane.rows}, found, i,
                    orientation, {picture.width, picture.max_h() / component.h},
                    {picture.height, picture.max_v() / component.v}, stop);
  }
}

Bytes JpegPlanes::turn(Orientation orientation, const std::atomic<bool>& stop) {
  const JpegPicture& stored = parts_->picture;
  const JpegPicture picture = turned(stored, orientation);
  const Reading r = reading(orientation);
  Planes planes = planes_of(picture);
  if (!parts_->scratch) {
    const JpegPicture other = turned(stored, Orientation::transpose);
    parts_->scratch = static_cast<JSAMPLE*>(
        parts_->arena.take(std::max(bytes_of(planes_of(stored)), bytes_of(planes_of(other)))));
  }
  place(planes, parts_->scratch);
  for (std::size_t i = 0; i < planes.size(); ++i) {
    Plane from = parts_->planes[i];
    const JpegComponent& component = stored.components[i];
    const Shift along_x = shift_of(r.from_right, stored.width, stored.max_h() / component.h);
    const Shift along_y = shift_of(r.from_bottom, stored.height, stored.max_v() / component.v);
    if (along_x.part > 0 || along_y.part > 0) {
      if (!parts_->shifted) {
        parts_->shifted = static_cast<JSAMPLE*>(parts_->arena.take(bytes_of(parts_->planes)));
      }
      const Plane source = from;
      from.samples = parts_->shifted;
      // What is hidden beyond an edge that stays is resampled with the rest.
      Plane all = source;
      if (!r.from_right) all.width = all.pitch;
      if (!r.from_bottom) all.height = all.rows;
      resample(all, from, along_x, along_y, stop);
    }
    // If an edge stays in its place relative to the blocks, what they hide beyond it stays too.
    const std::int64_t width = r.from_right ? from.width : from.pitch;
    const std::int64_t height = r.from_bottom ? from.height : from.rows;
    const std::int64_t turned_width = r.swap_axes ? height : width;
    const std::int64_t turned_height = r.swap_axes ? width : height;
    turn_in_bands({from.samples, width, height, from.pitch, 1},
                  View{planes[i].samples, turned_width, turned_height, planes[i].pitch, 1},
                  orientation, stop);
    extend(planes[i], turned_width, turned_height);
  }

  JpegEncoder encoder(&stop, 4096);
  jpeg_compress_struct& info = encoder.info;
  parts_->blocks.serve(reinterpret_cast<j_common_ptr>(&info));
  std::array<jpeg_scan_info, max_components> scans{};
  RowPointers rows;
  guarded(encoder.errors, [&] {
    set_up(info, picture, scans.data());
    jpeg_start_compress(&info, TRUE);
    while (info.next_scanline < info.image_height) {
      check_stop(encoder.errors);
      rows.point(picture, planes, info.next_scanline);
      jpeg_write_raw_data(&info, rows.components.data(),
                          static_cast<JDIMENSION>(picture.max_v() * DCTSIZE));
    }
  });
  return write_jpeg(picture, parts_->blocks, Orientation::identity, JpegTables::fitted, stop);
}

}  // namespace qturn::jpeg
