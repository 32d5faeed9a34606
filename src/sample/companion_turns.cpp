#include "src/sample/companion_turns.hpp"

#include <algorithm>
#include <utility>

#include "src/picture/bytes.hpp"
#include "src/sample/sidecars.hpp"

namespace qturn {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> inputs_of(std::span<const Companion> companions, CompanionKind kind) {
  std::vector<fs::path> inputs;
  for (const Companion& each : companions)
    if (each.kind == kind) inputs.push_back(each.input);
  return inputs;
}

}  // namespace

CompanionTurns::CompanionTurns(fs::path picture, std::span<const Companion> companions,
                               const Source& source, const PictureOptions& options,
                               LabelsDrawnOn drawn_on, bool is_made_once)
    : picture_(std::move(picture)),
      source_(source),
      is_made_once_(is_made_once),
      drawn_on_(drawn_on),
      sidecar_inputs_(inputs_of(companions, CompanionKind::sidecar)),
      sidecars_(source),
      masks_(inputs_of(companions, CompanionKind::mask), options) {}

CompanionFile CompanionTurns::turn(const Companion& companion, const TurnedPicture& picture,
                                   const std::atomic<bool>& stop,
                                   std::vector<std::string>& warnings) {
  switch (companion.kind) {
    case CompanionKind::label:
      return label(companion).turn(companion, picture, drawn_on_);
    case CompanionKind::mask:
      return masks_.turn(companion.input, picture.turn, companion.output, stop, warnings);
    case CompanionKind::sidecar:
      break;
  }
  const Source& source = is_made_once_ ? source_ : sidecars_;
  return turned_sidecar(companion.input, companion.output, picture.turn, source, warnings);
}

void CompanionTurns::prove(const CompanionFile& made, const TurnedPicture& picture,
                           std::span<const std::byte> result, const std::atomic<bool>& stop) {
  switch (made.kind) {
    case CompanionKind::label:
      return label(made).prove(made, picture, drawn_on_, text_of(result));
    case CompanionKind::mask:
      return masks_.prove(made.input, picture.turn, result, stop);
    case CompanionKind::sidecar:
      return prove_sidecar(made, picture.turn, text_of(result));
  }
}

std::vector<std::string> CompanionTurns::stale_metadata(const MetadataTurn& turn) {
  std::vector<std::string> stale = masks_.stale_metadata(turn);
  for (const fs::path& file : world_files()) stale.push_back(stale_world_file(file));
  return stale;
}

void CompanionTurns::clear() {
  masks_.clear();
  sidecars_.clear();
  labels_.clear();
}

LabelTurns& CompanionTurns::label(const Companion& companion) {
  return labels_.try_emplace(companion.input, source_).first->second;
}

const std::vector<fs::path>& CompanionTurns::world_files() {
  if (world_files_) return *world_files_;
  std::vector<fs::path> files = source_.world_files(picture_);
  for (const fs::path& file : sidecar_inputs_)
    if (is_world_file(file, picture_) && std::ranges::count(files, file) == 0)
      files.push_back(file);
  std::erase_if(files, [&](const fs::path& file) {
    return is_turned_world_file(file) && std::ranges::count(sidecar_inputs_, file) > 0;
  });
  return world_files_.emplace(std::move(files));
}

}  // namespace qturn
