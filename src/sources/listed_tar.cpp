#include "src/sources/listed_tar.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <map>
#include <memory>
#include <string_view>
#include <utility>

#include "src/companions/shared_labels.hpp"
#include "src/files/tar/input.hpp"
#include "src/formats/table.hpp"
#include "src/inputs/find_files.hpp"
#include "src/picture/text.hpp"
#include "src/sample/file_kind.hpp"
#include "src/sources/member_reader.hpp"

namespace qturn {
namespace {

namespace fs = std::filesystem;

class Lister {
 public:
  Lister(const PlanOptions& options, const std::string& tar, std::uint64_t most_bytes)
      : options_(options), tar_(tar), most_bytes_(most_bytes) {}

  void take(const Member& member, MemberReader& reader) {
    const std::string name = fs::path(member.name).filename(), suffix = lower_suffix(name);
    if (is_labels(member.name, name)) {
      if (member.bytes > most_bytes_) {
        throw WithHints<PlanError>({Hint::more_memory},
                                   fmt::format("{}/{}: needs more than {} MiB of memory", tar_,
                                               member.name, most_bytes_ >> 20));
      }
      found_.texts[fs::path(tar_) / member.name] =
          std::make_shared<const std::string>(text_of(reader.content({})));
      return;
    }
    if (!is_selected(options_, member.name, name)) return;
    const bool is_read = !codec_of_suffix(suffix) && member.bytes <= most_bytes_;
    const Bytes content = is_read ? reader.content({}) : Bytes();
    const KindOfFile kind = kind_of_file(member.name, content);
    if (!kind.is_picture() || !format_of(options_, suffix, content)) return;
    FoundFile& file = add(member);
    file.picture = true;
    file.is_companion = options_.masks.take && kind.kind == FileKind::mask;
  }

  FoundFiles finish() {
    found_.files.sort();
    return std::move(found_);
  }

 private:
  bool is_labels(const std::string& member, const std::string& name) const {
    const LabelOptions& labels = options_.labels;
    if (labels.file.empty()) return name == labels.file_format->plain_name;
    return labels.file == member || labels.file == fs::path(tar_) / member;
  }

  FoundFile& add(const Member& member) {
    const std::size_t base = member.name.rfind('/') + 1;
    const std::string folder = member.name.substr(0, base);
    const auto [known, is_new] = folders_.try_emplace(folder);
    if (is_new) known->second = found_.files.add_folder(tar_ + "/" + folder, folder);
    struct stat status = {};
    status.st_ino = found_.files.size() + 1;  // each member is a file of its own
    status.st_size = static_cast<off_t>(member.bytes);
    return found_.files.add(known->second, std::string_view(member.name).substr(base), status);
  }

  const PlanOptions& options_;
  const std::string& tar_;
  const std::uint64_t most_bytes_;
  FoundFiles found_;
  std::map<std::string, std::uint32_t> folders_;
};

FoundFiles find_members(const PlanOptions& options, const std::string& tar,
                        std::uint64_t most_bytes, const std::atomic<bool>& stop) try {
  Lister lister(options, tar, most_bytes);
  TarInput input(tar, stop);
  TarMembers members(input);
  while (const std::optional<Member> member = members.next())
    if (member->refusal.empty() && (options.hidden || !member->is_hidden()))
      lister.take(*member, members);
  return lister.finish();
} catch (const TarError& error) {
  if (stop) throw Interrupted();
  throw PlanError(fmt::format("{}: {}", tar, error.what()));
}

}  // namespace

Plan list_tar(const PlanOptions& options, const std::string& tar, std::uint64_t most_bytes,
              const std::atomic<bool>& stop) {
  FoundFiles found = find_members(options, tar, most_bytes, stop);
  OutputNames names(options, false);
  SharedLabels labels = find_shared_labels(options, found, CompanionFiles(CompanionKind::label),
                                           CompanionFiles(CompanionKind::mask), names, {});
  if (!labels.broken().empty()) throw LabelsError(labels.broken().front().problem);
  Plan plan;
  plan.jobs = JobList(std::move(found.files), std::move(names), {}, std::move(labels));
  return plan;
}

}  // namespace qturn
