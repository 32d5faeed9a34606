#include "tools/qturn/manifest.hpp"

#include <fmt/format.h>

#include <fstream>
#include <optional>
#include <set>
#include <span>

#include "src/store/safe_file.hpp"
#include "tools/qturn/json.hpp"

namespace qturn {

namespace fs = std::filesystem;

namespace {

/// What an earlier run listed, ascending and each once. As qturn writes it, a manifest is ascending
/// and is read line by line; only lines that are out of order are held.
class EarlierEntries {
 public:
  explicit EarlierEntries(const fs::path& manifest) : lines_(manifest, std::ios::binary) {
    std::optional<ManifestEntry> greatest;
    while (auto entry = read_line()) {
      if (greatest && *entry <= *greatest)
        late_.insert(std::move(*entry));
      else
        greatest = std::move(entry);
    }
    lines_.clear();
    lines_.seekg(0);
    read_in_order();
  }

  /// Null at the end.
  const ManifestEntry* front() const {
    if (late_.empty() || (in_order_ && *in_order_ <= *late_.begin()))
      return in_order_ ? &*in_order_ : nullptr;
    return &*late_.begin();
  }

  void pop() {
    const ManifestEntry entry = *front();
    late_.erase(entry);
    if (in_order_ == entry) read_in_order();
  }

 private:
  std::optional<ManifestEntry> read_line() {
    for (std::string line; std::getline(lines_, line);)
      if (auto entry = read_manifest_line(line)) return entry;
    return std::nullopt;
  }

  void read_in_order() {
    const std::optional<ManifestEntry> before = std::move(in_order_);
    do {
      in_order_ = read_line();
    } while (in_order_ && before && *in_order_ <= *before);
  }

  std::ifstream lines_;
  std::optional<ManifestEntry> in_order_;
  std::set<ManifestEntry> late_;
};

}  // namespace

void check_place(const CommandLine& line, const fs::path& place, std::string_view what) {
  if (fs::is_symlink(fs::symlink_status(place)))
    throw PlanError(
        fmt::format("{} is a symbolic link, and {} would replace what it leads to; remove it, or "
                    "choose another output",
                    place.string(), what));
  if (line.existing == Existing::refuse && !line.resume && fs::exists(place))
    throw PlanError(fmt::format(
        "{} exists already; use --overwrite, --skip-existing or --update, or another output",
        place.string()));
}

fs::path manifest_place(const CommandLine& line, const Plan& plan) {
  fs::path manifest = plan.output_folder / "manifest.jsonl";
  // Names of pictures end with a variant.
  const FileList& files = plan.jobs.files();
  for (const FoundFile& file : files)
    if (!file.picture && files.key(file) == manifest.filename())
      throw PlanError(fmt::format("{}: its copy would be in the manifest's place; --exclude '{}'",
                                  files.path(file), files.key(file)));
  check_place(line, manifest, "the manifest");
  return manifest;
}

std::vector<std::string> write_manifest(const fs::path& manifest, const Plan& plan,
                                        const std::vector<OrientationSet>& written,
                                        bool interrupted) {
  std::optional<EarlierEntries> earlier;
  if (interrupted) earlier.emplace(manifest);

  const auto write_lines = [&](const NewFile::Append& append) {
    std::string lines;
    const auto put = [&](const ManifestEntry& entry) {
      constexpr std::size_t many = 1 << 16;
      lines += manifest_line(entry) + "\n";
      if (lines.size() < many) return;
      append(std::as_bytes(std::span(lines)));
      lines.clear();
    };
    const auto put_earlier_before = [&](const ManifestEntry* entry) {
      for (; earlier && earlier->front(); earlier->pop()) {
        if (entry && *entry <= *earlier->front()) {
          if (*entry == *earlier->front()) earlier->pop();
          return;
        }
        put(*earlier->front());
      }
    };
    const FileList& files = plan.jobs.files();
    for (std::size_t i = 0; i < files.size(); ++i) {
      if (!files[i].picture) continue;
      (files[i].kept | written[i]).for_each([&](Orientation variant) {
        const fs::path output = plan.jobs.names().path_of(files, files[i], variant);
        const ManifestEntry entry{files.key(files[i]), variant,
                                  output.lexically_relative(plan.output_folder).string()};
        put_earlier_before(&entry);
        put(entry);
      });
    }
    put_earlier_before(nullptr);
    append(std::as_bytes(std::span(lines)));
  };
  const NewFile file{.target = manifest, .content = {}, .write_more = write_lines};
  return write_files(std::span(&file, 1), IfExists::replace);
}

}  // namespace qturn
