#include "src/dataset/turned_shared_labels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "src/files/file_descriptor.hpp"
#include "src/files/safe_file.hpp"
#include "src/inputs/folder_layout.hpp"
#include "src/picture/bytes.hpp"
#include "src/picture/errors.hpp"
#include "src/picture/text.hpp"

namespace qturn {
namespace {

namespace fs = std::filesystem;

}  // namespace

bool VariantsInPlace::is_any_turned() {
  for (std::size_t image = 0; image < file_.content->size(); ++image)
    for (const LabelledVariant& each : (*this)(image))
      if (!each.is_kept) return true;
  return false;
}

const std::vector<LabelledVariant>& VariantsInPlace::operator()(std::size_t image) {
  if (image == image_) return variants_;
  image_ = image;
  variants_.clear();
  if (const auto picture = file_.pictures[image]) find(*picture, (*file_.content)[image]);
  if (variants_.empty() && journals_)
    variants_.push_back({.turn = {.variant = std::nullopt}, .name = "", .is_kept = true});
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
  const std::optional<StoredPicture> known = stored_of(picture);
  if (!known) return;
  const StoredPicture& stored = *known;
  const bool names_suffix = image.file_name.ends_with(file.name);
  // An absolute name in the labels is the path of the picture itself.
  fs::path own = normal_path(jobs_.files().path(file));
  if (!names_suffix) own.replace_extension();
  const bool is_absolute = fs::path(image.file_name).lexically_normal() == own;
  there.for_each([&](Orientation variant) {
    const Orientation pixels = compose(stored.orientation, variant);
    const MetadataTurn turn{
        .stored = stored.orientation, .pixels = pixels, .size = turned_size(pixels, stored.size)};
    // An earlier run may have had other options.
    const Orientation orientation =
        file_.content->has_geometry()
            ? turn_of_shared_label({.file = file_.input, .place = image.place, .size = image.size},
                                   turn, options_.labels_drawn_on)
            : turn.view();
    const fs::path place = jobs_.names().path_of(jobs_.files(), file, variant);
    const fs::path name = is_absolute ? fs::absolute(place).lexically_normal()
                                      : fs::path(jobs_.names().name_of(file, variant));
    const auto told_apart_by = has_variants ? std::optional(variant) : std::nullopt;
    const std::string as_before = image.file_name.substr(image.file_name.find_last_of("/\\") + 1);
    const fs::path as_now = names_suffix ? name : name.parent_path() / name.stem();
    variants_.push_back({.turn = {told_apart_by, orientation},
                         .name = journals_ ? as_before : as_now.string(),
                         .size = size_for_labels(turn, options_.labels_drawn_on),
                         .bytes = bytes_of(picture, variant, place),
                         .others = others_of(image, variant)});
  });
}

std::uint64_t VariantsInPlace::bytes_of(std::size_t picture, Orientation variant,
                                        const fs::path& place) const {
  if (!file_.format->says_file_sizes) return 0;
  if (const auto written = written_.bytes(picture, variant)) return *written;
  std::error_code error;
  const std::uintmax_t bytes = fs::file_size(place, error);
  if (error) throw FileError(fmt::format("{}: {}", place.string(), error.message()), place, error);
  return bytes;
}

std::map<std::string, std::string> VariantsInPlace::others_of(const LabelledImages::Image& image,
                                                              Orientation variant) {
  std::map<std::string, std::string> others;
  if (image.others.empty() || !jobs_.names().has_variants()) return others;
  if (!named_) named_.emplace(jobs_.files(), jobs_.companions());
  const std::string folder = normal_path(file_.input.parent_path() / "");
  for (const std::string& text : image.others)
    if (const auto file = named_->find(text, folder))
      others.emplace(
          text, text.substr(0, text.find_last_of("/\\") + 1) +
                    turned_name(*file, variant, jobs_.files(), jobs_.names(), jobs_.companions()));
  return others;
}

/// Nothing if its labels in the file have been turned before, in place.
std::optional<StoredPicture> VariantsInPlace::stored_of(std::size_t picture) {
  if (const auto read = written_.stored(picture)) return *read;
  const auto [known, is_new] = read_again_.try_emplace(picture);
  if (!is_new) return known->second;
  if (journals_)
    return known->second = journals_->stored_before(file_.input, jobs_.place_of(picture));
  const fs::path path = jobs_.files().path(jobs_.files()[picture]);
  if (file_.tar && file_.tar->contain(path))
    throw FileError(path.string() + ": its header could not be read", path, {});
  const Header header = header_of_picture(path);
  return known->second = StoredPicture{header.stored, header.size()};
}

namespace {

/// Hands over a text in parts; may be called several times.
using Text = std::function<void(const AppendText&)>;
/// How the labels of an image are turned, by its name; null: they are left out.
using TurnOfName = std::function<const LabelledVariant*(const std::string& file_name)>;

Text turned(const Text& text, const SharedLabels::File& file, const TurnOfName& turn_of) {
  const auto reader = file.format->reader(file.swap_pairs);
  text([&](std::string_view part) { reader->take(part); });
  const std::shared_ptr<const LabelledImages> images = reader->finish();
  return [text, images, turn_of, format = file.format](const AppendText& append) {
    std::vector<LabelledVariant> variants;
    const auto variants_of = [&](std::size_t image) -> const std::vector<LabelledVariant>& {
      variants.clear();
      if (const LabelledVariant* one = turn_of((*images)[image].file_name))
        variants.push_back(*one);
      return variants;
    };
    const auto writer = format->writer(*images, variants_of, append);
    text([&](std::string_view part) { writer->take(part); });
    writer->finish();
  };
}

/// Takes a text in pieces of one length, however its parts are cut. The end of the last line does
/// not count: if the file has none and its last picture is left out, the result may differ there.
template <typename Take>
void for_each_piece(const Text& text, Take take) {
  constexpr std::size_t length = 4096;
  std::string piece;
  text([&](std::string_view part) {
    piece += part;
    while (piece.size() > length + 2) {
      take(std::string_view(piece).substr(0, length));
      piece.erase(0, length);
    }
  });
  piece.erase(piece.find_last_not_of("\r\n") + 1);
  take(std::string_view(piece));
}

void compare(const Text& expected, const Text& found) {
  std::vector<std::size_t> hashes;
  const std::hash<std::string_view> hash;
  for_each_piece(expected, [&](std::string_view piece) { hashes.push_back(hash(piece)); });
  std::size_t at = 0, count = 0;
  std::optional<std::string> wrong;
  for_each_piece(found, [&](std::string_view piece) {
    if (wrong) return;
    const bool is_equal = count < hashes.size() && hashes[count] == hash(piece);
    if (!is_equal) wrong = piece, at = count;
    ++count;
  });
  if (!wrong && count == hashes.size()) return;
  if (!wrong) at = count;
  std::string right;
  count = 0;
  for_each_piece(expected, [&](std::string_view piece) {
    if (count++ == at) right = piece;
  });
  const std::string is = wrong.value_or("");
  const auto differ = std::ranges::mismatch(right, is).in1 - right.begin();
  const auto from = static_cast<std::size_t>(std::max<std::ptrdiff_t>(differ - 40, 0));
  const auto near = [&](const std::string& text) {
    return message_text(text).substr(std::min(from, text.size()), 80);
  };
  throw ProofError(fmt::format("turned back, '{}' expected, '{}' found", near(right), near(is)));
}

/// Turns `result`, which has the labels of these variants, back, one variant at a time, and
/// compares the text with the original's. The memory that it takes grows with the number of
/// pictures. Throws ProofError with both texts where they differ; FileError.
//
// Each text is turned by 180 degrees twice: then equal numbers are written in the same form.
void prove(const SharedLabels::File& file, const Text& result, const VariantsOf& variants_of) try {
  const LabelledImages& images = *file.content;
  const Text original = [&](const AppendText& append) { file.read(append); };
  std::set<std::optional<Orientation>> told_apart;
  for (std::size_t i = 0; i < images.size(); ++i)
    for (const LabelledVariant& each : variants_of(i)) told_apart.insert(each.turn.variant);
  for (const std::optional<Orientation>& one : told_apart) {
    // The turns of images by their names before (first, half) and after the turn (back).
    std::unordered_map<std::string, LabelledVariant> first, half, back;
    for (std::size_t i = 0; i < images.size(); ++i) {
      for (const LabelledVariant& each : variants_of(i)) {
        if (each.turn.variant != one) continue;
        const std::string& name = images[i].file_name;
        if (each.is_kept) {
          first[name] = half[name] = back[name] = each;
          continue;
        }
        const std::string own =
            each.name.starts_with('/') ? name : name.substr(name.find_last_of("/\\") + 1);
        const Orientation orientation = each.turn.orientation;
        first[name] = {{one, Orientation::rotate180}, own, each.size};
        half[name] = {{std::nullopt, Orientation::rotate180}, own, each.size};
        LabelledVariant& now = back[renamed(name, each.name)];
        now = {{std::nullopt, inverse(orientation)}, own, turned_size(orientation, each.size)};
        for (const auto& [before, after] : each.others) {
          now.others[after] = before;
          first[name].others[before] = before;  // written as the other is
        }
      }
    }
    const auto by = [](const auto& turns) {
      return [&turns](const std::string& name) {
        const auto found = turns.find(name);
        return found == turns.end() ? nullptr : &found->second;
      };
    };
    compare(turned(turned(original, file, by(first)), file, by(half)),
            turned(turned(turned(result, file, by(back)), file, by(half)), file, by(half)));
  }
} catch (const LabelError& error) {
  throw ProofError(fmt::format("it cannot be turned back: {}", error.what()));
}

/// Hands over the turned text in parts. `source`: of what was read.
void turn_labels(const SharedLabels::File& file, const VariantsOf& variants_of,
                 const AppendText& append, Hasher& source) {
  const auto writer = file.format->writer(*file.content, variants_of, append);
  file.read([&](std::string_view part) {
    source.add(std::as_bytes(std::span(part)));
    writer->take(part);
  });
  writer->finish();
}

/// Returns what `make` does. Throws FileError, which says why the file is not written.
template <typename Make>
auto made(const SharedLabels::File& file, Make make) {
  const auto fail = [&](const std::string& why) {
    return FileError(fmt::format("{} is not written: {}", file.output.string(), why), file.output,
                     {});
  };
  try {
    return make();
  } catch (const ProofError& error) {
    throw fail(fmt::format("the result was rejected, because it is wrong: {}", error.what()));
  } catch (const LabelError& error) {
    throw fail(fmt::format("{}:{}", file.input.string(), error.what()));
  } catch (const std::runtime_error& error) {
    throw fail(error.what());
  }
}

using Prove = std::function<void(const StagedFiles&)>;

/// Writes the file and lets `put` put it in its place. Calls `list` with its hashes before that.
std::vector<std::string> write_turned(
    const SharedLabels::File& file, const VariantsOf& variants_of,
    const std::function<void(const ContentHash& source, const ContentHash& result)>& list,
    const RealPlaces* places, bool verifies,
    const std::function<std::vector<std::string>(const NewFile& turned, const Prove&)>& put) {
  const auto write = [&](const NewFile::Append& append) {
    std::string text;
    Hasher source, result;
    const auto flush = [&] {
      result.add(std::as_bytes(std::span(text)));
      append(std::as_bytes(std::span(text)));
      text.clear();
    };
    const auto gather = [&](std::string_view part) {
      constexpr std::size_t many = 1 << 20;
      text += part;
      if (text.size() >= many) flush();
    };
    turn_labels(file, variants_of, gather, source);
    flush();
    list(source.hash(), result.hash());
  };
  const bool is_in_tar = file.tar && file.tar->contain(file.input);
  const NewFile turned{.target = file.output,
                       .content = {},
                       .like = is_in_tar ? fs::path() : file.input,
                       .like_state = is_in_tar ? std::nullopt : std::optional(file.state),
                       .write_more = write,
                       .places = places};
  return made(file, [&] {
    return put(turned, [&](const StagedFiles& staged) {
      if (!verifies) return;
      const Text result = [&](const AppendText& append) {
        read_text_in_parts(staged.temporary(0), append);
      };
      prove(file, result, variants_of);
    });
  });
}

}  // namespace

std::vector<std::string> write_shared_labels(const SharedLabels::File& file,
                                             const fs::path& output_folder,
                                             const VariantsOf& variants_of,
                                             const std::function<void(const ManifestFile&)>& list,
                                             IfExists if_exists, const RealPlaces* places,
                                             bool verifies) {
  const auto list_it = [&](const ContentHash& source, const ContentHash& result) {
    list({file.output.lexically_relative(output_folder).string(), source, result});
  };
  return write_turned(file, variants_of, list_it, places, verifies,
                      [&](const NewFile& turned, const Prove& prove) {
                        return write_files(std::span(&turned, 1), if_exists, prove);
                      });
}

std::vector<std::string> replace_shared_labels(const SharedLabels::File& file, const JobList& jobs,
                                               VariantsInPlace variants, const RealPlaces* places,
                                               bool verifies, const FileSampleWriter& writer) {
  const bool is_any_turned = made(file, [&] { return variants.is_any_turned(); });
  if (!is_any_turned) return {};
  JournalContent::Hashes hashes;
  const auto take = [&](const ContentHash& source, const ContentHash& result) {
    hashes = {source, result};
  };
  const Job first = jobs.job_of(file.first_picture());
  return write_turned(file, std::ref(variants), take, places, verifies,
                      [&](const NewFile& turned, const Prove& prove) {
                        return writer.replace_shared(turned, first, hashes, prove);
                      });
}

std::string turned_shared_labels(const SharedLabels::File& file, const VariantsOf& variants_of,
                                 std::uint64_t most_bytes, bool verifies) {
  return made(file, [&] {
    std::string text;
    Hasher unused;
    const auto gather = [&](std::string_view part) {
      text += part;
      if (text.size() > most_bytes)
        throw std::runtime_error(
            fmt::format("it needs more than {} MiB of memory", most_bytes >> 20));
    };
    turn_labels(file, variants_of, gather, unused);
    if (verifies)
      prove(
          file, [&](const AppendText& append) { append(text); }, variants_of);
    return text;
  });
}

}  // namespace qturn
