#include "src/oiio/pixels_end.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>

namespace qturn {
namespace {

std::uint64_t little_endian(std::span<const std::byte> file, std::size_t at, int bytes) {
  std::uint64_t value = 0;
  for (int i = bytes; i-- > 0;) {
    value = value << 8 | std::to_integer<std::uint64_t>(file[at + static_cast<std::size_t>(i)]);
  }
  return value;
}

// "-Y 480 +X 640\n": as many scanlines, of so many pixels each.
struct Resolution {
  std::uint64_t scanlines = 0, pixels = 0;
  std::size_t end = 0;
};

std::optional<Resolution> resolution_at(std::string_view text, std::size_t at) {
  const std::size_t end = text.find('\n', at);
  if (end == std::string_view::npos) return std::nullopt;
  Resolution resolution{.end = end + 1};
  std::string_view line = text.substr(at, end - at);
  for (std::uint64_t* value : {&resolution.scanlines, &resolution.pixels}) {
    constexpr std::size_t axis = 3;  // "-Y "
    if (line.size() <= axis) return std::nullopt;
    line.remove_prefix(axis);
    const auto [read, error] = std::from_chars(line.data(), line.data() + line.size(), *value);
    if (error != std::errc()) return std::nullopt;
    line.remove_prefix(static_cast<std::size_t>(read - line.data()));
    if (!line.empty()) line.remove_prefix(1);
  }
  return resolution;
}

// The end of one channel's run lengths; nothing if they lead beyond the scanline or the file.
std::optional<std::uint64_t> channel_end(std::span<const std::byte> file, std::uint64_t at,
                                         std::uint64_t pixels) {
  for (std::uint64_t done = 0; done < pixels;) {
    if (at >= file.size()) return std::nullopt;
    const auto code = std::to_integer<std::uint64_t>(file[static_cast<std::size_t>(at)]);
    constexpr std::uint64_t longest = 128;  // of values that follow one by one
    done += code > longest ? code - longest : code;
    at += code > longest ? 2 : 1 + code;
    if (code == 0 || done > pixels) return std::nullopt;
  }
  return at;
}

}  // namespace

std::uint64_t bmp_pixels_end(std::span<const std::byte> file) {
  constexpr std::size_t file_header = 14, smallest = 26, core = 12, info = 40, with_profile = 124;
  if (file.size() < smallest) return file.size();
  const std::uint64_t header = little_endian(file, file_header, 4);
  const bool is_core = header == core;
  if (!is_core && (header < info || file.size() < file_header + header)) return file.size();
  const auto field = [&](std::size_t at, int bytes) { return little_endian(file, at, bytes); };
  const std::uint64_t width = is_core ? field(18, 2) : field(18, 4);
  const auto height = is_core ? static_cast<std::int64_t>(field(20, 2))
                              : static_cast<std::int64_t>(static_cast<std::int32_t>(field(22, 4)));
  const std::uint64_t bits = is_core ? field(24, 2) : field(28, 2);
  constexpr std::uint64_t plain = 0, run_lengths_8 = 1, run_lengths_4 = 2;
  const std::uint64_t compression = is_core ? plain : field(30, 4);
  const auto rows = static_cast<std::uint64_t>(height < 0 ? -height : height);
  std::uint64_t bytes = 0;
  if (compression == run_lengths_8 || compression == run_lengths_4) {
    bytes = field(34, 4);
    if (bytes == 0) return file.size();
  } else {
    const std::uint64_t row_bytes = (width * bits + 31) / 32 * 4;
    if (rows != 0 && row_bytes > file.size() / rows) return file.size();
    bytes = row_bytes * rows;
  }
  std::uint64_t end = field(10, 4) + bytes;
  if (header >= with_profile && field(130, 4) != 0) {
    end = std::max(end, file_header + field(126, 4) + field(130, 4));
  }
  return end;
}

std::uint64_t hdr_pixels_end(std::span<const std::byte> file, std::size_t at) {
  const auto resolution =
      resolution_at({reinterpret_cast<const char*>(file.data()), file.size()}, at);
  constexpr std::uint64_t most_pixels = 0xFFFFFFFF;
  if (!resolution || resolution->pixels == 0 || resolution->pixels > most_pixels) {
    return file.size();
  }
  constexpr std::uint64_t pixel_bytes = 4;
  std::uint64_t end = resolution->end;
  for (std::uint64_t line = 0; line < resolution->scanlines; ++line) {
    if (end + pixel_bytes > file.size()) return file.size();
    const auto byte = [&](std::uint64_t i) {
      return std::to_integer<std::uint64_t>(file[static_cast<std::size_t>(end + i)]);
    };
    const bool is_run_lengths = resolution->pixels >= 8 && resolution->pixels <= 0x7FFF &&
                                byte(0) == 2 && byte(1) == 2 && byte(2) < 128;
    if (!is_run_lengths) {
      end += pixel_bytes * resolution->pixels;
      continue;
    }
    end += pixel_bytes;
    for (std::uint64_t channel = 0; channel < pixel_bytes; ++channel) {
      const auto after = channel_end(file, end, resolution->pixels);
      if (!after) return file.size();
      end = *after;
    }
  }
  return end;
}

}  // namespace qturn
