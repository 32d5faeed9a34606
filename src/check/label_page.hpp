// A page for a browser, in one file: small pictures with their labels drawn over them as SVG, and
// what was found beside them.
#ifndef QTURN_SRC_CHECK_LABEL_PAGE_HPP
#define QTURN_SRC_CHECK_LABEL_PAGE_HPP

#include <qturn/pictures.hpp>

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "src/check/label_layers.hpp"

namespace qturn {

/// A picture, shown upright.
struct PageCell {
  std::string caption = {};
  std::filesystem::path picture = {};
  std::vector<LabelLayer> layers = {};
};

class LabelPage {
 public:
  /// `summary` is a paragraph below the title.
  LabelPage(std::string_view title, std::string_view summary, const Limits& limits);

  /// One picture, or several that belong together. What cannot be shown is named in its cell.
  void add_row(std::string_view title, const std::vector<PageCell>& cells,
               const std::vector<std::string>& findings = {});

  /// The page.
  std::string finish() &&;

 private:
  void add_cell(const PageCell& cell, std::int64_t longest);

  const Limits limits_;
  std::string html_;
};

}  // namespace qturn

#endif  // QTURN_SRC_CHECK_LABEL_PAGE_HPP
