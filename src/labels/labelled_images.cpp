#include "src/labels/labelled_images.hpp"

#include <fmt/format.h>

namespace qturn {

std::string at_place(TextPlace place, const std::string& why) {
  return fmt::format("{}:{}: {}", place.line, place.column, why);
}

std::string renamed(const std::string& file_name, std::string_view name) {
  if (name.starts_with('/')) return std::string(name);
  return file_name.substr(0, file_name.find_last_of("/\\") + 1) + std::string(name);
}

}  // namespace qturn
