#include "src/sample/companion_turns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <system_error>
#include <utility>

#include "src/labels/geometry.hpp"
#include "src/labels/label_shapes.hpp"
#include "src/labels/swap_pairs.hpp"
#include "src/labels/text/label_text.hpp"
#include "src/picture/bytes.hpp"
#include "src/picture/errors.hpp"
#include "src/picture/text.hpp"
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

/// The label's classes that are named left or right, and keep that name.
std::set<std::string> sides_of(std::string_view text, const LabelRule& rule) {
  std::set<std::string> sides;
  if (!may_name_a_side(text)) return sides;
  for (const LabelShape& shape : rule.format->read(text, rule.keypoints).shapes)
    if (names_a_side(shape.category) && !rule.swap.contains(shape.category))
      sides.insert(shape.category);
  return sides;
}

/// Whether the turned label will lie beside its picture, where the label does not.
bool comes_beside(const Companion& label, const TurnedPicture& picture) {
  const auto is_beside = [](const fs::path& a, const fs::path& b) {
    return a.parent_path() == b.parent_path();
  };
  return is_beside(label.output, picture.output) && !is_beside(label.input, picture.input);
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

Companion CompanionTurns::turn(const Companion& companion, const TurnedPicture& picture,
                               const std::atomic<bool>& stop, std::vector<std::string>& warnings) {
  switch (companion.kind) {
    case CompanionKind::label:
      return turn_label(companion, picture);
    case CompanionKind::mask:
      return masks_.turn(companion.input, picture.turn, companion.output, stop, warnings);
    case CompanionKind::sidecar:
      break;
  }
  const Source& source = is_made_once_ ? source_ : sidecars_;
  return turned_sidecar(companion.input, companion.output, picture.turn, source, warnings);
}

void CompanionTurns::prove(const Companion& made, const TurnedPicture& picture,
                           std::span<const std::byte> result, const std::atomic<bool>& stop) {
  switch (made.kind) {
    case CompanionKind::label:
      return prove_label(made, picture, text_of(result));
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

// Refuses, with the place in the file, a label that cannot be read, whose frame matters and is
// unknown, or whose picture was trimmed or turned by the tag alone.
Companion CompanionTurns::turn_label(const Companion& label, const TurnedPicture& picture) {
  const auto fail = [&](const std::string& why, Hints hints = {}) {
    throw WithHints<FileError>(std::move(hints), label.input.string() + why, label.input,
                               std::error_code());
  };
  Companion turned = label;
  try {
    const Orientation orientation = turn_of_labels(picture.turn, drawn_on_);
    if (!labels_.contains(label.input))
      labels_.insert({label.input, {read_companion(label.input, source_), {}}});
    auto& [file, parsed] = labels_.at(label.input);
    turned.state = file.state;
    turned.source = file.source;
    if (mirrors(orientation)) {
      if (!file.sides) file.sides = sides_of(file.text, *label.rule);
      turned.sides = file.sides;
    }
    const LabelFormat& format = *label.rule->format;
    if (!parsed && format.parse) parsed = format.parse(file.text);
    const std::string name = picture.output.filename().native();
    const LabelTurn by = {.orientation = orientation,
                          .size = size_for_labels(picture.turn, drawn_on_),
                          .name = name,
                          .rule = *label.rule,
                          .picture = picture.bytes,
                          .comes_beside = comes_beside(label, picture)};
    turned.text = parsed ? parsed(by) : format.turn(file.text, by);
  } catch (const LabelError& error) {
    fail(fmt::format(":{}", error.what()), hints_of(error));
  } catch (const ImageFileError& error) {
    fail(fmt::format(": {}", error.what()), hints_of(error));
  } catch (const fs::filesystem_error& error) {
    fail(fmt::format(" cannot be read: {}", error.code().message()));
  }
  return turned;
}

// Turns `result`, the written text of turn_label(), back, and compares it with the label's text. A
// turn may write something in another form (an exponent, a mask in a PNG), so both texts are then
// turned by 180 degrees twice: after that both have the same form.
void CompanionTurns::prove_label(const Companion& label, const TurnedPicture& picture,
                                 std::string_view result) try {
  const Orientation applied = turn_of_labels(picture.turn, drawn_on_);
  const Size size = size_for_labels(picture.turn, drawn_on_);
  const std::string name = picture.input.filename().native();
  const auto turned = [&](std::string_view text, Orientation orientation, Size before) {
    return label.rule->format->turned(text, {.orientation = orientation,
                                             .size = before,
                                             .name = name,
                                             .rule = *label.rule,
                                             .picture = picture.bytes,
                                             .comes_beside = comes_beside(label, picture)});
  };
  const auto twice = [&](std::string_view text) {
    constexpr Orientation half = Orientation::rotate180;
    return turned(turned(text, half, size), half, size);
  };
  const std::string expected = twice(labels_.at(label.input).first.text);
  const std::string found = twice(turned(result, inverse(applied), turned_size(applied, size)));
  const auto [was, is] = std::ranges::mismatch(expected, found);
  if (was == expected.end() && is == found.end()) return;
  const auto at = static_cast<std::size_t>(was - expected.begin());
  const TextPlace place = LabelText(expected).place_of(std::string_view(expected).substr(at, 0));
  const auto line = [&](const std::string& all) {
    const std::size_t begin = at == 0 ? 0 : all.rfind('\n', at - 1) + 1;
    return message_text(
        all.substr(begin, std::min<std::size_t>(all.find('\n', begin) - begin, 80)));
  };
  throw ProofError(fmt::format("turned back, {}:{} '{}' expected, '{}' found", place.line,
                               place.column, line(expected), line(found)));
} catch (const ProofError& error) {
  throw ProofError(fmt::format("{}: {}", label.output.string(), error.what()));
} catch (const LabelError& error) {
  throw ProofError(
      fmt::format("{}: it cannot be turned back: {}", label.output.string(), error.what()));
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
