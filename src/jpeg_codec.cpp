#include "src/jpeg_codec.hpp"

// jpeglib.h needs stdio.h and size_t before it.
#include <cstddef>
#include <cstdio>

#include <jerror.h>
#include <jpeglib.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <csetjmp>
#include <cstring>
#include <memory>
#include <string_view>

#include "src/exif.hpp"
#include "src/jpeg_markers.hpp"

namespace qturn {
namespace {

static_assert(BITS_IN_JSAMPLE == 8);

constexpr int max_components = 4;
constexpr int fresh_quality = 95;
// Encoders write about ten scans. Each costs a pass over the picture, so a small file with thousands
// of them is an attack on the reader's time.
constexpr int max_scans = 200;
constexpr int rows_at_a_time = 16;
constexpr std::uint64_t coefficient_bytes_of_block = DCTSIZE2 * sizeof(JCOEF);

// --- libjpeg's errors -----------------------------------------------------------------------------
//
// libjpeg is C: an exception must not pass through its frames, so errors leave them by longjmp and
// become exceptions in guarded(). Nothing with a destructor lives between the two.

struct Errors {
  jpeg_error_mgr base;  // first: libjpeg's pointer to it is a pointer to this
  std::jmp_buf jump;
  const std::atomic<bool>* stop;
  bool interrupted;
  bool several_scans;
  char message[JMSG_LENGTH_MAX + 100];
  char note[JMSG_LENGTH_MAX];  // a harmless peculiarity; empty: none
};

Errors& errors_of(j_common_ptr codec) { return *reinterpret_cast<Errors*>(codec->err); }

[[noreturn]] void leave(Errors& errors) { std::longjmp(errors.jump, 1); }

// How much of the picture was there when `decoder` met trouble: "after 812 of 3040 rows".
void describe_progress(jpeg_decompress_struct& decoder, char* text, std::size_t size) {
  if (decoder.input_scan_number == 0) {
    std::snprintf(text, size, "before the picture begins");
  } else if (errors_of(reinterpret_cast<j_common_ptr>(&decoder)).several_scans) {
    const auto rows = std::min<std::uint64_t>(
        std::uint64_t{decoder.input_iMCU_row} * decoder.max_v_samp_factor * DCTSIZE,
        decoder.image_height);
    std::snprintf(text, size, "after %llu of %u rows of scan %d",
                  static_cast<unsigned long long>(rows), decoder.image_height,
                  decoder.input_scan_number);
  } else {
    std::snprintf(text, size, "after %u of %u rows", decoder.output_scanline,
                  decoder.image_height);
  }
}

void fail_damaged(j_common_ptr codec) {
  Errors& errors = errors_of(codec);
  auto& decoder = *reinterpret_cast<j_decompress_ptr>(codec);
  char progress[80];
  describe_progress(decoder, progress, sizeof progress);
  if (errors.base.msg_code == JWRN_JPEG_EOF) {
    std::snprintf(errors.message, sizeof errors.message, "truncated %s", progress);
  } else {
    char reason[JMSG_LENGTH_MAX];
    errors.base.format_message(codec, reason);
    std::snprintf(errors.message, sizeof errors.message, "damaged %s (%s)", progress, reason);
  }
  leave(errors);
}

// A warning means that libjpeg goes on with invented data, but for a few that concern no sample.
void on_message(j_common_ptr codec, int level) {
  if (level >= 0 || !codec->is_decompressor) return;
  Errors& errors = errors_of(codec);
  const auto& decoder = *reinterpret_cast<j_decompress_ptr>(codec);
  const int code = errors.base.msg_code;
  const bool harmless = code == JWRN_JFIF_MAJOR || code == JWRN_ADOBE_XFORM ||
                        code == JWRN_NOT_SEQUENTIAL ||
                        (code == JWRN_EXTRANEOUS_DATA && decoder.input_scan_number == 0);
  if (!harmless) fail_damaged(codec);
  if (errors.note[0] == '\0') errors.base.format_message(codec, errors.note);
}

void prepare(Errors& errors, const std::atomic<bool>* stop) {
  errors.stop = stop;
  errors.interrupted = errors.several_scans = false;
  errors.message[0] = errors.note[0] = '\0';
  jpeg_std_error(&errors.base);
  errors.base.error_exit = [](j_common_ptr codec) {
    Errors& own = errors_of(codec);
    own.base.format_message(codec, own.message);
    leave(own);
  };
  errors.base.emit_message = on_message;
  errors.base.output_message = [](j_common_ptr) {};
}

// Runs `steps`, which may call libjpeg and must own nothing, and throws what libjpeg complains of.
template <typename Steps>
void guarded(Errors& errors, Steps steps) {
  if (setjmp(errors.jump) != 0) {
    if (errors.interrupted) throw Interrupted();
    throw ImageFileError(errors.message);
  }
  steps();
}

void check_stop(Errors& errors) {
  if (errors.stop && errors.stop->load(std::memory_order_relaxed)) {
    errors.interrupted = true;
    leave(errors);
  }
}

// --- what is kept of a JPEG -----------------------------------------------------------------------

using Table = std::array<UINT16, DCTSIZE2>;

struct Component {
  int id, h, v, table;
};

struct Marker {
  int code;
  Bytes data;
};

struct JpegExtras final : Extras {
  J_COLOR_SPACE space{};
  int component_count = 0;
  std::array<Component, max_components> components{};
  std::array<Table, max_components> tables{};  // of each component
  bool progressive = false;
  bool interleaved = true;
  bool standard_huffman = true;
  unsigned restart_interval = 0;  // in MCUs, 0: none
  unsigned restart_rows = 0;      // the same, if it was whole rows of MCUs
  std::vector<Marker> markers;    // APPn and COM, in order
};

bool same_table(const JHUFF_TBL* a, const JHUFF_TBL* b) {
  if (!a || !b) return a == b;
  int symbols = 0;
  for (int length = 1; length <= 16; ++length) {
    if (a->bits[length] != b->bits[length]) return false;
    symbols += a->bits[length];
  }
  return symbols <= 256 && std::memcmp(a->huffval, b->huffval, static_cast<std::size_t>(symbols)) == 0;
}

// --- compressor and decompressor as owners ----------------------------------------------------------

class Decoder {
 public:
  Decoder(std::span<const std::byte> file, const std::atomic<bool>* stop) {
    prepare(errors, stop);
    info.err = &errors.base;
    guarded(errors, [&] { jpeg_create_decompress(&info); });
    progress_.progress_monitor = [](j_common_ptr codec) {
      Errors& own = errors_of(codec);
      check_stop(own);
      if (reinterpret_cast<j_decompress_ptr>(codec)->input_scan_number > max_scans) {
        std::snprintf(own.message, sizeof own.message, "has more than %d scans", max_scans);
        leave(own);
      }
    };
    info.progress = &progress_;
    const auto* data = reinterpret_cast<const unsigned char*>(file.data());
    try {
      guarded(errors, [&] {
        jpeg_mem_src(&info, data, static_cast<unsigned long>(file.size()));
        for (int app = 0; app < 16; ++app) jpeg_save_markers(&info, JPEG_APP0 + app, 0xFFFF);
        jpeg_save_markers(&info, JPEG_COM, 0xFFFF);
        jpeg_read_header(&info, TRUE);
        errors.several_scans = jpeg_has_multiple_scans(&info);
      });
    } catch (...) {
      jpeg_destroy_decompress(&info);
      throw;
    }
  }
  ~Decoder() { jpeg_destroy_decompress(&info); }
  Decoder(const Decoder&) = delete;
  Decoder& operator=(const Decoder&) = delete;

  Errors errors;
  jpeg_decompress_struct info{};

 private:
  jpeg_progress_mgr progress_{};
};

// Appends what libjpeg writes to a vector.
struct Destination {
  jpeg_destination_mgr base;  // first, as above
  Bytes bytes;

  // Offers at least `more` free bytes after the `used` ones. False if there is no memory: libjpeg's
  // frames lie above, so nothing may be thrown.
  bool grow(std::size_t used, std::size_t more) noexcept {
    try {
      bytes.resize(used + more);
    } catch (const std::exception&) {
      return false;
    }
    base.next_output_byte = reinterpret_cast<JOCTET*>(bytes.data() + used);
    base.free_in_buffer = more;
    return true;
  }
};

class Encoder {
 public:
  Encoder(const std::atomic<bool>* stop, std::size_t expected_bytes) {
    prepare(errors, stop);
    info.err = &errors.base;
    guarded(errors, [&] { jpeg_create_compress(&info); });
    progress_.progress_monitor = [](j_common_ptr codec) { check_stop(errors_of(codec)); };
    info.progress = &progress_;
    destination_.base.init_destination = [](j_compress_ptr) {};
    destination_.base.empty_output_buffer = [](j_compress_ptr codec) -> boolean {
      auto& to = *reinterpret_cast<Destination*>(codec->dest);
      const std::size_t used = to.bytes.size();
      if (!to.grow(used, used)) ERREXIT1(codec, JERR_OUT_OF_MEMORY, 0);
      return TRUE;
    };
    destination_.base.term_destination = [](j_compress_ptr) {};
    if (!destination_.grow(0, expected_bytes)) {
      jpeg_destroy_compress(&info);
      throw std::bad_alloc();
    }
    info.dest = &destination_.base;
  }
  ~Encoder() { jpeg_destroy_compress(&info); }
  Encoder(const Encoder&) = delete;
  Encoder& operator=(const Encoder&) = delete;

  Bytes take() {
    destination_.bytes.resize(destination_.bytes.size() - destination_.base.free_in_buffer);
    return std::move(destination_.bytes);
  }

  Errors errors;
  jpeg_compress_struct info{};

 private:
  jpeg_progress_mgr progress_{};
  Destination destination_{};
};

// --- reading --------------------------------------------------------------------------------------

int channels_of(J_COLOR_SPACE space) {
  switch (space) {
    case JCS_GRAYSCALE: return 1;
    case JCS_RGB:
    case JCS_YCbCr: return 3;
    case JCS_CMYK:
    case JCS_YCCK: return 4;
    default: return 0;
  }
}

// Throws for what is not supported, and for headers that no file of this size can fulfil.
void check_header(const jpeg_decompress_struct& info, std::size_t file_bytes) {
  if (channels_of(info.jpeg_color_space) != info.num_components) {
    throw ImageFileError(fmt::format("a JPEG with {} components is not supported", info.num_components));
  }
  for (int i = 0; i < info.num_components; ++i) {
    const jpeg_component_info& component = info.comp_info[i];
    if (info.max_h_samp_factor % component.h_samp_factor != 0 ||
        info.max_v_samp_factor % component.v_samp_factor != 0) {
      throw ImageFileError(fmt::format(
          "chroma sampled by a fraction ({}x{} against {}x{}) is not supported",
          component.h_samp_factor, component.v_samp_factor, info.max_h_samp_factor,
          info.max_v_samp_factor));
    }
  }
  // Each block of the first component takes one bit at the least.
  const std::uint64_t blocks = (std::uint64_t{info.image_width} + DCTSIZE - 1) / DCTSIZE *
                               ((std::uint64_t{info.image_height} + DCTSIZE - 1) / DCTSIZE);
  if (blocks / 8 > file_bytes) {
    throw ImageFileError(fmt::format("{}x{} pixels cannot be in a file of {} bytes",
                                     info.image_width, info.image_height, file_bytes));
  }
}

// The orientation of the first Exif block, which is the one that readers look at.
Orientation stored_in(const std::vector<JpegSegment>& segments) {
  for (const JpegSegment& segment : segments) {
    if (is_exif(segment)) return orientation_of_exif(segment.payload);
  }
  return Orientation::identity;
}

bool has_standard_huffman_tables(const jpeg_decompress_struct& info) {
  Encoder standard(nullptr, 1);
  bool same = true;
  guarded(standard.errors, [&] {
    standard.info.in_color_space = JCS_YCbCr;
    standard.info.input_components = 3;
    jpeg_set_defaults(&standard.info);
    // A grey picture brings one pair of tables, and the decoder takes a missing one for standard.
    for (int i = 0; i < NUM_HUFF_TBLS; ++i) {
      same &= !info.dc_huff_tbl_ptrs[i] ||
              same_table(info.dc_huff_tbl_ptrs[i], standard.info.dc_huff_tbl_ptrs[i]);
      same &= !info.ac_huff_tbl_ptrs[i] ||
              same_table(info.ac_huff_tbl_ptrs[i], standard.info.ac_huff_tbl_ptrs[i]);
    }
  });
  return same;
}

// Bytes of the coefficients of the whole picture, which libjpeg holds for progressive and other
// files of several scans, and while it optimises Huffman tables.
std::uint64_t coefficient_bytes(const jpeg_decompress_struct& info) {
  std::uint64_t blocks = 0;
  for (int i = 0; i < info.num_components; ++i) {
    const jpeg_component_info& component = info.comp_info[i];
    const auto padded = [](std::uint64_t size, int factor, int max_factor) {
      const std::uint64_t mcu = static_cast<std::uint64_t>(max_factor) * DCTSIZE;
      return (size + mcu - 1) / mcu * static_cast<std::uint64_t>(factor);
    };
    blocks += padded(info.image_width, component.h_samp_factor, info.max_h_samp_factor) *
              padded(info.image_height, component.v_samp_factor, info.max_v_samp_factor);
  }
  return blocks * coefficient_bytes_of_block;
}

Metadata metadata_of(const std::vector<Marker>& markers) {
  Metadata metadata;
  std::vector<std::span<const std::byte>> profile;  // by sequence number
  for (const Marker& marker : markers) {
    const std::span<const std::byte> data(marker.data);
    const std::string_view text(reinterpret_cast<const char*>(data.data()), data.size());
    const JpegSegment segment{static_cast<unsigned char>(marker.code), 0, data};
    if (is_exif(segment) && metadata.exif.empty()) {
      const auto body = exif_body(data);
      metadata.exif.assign(body.begin(), body.end());
    } else if (marker.code == JPEG_APP0 + 1 && text.starts_with(xmp_signature)) {
      metadata.xmp = text.substr(xmp_signature.size());
    } else if (marker.code == JPEG_APP0 + 2 && text.starts_with(icc_signature) &&
               text.size() >= icc_signature.size() + 2) {
      const auto number = std::to_integer<std::size_t>(data[icc_signature.size()]);
      if (profile.size() < number + 1) profile.resize(number + 1);
      profile[number] = data.subspan(icc_signature.size() + 2);
    } else if (marker.code == JPEG_COM && metadata.comment.empty()) {
      metadata.comment = text.substr(0, text.find('\0'));
    }
  }
  for (const auto part : profile) metadata.icc.insert(metadata.icc.end(), part.begin(), part.end());
  return metadata;
}

std::shared_ptr<JpegExtras> extras_of(const Decoder& decoder) {
  const jpeg_decompress_struct& info = decoder.info;
  auto extras = std::make_shared<JpegExtras>();
  extras->space = info.jpeg_color_space;
  extras->component_count = info.num_components;
  for (int i = 0; i < info.num_components; ++i) {
    const jpeg_component_info& component = info.comp_info[i];
    extras->components[i] = {component.component_id, component.h_samp_factor,
                             component.v_samp_factor, component.quant_tbl_no};
    std::copy_n(component.quant_table->quantval, DCTSIZE2, extras->tables[i].begin());
  }
  extras->progressive = info.progressive_mode;
  extras->interleaved = !decoder.errors.several_scans || info.progressive_mode;
  extras->standard_huffman = has_standard_huffman_tables(info);
  extras->restart_interval = info.restart_interval;
  const unsigned mcu_width = static_cast<unsigned>(info.max_h_samp_factor) * DCTSIZE;
  const unsigned mcus_per_row = (info.image_width + mcu_width - 1) / mcu_width;
  if (info.restart_interval % mcus_per_row == 0) {
    extras->restart_rows = info.restart_interval / mcus_per_row;
  }
  for (const jpeg_marker_struct* saved = info.marker_list; saved; saved = saved->next) {
    const auto* data = reinterpret_cast<const std::byte*>(saved->data);
    Marker marker{saved->marker, Bytes(data, data + saved->data_length)};
    const JpegSegment segment{saved->marker, 0, marker.data};
    if (is_exif(segment)) marker.data = upright_exif(marker.data);
    extras->markers.push_back(std::move(marker));
  }
  extras->metadata = metadata_of(extras->markers);
  return extras;
}

// A file can end in order and still lack data: the scans of one component, or the last refinements
// of a progressive picture.
void check_complete(const jpeg_decompress_struct& info) {
  for (int i = 0; i < info.num_components; ++i) {
    if (!info.comp_info[i].quant_table) {
      throw ImageFileError(fmt::format("component {} of {} is missing", i + 1, info.num_components));
    }
    if (!info.progressive_mode) continue;
    const int* bits = info.coef_bits[i];
    if (bits[0] != 0 || std::any_of(bits + 1, bits + DCTSIZE2, [](int left) { return left > 0; })) {
      throw ImageFileError("the last scans of the progressive picture are missing");
    }
  }
}

}  // namespace

Header read_jpeg_header(std::span<const std::byte> file) {
  const std::vector<JpegSegment> segments = jpeg_header_segments(file);
  Decoder decoder(file, nullptr);
  const jpeg_decompress_struct& info = decoder.info;
  check_header(info, file.size());

  Header header;
  header.width = info.image_width;
  header.height = info.image_height;
  header.stored = stored_in(segments);
  header.pixel_bytes_total = std::uint64_t{info.image_width} * info.image_height *
                             static_cast<std::uint64_t>(info.num_components);
  // The output, about as large as the input, in a buffer that doubles; and coefficients, first the
  // decoder's, then the encoder's.
  header.working_bytes = (1 << 20) + 3 * std::uint64_t{file.size()};
  if (decoder.errors.several_scans || !has_standard_huffman_tables(info)) {
    header.working_bytes += coefficient_bytes(info);
  }
  return header;
}

Image decode_jpeg(std::span<const std::byte> file, JpegSamples samples, PixelArena& arena,
                  const std::atomic<bool>& stop, std::vector<std::string>& warnings) {
  const std::vector<JpegSegment> segments = jpeg_header_segments(file);
  Decoder decoder(file, &stop);
  jpeg_decompress_struct& info = decoder.info;
  check_header(info, file.size());

  Image image{.format = Format::jpeg, .stored = stored_in(segments), .pages = {}, .extras = {}};
  if (samples == JpegSamples::as_stored) {
    info.out_color_space = info.jpeg_color_space;
    info.do_fancy_upsampling = FALSE;
  } else if (info.num_components == 4) {
    throw ImageFileError("a CMYK JPEG can only be written as a JPEG");
  } else {
    info.out_color_space = info.num_components == 1 ? JCS_GRAYSCALE : JCS_RGB;
  }
  // Smoothing would guess what the scans of a progressive file did not say.
  info.do_block_smoothing = FALSE;

  Page page{.width = info.image_width,
            .height = info.image_height,
            .channels = info.num_components,
            .type = SampleType::u8};
  page.pixels = arena.take(page.bytes());
  guarded(decoder.errors, [&] {
    jpeg_start_decompress(&info);
    JSAMPROW rows[rows_at_a_time];
    while (info.output_scanline < info.output_height) {
      check_stop(decoder.errors);
      const JDIMENSION count =
          std::min<JDIMENSION>(rows_at_a_time, info.output_height - info.output_scanline);
      for (JDIMENSION i = 0; i < count; ++i) {
        rows[i] = static_cast<JSAMPLE*>(page.pixels) +
                  static_cast<std::size_t>(page.row_bytes()) * (info.output_scanline + i);
      }
      jpeg_read_scanlines(&info, rows, count);
    }
    // What is kept of the file below is gone once the decoder is finished: only look for the end.
    while (jpeg_consume_input(&info) != JPEG_REACHED_EOI) {
    }
  });
  check_complete(info);
  image.pages.push_back(page);
  const std::shared_ptr<JpegExtras> extras = extras_of(decoder);
  if (samples == JpegSamples::as_stored) {
    image.extras = extras;
  } else {
    auto portable = std::make_shared<Extras>();
    portable->metadata = std::move(extras->metadata);
    image.extras = portable;
  }

  if (decoder.errors.note[0] != '\0') warnings.emplace_back(decoder.errors.note);
  const std::span rest(info.src->next_input_byte, info.src->bytes_in_buffer);
  if (std::any_of(rest.begin(), rest.end(), [](JOCTET byte) { return byte != 0; })) {
    warnings.push_back(fmt::format(
        "{} bytes after the end of the picture (previews, a gain map, a video) are not kept",
        rest.size()));
  }
  return image;
}

namespace {

void check_can_be_jpeg(const Image& image) {
  if (image.pages.size() != 1) {
    throw ImageFileError(fmt::format("{} pages cannot be kept in a JPEG", image.pages.size()));
  }
  const Page& page = image.pages.front();
  if (page.type != SampleType::u8) {
    throw ImageFileError("only 8-bit samples can be kept in a JPEG");
  }
  if (page.channels == 2 || page.channels == 4) {
    throw ImageFileError("transparency cannot be kept in a JPEG");
  }
  if (page.channels != 1 && page.channels != 3) {
    throw ImageFileError(fmt::format("{} channels cannot be kept in a JPEG", page.channels));
  }
}

void set_tables(jpeg_compress_struct& info, const JpegExtras& extras, bool swapped) {
  // Two components with the same table number can have different tables, when one was defined anew
  // between their scans: the second then gets a number that is free.
  std::array<const Table*, NUM_QUANT_TBLS> used{};
  for (int i = 0; i < extras.component_count; ++i) {
    const Table& table = extras.tables[i];
    int slot = extras.components[i].table;
    if (used[slot] && *used[slot] != table) {
      slot = static_cast<int>(std::find(used.begin(), used.end(), nullptr) - used.begin());
    }
    used[slot] = &table;
    info.comp_info[i].quant_tbl_no = slot;
    if (!info.quant_tbl_ptrs[slot]) {
      info.quant_tbl_ptrs[slot] = jpeg_alloc_quant_table(reinterpret_cast<j_common_ptr>(&info));
    }
    for (int row = 0; row < DCTSIZE; ++row) {
      for (int column = 0; column < DCTSIZE; ++column) {
        info.quant_tbl_ptrs[slot]->quantval[row * DCTSIZE + column] =
            swapped ? table[column * DCTSIZE + row] : table[row * DCTSIZE + column];
      }
    }
    info.quant_tbl_ptrs[slot]->sent_table = FALSE;
  }
}

// Settings that make the new file what the old one was. `scans` outlives the compression.
void set_like(jpeg_compress_struct& info, const JpegExtras& extras, bool swapped,
              jpeg_scan_info* scans) {
  info.in_color_space = extras.space;
  jpeg_set_defaults(&info);
  jpeg_set_colorspace(&info, extras.space);
  for (int i = 0; i < extras.component_count; ++i) {
    const Component& component = extras.components[i];
    info.comp_info[i].component_id = component.id;
    info.comp_info[i].h_samp_factor = swapped ? component.v : component.h;
    info.comp_info[i].v_samp_factor = swapped ? component.h : component.v;
  }
  set_tables(info, extras, swapped);
  if (extras.progressive) {
    jpeg_simple_progression(&info);
  } else if (!extras.interleaved) {
    for (int i = 0; i < extras.component_count; ++i) {
      scans[i] = {.comps_in_scan = 1, .component_index = {i}, .Ss = 0, .Se = 63, .Ah = 0, .Al = 0};
    }
    info.scan_info = scans;
    info.num_scans = extras.component_count;
  }
  info.optimize_coding = extras.standard_huffman ? FALSE : TRUE;
  info.restart_interval = extras.restart_interval;
  info.restart_in_rows = static_cast<int>(extras.restart_rows);
  // They are among the markers that are copied, where the source has them.
  info.write_JFIF_header = FALSE;
  info.write_Adobe_marker = FALSE;
}

void set_fresh(jpeg_compress_struct& info) {
  info.in_color_space = info.input_components == 1 ? JCS_GRAYSCALE : JCS_RGB;
  jpeg_set_defaults(&info);
  jpeg_set_quality(&info, fresh_quality, TRUE);
  for (int i = 0; i < info.num_components; ++i) {
    info.comp_info[i].h_samp_factor = info.comp_info[i].v_samp_factor = 1;
  }
}

// What other formats said, as JPEG's markers.
std::vector<Marker> markers_of(const Metadata& metadata) {
  constexpr std::size_t max_payload = 65533;
  std::vector<Marker> markers;
  const auto add = [&](int code, std::string_view signature, std::span<const std::byte> body) {
    if (body.empty() || signature.size() + body.size() > max_payload) return;
    Marker marker{code, Bytes(signature.size() + body.size())};
    std::memcpy(marker.data.data(), signature.data(), signature.size());
    std::memcpy(marker.data.data() + signature.size(), body.data(), body.size());
    markers.push_back(std::move(marker));
  };
  const auto bytes_of = [](const std::string& text) { return std::as_bytes(std::span(text)); };
  add(JPEG_APP0 + 1, exif_signature, metadata.exif);
  add(JPEG_APP0 + 1, xmp_signature, bytes_of(metadata.xmp));
  add(JPEG_COM, "", bytes_of(metadata.comment));
  return markers;
}

}  // namespace

Bytes encode_jpeg(const Image& turned, Orientation applied, const std::atomic<bool>& stop) {
  const auto* extras = dynamic_cast<const JpegExtras*>(turned.extras.get());
  if (!extras) check_can_be_jpeg(turned);
  const Page& page = turned.pages.front();
  const std::vector<Marker> fresh_markers =
      !extras && turned.extras ? markers_of(turned.extras->metadata) : std::vector<Marker>{};
  const std::vector<Marker>& markers = extras ? extras->markers : fresh_markers;
  static const Bytes no_profile;
  const Bytes& profile = !extras && turned.extras ? turned.extras->metadata.icc : no_profile;

  // A byte for four samples is more than most pictures need.
  Encoder encoder(&stop, (64 << 10) + page.bytes() / 4);
  jpeg_compress_struct& info = encoder.info;
  std::array<jpeg_scan_info, max_components> scans{};
  guarded(encoder.errors, [&] {
    info.image_width = static_cast<JDIMENSION>(page.width);
    info.image_height = static_cast<JDIMENSION>(page.height);
    info.input_components = page.channels;
    if (extras) {
      set_like(info, *extras, swaps_axes(applied), scans.data());
    } else {
      set_fresh(info);
    }
    jpeg_start_compress(&info, TRUE);
    for (std::size_t i = 0; i < markers.size(); ++i) {
      jpeg_write_marker(&info, markers[i].code,
                        reinterpret_cast<const JOCTET*>(markers[i].data.data()),
                        static_cast<unsigned>(markers[i].data.size()));
    }
    if (!profile.empty()) {
      jpeg_write_icc_profile(&info, reinterpret_cast<const JOCTET*>(profile.data()),
                             static_cast<unsigned>(profile.size()));
    }
    JSAMPROW rows[rows_at_a_time];
    while (info.next_scanline < info.image_height) {
      check_stop(encoder.errors);
      const JDIMENSION count =
          std::min<JDIMENSION>(rows_at_a_time, info.image_height - info.next_scanline);
      for (JDIMENSION i = 0; i < count; ++i) {
        rows[i] = static_cast<JSAMPLE*>(page.pixels) +
                  static_cast<std::size_t>(page.row_bytes()) * (info.next_scanline + i);
      }
      jpeg_write_scanlines(&info, rows, count);
    }
    jpeg_finish_compress(&info);
  });
  return encoder.take();
}

std::optional<Bytes> retag_jpeg_upright(std::span<const std::byte> file) {
  Bytes retagged(file.begin(), file.end());
  for (const JpegSegment& segment : jpeg_header_segments(file)) {
    if (!is_exif(segment)) continue;
    const std::size_t body = exif_body(segment.payload).size();
    const std::size_t end = segment.offset + segment.payload.size();
    if (!set_upright(std::span(retagged).subspan(end - body, body), Directories::first)) {
      return std::nullopt;
    }
  }
  return retagged;
}

std::string jpeg_library_version() {
  constexpr int number = LIBJPEG_TURBO_VERSION_NUMBER;
  return fmt::format("libjpeg-turbo {}.{}.{}", number / 1000000, number / 1000 % 1000,
                     number % 1000);
}

}  // namespace qturn
