// Words on a contact sheet, in letters of 5 x 7 dots.
#ifndef QTURN_TOOLS_CONTACT_SHEET_CAPTIONS_HPP
#define QTURN_TOOLS_CONTACT_SHEET_CAPTIONS_HPP

#include <cstdint>
#include <string_view>

#include "src/turn/small_picture.hpp"

namespace qturn {

constexpr std::int64_t caption_height = 20;

/// Writes `text` in black, centred in a field that is `width` pixels wide and caption_height high.
/// Text that is too long loses its beginning: names differ at their ends. A letter that is not
/// ASCII becomes a question mark.
void write_caption(SmallPicture& sheet, std::string_view text, std::int64_t left, std::int64_t top,
                   std::int64_t width);

}  // namespace qturn

#endif  // QTURN_TOOLS_CONTACT_SHEET_CAPTIONS_HPP
