#include "src/labels/label_text.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace qturn {

void LabelText::replace(std::string_view part, std::string_view by) {
  const std::size_t at = offset_of(part);
  edited_ += text_.substr(done_, at - done_);
  edited_ += by;
  done_ = at + part.size();
}

std::string LabelText::finish() {
  edited_ += text_.substr(done_);
  done_ = text_.size();
  return std::move(edited_);
}

void LabelText::fail(std::string_view at, const std::string& why) const {
  const std::string_view before = text_.substr(0, offset_of(at));
  std::size_t line = 1, begin = 0;
  for (std::size_t i = 0; i < before.size(); ++i) {
    if (before[i] != '\n' && (before[i] != '\r' || text_.substr(i + 1).starts_with('\n'))) continue;
    ++line;
    begin = i + 1;
  }
  throw LabelError(fmt::format("{}:{}: {}", line, before.size() - begin + 1, why));
}

}  // namespace qturn
