#include "tools/qturn/data_set_files.hpp"

#include <span>

namespace qturn {
namespace {

namespace fs = std::filesystem;

/// As Ultralytics wants it: "./" stands for the folder of the list.
std::string text_of_list(const DataSets::File& list, const Plan& plan,
                         const std::vector<OrientationSet>& written) {
  const FileList& files = plan.jobs.files();
  std::string text;
  for (const std::size_t picture : list.pictures) {
    (files[picture].kept | written[picture]).for_each([&](Orientation variant) {
      const fs::path output = plan.jobs.names().path_of(files, files[picture], variant);
      text += "./" + output.lexically_relative(list.output.parent_path()).string();
      text += list.end_of_line;
    });
  }
  return text;
}

}  // namespace

std::vector<std::string> write_data_set_file(const DataSets::File& file, const Plan& plan,
                                             const std::vector<OrientationSet>& written,
                                             const std::function<void(const ManifestFile&)>& made) {
  const std::string text = file.pictures.empty() ? file.text : text_of_list(file, plan, written);
  const auto content = std::as_bytes(std::span(text));
  made({file.output.lexically_relative(plan.output_folder).string(), file.hash, hash_of(content)});
  const NewFile turned{.target = file.output,
                       .content = content,
                       .like = file.input,
                       .times = Times::now,
                       .like_state = file.state};
  return write_files(std::span(&turned, 1), IfExists::replace);
}

}  // namespace qturn
