#include "src/dataset/turned_shared_labels.hpp"

#include <fmt/format.h>

#include <span>

#include "src/dataset/shared_label_proof.hpp"
#include "src/files/file_descriptor.hpp"
#include "src/files/safe_file.hpp"
#include "src/picture/bytes.hpp"
#include "src/picture/errors.hpp"
#include "src/plan/folder_layout.hpp"

namespace qturn {
namespace {

namespace fs = std::filesystem;

std::uint64_t bytes_of(const fs::path& picture) {
  std::error_code error;
  const std::uintmax_t bytes = fs::file_size(picture, error);
  if (error)
    throw FileError(fmt::format("{}: {}", picture.string(), error.message()), picture, error);
  return bytes;
}

}  // namespace

const std::vector<LabelledVariant>& VariantsInPlace::of(std::size_t image) {
  if (image == image_) return variants_;
  image_ = image;
  variants_.clear();
  if (const auto picture = file_.pictures[image]) find(*picture, (*file_.content)[image]);
  return variants_;
}

void VariantsInPlace::find(std::size_t picture, const LabelledImages::Image& image) {
  const FoundFile& file = jobs_.files()[picture];
  const bool has_variants = jobs_.names().has_variants();
  OrientationSet there = file.kept | written_.variants()[picture];
  if (there.empty()) return;
  if (!has_variants) {  // the plan does not know how the one result is turned
    there = {};
    there.add(options_.orientation);
  }
  const StoredPicture stored = stored_of(picture);
  const bool names_suffix = image.file_name.ends_with(file.name);
  // Such a name leads to the picture that was turned.
  fs::path own = normal_path(jobs_.files().path(file));
  if (!names_suffix) own.replace_extension();
  const bool is_absolute = fs::path(image.file_name).lexically_normal() == own;
  there.for_each([&](Orientation variant) {
    const Orientation pixels = compose(stored.orientation, variant);
    const MetadataTurn turn{
        .stored = stored.orientation, .pixels = pixels, .size = turned_size(pixels, stored.size)};
    // An earlier run may have had other options.
    const Orientation orientation =
        file_.content->says_where()
            ? turn_of_shared_label({.file = file_.input, .place = image.place, .size = image.size},
                                   turn, options_.labels_drawn_on)
            : turn.view();
    const fs::path place = jobs_.names().path_of(jobs_.files(), file, variant);
    const fs::path name = is_absolute ? fs::absolute(place).lexically_normal()
                                      : fs::path(jobs_.names().name_of(file, variant));
    const auto told_apart_by = has_variants ? std::optional(variant) : std::nullopt;
    variants_.push_back({.turn = {told_apart_by, orientation},
                         .name = names_suffix ? name : name.parent_path() / name.stem(),
                         .size = size_for_labels(turn, options_.labels_drawn_on),
                         .bytes = file_.format->says_file_sizes ? bytes_of(place) : 0});
  });
}

StoredPicture VariantsInPlace::stored_of(std::size_t picture) {
  if (const auto read = written_.stored(picture)) return *read;
  const auto known = read_again_.find(picture);
  if (known != read_again_.end()) return known->second;
  const Header header = header_of_picture(jobs_.files().path(jobs_.files()[picture]));
  return read_again_.emplace(picture, StoredPicture{header.stored, header.size()}).first->second;
}

std::vector<std::string> write_shared_labels(const SharedLabels::File& file,
                                             const fs::path& output_folder,
                                             const VariantsOf& variants_of,
                                             const std::function<void(const ManifestFile&)>& made,
                                             IfExists if_exists, const RealPlaces* places,
                                             bool verifies) {
  const auto write = [&](const NewFile::Append& append) {
    std::string text;
    Hasher source, result;
    const auto flush = [&] {
      result.add(std::as_bytes(std::span(text)));
      append(std::as_bytes(std::span(text)));
      text.clear();
    };
    const auto writer = file.format->writer(*file.content, variants_of, [&](std::string_view part) {
      constexpr std::size_t many = 1 << 20;
      text += part;
      if (text.size() >= many) flush();
    });
    read_in_parts(file.input, [&](std::span<const std::byte> part) {
      source.add(part);
      writer->take(text_of(part));
      return true;
    });
    writer->finish();
    flush();
    made({file.output.lexically_relative(output_folder).string(), source.hash(), result.hash()});
  };
  const NewFile turned{.target = file.output,
                       .content = {},
                       .like = file.input,
                       .times = Times::now,
                       .like_state = file.state,
                       .write_more = write,
                       .places = places};
  const auto fail = [&](const std::string& why) {
    throw FileError(fmt::format("{} is not written: {}", file.output.string(), why), file.output,
                    {});
  };
  std::vector<std::string> warnings;
  try {
    warnings = write_files(std::span(&turned, 1), if_exists, [&](const StagedFiles& staged) {
      if (verifies) prove_shared_labels(file, staged.temporary(0), variants_of);
    });
  } catch (const ProofError& error) {
    fail(fmt::format("the result was rejected, because it is wrong: {}", error.what()));
  } catch (const LabelError& error) {
    fail(fmt::format("{}:{}", file.input.string(), error.what()));
  } catch (const std::runtime_error& error) {
    fail(error.what());
  }
  return warnings;
}

}  // namespace qturn
