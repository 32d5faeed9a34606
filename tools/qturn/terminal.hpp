// Whether a person reads the output, and how wide the lines may be.
#pragma once

#include <sys/ioctl.h>
#include <unistd.h>

#include <charconv>
#include <cstddef>
#include <cstdlib>
#include <string_view>

namespace qturn {

/// Whether `descriptor` leads to a terminal that can draw a line again.
inline bool is_terminal(int descriptor) {
  const char* const kind = std::getenv("TERM");
  return ::isatty(descriptor) != 0 && kind && std::string_view(kind) != "dumb";
}

/// The same, unless the environment's NO_COLOR asks for no colours.
inline bool shows_colours(int descriptor) {
  const char* const unwanted = std::getenv("NO_COLOR");
  return is_terminal(descriptor) && !(unwanted && *unwanted);
}

/// The columns of the terminal that `descriptor` leads to. If it does not lead to a terminal, the
/// environment's COLUMNS, or 80.
inline std::size_t terminal_width(int descriptor) {
  winsize size = {};
  if (::ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  std::size_t columns = 0;
  const char* const said = std::getenv("COLUMNS");
  const std::string_view text = said ? said : "";
  std::from_chars(text.data(), text.data() + text.size(), columns);
  return columns > 0 ? columns : 80;
}

}  // namespace qturn
