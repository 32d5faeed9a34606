#include <algorithm>
#include <iterator>

#include "tests/fuzz/target.hpp"

namespace qturn::fuzz {

const Target* find_target(std::string_view name) {
  static constexpr Target targets[] = {
      {"coco", fuzz_coco},
      {"command_line", fuzz_command_line},
      {"gif", fuzz_gif},
      {"heif", fuzz_heif},
      {"journal", fuzz_journal},
      {"jpeg", fuzz_jpeg},
      {"jxl", fuzz_jxl},
      {"labels", fuzz_labels},
      {"metadata", fuzz_metadata, 2},
      {"pictures", fuzz_pictures},
      {"png", fuzz_png, 1},
      {"raw", fuzz_raw},
      {"tar", fuzz_tar},
      {"tiff", fuzz_tiff},
  };
  const auto* found = std::ranges::find(targets, name, &Target::name);
  return found == std::end(targets) ? nullptr : found;
}

}  // namespace qturn::fuzz
