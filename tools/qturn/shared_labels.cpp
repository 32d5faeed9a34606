#include "tools/qturn/shared_labels.hpp"

#include <fmt/format.h>

#include <span>

#include "src/formats/table.hpp"
#include "src/store/file_parts.hpp"
#include "src/turn/picture_turn.hpp"

namespace qturn {
namespace {

namespace fs = std::filesystem;

/// The variants of each image of a file that are in their places.
class VariantsInPlace {
 public:
  VariantsInPlace(const SharedLabels::File& file, const CommandLine& line, const Plan& plan,
                  const WrittenPictures& written)
      : file_(file), line_(line), jobs_(plan.jobs), written_(written) {}

  const std::vector<CocoVariant>& of(std::size_t image) {
    if (image == image_) return variants_;
    image_ = image;
    variants_.clear();
    if (const auto picture = file_.pictures[image]) find(*picture, file_.content[image]);
    return variants_;
  }

 private:
  void find(std::size_t picture, const CocoContent::Image& image) {
    const FoundFile& file = jobs_.files()[picture];
    const OrientationSet there = file.kept | written_.variants[picture];
    if (there.empty()) return;
    const bool is_read = written_.stored[picture].has_value();
    const Header header = is_read ? Header() : header_of(jobs_.files().path(file));
    there.for_each([&](Orientation variant) {
      const Orientation stored = is_read ? *written_.stored[picture] : header.stored;
      const Orientation pixels = compose(stored, variant);
      Orientation orientation = line_.labels_drawn_on == LabelsDrawnOn::stored ? pixels : variant;
      // An earlier run may have had other options.
      if (!is_read) {
        const MetadataTurn turn{
            .stored = stored, .pixels = pixels, .size = turned_size(pixels, header.size())};
        orientation = turn_of_shared_label({file_.input, image.place, image.size}, turn,
                                           line_.labels_drawn_on);
      }
      variants_.push_back({{variant, orientation}, jobs_.names().name_of(file, variant)});
    });
  }

  static Header header_of(const fs::path& picture) try {
    const std::vector<std::byte> bytes = read_file(picture);
    return PictureTurn(bytes, lower_suffix(picture), {}).header();
  } catch (const std::runtime_error& error) {
    throw FileError(fmt::format("{}: {}", picture.string(), error.what()), picture, {});
  }

  const SharedLabels::File& file_;
  const CommandLine& line_;
  const JobList& jobs_;
  const WrittenPictures& written_;
  std::optional<std::size_t> image_;
  std::vector<CocoVariant> variants_;
};

}  // namespace

std::vector<std::string> write_shared_labels(const SharedLabels::File& file,
                                             const CommandLine& line, const Plan& plan,
                                             const WrittenPictures& written,
                                             const std::function<void(const ManifestFile&)>& made) {
  VariantsInPlace variants(file, line, plan, written);
  const auto write = [&](const NewFile::Append& append) {
    std::string text;
    Hasher source, result;
    const auto flush = [&] {
      result.add(std::as_bytes(std::span(text)));
      append(std::as_bytes(std::span(text)));
      text.clear();
    };
    CocoWriter writer(
        file.content,
        [&](std::size_t image) -> const std::vector<CocoVariant>& { return variants.of(image); },
        [&](std::string_view part) {
          constexpr std::size_t many = 1 << 20;
          text += part;
          if (text.size() >= many) flush();
        });
    read_in_parts(file.input, [&](std::span<const std::byte> part) {
      source.add(part);
      writer.take({reinterpret_cast<const char*>(part.data()), part.size()});
      return true;
    });
    writer.finish();
    flush();
    made({file.output.lexically_relative(plan.output_folder).string(), source.hash(),
          result.hash()});
  };
  const NewFile turned{.target = file.output,
                       .content = {},
                       .like = file.input,
                       .times = Times::now,
                       .like_state = file.state,
                       .write_more = write};
  const auto fail = [&](const std::string& why) {
    throw FileError(fmt::format("{} is not written: {}", file.output.string(), why), file.output,
                    {});
  };
  std::vector<std::string> warnings;
  try {
    warnings = write_files(std::span(&turned, 1), IfExists::replace);
  } catch (const LabelError& error) {
    fail(fmt::format("{}:{}", file.input.string(), error.what()));
  } catch (const std::runtime_error& error) {
    fail(error.what());
  }
  return warnings;
}

}  // namespace qturn
