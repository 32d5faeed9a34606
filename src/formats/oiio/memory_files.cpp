#include "src/formats/oiio/memory_files.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <memory>
#include <mutex>
#include <string>

#include "src/formats/oiio/spec.hpp"

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

Bytes write(const char* plugin, const char* file_name, const Page& page,
            const OIIO::ImageSpec& spec, const std::atomic<bool>& stop) {
  prepare_oiio();
  if (stop) throw Interrupted();
  Bytes encoded;
  // Memory that is not written takes none. To make room later would take twice as much.
  encoded.reserve(page.bytes() + page.bytes() / 16 + 4096);
  OiioSink sink(encoded);
  const auto output = OIIO::ImageOutput::create(plugin);
  if (!output) fail_without_plugin();
  output->threads(1);
  output->set_ioproxy(&sink);
  constexpr const char* why_not = "OpenImageIO cannot write such a picture; choose another format";
  if (!output->open(file_name, spec)) fail_with(why_not, *output);
  const bool complete = output->write_image(type_of_samples(spec, Samples::as_stored), page.pixels,
                                            OIIO::AutoStride, OIIO::AutoStride, OIIO::AutoStride,
                                            stop_requested, const_cast<std::atomic<bool>*>(&stop));
  if (stop) throw Interrupted();
  if (!complete || !output->close() || output->has_error()) fail_with(why_not, *output);
  return encoded;
}

namespace {

bool are_equal(const OIIO::ParamValue& a, const OIIO::ParamValue& b) {
  // A ratio is stored as two numbers, or as text.
  if (a.name() == "PixelAspectRatio") return std::abs(a.get_float() / b.get_float() - 1) < 5e-5F;
  // A string is a pointer to the only one of this content.
  return a.type() == b.type() && std::memcmp(a.data(), b.data(), a.datasize()) == 0;
}

// The name of an attribute of `all` that `others` does not have; empty if there is none.
std::string one_that_differs(const OIIO::ImageSpec& all, const OIIO::ImageSpec& others) {
  for (const OIIO::ParamValue& each : all.extra_attribs) {
    if (each.name() == "Orientation") continue;
    const OIIO::ParamValue* other = others.find_attribute(each.name());
    if (!other || !are_equal(each, *other)) return each.name().string();
  }
  return {};
}

std::string difference(const OIIO::ImageSpec& wanted, const OIIO::ImageSpec& found,
                       Attributes attributes) {
  if (found.width != wanted.width || found.height != wanted.height) return "its size";
  if (found.nchannels != wanted.nchannels || found.format != wanted.format ||
      found.channelformats != wanted.channelformats) {
    return "its samples";
  }
  if (orientation_of(found) != Orientation::identity) return "its orientation";
  if (attributes == Attributes::do_not_count) return {};
  if (found.x != wanted.x || found.y != wanted.y || found.full_x != wanted.full_x ||
      found.full_y != wanted.full_y || found.full_width != wanted.full_width ||
      found.full_height != wanted.full_height) {
    return "its place";
  }
  if (found.channelnames != wanted.channelnames || found.alpha_channel != wanted.alpha_channel ||
      found.z_channel != wanted.z_channel) {
    return "what its channels mean";
  }
  std::string name = one_that_differs(wanted, found);
  if (name.empty()) name = one_that_differs(found, wanted);
  return name.empty() ? name : "its attribute " + name;
}

[[noreturn]] void refuse(std::string_view what) {
  throw ImageFileError(
      fmt::format("not written, because OpenImageIO would not keep it as it is: {}", what));
}

}  // namespace

void prove_written(const char* plugin, std::span<const std::byte> file, const Page& page,
                   const OIIO::ImageSpec& spec, Attributes attributes,
                   const std::atomic<bool>& stop, int part, int level) {
  try {
    OiioReader reader(plugin, file);
    const OIIO::ImageSpec found = reader.spec(part, level);
    const std::string differs = difference(spec, found, attributes);
    if (!differs.empty()) refuse(differs + " would differ");
    const auto pixels = std::make_unique_for_overwrite<std::byte[]>(page.bytes());
    reader.read(found.nchannels, type_of_samples(found, Samples::as_stored), pixels.get(), stop,
                part, level);
    if (std::memcmp(pixels.get(), page.pixels, page.bytes()) != 0) refuse("pixels would differ");
  } catch (const PluginError&) {
    refuse("the result could not be read again");
  }
}

}  // namespace qturn::oiio
