#include "tools/contact_sheet/captions.hpp"

#include <algorithm>
#include <cstddef>
#include <string>

namespace qturn {
namespace {

// The letters from ' ' to '~', five columns each, two hexadecimal digits for a column; bit 0 is its
// top.
constexpr std::string_view font =
    "000000000000005F00000007000700147F147F14242A7F2A12231308646236495620500008070300"
    "001C2241000041221C002A1C7F1C2A08083E08080080703000080808080800006060002010080402"
    "3E5149453E00427F400072494949462141494D331814127F1027454545393C4A4949314121110907"
    "3649494936464949291E000014000000403400000008142241141414141400412214080201590906"
    "3E415D594E7C1211127C7F494949363E414141227F4141413E7F494949417F090909013E41415173"
    "7F0808087F00417F41002040413F017F081422417F404040407F021C027F7F0408107F3E4141413E"
    "7F090909063E4151215E7F09192946264949493203017F01033F4040403F1F2040201F3F4038403F"
    "631408146303047804036159494D43007F4141410204081020004141417F04020102044040404040"
    "000307080020545478407F284444383844444428384444287F385454541800087E090218A4A49C78"
    "7F0804047800447D40002040403D007F1028440000417F40007C047804787C080404783844444438"
    "FC1824241818242418FC7C08040408485454542404043F44243C4040207C1C2040201C3C4030403C"
    "44281028444C9090907C4464544C440008364100000077000000413608000201020402";
constexpr int columns = 5;
constexpr std::int64_t dot = 2;                        // pixels
constexpr std::int64_t advance = (columns + 1) * dot;  // from letter to letter

unsigned column_of(char letter, int column) {
  const auto digit = [&](int at) {
    const char c = font[static_cast<std::size_t>(((letter - ' ') * columns + column) * 2 + at)];
    return static_cast<unsigned>(c <= '9' ? c - '0' : c - 'A' + 10);
  };
  return digit(0) << 4 | digit(1);
}

std::string ascii(std::string_view text) {
  std::string letters;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte & 0xc0) == 0x80) continue;  // it belongs to the letter before it
    letters += byte >= ' ' && byte <= '~' ? c : '?';
  }
  return letters;
}

void set_dot(SmallPicture& sheet, std::int64_t left, std::int64_t top) {
  for (std::int64_t y = top; y < top + dot; ++y)
    std::fill_n(&sheet.pixels[static_cast<std::size_t>((y * sheet.width + left) * 3)], dot * 3,
                std::uint8_t{0});
}

}  // namespace

void write_caption(SmallPicture& sheet, std::string_view text, std::int64_t left, std::int64_t top,
                   std::int64_t width) {
  std::string letters = ascii(text);
  const auto most = static_cast<std::size_t>(width / advance);
  if (letters.size() > most) letters = ".." + letters.substr(letters.size() - (most - 2));
  left += (width - static_cast<std::int64_t>(letters.size()) * advance) / 2;
  for (const char letter : letters) {
    for (int column = 0; column < columns; ++column)
      for (int row = 0; row < 8; ++row)
        if (column_of(letter, column) >> row & 1)
          set_dot(sheet, left + column * dot, top + row * dot);
    left += advance;
  }
}

}  // namespace qturn
