// What a spec of OpenImageIO says about a picture, in the program's terms, and a spec for a turned
// one.
#pragma once

#include <OpenImageIO/imageio.h>
#include <qturn/orientation.hpp>

#include <optional>

#include "src/formats/codec/codec.hpp"
#include "src/picture/image.hpp"

namespace qturn::oiio {

/// Nothing: no other format has samples of this type.
std::optional<SampleFormat> sample_type(OIIO::TypeDesc type);

/// Whether channels have different types. Then spec.format is the widest of them.
inline bool is_mixed(const OIIO::ImageSpec& spec) { return !spec.channelformats.empty(); }

/// How OpenImageIO is asked for samples, or gives them: each in the type of its channel, or all in
/// one.
OIIO::TypeDesc type_of_samples(const OIIO::ImageSpec& spec, Samples samples);

/// A page without memory. Of channels with different types, or of one that the program has no name
/// for, a pixel is bytes.
Page page_of(const OIIO::ImageSpec& spec, Samples samples = Samples::as_stored);

/// Throws ImageFileError for deep pixels, and for more bytes than a pixel may have.
void check_spec(const OIIO::ImageSpec& spec);

/// Throws ImageFileError if the samples cannot be converted to another format. A half becomes a
/// float exactly; a 32-bit integer does not.
void check_conversion(const OIIO::ImageSpec& spec);

Orientation orientation_of(const OIIO::ImageSpec& spec);

Meaning meaning_of(const OIIO::ImageSpec& spec, Meaning::Alpha alpha);

/// The colour profile; empty if there is none.
Bytes icc_of(const OIIO::ImageSpec& spec);

/// The spec of `page`, to which `applied` turned the picture of `stored`: its windows, tiles,
/// aspect and resolution are turned with it, and it has no orientation.
OIIO::ImageSpec turned_spec(const OIIO::ImageSpec& stored, const Page& page, Orientation applied);

/// The spec of a picture from another format.
OIIO::ImageSpec converted_spec(const Image& image, const Page& page);

/// Its size, orientation and pixels.
Header header_of(const OIIO::ImageSpec& spec);

}  // namespace qturn::oiio
