// The compression of GIF. giflib compresses: it gets one frame at a time, as a GIF of its own that
// holds nothing else. It does not decompress, because it takes some damage for pixels.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "src/picture/bytes.hpp"
#include "src/picture/image.hpp"

namespace qturn::gif {

/// Decompresses `lzw`, the size of the codes and the parts of a frame, into the pixels of `page`:
/// an index each. An interlaced frame's rows come in four passes. Throws ImageFileError if a code
/// stands for nothing, or if the codes end before the last pixel; Interrupted.
void decompress_gif_frame(std::span<const std::byte> lzw, bool interlaced, const Page& page,
                          const std::atomic<bool>& stop);

/// Appends the opposite to `to`. Indices have so many bits (2 to 8). Throws Interrupted.
void compress_gif_frame(const Page& page, bool interlaced, int bits, Bytes& to,
                        const std::atomic<bool>& stop);

/// "giflib 5.2.1".
std::string gif_library_version();

}  // namespace qturn::gif
