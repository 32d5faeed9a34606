// Whether the places in a file that say how its picture is oriented agree with each other and with
// the pixels. A program that turns a picture and forgets one of them leaves it to be turned twice.
#ifndef QTURN_SRC_FORMATS_CHECK_HPP
#define QTURN_SRC_FORMATS_CHECK_HPP

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "src/formats/codec.hpp"

namespace qturn {

/// What does not agree or is damaged, a sentence each; nothing where all is well. Reads no pixel.
/// Throws ImageFileError where the file is no picture, as read_header.
std::vector<std::string> check_carriers(std::span<const std::byte> file, Format format);

/// What an XMP packet says that does not agree with a picture of this header; `where` it is.
std::vector<std::string> check_xmp(std::string_view packet, const Header& header,
                                   std::string_view where);

}  // namespace qturn

#endif  // QTURN_SRC_FORMATS_CHECK_HPP
