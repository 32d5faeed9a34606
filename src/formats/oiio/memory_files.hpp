// Files in memory that OpenImageIO reads and writes; and whether it wrote what it was given.
#pragma once

#include <OpenImageIO/filesystem.h>
#include <OpenImageIO/imageio.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "src/picture/bytes.hpp"
#include "src/picture/errors.hpp"
#include "src/picture/image.hpp"

namespace qturn::oiio {

/// Sets OpenImageIO up, the first time it is called.
void prepare_oiio();

/// OpenImageIO cannot read or write a file.
struct PluginError : ImageFileError {
  using ImageFileError::ImageFileError;
};

/// Throws PluginError. What the plugin says itself is fetched, because otherwise it would be
/// printed, and is not shown: it is about functions of OpenImageIO.
template <typename Plugin>
[[noreturn]] void fail_with(const char* why, const Plugin& plugin) {
  (void)plugin.geterror();
  throw PluginError(why);
}
/// The same of a plugin that is not there.
[[noreturn]] void fail_without_plugin();

/// What the progress callbacks return: whether to stop. `flag` is a std::atomic<bool>.
bool stop_requested(void* flag, float);

class OiioReader {
 public:
  /// Opens `file`, which must outlive this, by the plugin of this name. Throws ImageFileError.
  OiioReader(const char* plugin, std::span<const std::byte> file);

  /// Throws PluginError if there is no such part, in this reduced size.
  OIIO::ImageSpec spec(int part = 0, int level = 0);
  /// Whether the file has this part, in this reduced size.
  bool has(int part, int level);

  /// Decodes a part to samples of the type; unknown: of the type of their channel. Throws
  /// ImageFileError; Interrupted.
  void read(int channels, OIIO::TypeDesc type, void* pixels, const std::atomic<bool>& stop,
            int part = 0, int level = 0);

 private:
  OIIO::Filesystem::IOMemReader memory_;
  std::unique_ptr<OIIO::ImageInput> input_;
};

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

enum class Attributes : bool { do_not_count, count };

/// Reads `file`, or a part of it, again by the plugin. Throws ImageFileError, with the name of what
/// differs, unless it has the pixels of `page`, bit for bit, and the channels, the place and, if
/// they count, the attributes of `spec`, and is upright. Interrupted.
void prove_written(const char* plugin, std::span<const std::byte> file, const Page& page,
                   const OIIO::ImageSpec& spec, Attributes attributes,
                   const std::atomic<bool>& stop, int part = 0, int level = 0);

}  // namespace qturn::oiio
