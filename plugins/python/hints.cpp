#include "plugins/python/hints.hpp"

#include "src/picture/errors.hpp"

namespace qturn::python {
namespace {

std::string in_words(const Hint& hint) {
  switch (hint.kind) {
    case Hint::keep_edges:
      return R"(; leave out edges="trim")";
    case Hint::move_pixels:
      return R"(; edges="reencode" moves them)";
    case Hint::raise_limit:
      return "; the limit " + hint.value + " permits that";
    case Hint::say_keypoints:
      return R"(; keypoints="none", or their number as in keypoints="17x3", says it)";
    case Hint::say_labels_drawn_on:
      return R"(; labels_drawn_on="stored" or "upright" says it)";
    case Hint::say_swapped_keypoints:
      return "; swap_pairs says which keypoints change places";
    default:  // of files and runs, which Python does not have
      return "";
  }
}

}  // namespace

std::string in_words(const std::exception& error) {
  std::string words = error.what();
  for (const Hint& hint : hints_of(error)) words += in_words(hint);
  return words;
}

}  // namespace qturn::python
