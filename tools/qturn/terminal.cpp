#include "tools/qturn/terminal.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <charconv>
#include <cstdlib>
#include <string_view>

namespace qturn {

bool is_terminal(int descriptor) {
  const char* const kind = std::getenv("TERM");
  return ::isatty(descriptor) != 0 && kind && std::string_view(kind) != "dumb";
}

bool shows_colours(int descriptor) {
  const char* const unwanted = std::getenv("NO_COLOR");
  return is_terminal(descriptor) && !(unwanted && *unwanted);
}

std::size_t terminal_width(int descriptor) {
  winsize size = {};
  if (::ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  std::size_t columns = 0;
  const char* const said = std::getenv("COLUMNS");
  const std::string_view text = said ? said : "";
  std::from_chars(text.data(), text.data() + text.size(), columns);
  return columns > 0 ? columns : 80;
}

}  // namespace qturn
