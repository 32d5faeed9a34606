#include "src/sample/sample_turn.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "src/formats/table.hpp"
#include "src/labels/text/label_text.hpp"
#include "src/picture/bytes.hpp"
#include "src/picture/errors.hpp"
#include "src/sample/label_turn.hpp"
#include "src/sample/sidecars.hpp"

namespace qturn {
namespace {

namespace fs = std::filesystem;

const std::atomic<bool> never{false};

Bytes copy_of(std::string_view text) {
  const auto bytes = qturn::bytes_of(text);
  return {bytes.begin(), bytes.end()};
}

/// Calls `work()`; names the file if that throws.
template <typename Work>
auto with_name(const std::string& name, Work work) {
  try {
    return work();
  } catch (const LabelError& error) {
    throw WithHints<ImageFileError>(hints_of(error), fmt::format("{}:{}", name, error.what()));
  } catch (const ImageFileError& error) {
    throw WithHints<ImageFileError>(hints_of(error), fmt::format("{}: {}", name, error.what()));
  }
}

/// Reads a sample's files by their names.
class SampleSource : public Source {
 public:
  explicit SampleSource(const Sample& sample) : sample_(sample) {}

  Original read(const fs::path& name, FileBytes) const override {
    const auto bytes = bytes_of(name);
    return {.path = name,
            .lower_suffix = lower_suffix(name),
            .bytes = Bytes(bytes.begin(), bytes.end())};
  }
  std::uint64_t size(const fs::path& name) const override { return bytes_of(name).size(); }

 private:
  std::span<const std::byte> bytes_of(const fs::path& name) const {
    return std::ranges::find(sample_.files, name.native(), &FileInMemory::name)->bytes;
  }

  const Sample& sample_;
};

class SampleTurn {
 public:
  SampleTurn(const Sample& sample, const SampleOptions& options)
      : sample_(sample),
        options_(options),
        picture_(with_name(sample.picture.name,
                           [&] {
                             const auto suffix = fs::path(sample.picture.name).extension();
                             return opened_in_memory(sample.picture.bytes, suffix.native(),
                                                     options.picture);
                           })),
        masks_(names_of_masks(sample),
               {.jpeg = {}, .png = options.picture.png, .limits = options.picture.limits}),
        labels_(sample.files.size()) {}

  void read(std::span<const Orientation> orientations) {
    masks_.read(SampleSource(sample_));
    std::vector<MetadataTurn> turns;
    with_name(sample_.picture.name, [&] {
      for (const Orientation orientation : orientations) {
        const auto refusal =
            refusal_in_memory(picture_, orientation, options_.allow_storage_change);
        if (!refusal.empty()) throw ImageFileError(refusal);
        turns.push_back(picture_.metadata_turn(orientation, picture_.plan(orientation)));
      }
      picture_.read(orientations, *lane_, never);
    });
    masks_.plan(turns, options_.labels_drawn_on);
    masks_.decode(never);
  }

  TurnedSample turn(Orientation orientation, const std::string& name) {
    TurnedSample turned{.outcome = picture_.plan(orientation), .warnings = picture_.warnings()};
    turned.picture = with_name(sample_.picture.name,
                               [&] { return picture_.turn(orientation, never, turned.warnings); });
    if (turned.picture.empty())
      turned.picture.assign(sample_.picture.bytes.begin(), sample_.picture.bytes.end());
    const MetadataTurn turn = picture_.metadata_turn(orientation, turned.outcome);
    for (std::string& each : masks_.stale_metadata(turn))
      turned.outcome.stale_metadata.push_back(std::move(each));
    for (const FileInMemory& file : sample_.files)
      if (moves_pixels(turned.outcome) && is_world_file(file.name, sample_.picture.name) &&
          !is_turned_world_file(file.name))
        turned.outcome.stale_metadata.push_back(stale_world_file(file.name));
    warn_of_stale_metadata(turned.outcome.stale_metadata, turned.warnings);
    std::size_t mask = 0;
    for (std::size_t i = 0; i < sample_.files.size(); ++i) {
      const FileInMemory& file = sample_.files[i];
      switch (file.kind) {
        case CompanionKind::label:
          turned.files.push_back(label(i, turn, name, turned.picture));
          break;
        case CompanionKind::sidecar:
          turned.files.push_back(sidecar(file, turn, turned.warnings));
          break;
        case CompanionKind::mask:
          turned.files.push_back(
              masks_.turn(mask++, turn, file.name, never, turned.warnings).bytes);
          break;
      }
    }
    return turned;
  }

 private:
  static std::vector<fs::path> names_of_masks(const Sample& sample) {
    std::vector<fs::path> names;
    for (const FileInMemory& file : sample.files)
      if (file.kind == CompanionKind::mask) names.emplace_back(file.name);
    return names;
  }

  Bytes label(std::size_t number, const MetadataTurn& turn, std::string_view name,
              std::span<const std::byte> picture) {
    const FileInMemory& file = sample_.files[number];
    return with_name(file.name, [&] {
      const LabelTurn how{.orientation = turn_of_labels(turn, options_.labels_drawn_on),
                          .size = size_for_labels(turn, options_.labels_drawn_on),
                          .name = name,
                          .rule = options_.rule,
                          .picture = picture};
      if (!labels_[number]) labels_[number] = file.format->parse(text_of(file.bytes));
      return copy_of(labels_[number]->turned(how));
    });
  }

  static Bytes sidecar(const FileInMemory& file, const MetadataTurn& turn,
                       std::vector<std::string>& warnings) {
    if (!is_turned_sidecar(file.name)) return {file.bytes.begin(), file.bytes.end()};
    std::vector<std::string> own_warnings;
    Bytes turned = with_name(file.name, [&] {
      return copy_of(
          turned_sidecar_text(file.name, std::string(text_of(file.bytes)), turn, own_warnings));
    });
    for (const std::string& warning : own_warnings)
      warnings.push_back(fmt::format("{}: {}", file.name, warning));
    return turned;
  }

  const Sample& sample_;
  const SampleOptions& options_;
  PictureTurn picture_;
  MaskTurns masks_;
  std::vector<std::unique_ptr<ParsedLabel>> labels_;  ///< by file, once they are parsed
  std::unique_ptr<Lane> lane_ = make_cpu_lane(0);
};

}  // namespace

std::vector<TurnedSample> turn_sample(const Sample& sample,
                                      std::span<const Orientation> orientations,
                                      std::span<const std::string> names,
                                      const SampleOptions& options) {
  if (names.size() != orientations.size()) {
    throw std::invalid_argument(
        fmt::format("there are {} names, expected one for each of the {} "
                    "orientations",
                    names.size(), orientations.size()));
  }
  SampleTurn turn(sample, options);
  turn.read(orientations);
  std::vector<TurnedSample> turned;
  for (std::size_t i = 0; i < orientations.size(); ++i)
    turned.push_back(turn.turn(orientations[i], names[i]));
  return turned;
}

}  // namespace qturn
