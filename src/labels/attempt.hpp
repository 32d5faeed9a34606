// What becomes of a shape that cannot be turned.
#pragma once

#include "src/labels/label_shapes.hpp"
#include "src/labels/text/label_text.hpp"

namespace qturn {

/// Does `work`. What it cannot turn is a problem of `content`, for who reads, and thrown if that is
/// null.
template <typename Work>
void attempt(LabelContent* content, Work work) {
  try {
    work();
  } catch (const LabelError& error) {
    if (!content) throw;
    content->problems.push_back(broken(error));
  }
}

}  // namespace qturn
