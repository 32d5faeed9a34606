// OpenImageIO's reader of a file in memory.
#pragma once

#include <OpenImageIO/filesystem.h>
#include <OpenImageIO/imageio.h>

#include <atomic>
#include <memory>
#include <span>
#include <string>

#include "src/picture/errors.hpp"

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

}  // namespace qturn::oiio
