#include "src/companions/tables.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <utility>

#include "src/formats/table.hpp"
#include "src/inputs/find_files.hpp"
#include "src/inputs/folder_layout.hpp"
#include "src/labels/text/csv_text.hpp"
#include "src/labels/text/json_text.hpp"
#include "src/picture/text.hpp"

namespace qturn {
namespace {

namespace fs = std::filesystem;

/// A cell, or a string or a number of JSON.
struct Cell {
  std::string column, value;
  std::size_t at, bytes;  ///< of what takes its place, with its quotes
  bool is_number = false;
};

bool is_called_as_id(const std::string& column) {
  constexpr std::string_view words[] = {"id",     "imageid", "uid",      "uuid",
                                        "guid",   "key",     "sampleid", "rowid",
                                        "itemid", "idx",     "index",    "recordid"};
  std::string letters;
  for (const unsigned char c : column)
    if (std::isalnum(c)) letters += static_cast<char>(std::tolower(c));
  return std::ranges::count(words, letters) > 0;
}

class TableReader {
 public:
  TableReader(const NamedFiles& files, DataSets::File& table)
      : files_(files),
        table_(table),
        folder_(normal_path(fs::path(table.input).parent_path() / "")) {}

  /// Throws LabelError.
  void read() {
    const std::string text = std::exchange(table_.text, {});
    const std::string suffix = lower_suffix(table_.input);
    if (suffix == ".jsonl")
      read_lines(text);
    else if (suffix == ".json")
      read_array(text);
    else
      read_rows(text);
    add_ids();
  }

  std::size_t left_out() const { return left_out_; }

 private:
  void read_rows(std::string_view text) {
    const std::string_view first = text.substr(0, text.find('\n'));
    table_.separator = ',';
    for (const char each : {';', '\t', '|'})
      if (std::ranges::count(first, each) > std::ranges::count(first, table_.separator))
        table_.separator = each;
    std::vector<std::string> columns;
    bool is_first = true;
    CsvRows rows([&](const CsvRows::Row& row) {
      const LabelText place(row.text, row.place);
      const auto fields = csv_fields(place, row.text, table_.separator);
      std::vector<Cell> cells;
      for (std::size_t i = 0; i < fields.size(); ++i)
        cells.push_back({.column = i < columns.size() ? columns[i] : "",
                         .value = csv_string(fields[i]),
                         .at = static_cast<std::size_t>(fields[i].data() - row.text.data()),
                         .bytes = fields[i].size()});
      if (std::exchange(is_first, false) && !names_any(cells)) {
        for (const Cell& cell : cells) columns.push_back(cell.value);
        table_.text = std::string(row.text) + std::string(row.end.empty() ? "\n" : row.end);
        return;
      }
      if (!row.text.empty()) take(row.text, cells);
    });
    rows.take(text);
    rows.finish();
  }

  void read_lines(std::string_view text) {
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = std::min(text.find('\n', at), text.size());
      std::string_view line = text.substr(at, end - at);
      if (line.ends_with('\r')) line.remove_suffix(1);
      at = end + 1;
      if (line.find_first_not_of(" \t") == line.npos) continue;
      const JsonText json(line);
      take_value(json.root());
    }
  }

  void read_array(std::string_view text) {
    const JsonText json(text);
    for (const JsonValue value : json.root().expect(JsonKind::array))
      take_value(value.expect(JsonKind::object));
    table_.text = "[\n";
    table_.end_of_line = ",\n";
  }

  void take_value(const JsonValue& value) {
    std::vector<Cell> cells;
    add_cells(value, value.text(), "", cells);
    take(value.text(), cells);
  }

  static void add_cells(const JsonValue& value, std::string_view row, const std::string& column,
                        std::vector<Cell>& cells) {
    const std::string_view text = value.text();
    const bool is_string = value.kind() == JsonKind::string;
    if (is_string || value.kind() == JsonKind::number)
      cells.push_back({.column = column,
                       .value = is_string ? value.string() : std::string(text),
                       .at = static_cast<std::size_t>(text.data() - row.data()),
                       .bytes = text.size(),
                       .is_number = !is_string});
    for (const JsonValue each : value)
      add_cells(each, row, value.kind() == JsonKind::object ? each.name() : column, cells);
  }

  bool names_any(const std::vector<Cell>& cells) const {
    return std::ranges::any_of(cells, [&](const Cell& cell) {
      return files_.find(cell.value, folder_) || files_.find_stem(cell.value, folder_);
    });
  }

  void take(std::string_view text, const std::vector<Cell>& cells) {
    DataSets::Row row{.text = std::string(text), .changes = {}};
    std::optional<std::size_t> own;
    std::vector<bool> follows(cells.size());
    const auto follow = [&](std::size_t i, const NamedFile& file, bool has_suffix) {
      const std::string& value = cells[i].value;
      row.changes.push_back({.at = cells[i].at,
                             .bytes = cells[i].bytes,
                             .before = value.substr(0, value.find_last_of("/\\") + 1),
                             .file = file,
                             .has_suffix = has_suffix});
      follows[i] = true;
    };
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (cells[i].is_number) continue;
      const auto file = files_.find(cells[i].value, folder_);
      if (!file) continue;
      if (!own || (!file->companion && !has_own_)) own = file->picture;
      has_own_ = has_own_ || !file->companion;
      follow(i, *file, true);
    }
    has_own_ = false;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (follows[i] || (own && !is_called_as_id(cells[i].column))) continue;
      const auto file = files_.find_stem(cells[i].value, folder_);
      if (!file || (own && file->picture != *own)) continue;
      own = file->picture;
      follow(i, *file, false);
    }
    if (!own) {
      ++left_out_;
      return;
    }
    for (std::size_t i = 0; i < cells.size(); ++i)
      if (!follows[i] && !cells[i].value.empty() && is_called_as_id(cells[i].column))
        ids_[cells[i].column].push_back({table_.rows.size(), cells[i]});
    table_.pictures.push_back(*own);
    table_.rows.push_back(std::move(row));
  }

  void add_ids() {
    for (const auto& [column, cells] : ids_) {
      std::set<std::string> values;
      for (const auto& [row, cell] : cells) values.insert(cell.value);
      if (values.size() < cells.size() || cells.size() < table_.rows.size()) continue;
      for (const auto& [row, cell] : cells)
        table_.rows[row].changes.push_back({.at = cell.at,
                                            .bytes = cell.bytes,
                                            .before = cell.value,
                                            .file = {},
                                            .is_number = cell.is_number});
      table_.columns_of_ids.push_back(column);
    }
  }

  const NamedFiles& files_;
  DataSets::File& table_;
  const std::string folder_;
  bool has_own_ = false;
  std::size_t left_out_ = 0;
  std::map<std::string, std::vector<std::pair<std::size_t, Cell>>> ids_;
};

}  // namespace

NamedFiles::NamedFiles(const FileList& files, const CompanionFiles::All& companions)
    : files_(files), companions_(companions) {
  for (std::size_t number = 0; number < files.size(); ++number) {
    if (!files[number].is_own_picture()) continue;
    by_name_.emplace(files[number].name, NamedFile{.picture = number});
    by_stem_.emplace(fs::path(files[number].name).stem().string(), NamedFile{.picture = number});
  }
  for (std::size_t among = 0; among < companions.size(); ++among) {
    std::size_t index = 0;
    for (const CompanionFiles::File& each : *companions[among])
      by_name_.emplace(each.name, NamedFile{.picture = each.picture,
                                            .companion = NamedFile::Companion{among, index++}});
  }
}

std::string NamedFiles::path_of(const NamedFile& file) const {
  if (!file.companion) return normal_path(files_.path(files_[file.picture]));
  const CompanionFiles& among = *companions_[file.companion->among];
  return normal_path(
      among.path(*(among.begin() + static_cast<std::ptrdiff_t>(file.companion->index))));
}

std::optional<NamedFile> NamedFiles::find_in(const ByName& names, std::string_view text,
                                             const std::string& folder) const {
  constexpr std::size_t longest = 4096;
  if (text.size() > longest) return std::nullopt;
  std::string value(text);
  std::ranges::replace(value, '\\', '/');
  const auto [first, last] = names.equal_range(value.substr(value.rfind('/') + 1));
  if (first == last) return std::nullopt;
  const bool are_stems = &names == &by_stem_;
  const auto path = [&](const NamedFile& file) {
    fs::path path = path_of(file);
    return are_stems ? path.replace_extension().string() : path.string();
  };
  const std::string here = normal_path(fs::path(folder) / value);
  std::optional<NamedFile> found;
  while (value.starts_with("./")) value.erase(0, 2);
  for (auto at = first; at != last; ++at) {
    const std::string whole = path(at->second);
    if (whole == here) return at->second;
    if (value.find('/') != value.npos && !whole.ends_with("/" + value)) continue;
    if (found) return std::nullopt;
    found = at->second;
  }
  return found;
}

std::optional<NamedFile> NamedFiles::find(std::string_view text, const std::string& folder) const {
  return find_in(by_name_, text, folder);
}

std::optional<NamedFile> NamedFiles::find_stem(std::string_view text,
                                               const std::string& folder) const {
  return find_in(by_stem_, text, folder);
}

std::string turned_name(const NamedFile& file, Orientation variant, const FileList& files,
                        const OutputNames& names, const CompanionFiles::All& companions) {
  const FoundFile& picture = files[file.picture];
  const std::string name = names.name_of(picture, variant);
  if (!file.companion) return name;
  const CompanionFiles& among = *companions[file.companion->among];
  return CompanionFiles::name_of(
      *(among.begin() + static_cast<std::ptrdiff_t>(file.companion->index)), picture.name, name);
}

void add_tables(const std::vector<fs::path>& tables, const FileList& files,
                const OutputNames& names, const CompanionFiles::All& companions, DataSets& found) {
  if (tables.empty()) return;
  const NamedFiles named(files, companions);
  for (const fs::path& path : tables) {
    DataSets::File table = read_list_file(path);
    try {
      TableReader reader(named, table);
      reader.read();
      if (table.rows.empty()) continue;
      if (reader.left_out() > 0)
        found.add_problem(fmt::format("{}: {} of {} rows name no picture of this run",
                                      path.string(), reader.left_out(),
                                      reader.left_out() + table.rows.size()));
    } catch (const LabelError& error) {
      // Some JSON is not an array of objects.
      continue;
    }
    const auto key = key_below_inputs(path, files);
    table.output = names.folder() / key.value_or(path.filename().string());
    found.add(std::move(table));
  }
}

}  // namespace qturn
