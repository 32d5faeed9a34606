#include "src/formats/gif/lzw.hpp"

#include <fmt/format.h>
#include <gif_lib.h>

#include <algorithm>
#include <array>
#include <memory>
#include <new>
#include <vector>

namespace qturn::gif {
namespace {

constexpr const char* damaged_pixels = "damaged: the pixels of a GIF";

// Calls `row` with each row in the order of the file.
template <typename Row>
void in_file_order(const Page& page, bool interlaced, const std::atomic<bool>& stop, Row row) {
  struct Pass {
    std::int64_t first, step;
  };
  static constexpr std::array<Pass, 4> passes = {{{0, 8}, {4, 8}, {2, 4}, {1, 2}}};
  static constexpr std::array<Pass, 1> whole = {{{0, 1}}};
  const std::span<const Pass> used = interlaced ? std::span<const Pass>(passes) : whole;
  for (const Pass& pass : used) {
    for (std::int64_t y = pass.first; y < page.height; y += pass.step) {
      if (stop.load(std::memory_order_relaxed)) throw Interrupted();
      row(static_cast<GifPixelType*>(page.pixels) + y * page.row_bytes());
    }
  }
}

// Closing it frees it, whether or not that succeeds.
struct CloseWriter {
  void operator()(GifFileType* gif) const { EGifCloseFile(gif, nullptr); }
};

[[noreturn]] void fail(const GifFileType* gif, const char* what) {
  if (gif && gif->Error == E_GIF_ERR_NOT_ENOUGH_MEM) throw std::bad_alloc();
  throw ImageFileError(what);
}

// The indices of a frame, from its codes. giflib decodes codes that stand for nothing, and refuses
// codes that begin with more than 9 bits.
class Indices {
 public:
  // `lzw` ends with an empty part.
  explicit Indices(std::span<const std::byte> lzw)
      : root_bits_(std::to_integer<int>(lzw[0])), data_(lzw.subspan(1)) {
    if (root_bits_ < 1 || root_bits_ >= most_bits) throw ImageFileError(damaged_pixels);
    restart();
  }

  // Whether there are so many more.
  bool read(std::uint8_t* to, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) {
      if (waiting_ == 0 && !read_string()) return false;
      to[i] = string_[--waiting_];
    }
    return true;
  }

 private:
  static constexpr int most_bits = 12, most_codes = 1 << most_bits;

  int clear() const { return 1 << root_bits_; }

  void restart() {
    bits_ = root_bits_ + 1;
    next_ = clear() + 2;
    last_ = -1;
  }

  // -1: there is none.
  int read_code() {
    while (held_bits_ < bits_) {
      if (part_bytes_ == 0 && at_ < data_.size()) part_bytes_ = std::to_integer<int>(data_[at_++]);
      if (part_bytes_ == 0) return -1;
      held_ |= std::to_integer<unsigned>(data_[at_++]) << held_bits_;
      held_bits_ += 8;
      --part_bytes_;
    }
    const int code = static_cast<int>(held_ & ((1U << bits_) - 1));
    held_ >>= bits_;
    held_bits_ -= bits_;
    return code;
  }

  // The string of the next code, its last index first. False at the end, and for a code that stands
  // for nothing.
  bool read_string() {
    int code = read_code();
    for (; code == clear(); code = read_code()) restart();
    const int most = last_ < 0 ? clear() - 1 : std::min(next_, most_codes - 1);
    if (code < 0 || code == clear() + 1 || code > most) return false;
    int from = code;
    if (code == next_) {  // the string before, and its first index once more
      ++waiting_;
      from = last_;
    }
    for (; from >= clear(); from = prefix_[static_cast<std::size_t>(from)])
      string_[waiting_++] = suffix_[static_cast<std::size_t>(from)];
    if (from > 255) return false;
    const auto first = static_cast<std::uint8_t>(from);
    string_[waiting_++] = first;
    if (code == next_) string_[0] = first;
    if (last_ >= 0 && next_ < most_codes) {
      prefix_[static_cast<std::size_t>(next_)] = static_cast<std::uint16_t>(last_);
      suffix_[static_cast<std::size_t>(next_++)] = first;
    }
    if (next_ == 1 << bits_ && bits_ < most_bits) ++bits_;
    last_ = code;
    return true;
  }

  const int root_bits_;
  std::span<const std::byte> data_;
  std::size_t at_ = 0;
  int part_bytes_ = 0;  // that are left of the part at `at_`
  unsigned held_ = 0;
  int held_bits_ = 0, bits_ = 0;
  int next_ = 0, last_ = -1;  // codes; -1: none since the last clear code
  std::array<std::uint16_t, most_codes> prefix_{};
  std::array<std::uint8_t, most_codes> suffix_{};
  std::array<std::uint8_t, most_codes + 1> string_{};
  std::size_t waiting_ = 0;  // indices of the string that are still to be read
};

// What giflib writes: first what describes the frame, which is not wanted, then the frame.
struct Output {
  Bytes& to;
  bool is_wanted = false;
  bool is_out_of_memory = false;
};

int write_output(GifFileType* gif, const GifByteType* data, int size) {
  auto& output = *static_cast<Output*>(gif->UserData);
  if (!output.is_wanted) return size;
  const auto* bytes = reinterpret_cast<const std::byte*>(data);
  try {
    output.to.insert(output.to.end(), bytes, bytes + size);
  } catch (const std::bad_alloc&) {  // which must not travel through giflib
    output.is_out_of_memory = true;
    return 0;
  }
  return size;
}

}  // namespace

void decompress_gif_frame(std::span<const std::byte> lzw, bool interlaced, const Page& page,
                          const std::atomic<bool>& stop) {
  const auto indices = std::make_unique<Indices>(lzw);
  std::int64_t rows = 0;
  in_file_order(page, interlaced, stop, [&](GifPixelType* row) {
    if (!indices->read(row, page.width)) {
      throw ImageFileError(
          fmt::format("{} after {} of {} rows", damaged_pixels, rows, page.height));
    }
    ++rows;
  });
}

void compress_gif_frame(const Page& page, bool interlaced, int bits, Bytes& to,
                        const std::atomic<bool>& stop) {
  Output output{to};
  const std::unique_ptr<GifFileType, CloseWriter> gif(EGifOpen(&output, write_output, nullptr));
  // Its number of colours tells giflib how many bits an index has.
  const std::unique_ptr<ColorMapObject, decltype(&GifFreeMapObject)> colours(
      GifMakeMapObject(1 << bits, nullptr), GifFreeMapObject);
  if (!gif || !colours) throw std::bad_alloc();
  const auto width = static_cast<int>(page.width), height = static_cast<int>(page.height);
  const auto expect = [&](int done) {
    if (done == GIF_OK) return;
    if (output.is_out_of_memory) throw std::bad_alloc();
    fail(gif.get(), "giflib cannot compress a frame");
  };
  expect(EGifPutScreenDesc(gif.get(), width, height, bits, 0, colours.get()));
  // The size of the codes is the last byte that this writes.
  expect(EGifPutImageDesc(gif.get(), 0, 0, width, height, false, nullptr));
  to.push_back(static_cast<std::byte>(bits));
  output.is_wanted = true;
  in_file_order(page, interlaced, stop,
                [&](GifPixelType* row) { expect(EGifPutLine(gif.get(), row, width)); });
  output.is_wanted = false;  // closing it writes the end of the file
}

std::string gif_library_version() {
  return fmt::format("giflib {}.{}.{}", GIFLIB_MAJOR, GIFLIB_MINOR, GIFLIB_RELEASE);
}

}  // namespace qturn::gif
