#include "src/sample/sidecars.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "src/formats/table.hpp"
#include "src/metadata/xmp.hpp"
#include "src/picture/errors.hpp"
#include "src/sample/world_files.hpp"

namespace qturn {
namespace {

namespace fs = std::filesystem;

PathSet shared_stems(const fs::path& of_pictures) {
  const fs::path folder = of_pictures.empty() ? "." : of_pictures;
  PathSet stems;
  std::error_code error;
  for (fs::directory_iterator at(folder, error); !error && at != end(at); at.increment(error)) {
    if (!is_xmp(at->path())) stems.add(at->path().stem().native());
  }
  if (error) throw FileError("cannot list " + folder.string(), folder, error);
  stems.sort();
  return stems.repeated();
}

fs::path named_after(const fs::path& picture, bool after_whole_name, const fs::path& suffix) {
  fs::path path = picture;
  if (!after_whole_name) path.replace_extension();
  path += suffix;
  return path;
}

}  // namespace

bool is_xmp(const fs::path& path) { return lower_suffix(path) == ".xmp"; }

bool is_turned_sidecar(const fs::path& path) { return is_xmp(path) || is_turned_world_file(path); }

std::string turned_sidecar_text(const fs::path& name, const std::string& packet,
                                const MetadataTurn& turn, std::vector<std::string>& warnings) {
  if (!is_xmp(name)) return turned_world_file(packet, turn);
  (void)read_xmp(packet);  // turn_xmp() leaves what is not XMP as it is
  warn_of_other_orientation(packet, turn.stored, warnings);
  if (orientation_of_xmp(packet) == Orientation::identity && turn.stored != Orientation::identity)
    warnings.push_back(fmt::format("says orientation 1, the picture says {}, which counts",
                                   static_cast<int>(turn.stored)));
  warn_of_placed_in_xmp(packet, turn, warnings);
  return turn_xmp(packet, turn, warnings);
}

Companion turned_sidecar(const fs::path& input, const fs::path& output, const MetadataTurn& turn,
                         const Source& source, std::vector<std::string>& warnings) {
  Companion companion{.input = input, .output = output};
  try {
    Original original = source.read(input, {});
    companion.bytes = std::move(original.bytes);
    companion.state = original.state;
    companion.hash = original.hash;
  } catch (const FileError& error) {
    throw FileError(fmt::format("{} cannot be read", input.string()), input, error.code());
  }
  if (!is_turned_sidecar(input)) return companion;
  const std::string packet(reinterpret_cast<const char*>(companion.bytes.data()),
                           companion.bytes.size());
  std::vector<std::string> own_warnings;
  try {
    companion.text = turned_sidecar_text(input, packet, turn, own_warnings);
  } catch (const ImageFileError& error) {
    throw WithHints<FileError>({{Hint::exclude, "*" + input.extension().string()}},
                               fmt::format("{}: {}", input.string(), error.what()), input,
                               std::error_code());
  }
  companion.bytes.clear();
  for (const std::string& warning : own_warnings)
    warnings.push_back(fmt::format("{}: {}", input.filename().string(), warning));
  return companion;
}

bool SharedStems::contain_that_of(const fs::path& picture) {
  const fs::path folder = picture.parent_path();
  const std::lock_guard lock(mutex_);
  auto known = by_folder_.find(folder);
  if (known == by_folder_.end()) known = by_folder_.emplace(folder, shared_stems(folder)).first;
  return known->second.contains(picture.stem().native());
}

std::vector<Sidecar> named_as_sidecars(const fs::path& picture) {
  std::vector<Sidecar> found;
  std::error_code ignored;
  for (const bool after_whole_name : {false, true}) {
    for (const char* suffix : {".xmp", ".XMP"}) {
      const fs::path path = named_after(picture, after_whole_name, suffix);
      if (!has_file(path)) continue;
      // If the file system ignores case, both names are one file.
      if (!found.empty() && found.back().after_whole_name == after_whole_name &&
          fs::equivalent(found.back().path, path, ignored)) {
        continue;
      }
      found.push_back({.path = path, .after_whole_name = after_whole_name});
    }
  }
  return found;
}

fs::path sidecar_of(const fs::path& picture, const Sidecar& like) {
  return named_after(picture, like.after_whole_name, like.path.extension());
}

FoundSidecars find_sidecars(const fs::path& picture, SharedStems& shared) {
  FoundSidecars found;
  for (Sidecar& sidecar : named_as_sidecars(picture)) {
    const std::string name = sidecar.path.filename().string();
    const auto cannot_be_read = [&](const std::string& reason) {
      found.unreadable.push_back(fmt::format("{} beside it cannot be read: {}", name, reason));
    };
    try {
      sidecar.file = read_companion(sidecar.path);
      (void)read_xmp(sidecar.file.text);
    } catch (const FileError& error) {
      cannot_be_read(error.code().message());
      continue;
    } catch (const std::runtime_error& error) {
      cannot_be_read(error.what());
      continue;
    }
    sidecar.says = orientation_of_xmp(sidecar.file.text);
    if (!sidecar.after_whole_name && shared.contain_that_of(picture)) {
      if (!sidecar.says) continue;
      found.shared.push_back(fmt::format(
          "{} beside it holds an orientation, but may belong to another file of that name", name));
      continue;
    }
    found.sidecars.push_back(std::move(sidecar));
  }
  return found;
}

Orientation stored_by(const std::vector<Sidecar>& sidecars, Orientation stored, Believe believe) {
  if (believe == Believe::picture) return stored;
  const bool picture_says = believe == Believe::neither && stored != Orientation::identity;
  const auto refuse = [](const Sidecar& at, const std::string& says) {
    throw WithHints<FileError>({Hint::believe}, says + ", and nothing tells which is right",
                               at.path, std::error_code());
  };
  const Sidecar* first = nullptr;
  std::optional<Orientation> say;
  for (const Sidecar& sidecar : sidecars) {
    if (!sidecar.says) continue;
    const std::string name = sidecar.path.filename().string();
    const int own = static_cast<int>(*sidecar.says);
    if (picture_says && *sidecar.says != stored)
      refuse(sidecar, fmt::format("it says orientation {}, {} beside it says {}",
                                  static_cast<int>(stored), name, own));
    if (!say) say = Orientation::identity;
    // Many programs leave a 1 there.
    if (*sidecar.says == Orientation::identity || sidecar.says == say) continue;
    if (first)
      refuse(sidecar,
             fmt::format("{} and {} beside it say different orientations, {} and {}",
                         first->path.filename().string(), name, static_cast<int>(*say), own));
    first = &sidecar;
    say = sidecar.says;
  }
  return say.value_or(stored);
}

bool is_sidecar(const fs::path& file, const fs::path& picture, SharedStems& shared) {
  const std::vector<Sidecar> found = find_sidecars(picture, shared).sidecars;
  return std::ranges::find(found, file, &Sidecar::path) != found.end();
}

void prove_sidecar(const Companion& made, const MetadataTurn& turn, std::string_view text) {
  const std::string name = made.output.string();
  if (text_of(made.content()) != text) {
    throw ProofError(fmt::format("{}: {} bytes that were made expected, {} other ones found", name,
                                 made.content().size(), text.size()));
  }
  const auto says = orientation_of_xmp(text);
  if (says && *says != turn.tag) {
    throw ProofError(fmt::format("{}: orientation {} expected, {} found", name,
                                 static_cast<int>(turn.tag), static_cast<int>(*says)));
  }
}

}  // namespace qturn
