// What tests ask of the text of a journal.
#ifndef QTURN_TESTS_JOURNAL_TEXT_HPP
#define QTURN_TESTS_JOURNAL_TEXT_HPP

#include <string_view>

/// Whether its last line says that all is done. A run in place keeps such a journal.
inline bool is_ended_journal(std::string_view text) {
  if (!text.starts_with("{\"qturn_journal\":") || !text.ends_with('\n')) return false;
  text.remove_suffix(1);
  return text.substr(text.rfind('\n') + 1).starts_with("{\"end\":true,");
}

#endif  // QTURN_TESTS_JOURNAL_TEXT_HPP
