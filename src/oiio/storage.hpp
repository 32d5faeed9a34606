// What each format can hold, and how a picture was stored in it: the rules beside oiio_codec's
// calls.
#ifndef QTURN_SRC_OIIO_STORAGE_HPP
#define QTURN_SRC_OIIO_STORAGE_HPP

#include <OpenImageIO/imageio.h>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "src/formats/image.hpp"
#include "src/oiio/file_structure.hpp"

namespace qturn {

/// What was read of a file that OpenImageIO decoded.
struct OiioExtras final : Extras {
  std::vector<OIIO::ImageSpec> specs;  ///< of each page, as stored
  FileStructure structure;
  bool opaque = false;  ///< its alpha is the largest everywhere

  std::shared_ptr<Extras> copy() const override { return std::make_shared<OiioExtras>(*this); }
};

/// OpenImageIO's name of a format's reader and writer.
const char* plugin_name(Format format);

/// How a sample of OpenImageIO's type is moved; nothing for 64-bit integers and the like. Signed
/// integers travel as unsigned ones of their size: bits are bits.
std::optional<SampleFormat> sample_type(OIIO::TypeDesc type);
OIIO::TypeDesc type_desc(SampleFormat type);

/// Throws ImageFileError for a page that cannot be turned without loss, by name.
void check_page(const OIIO::ImageSpec& spec, Format format);

/// Why writing the page in its own format changes how it is stored; empty if it does not.
std::string storage_change_of(const OIIO::ImageSpec& spec, Format format);

/// The ICC profile that OpenImageIO found; empty if none.
std::vector<std::byte> icc_profile_of(const OIIO::ImageSpec& spec);

/// Throws ImageFileError where the alpha of a picture that OpenImageIO read, or `target` would
/// show, is another than the file's.
void check_alpha(const Image& image, Format target);

/// The description to write a turned page of the same format with.
OIIO::ImageSpec turned_spec(const OiioExtras& extras, std::size_t number, const Page& page,
                            Orientation applied, Format format);

/// The description to write a page of another format with. Throws ImageFileError where `target`
/// cannot hold it.
OIIO::ImageSpec converted_spec(const Image& image, const Page& page, Format target);

}  // namespace qturn

#endif  // QTURN_SRC_OIIO_STORAGE_HPP
