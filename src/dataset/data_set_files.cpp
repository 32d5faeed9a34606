#include "src/dataset/data_set_files.hpp"

#include <span>

namespace qturn {

namespace fs = std::filesystem;

// As Ultralytics wants it: "./" stands for the folder of the list. Pascal VOC has names alone.
std::string lines_of_picture(const DataSets::File& list, std::size_t place, const Plan& plan,
                             const std::vector<OrientationSet>& written) {
  const FileList& files = plan.jobs.files();
  const std::size_t picture = list.pictures[place];
  std::string lines;
  (files[picture].kept | written[picture]).for_each([&](Orientation variant) {
    const fs::path output = plan.jobs.names().path_of(files, files[picture], variant);
    if (!list.image_sets.empty()) {
      const auto& [before, after, has_suffix] = list.around[place];
      const fs::path name = has_suffix ? output.filename() : output.stem();
      lines += before + name.string() + after;
      lines += list.end_of_line;
      return;
    }
    lines += "./" + output.lexically_relative(list.output.parent_path()).string();
    lines += list.end_of_line;
  });
  return lines;
}

std::string data_set_text(const DataSets::File& file, const Plan& plan,
                          const std::vector<OrientationSet>& written) {
  std::string text = file.text;
  for (std::size_t place = 0; place < file.pictures.size(); ++place)
    text += lines_of_picture(file, place, plan, written);
  return text;
}

std::vector<std::string> write_data_set_file(const DataSets::File& file, const std::string& text,
                                             const fs::path& output_folder,
                                             const std::function<void(const ManifestFile&)>& made,
                                             IfExists if_exists, const RealPlaces* places) {
  const auto content = std::as_bytes(std::span(text));
  made({file.output.lexically_relative(output_folder).string(), file.hash, hash_of(content)});
  const NewFile turned{.target = file.output,
                       .content = content,
                       .like = file.input,
                       .times = Times::now,
                       .like_state = file.state,
                       .places = places};
  return write_files(std::span(&turned, 1), if_exists);
}

}  // namespace qturn
