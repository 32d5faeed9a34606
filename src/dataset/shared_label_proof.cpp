#include "src/dataset/shared_label_proof.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "src/files/file_descriptor.hpp"
#include "src/picture/errors.hpp"
#include "src/picture/text.hpp"

namespace qturn {
namespace {

namespace fs = std::filesystem;

/// Hands over a text, part by part, as often as it is called.
using Text = std::function<void(const AppendText&)>;
/// How the labels of an image are turned, by its name; null: they are left out.
using TurnOfName = std::function<const LabelledVariant*(const std::string& file_name)>;

Text text_of_file(const fs::path& path) {
  return [path](const AppendText& append) { read_text_in_parts(path, append); };
}

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

/// A text in pieces of one length, whatever parts it comes in, without the end of its last line:
/// that is missing if the last picture of a file without it is left out.
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

}  // namespace

// Each text is turned by 180 degrees twice, after which a number has one form.
void prove_shared_labels(const SharedLabels::File& file, const fs::path& result,
                         const VariantsOf& variants_of) try {
  const LabelledImages& images = *file.content;
  std::set<std::optional<Orientation>> told_apart;
  for (std::size_t i = 0; i < images.size(); ++i)
    for (const LabelledVariant& each : variants_of(i)) told_apart.insert(each.turn.variant);
  for (const std::optional<Orientation>& one : told_apart) {
    // Of an image by its name, before and after the turn.
    std::unordered_map<std::string, LabelledVariant> first, half, back;
    for (std::size_t i = 0; i < images.size(); ++i) {
      for (const LabelledVariant& each : variants_of(i)) {
        if (each.turn.variant != one) continue;
        const std::string& name = images[i].file_name;
        const std::string own =
            each.name.starts_with('/') ? name : name.substr(name.find_last_of("/\\") + 1);
        const Orientation orientation = each.turn.orientation;
        first[name] = {{one, Orientation::rotate180}, own, each.size};
        half[name] = {{std::nullopt, Orientation::rotate180}, own, each.size};
        back[renamed(name, each.name)] = {
            {std::nullopt, inverse(orientation)}, own, turned_size(orientation, each.size)};
      }
    }
    const auto by = [](const auto& turns) {
      return [&turns](const std::string& name) {
        const auto found = turns.find(name);
        return found == turns.end() ? nullptr : &found->second;
      };
    };
    compare(turned(turned(text_of_file(file.input), file, by(first)), file, by(half)),
            turned(turned(turned(text_of_file(result), file, by(back)), file, by(half)), file,
                   by(half)));
  }
} catch (const LabelError& error) {
  throw ProofError(fmt::format("it cannot be turned back: {}", error.what()));
}

}  // namespace qturn
