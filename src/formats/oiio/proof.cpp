#include "src/formats/oiio/proof.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <memory>
#include <string>

#include "src/formats/oiio/reader.hpp"
#include "src/formats/oiio/spec.hpp"

namespace qturn::oiio {
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
