#include "src/dataset/shared_files.hpp"

#include <algorithm>
#include <iterator>
#include <system_error>

#include "src/dataset/data_set_files.hpp"
#include "src/dataset/free_places.hpp"
#include "src/dataset/turned_shared_labels.hpp"

namespace qturn {

namespace fs = std::filesystem;

void FileResults::add(const std::function<std::vector<std::string>()>& write) try {
  std::ranges::move(write(), std::back_inserter(warnings));
} catch (const FileError& error) {
  failures.emplace_back(error.what());
  is_whole = false;
}

void check_shared_files(const Plan& plan, IfExists if_exists,
                        const std::function<void(const fs::path&)>& visit) {
  const auto take = [&](const auto& file, const char* what) {
    visit(file.input);
    std::error_code none;  // one of them is not there
    if (fs::equivalent(file.input, file.output, none))
      throw PlanError(file.output.string() + ": is an input as well; choose another output");
    check_place(file.output, if_exists, what);
    visit(file.output);
  };
  for (const SharedLabels::File& file : plan.jobs.shared_labels().files()) {
    if (file.found > 0)
      take(file, "the labels");
    else
      visit(file.input);
  }
  for (const DataSets::File& file : plan.jobs.data_sets().files())
    take(file, "the file of the data set");
}

FileResults write_shared_files(const Plan& plan, const RunOptions& options,
                               const WrittenPictures& written, IfExists if_exists,
                               std::vector<ManifestFile>& listed) {
  if (plan.jobs.skipped_count() == 0 && written.empty()) return {};
  FileResults results{.is_whole = plan.jobs.shared_labels().broken().empty()};
  const auto made = [&](const ManifestFile& each) { listed.push_back(each); };
  for (const SharedLabels::File& file : plan.jobs.shared_labels().files()) {
    if (file.found == 0) continue;
    VariantsInPlace variants(file, plan.jobs, options, written);
    const auto variants_of = [&](std::size_t image) -> const std::vector<LabelledVariant>& {
      return variants.of(image);
    };
    results.add([&] {
      return write_shared_labels(file, plan.output_folder, variants_of, made, if_exists,
                                 &plan.places, options.verify);
    });
  }
  for (const DataSets::File& file : plan.jobs.data_sets().files()) {
    results.add([&] {
      return write_data_set_file(file, data_set_text(file, plan, written.variants()),
                                 plan.output_folder, made, if_exists, &plan.places);
    });
  }
  return results;
}

}  // namespace qturn
