#include "tools/qturn/shared_files.hpp"

#include <algorithm>
#include <system_error>

#include "src/dataset/data_set_files.hpp"
#include "src/store/safe_file.hpp"
#include "tools/qturn/manifest.hpp"

namespace qturn {

namespace fs = std::filesystem;

bool write_and_warn(const std::function<std::vector<std::string>()>& write) try {
  for (const std::string& warning : write()) print_message("warning: " + printable(warning));
  return true;
} catch (const FileError& error) {
  print_message(printable(error.what()));
  return false;
}

void SharedFiles::check(const std::function<void(const fs::path&)>& keep_reports_from) const {
  const auto take = [&](const auto& file, const char* what) {
    keep_reports_from(file.input);
    std::error_code none;  // one of them is not there
    if (fs::equivalent(file.input, file.output, none))
      throw PlanError(file.output.string() + ": is an input as well; choose another output");
    check_place(line_, file.output, what);
    keep_reports_from(file.output);
  };
  for (const SharedLabels::File& file : plan_.jobs.shared_labels().files()) {
    if (file.found > 0)
      take(file, "the labels");
    else
      keep_reports_from(file.input);
  }
  for (const DataSets::File& file : plan_.jobs.data_sets().files())
    take(file, "the file of the data set");
}

bool SharedFiles::write(const WrittenPictures& written, std::vector<ManifestFile>& listed) const {
  bool is_whole = plan_.jobs.shared_labels().broken().empty();
  const auto made = [&](const ManifestFile& each) { listed.push_back(each); };
  for (const SharedLabels::File& file : plan_.jobs.shared_labels().files()) {
    if (file.found == 0) continue;
    VariantsInPlace variants(file, line_, plan_, written);
    const auto variants_of = [&](std::size_t image) -> const std::vector<LabelledVariant>& {
      return variants.of(image);
    };
    is_whole =
        write_and_warn([&] {
          return write_shared_labels(file, plan_.output_folder, variants_of, made, &plan_.places);
        }) &&
        is_whole;
  }
  for (const DataSets::File& file : plan_.jobs.data_sets().files()) {
    is_whole = write_and_warn([&] {
                 return write_data_set_file(file, data_set_text(file, plan_, written.variants),
                                            plan_.output_folder, made, &plan_.places);
               }) &&
               is_whole;
  }
  return is_whole;
}

bool write_shared_files(const CommandLine& line, const Plan& plan, const Report& report) {
  const auto is_empty = [](OrientationSet variants) { return variants.empty(); };
  if (plan.jobs.skipped_count() == 0 && std::ranges::all_of(report.written(), is_empty))
    return true;
  std::vector<ManifestFile> listed;
  return SharedFiles(line, plan).write({report.written(), report.stored()}, listed);
}

}  // namespace qturn
