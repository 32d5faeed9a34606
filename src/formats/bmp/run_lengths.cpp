#include "src/formats/bmp/run_lengths.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "src/picture/errors.hpp"

namespace qturn::bmp {
namespace {

class Reader {
 public:
  Reader(const BmpLayout& layout, std::span<const std::byte> data, std::uint8_t* first_row,
         std::int64_t row_step)
      : layout_(layout),
        data_(data),
        first_row_(first_row),
        row_step_(row_step),
        row_end_((layout.width * layout.bits + 31) / 32 * 32 / layout.bits) {}

  BmpRunLengths run() {
    while (!is_complete() || next_belongs_to_it()) {
      const int count = next(), value = next();
      if (count > 0) {
        write(count, [&](int i) { return index_in(value, i); });
      } else if (value == end_of_picture) {
        break;
      } else if (value == end_of_row) {
        if (y_ == layout_.height) break;  // one more after the last row
        go_to(0, y_ + 1);
      } else if (value == move) {
        const int right = next(), up = next();
        go_to(x_ + right, y_ + up);
      } else {
        write_plain(value);
      }
    }
    const auto all = static_cast<std::uint64_t>(layout_.width * layout_.height);
    return {at_, all - written_};
  }

 private:
  static constexpr int end_of_row = 0, end_of_picture = 1, move = 2;

  bool is_complete() const {
    return y_ == layout_.height || (y_ == layout_.height - 1 && x_ >= layout_.width);
  }

  // The last end of a row and the end of the picture may be missing.
  bool next_belongs_to_it() const {
    if (data_.size() - at_ < 2) return false;
    const int count = std::to_integer<int>(data_[at_]),
              value = std::to_integer<int>(data_[at_ + 1]);
    return count == 0 ? value == end_of_row || value == end_of_picture
                      : y_ < layout_.height && x_ + count <= row_end_;
  }

  int next() {
    if (at_ == data_.size()) {
      throw ImageFileError(fmt::format("truncated after {} of {} rows", y_, layout_.height));
    }
    return std::to_integer<int>(data_[at_++]);
  }

  // Two indices of 4 bits take turns.
  std::uint8_t index_in(int byte, int i) const {
    if (layout_.bits == 8) return static_cast<std::uint8_t>(byte);
    return static_cast<std::uint8_t>(i % 2 == 0 ? byte >> 4 : byte & 15);
  }

  void write_plain(int count) {
    const auto bytes = static_cast<std::size_t>((count * layout_.bits + 15) / 16 * 2);
    if (data_.size() - at_ < bytes) {
      throw ImageFileError(fmt::format("truncated after {} of {} rows", y_, layout_.height));
    }
    const std::span plain = data_.subspan(at_, bytes);
    const int in_a_byte = 8 / layout_.bits;
    write(count, [&](int i) {
      return index_in(std::to_integer<int>(plain[static_cast<std::size_t>(i / in_a_byte)]), i);
    });
    at_ += bytes;
  }

  template <typename Index>
  void write(int count, Index index) {
    if (y_ >= layout_.height || x_ + count > row_end_) leads_out();
    const auto inside = static_cast<int>(std::clamp<std::int64_t>(layout_.width - x_, 0, count));
    if (first_row_) {
      std::uint8_t* to = first_row_ + y_ * row_step_ + x_;
      for (int i = 0; i < inside; ++i) to[i] = index(i);
    }
    written_ += static_cast<std::uint64_t>(inside);
    x_ += count;
  }

  void go_to(std::int64_t x, std::int64_t y) {
    if (x > row_end_ || y > layout_.height) leads_out();
    x_ = x;
    y_ = y;
  }

  [[noreturn]] void leads_out() const {
    throw ImageFileError(fmt::format("damaged: run lengths lead out of row {}", y_));
  }

  const BmpLayout& layout_;
  const std::span<const std::byte> data_;
  std::uint8_t* const first_row_;
  const std::int64_t row_step_;
  const std::int64_t row_end_;  // with what fills up its last word
  std::size_t at_ = 0;
  std::int64_t x_ = 0, y_ = 0;
  std::uint64_t written_ = 0;
};

}  // namespace

BmpRunLengths read_run_lengths(const BmpLayout& layout, std::span<const std::byte> data,
                               std::uint8_t* first_row, std::int64_t row_step) {
  return Reader(layout, data, first_row, row_step).run();
}

}  // namespace qturn::bmp
