// What a JPEG's segments hold besides the picture, as far as a turn is concerned.
#pragma once

#include <vector>

#include "src/formats/jpeg/file/jpeg_file.hpp"
#include "src/picture/image.hpp"

namespace qturn::jpeg {

/// Adds what a turn does not keep true, and what no table knows.
void look_at_segments(const std::vector<JpegSegment>& segments, Header& header);

}  // namespace qturn::jpeg
