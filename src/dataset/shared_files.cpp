#include "src/dataset/shared_files.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <span>
#include <system_error>

#include "src/companions/tables.hpp"
#include "src/dataset/turned_shared_labels.hpp"
#include "src/labels/labelled_images.hpp"
#include "src/labels/text/csv_text.hpp"
#include "src/labels/text/json_text.hpp"
#include "src/picture/errors.hpp"
#include "src/picture/text.hpp"

namespace qturn {

namespace fs = std::filesystem;

namespace {

std::string row_of_variant(const DataSets::File& table, const DataSets::Row& row,
                           const JobList& jobs, Orientation variant) {
  std::vector<TextEdit> edits;
  for (const DataSets::Change& change : row.changes) {
    std::string value;
    if (change.file) {
      const std::string turned =
          turned_name(*change.file, variant, jobs.files(), jobs.names(), jobs.companions());
      value = change.before + (change.has_suffix ? turned : fs::path(turned).stem().string());
    } else if (change.is_number) {
      const bool is_whole = change.before.find_first_not_of("0123456789") == std::string::npos;
      edits.push_back({change.at, change.bytes,
                       is_whole ? id_of_variant(change.before, variant) : change.before});
      continue;
    } else {
      value = fmt::format("{}_{}", change.before, name(variant));
    }
    edits.push_back({change.at, change.bytes,
                     table.separator ? csv_field(value, table.separator)
                                     : json_string(value, false).value_or("\"\"")});
  }
  return edited(row.text, std::move(edits));
}

}  // namespace

// Ultralytics' lists have paths, and "./" is the folder of the list. Pascal VOC's have names alone.
std::string lines_of_picture(const DataSets::File& list, std::size_t place, const Plan& plan,
                             const std::vector<OrientationSet>& written) {
  const FileList& files = plan.jobs.files();
  const std::size_t picture = list.pictures[place];
  std::string lines;
  (files[picture].kept | written[picture]).for_each([&](Orientation variant) {
    if (!list.rows.empty()) {
      lines += row_of_variant(list, list.rows[place], plan.jobs, variant);
      lines += list.end_of_line;
      return;
    }
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

std::vector<std::string> write_data_set_file(const DataSets::File& file, std::string text,
                                             const fs::path& output_folder,
                                             const std::function<void(const ManifestFile&)>& made,
                                             IfExists if_exists, const RealPlaces* places) try {
  if (text.starts_with("[\n") && text.ends_with(",\n"))  // the rows of JSON, from any shard
    text.replace(text.size() - 2, 2, "\n]\n");
  const auto content = std::as_bytes(std::span(text));
  made({file.output.lexically_relative(output_folder).string(), file.hash, hash_of(content)});
  const NewFile turned{.target = file.output,
                       .content = content,
                       .like = file.input,
                       .like_state = file.state,
                       .places = places};
  return write_files(std::span(&turned, 1), if_exists);
} catch (const FileError& error) {
  throw FileError(fmt::format("{}: {}", file.input.string(), error.what()), file.output,
                  error.code());
}

namespace fs = std::filesystem;

void check_place(const fs::path& place, IfExists if_exists, std::string_view what) {
  if (fs::is_symlink(fs::symlink_status(place)))
    throw PlanError(
        fmt::format("{} is a symbolic link, and {} would replace what it leads to; remove it, or "
                    "choose another output",
                    place.string(), what));
  if (if_exists != IfExists::replace && fs::exists(place))
    throw WithHints<PlanError>({Hint::replace_or_skip}, place.string() + " exists already");
}

fs::path place_in_output(const Plan& plan, const std::string& name, IfExists if_exists,
                         std::string_view what) {
  fs::path place = plan.output_folder / name;
  // Names of pictures end with a variant.
  const FileList& files = plan.jobs.files();
  for (const FoundFile& file : files)
    if (!file.picture && !file.is_companion && files.key(file) == name)
      throw WithHints<PlanError>(
          {{Hint::exclude, name}},
          fmt::format("{}: its copy would be in the place of {}", files.path(file), what));
  check_place(place, if_exists, what);
  return place;
}

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
    if (plan.jobs.names().in_place()) return;
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

void refuse_changed_files(const Plan& plan) {
  plan.jobs.shared_labels().for_each_replaced([](const SharedLabels::File& file) {
    struct stat status = {};
    if (::stat(file.input.c_str(), &status) != 0 || state_of(status) != file.state)
      throw PlanError(file.input.string() + ": has changed while the run began; start it again");
  });
}

FileResults replace_shared_files(const Plan& plan, const RunOptions& options,
                                 const WrittenPictures& written, Journals& journals,
                                 const FileSampleWriter& writer) {
  FileResults results;
  const JobList& jobs = plan.jobs;
  for (std::size_t number = 0; number < jobs.files().size() && !jobs.shared_labels().empty();
       ++number)
    if (!written.variants()[number].empty()) journals.confirm(jobs.place_of(number));
  jobs.shared_labels().for_each_replaced([&](const SharedLabels::File& file) {
    results.add([&] {
      return replace_shared_labels(file, jobs, {file, jobs, options, written, &journals},
                                   &plan.places, options.verify, writer);
    });
  });
  return results;
}

std::vector<fs::path> lagging_files(const Plan& plan, const WrittenPictures& written,
                                    const Journals& journals) {
  const JobList& jobs = plan.jobs;
  std::vector<fs::path> lagging;
  jobs.shared_labels().for_each_replaced([&](const SharedLabels::File& file) {
    const auto lags = [&](const std::optional<std::size_t>& picture) {
      return picture && !written.variants()[*picture].empty() &&
             (written.stored(*picture) ||
              journals.stored_before(file.input, jobs.place_of(*picture)));
    };
    if (std::ranges::any_of(file.pictures, lags)) lagging.push_back(file.input);
  });
  return lagging;
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
    results.add([&] {
      return write_shared_labels(file, plan.output_folder, std::ref(variants), made, if_exists,
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
