#include "src/run/sidecars.hpp"

#include <fmt/format.h>

#include <optional>

#include "src/carriers/xmp.hpp"
#include "src/files/safe_file.hpp"
#include "src/formats/image.hpp"

namespace qturn {
namespace {

namespace fs = std::filesystem;

// Files of the same stem, but for the picture and XMP.
bool is_shared(const fs::path& picture) {
  std::error_code ignored;
  const fs::path folder = picture.has_parent_path() ? picture.parent_path() : fs::path(".");
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    const fs::path& other = entry.path();
    if (other.stem() == picture.stem() && other.filename() != picture.filename() &&
        other.extension() != ".xmp") {
      return true;
    }
  }
  return false;
}

}  // namespace

fs::path sidecar_of(const fs::path& picture, const Sidecar& like) {
  fs::path path = picture;
  if (like.after_whole_name) {
    path += ".xmp";
  } else {
    path.replace_extension(".xmp");
  }
  return path;
}

std::vector<Sidecar> find_sidecars(const fs::path& picture, std::vector<std::string>& warnings) {
  std::vector<Sidecar> found;
  for (const bool after_whole_name : {false, true}) {
    Sidecar sidecar;
    sidecar.after_whole_name = after_whole_name;
    sidecar.path = sidecar_of(picture, sidecar);
    std::error_code ignored;
    if (!fs::is_regular_file(sidecar.path, ignored)) continue;
    const std::string name = sidecar.path.filename().string();
    try {
      const std::vector<std::byte> bytes = read_file(sidecar.path);
      sidecar.packet.assign(reinterpret_cast<const char*>(bytes.data()), bytes.size());
      if (!read_xmp(sidecar.packet).orientation) continue;
    } catch (const std::runtime_error& error) {
      warnings.push_back(fmt::format("{} beside it cannot be read: {}", name, error.what()));
      continue;
    }
    if (!after_whole_name && is_shared(picture)) {
      warnings.push_back(fmt::format(
          "{} beside it holds an orientation, but may belong to another file of that name", name));
      continue;
    }
    found.push_back(std::move(sidecar));
  }
  return found;
}

}  // namespace qturn
