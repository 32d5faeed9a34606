// A file in memory, as OpenImageIO's writers fill it.
#pragma once

#include <OpenImageIO/filesystem.h>
#include <OpenImageIO/imageio.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "src/picture/bytes.hpp"
#include "src/picture/image.hpp"

namespace qturn::oiio {

/// A file that a writer fills, and whose bytes it may read again. `bytes` must outlive it.
class OiioSink final : public OIIO::Filesystem::IOProxy {
 public:
  explicit OiioSink(std::vector<std::byte>& bytes) : IOProxy("", Write), bytes_(bytes) {}

  const char* proxytype() const override { return "memory"; }

  std::size_t write(const void* from, std::size_t size) override {
    const std::size_t written = pwrite(from, size, m_pos);
    m_pos += static_cast<std::int64_t>(written);
    return written;
  }

  std::size_t pwrite(const void* from, std::size_t size, std::int64_t offset) override {
    const auto at = static_cast<std::size_t>(offset);
    if (bytes_.size() < at + size) {
      // The room is not doubled, because that would take more memory than the picture.
      const std::size_t more = std::min(bytes_.capacity(), std::size_t{32} << 20);
      if (bytes_.capacity() < at + size) {
        bytes_.reserve(std::max(at + size, bytes_.capacity() + more));
      }
      bytes_.resize(at + size);
    }
    if (size > 0) std::memcpy(bytes_.data() + at, from, size);
    return size;
  }

  std::size_t read(void* to, std::size_t size) override {
    const std::size_t got = pread(to, size, m_pos);
    m_pos += static_cast<std::int64_t>(got);
    return got;
  }

  std::size_t pread(void* to, std::size_t size, std::int64_t offset) override {
    const auto at = std::min(static_cast<std::size_t>(offset), bytes_.size());
    const std::size_t got = std::min(size, bytes_.size() - at);
    if (got > 0) std::memcpy(to, bytes_.data() + at, got);
    return got;
  }

  std::size_t size() const override { return bytes_.size(); }

 private:
  std::vector<std::byte>& bytes_;
};

/// Has the plugin of this name write `page`, with samples as `spec` says. Some plugins go by the
/// suffix of `file_name`. Throws ImageFileError; Interrupted.
Bytes write(const char* plugin, const char* file_name, const Page& page,
            const OIIO::ImageSpec& spec, const std::atomic<bool>& stop);

}  // namespace qturn::oiio
