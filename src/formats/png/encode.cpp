#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <utility>

#include "src/formats/codec/zlib.hpp"
#include "src/formats/png/codec.hpp"
#include "src/formats/png/rows.hpp"

// Which filter compresses best depends on the picture. For the 28 desktop pictures of
// scripts/fetch-photos, the best filter of each gives 84.7 MB, "up" everywhere 86.4, the smallest
// sum of differences in each row 86.8, no filter 104.5. But for five of them no filter is best, by
// up to 21 % (2026-11-21). So a few strips are compressed with every filter, and the best filter is
// used for the whole picture.

namespace qturn::png {
namespace {

using Byte = std::uint8_t;

// On the same pictures, filtered: 4.3 s and 86.7 MB; level 6 takes 6.6 s for 84.7, level 4 3.2 s
// for 88.7. vips writes 104.0 MB. Level 1: docs/measurements/augment.md.
constexpr int small_level = 5, fast_level = 1;

// One filter for all rows, or for each row the one with the smallest sum of differences.
using Choice = std::optional<PngFilter>;
constexpr Choice least_sum = std::nullopt;
constexpr std::array<Choice, 6> choices = {PngFilter::none,    PngFilter::sub,   PngFilter::up,
                                           PngFilter::average, PngFilter::paeth, least_sum};

// Filters rows of one pass, top to bottom.
class RowFilter {
 public:
  RowFilter(const PngHeader& header, const PngPass& pass, const Page& page,
            const std::atomic<bool>& stop)
      : header_(header),
        pass_(pass),
        page_(page),
        stop_(stop),
        bytes_(row_bytes(header, pass)),
        zeros_(bytes_) {
    for (auto& row : packed_) row.resize(bytes_);
    for (auto& row : tried_) row.resize(bytes_);
  }

  std::size_t filtered_row_bytes() const { return bytes_ + 1; }

  /// Rows [first, first + count) with their filters' bytes to `to`; returns their end.
  Byte* run(Choice choice, std::int64_t first, std::int64_t count, Byte* to) {
    const std::size_t step = filter_step(header_);
    const Byte* above = first == 0 ? zeros_.data() : row(first - 1);
    for (std::int64_t y = first; y < first + count; ++y, to += bytes_ + 1) {
      if (stop_.load(std::memory_order_relaxed)) throw Interrupted();
      const std::span current(row(y), bytes_);
      if (choice) {
        *to = static_cast<Byte>(*choice);
        apply_filter(*choice, current, above, step, to + 1);
      } else {
        run_least_sum(current, above, step, to);
      }
      above = current.data();
    }
    return to;
  }

 private:
  // In the page, or packed into the buffer that does not have the row above.
  const Byte* row(std::int64_t y) {
    if (is_stored_as_in_memory(header_)) {
      return static_cast<const Byte*>(page_.pixels) + y * page_.row_bytes();
    }
    Byte* packed = packed_[static_cast<std::size_t>(y % 2)].data();
    pack_row(header_, pass_, page_, y, packed);
    return packed;
  }

  void run_least_sum(std::span<const Byte> current, const Byte* above, std::size_t step, Byte* to) {
    std::uint64_t least = UINT64_MAX;
    for (const PngFilter filter : png_filters) {
      apply_filter(filter, current, above, step, tried_[1].data());
      const std::uint64_t sum = sum_of_differences(tried_[1]);
      if (sum >= least) continue;
      least = sum;
      *to = static_cast<Byte>(filter);
      std::swap(tried_[0], tried_[1]);
    }
    std::copy(tried_[0].begin(), tried_[0].end(), to + 1);
  }

  const PngHeader& header_;
  const PngPass& pass_;
  const Page& page_;
  const std::atomic<bool>& stop_;
  std::size_t bytes_;
  std::vector<Byte> zeros_;
  std::array<std::vector<Byte>, 2> packed_;  // a row and the one above it
  std::array<std::vector<Byte>, 2> tried_;   // the best filter's, and another's
};

// Samples of 512 KiB are 0.3 % better than these, and take a tenth of the whole time.
Choice best_choice(const PngHeader& header, const PngPass& pass, const Page& page,
                   const Deflater& deflater, const std::atomic<bool>& stop) {
  constexpr std::size_t small_picture = 1 << 14;
  constexpr std::size_t largest_sample = 1 << 17;
  constexpr std::int64_t strips = 4;
  RowFilter filter(header, pass, page, stop);
  const std::size_t row = filter.filtered_row_bytes();
  const std::size_t all = row * static_cast<std::size_t>(pass.height);
  const std::size_t sample =
      std::max(std::min(all, small_picture), std::min(all / 32, largest_sample));
  const std::int64_t rows =
      std::clamp<std::int64_t>(static_cast<std::int64_t>(sample / row) / strips, 1, pass.height);
  const std::size_t strip_bytes = row * static_cast<std::size_t>(rows);
  std::vector<Byte> filtered(strip_bytes);
  const auto compressed =
      std::make_unique_for_overwrite<std::byte[]>(deflater.largest(filtered.size()));
  Choice best;
  std::size_t least = SIZE_MAX;
  for (const Choice choice : choices) {
    std::size_t bytes = 0;
    for (std::int64_t strip = 0; strip < strips; ++strip) {
      const std::int64_t first = (pass.height - rows) * (2 * strip + 1) / (2 * strips);
      filter.run(choice, first, rows, filtered.data());
      bytes += deflater.deflate(filtered, compressed.get());
    }
    if (bytes < least) {
      least = bytes;
      best = choice;
    }
  }
  return best;
}

// A zlib stream.
struct Deflated {
  std::unique_ptr<std::byte[]> data;
  std::size_t bytes = 0;
};

// The rows of a page, filtered and compressed.
Deflated compress(const Page& page, const PngHeader& header, const Deflater& deflater,
                  const std::atomic<bool>& stop) {
  const auto passes = png_passes(header);
  // The last pass of an interlaced picture is half of it.
  const Choice choice = best_choice(header, passes.back(), page, deflater, stop);
  const auto bytes = static_cast<std::size_t>(filtered_bytes(header));
  const auto filtered = std::make_unique_for_overwrite<Byte[]>(bytes);
  Byte* next = filtered.get();
  for (const PngPass& pass : passes) {
    next = RowFilter(header, pass, page, stop).run(choice, 0, pass.height, next);
  }
  if (stop) throw Interrupted();
  Deflated stream{std::make_unique_for_overwrite<std::byte[]>(deflater.largest(bytes)), 0};
  stream.bytes = deflater.deflate({filtered.get(), bytes}, stream.data.get());
  if (stop) throw Interrupted();
  return stream;
}

PngHeader header_of(const Page& page) {
  constexpr std::array colour_types = {0, 4, 2, 6};
  return {.bit_depth = page.type == SampleFormat::u16 ? 16 : 8,
          .colour_type = colour_types[static_cast<std::size_t>(page.channels - 1)]};
}

}  // namespace

Bytes encode_png(const Image& turned, Orientation applied, const std::atomic<bool>& stop,
                 std::vector<std::string>& warnings) {
  const Page& page = turned.pages.front();
  const auto* extras = dynamic_cast<const PngExtras*>(turned.extras.get());
  if (extras && extras->skeleton.empty()) extras = nullptr;
  PngHeader header = extras ? extras->header : header_of(page);
  header.width = static_cast<std::uint32_t>(page.width);
  header.height = static_cast<std::uint32_t>(page.height);

  const Deflater deflater(turned.prefers_speed ? fast_level : small_level);
  std::vector<Deflated> streams;
  std::vector<std::span<const std::byte>> compressed;
  for (const Page& each : turned.pages) {
    PngHeader its = header;
    its.width = static_cast<std::uint32_t>(each.width);
    its.height = static_cast<std::uint32_t>(each.height);
    streams.push_back(compress(each, its, deflater, stop));
    compressed.emplace_back(streams.back().data.get(), streams.back().bytes);
  }
  const std::span<const std::byte> pixels = compressed.front();
  if (extras) {
    const auto frames = std::span<const std::span<const std::byte>>(compressed).subspan(1);
    return assemble_png(header, pixels, frames, extras->skeleton, applied, warnings);
  }
  static const Metadata none;
  return assemble_png(header, pixels, turned.extras ? turned.extras->metadata : none);
}

}  // namespace qturn::png
