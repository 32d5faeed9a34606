#include "src/formats/gif/lzw.hpp"

#include <fmt/format.h>
#include <gif_lib.h>

#include <algorithm>
#include <array>
#include <memory>
#include <new>
#include <vector>

#include "src/picture/endian.hpp"

namespace qturn::gif {
namespace {

// Signature, screen descriptor without a palette, and the descriptor of the only frame.
constexpr std::size_t screen_bytes = 13, head_bytes = 23;

using Head = std::array<std::byte, head_bytes>;

Head head_of(const Page& page) {
  Head head{};
  std::ranges::copy(bytes_of("GIF89a"), head.begin());
  head[screen_bytes] = std::byte{0x2C};
  const auto width = static_cast<std::uint64_t>(page.width);
  const auto height = static_cast<std::uint64_t>(page.height);
  for (const std::size_t at : {std::size_t{6}, screen_bytes + 5}) {
    put_little_endian(head, at, 2, width);
    put_little_endian(head, at + 2, 2, height);
  }
  return head;
}

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

// Its close functions free it, whether or not they succeed.
struct CloseReader {
  void operator()(GifFileType* gif) const { DGifCloseFile(gif, nullptr); }
};
struct CloseWriter {
  void operator()(GifFileType* gif) const { EGifCloseFile(gif, nullptr); }
};

[[noreturn]] void fail(const GifFileType* gif, const char* what) {
  if (gif && (gif->Error == D_GIF_ERR_NOT_ENOUGH_MEM || gif->Error == E_GIF_ERR_NOT_ENOUGH_MEM)) {
    throw std::bad_alloc();
  }
  throw ImageFileError(what);
}

constexpr const char* damaged_pixels = "damaged: the pixels of a GIF";

struct Input {
  std::array<std::span<const std::byte>, 2> parts;
};

int read_input(GifFileType* gif, GifByteType* to, int wanted) {
  auto& input = *static_cast<Input*>(gif->UserData);
  int got = 0;
  for (auto& part : input.parts) {
    const auto bytes = std::min(part.size(), static_cast<std::size_t>(wanted - got));
    std::ranges::copy(part.first(bytes), reinterpret_cast<std::byte*>(to + got));
    part = part.subspan(bytes);
    got += static_cast<int>(bytes);
  }
  return got;
}

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
  const Head head = head_of(page);
  Input input{{head, lzw}};
  const std::unique_ptr<GifFileType, CloseReader> gif(DGifOpen(&input, read_input, nullptr));
  GifRecordType record{};
  if (!gif || DGifGetRecordType(gif.get(), &record) != GIF_OK ||
      DGifGetImageDesc(gif.get()) != GIF_OK) {
    fail(gif.get(), damaged_pixels);
  }
  std::int64_t rows = 0;
  in_file_order(page, interlaced, stop, [&](GifPixelType* row) {
    if (DGifGetLine(gif.get(), row, static_cast<int>(page.width)) != GIF_OK) {
      fail(gif.get(),
           fmt::format("{} after {} of {} rows", damaged_pixels, rows, page.height).c_str());
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
