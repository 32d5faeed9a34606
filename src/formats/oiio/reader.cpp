#include "src/formats/oiio/reader.hpp"

#include <fmt/format.h>

#include <mutex>

namespace qturn::oiio {

void prepare_oiio() {
  static std::once_flag once;
  std::call_once(once, [] {
    // The pipeline spreads files over the threads. A codec with its own threads would get in the
    // way.
    OIIO::attribute("threads", 1);
    OIIO::attribute("exr_threads", -1);
    OIIO::attribute("debug", 0);                // it would write to stderr
    OIIO::attribute("openexr:core", 1);         // the other reader lets OpenEXR write to stderr
    OIIO::attribute("limits:imagesize_MB", 0);  // the budget for pixels is ours to keep
  });
}

void fail_without_plugin() {
  (void)OIIO::geterror();
  throw PluginError("OpenImageIO was built without this format");
}

bool stop_requested(void* flag, float) {
  return static_cast<std::atomic<bool>*>(flag)->load(std::memory_order_relaxed);
}

OiioReader::OiioReader(const char* plugin, std::span<const std::byte> file)
    : memory_(file.data(), file.size()), input_(OIIO::ImageInput::create(plugin)) {
  prepare_oiio();
  if (!input_) fail_without_plugin();
  input_->threads(1);
  input_->set_ioproxy(&memory_);
  OIIO::ImageSpec spec, options;
  options.attribute("oiio:UnassociatedAlpha", 1);
  if (!input_->open("picture", spec, options))
    fail_with("damaged, or of a kind that is not supported", *input_);
}

OIIO::ImageSpec OiioReader::spec(int part, int level) {
  if (!has(part, level)) throw PluginError("damaged: a picture of the file is missing");
  return input_->spec();
}

bool OiioReader::has(int part, int level) {
  const bool found = input_->seek_subimage(part, level);
  if (!found) input_->geterror();
  return found;
}

void OiioReader::read(int channels, OIIO::TypeDesc type, void* pixels,
                      const std::atomic<bool>& stop, int part, int level) {
  const bool complete =
      input_->read_image(part, level, 0, channels, type, pixels, OIIO::AutoStride, OIIO::AutoStride,
                         OIIO::AutoStride, stop_requested, const_cast<std::atomic<bool>*>(&stop));
  if (stop) throw Interrupted();
  if (!complete || input_->has_error()) fail_with("damaged: the pixels cannot be decoded", *input_);
}

}  // namespace qturn::oiio
