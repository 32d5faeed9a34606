// What the attributes of an OpenEXR file say about its pictures. "Standard Attributes" of OpenEXR's
// documentation, and what programs are known to write.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "src/formats/oiio/openexr/header.hpp"

namespace qturn::openexr {
namespace {

// What describes directions and places: in the world, on the sensor, on a canvas.
struct Stale {
  std::string_view attribute, name;
  bool needs_axes_swap = false;
};
constexpr Stale stale_attributes[] = {
    {"envmap", "its environment map"},
    {"worldToCamera", "its camera (worldToCamera)"},
    {"worldToNDC", "its camera (worldToNDC)"},
    {"screenWindowCenter", "its screen window (screenWindowCenter)"},
    {"originalDataWindow", "its data window of before (originalDataWindow)"},
    {"sensorCenterOffset", "its sensor (sensorCenterOffset)"},
    {"sensorOverallDimensions", "its sensor (sensorOverallDimensions)", true},
    {"sensorAcquisitionRectangle", "its sensor (sensorAcquisitionRectangle)"},
    {"Exif:PixelXDimension", "its size as text (Exif:PixelXDimension)", true},
    {"ascFramingDecisionList", "its framing decisions (ASC FDL)"},
};

constexpr std::string_view known_attributes[] = {
    // How the pixels are stored, and what is turned.
    "channels", "chunkCount", "compression", "dataWindow", "deepImageState", "displayWindow",
    "dwaCompressionLevel", "lineOrder", "maxSamplesPerPixel", "multiView", "name", "Orientation",
    "pixelAspectRatio", "preview", "screenWindowWidth", "tiles", "type", "version", "view",
    "xDensity",
    // The colours, the camera, the lens, the time, the place on the earth, who made it.
    "acesImageContainerFlag", "adoptedNeutral", "altitude", "aperture", "cameraCCTSetting",
    "cameraColorBalance", "cameraFirmwareVersion", "cameraIdentifier", "cameraLabel", "cameraMake",
    "cameraModel", "cameraSerialNumber", "cameraTintSetting", "cameraUuid", "capDate",
    "captureRate", "chromaticities", "colorInteropID", "comment", "comments",
    "effectiveFocalLength", "entrancePupilOffset", "expTime", "focus", "framesPerSecond",
    "idManifest", "imageCounter", "isoSpeed", "keyCode", "latitude", "lensAttributes",
    "lensFirmwareVersion", "lensMake", "lensModel", "lensSerialNumber", "longitude",
    "lookModTransform", "nominalFocalLength", "owner", "pinholeFocalLength", "reelName",
    "renderingTransform", "sensorPhotositePitch", "shutterAngle", "storageMediaSerial", "tStop",
    "timeCode", "timecodeRate", "utcOffset", "uuid", "whiteLuminance",
    // Of OpenImageIO, Blender and many programs.
    "Artist", "BlenderMultiChannel", "Camera", "ColorSpace", "Copyright", "Date", "DateTime",
    "DocumentName", "File", "Frame", "FrameRange", "HostComputer", "Hostname", "ICCProfile",
    "ImageDescription", "Make", "Marker", "Memory", "Model", "Note", "RenderTime", "Scene",
    "Software", "Strip", "Time", "software"};

// OpenImageIO's names of Exif and IPTC, Nuke's of its scripts and inputs, SMPTE's codes, object
// identifiers.
constexpr std::string_view known_beginnings[] = {
    "Exif:", "GPS:", "IPTC:", "oiio:", "nuke/", "input/", "smpte:", "cryptomatte/"};

bool is_known(std::string_view name) {
  return std::ranges::find(known_attributes, name) != std::end(known_attributes) ||
         std::ranges::any_of(known_beginnings,
                             [&](std::string_view begin) { return name.starts_with(begin); });
}

}  // namespace

void look_at_attributes(const ExrFile& exr, Header& header) {
  for (const ExrHeader& part : exr.parts) {
    for (const ExrAttribute& attribute : part.attributes) {
      const auto* stale = std::ranges::find(stale_attributes, attribute.name, &Stale::attribute);
      const bool is_zero = all_zero(attribute.value);
      if (stale != std::end(stale_attributes)) {
        const bool is_centred = is_zero && attribute.name == "screenWindowCenter";
        if (!is_centred)
          add_placed({.name = std::string(stale->name), .needs_axes_swap = stale->needs_axes_swap},
                     header);
      } else if (!is_zero && !is_known(attribute.name)) {
        add_unknown(fmt::format("OpenEXR {}", attribute.name), header);
      }
    }
  }
}

}  // namespace qturn::openexr
