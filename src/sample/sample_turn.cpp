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

#include "src/files/safe_file.hpp"
#include "src/formats/table.hpp"
#include "src/picture/bytes.hpp"
#include "src/picture/errors.hpp"
#include "src/sample/companion_turns.hpp"
#include "src/turn/lane.hpp"

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

/// The files that belong to the picture, and keep their names.
std::vector<Companion> companions_of(const Sample& sample, const SampleOptions& options) {
  std::vector<Companion> companions;
  for (const FileInMemory& file : sample.files) {
    Companion& companion = companions.emplace_back(
        Companion{.kind = file.kind, .input = file.name, .output = file.name});
    if (file.kind != CompanionKind::label) continue;
    auto rule = std::make_shared<LabelRule>(options.rule);
    rule->format = file.format;
    companion.rule = std::move(rule);
  }
  return companions;
}

class SampleTurn {
 public:
  SampleTurn(const Sample& sample, const SampleOptions& options)
      : name_(sample.picture.name),
        bytes_(sample.picture.bytes),
        allow_storage_change_(options.allow_storage_change),
        source_(sample),
        companions_(companions_of(sample, options)),
        picture_(with_name(
            sample.picture.name,
            [&] { return opened_in_memory(bytes_, name_.extension().native(), options.picture); })),
        turns_(name_, companions_, source_,
               {.jpeg = {}, .png = options.picture.png, .limits = options.picture.limits},
               options.labels_drawn_on, true) {}

  void read(std::span<const Orientation> orientations) {
    turns_.read();
    std::vector<MetadataTurn> turns;
    with_name(name_.native(), [&] {
      for (const Orientation orientation : orientations) {
        const auto refusal = refusal_in_memory(picture_, orientation, allow_storage_change_);
        if (!refusal.empty()) throw ImageFileError(refusal);
        turns.push_back(picture_.metadata_turn(orientation, picture_.plan(orientation)));
      }
      picture_.read(orientations, *lane_, never);
    });
    (void)turns_.plan(turns);
    turns_.decode(never);
  }

  TurnedSample turn(Orientation orientation, const std::string& name) {
    TurnedSample turned{.outcome = picture_.plan(orientation), .warnings = picture_.warnings()};
    turned.picture = with_name(name_.native(),
                               [&] { return picture_.turn(orientation, never, turned.warnings); });
    if (turned.picture.empty()) turned.picture.assign(bytes_.begin(), bytes_.end());
    const MetadataTurn turn = picture_.metadata_turn(orientation, turned.outcome);
    if (moves_pixels(turned.outcome))
      for (std::string& each : turns_.stale_metadata(turn))
        turned.outcome.stale_metadata.push_back(std::move(each));
    warn_of_stale_metadata(turned.outcome.stale_metadata, turned.warnings);
    const fs::path output = name_.parent_path() / name;
    for (const Companion& each : companions_) {
      Companion file =
          turns_.turn(each, {turn, name_, output, turned.picture}, never, turned.warnings);
      turned.files.push_back(file.bytes.empty() ? copy_of(file.text) : std::move(file.bytes));
    }
    return turned;
  }

 private:
  const fs::path name_;
  const std::span<const std::byte> bytes_;
  const bool allow_storage_change_;
  const SampleSource source_;
  const std::vector<Companion> companions_;
  PictureTurn picture_;
  CompanionTurns turns_;
  std::unique_ptr<Lane> lane_ = make_cpu_lane(0);
};

}  // namespace

std::vector<TurnedSample> turn_sample(const Sample& sample,
                                      std::span<const Orientation> orientations,
                                      std::span<const std::string> names,
                                      const SampleOptions& options) try {
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
} catch (const FileError& error) {
  throw WithHints<ImageFileError>(hints_of(error), error.what());
}

}  // namespace qturn
