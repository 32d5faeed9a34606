#include "tools/qturn/label_pages.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "src/check/label_page.hpp"
#include "src/files/safe_file.hpp"
#include "tools/qturn/report.hpp"

namespace qturn {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_pictures = 200, most_samples = 50, most_sentences = 20;

void add_to(std::map<std::size_t, FindingsToShow::Sentences>& shown, std::size_t picture,
            const std::string& sentence) {
  if (shown.size() >= most_pictures && !shown.contains(picture)) return;
  FindingsToShow::Sentences& sentences = shown[picture];
  if (sentences.size() < most_sentences) sentences.push_back(sentence);
  if (sentences.size() == most_sentences) sentences.back() = "and more";
}

/// Numbers of pictures, at most as many as a page shows: first all with findings, then others,
/// evenly spread. If labels are checked, only others that have a label.
std::vector<std::size_t> chosen(const FileList& files, const LabelCheck* check,
                                const FindingsToShow& findings) {
  std::vector<std::size_t> pictures;
  std::set<std::size_t> known;
  const auto add = [&](std::size_t picture) {
    if (pictures.size() < most_pictures && known.insert(picture).second)
      pictures.push_back(picture);
  };
  for (const auto* shown : {&findings.wrong(), &findings.notes()})
    for (const auto& each : *shown) add(each.first);
  std::vector<std::size_t> others;
  for (std::size_t number = 0; number < files.size(); ++number) {
    const bool is_shown =
        !check || (check->seen(number).is_read && check->seen(number).is_labelled);
    if (is_shown && !known.contains(number)) others.push_back(number);
  }
  const std::size_t count = std::min(others.size(), most_pictures - pictures.size());
  for (std::size_t i = 0; i < count; ++i) add(others[i * others.size() / count]);
  return pictures;
}

bool write_page(const std::string& file, std::string page) try {
  write_file(file, std::as_bytes(std::span(page)), {}, IfExists::replace);
  return true;
} catch (const std::exception& error) {
  print_message(printable(error.what()), Tone::error);
  return false;
}

/// Gives some results as the files of an input.
class Results {
 public:
  Results(const Plan& plan) : plan_(plan) {}

  void add(std::size_t source, Orientation variant) {
    const JobList& jobs = plan_.jobs;
    const fs::path path = jobs.names().path_of(jobs.files(), jobs.files()[source], variant);
    const std::size_t number = files_.size();
    files_.add(folder_of(path), path.filename().string(), {}).picture = true;
    if (const CompanionFiles::File* label = jobs.labels().of(source))
      add_label(number, jobs.labels(), *label, variant, labels_);
    for (const CompanionFiles::File& mask : jobs.masks().all_of(source))
      add_label(number, jobs.masks(), mask, variant, masks_);
  }

  LabelSources sources() const {
    LabelSources sources{.files = files_, .labels = labels_, .masks = masks_};
    for (const SharedLabels::File& file : plan_.jobs.shared_labels().files())
      if (file.found > 0) sources.shared.emplace(file.output, file.format);
    return sources;
  }

 private:
  std::uint32_t folder_of(const fs::path& path) {
    const std::string folder = path.parent_path() / "";
    const auto [known, is_new] = folders_.try_emplace(folder);
    if (is_new) known->second = files_.add_folder(folder, folder);
    return known->second;
  }

  void add_label(std::size_t number, const CompanionFiles& among, const CompanionFiles::File& label,
                 Orientation variant, CompanionFiles& to) {
    const fs::path path = plan_.jobs.output_of(among, label, variant);
    CompanionFiles::Place place = among.place_of(label);
    place.folder.path = path.parent_path() / "";
    to.add(number, to.add_place(std::move(place)), path.filename().string());
  }

  const Plan& plan_;
  FileList files_;
  std::map<std::string, std::uint32_t> folders_;
  CompanionFiles labels_, masks_;
};

/// The numbers of files that have results, at most as many as a page shows, evenly spread.
std::vector<std::size_t> chosen(const FileList& files, const std::vector<OrientationSet>& written) {
  std::vector<std::size_t> all, some;
  for (std::size_t number = 0; number < files.size(); ++number)
    if (files[number].picture && !(written[number] | files[number].kept).empty())
      all.push_back(number);
  const std::size_t count = std::min(all.size(), most_samples);
  for (std::size_t i = 0; i < count; ++i) some.push_back(all[i * all.size() / count]);
  return some;
}

}  // namespace

void FindingsToShow::add(const LabelFinding& finding) {
  if (!finding.picture) return;
  const LabelProblem& problem = finding.problem;
  std::string place = finding.file.filename().string();
  if (problem.place) place += fmt::format(":{}:{}", problem.place->line, problem.place->column);
  add_to(is_wrong(problem.fault) ? wrong_ : notes_, *finding.picture,
         fmt::format("{}: {}: {}", place, name(problem.fault), problem.why));
}

void FindingsToShow::add(std::size_t picture, const std::string& wrong) {
  add_to(wrong_, picture, wrong);
}

bool write_check_page(const CommandLine& line, const FileList& files, const LabelCheck* check,
                      const FindingsToShow& findings) {
  const std::vector<std::size_t> pictures = chosen(files, check, findings);
  std::map<std::size_t, std::vector<LabelLayer>> layers;
  if (check) layers = label_layers(*check, {pictures.begin(), pictures.end()});
  LabelPage page(check ? "Labels" : "Pictures",
                 fmt::format("{} of {} pictures, shown upright. Those with findings come first.{}",
                             pictures.size(), files.size(),
                             check ? " A label whose frame is not known is drawn as if it were "
                                     "made for the upright picture."
                                   : ""),
                 line.run.limits);
  for (const std::size_t picture : pictures) {
    const std::string path = files.path(files[picture]);
    const PageCell cell{.picture = path, .layers = std::move(layers[picture])};
    std::vector<std::string> sentences;
    for (const auto* shown : {&findings.wrong(), &findings.notes()}) {
      const auto found = shown->find(picture);
      if (found != shown->end())
        sentences.insert(sentences.end(), found->second.begin(), found->second.end());
    }
    page.add_row(path, {cell}, sentences);
  }
  return write_page(line.html_file, std::move(page).finish());
}

bool write_augment_page(const CommandLine& line, const Plan& plan,
                        const std::vector<OrientationSet>& written) {
  const FileList& files = plan.jobs.files();
  const std::vector<std::size_t> samples = chosen(files, written);
  const auto variants_of = [&](std::size_t number) { return written[number] | files[number].kept; };
  Results results(plan);
  for (const std::size_t number : samples)
    variants_of(number).for_each([&](Orientation variant) { results.add(number, variant); });
  LabelCheck check(results.sources(), LabelsDrawnOn::unknown, line.run.limits);
  const FileList& made = check.sources().files;
  FindingsToShow findings;
  std::set<std::size_t> pictures;
  for (std::size_t number = 0; number < made.size(); ++number) {
    pictures.insert(number);
    try {
      const Header header = check.header_of(made.path(made[number]));
      for (const LabelFinding& found : check.check_picture(number, header)) findings.add(found);
    } catch (const std::exception&) {
      // Its cell says that it cannot be shown.
    }
  }
  auto layers = label_layers(check, pictures);
  LabelPage page(
      "Variants",
      fmt::format("{} samples, with the variants and labels that were written.", samples.size()),
      line.run.limits);
  std::size_t number = 0;
  for (const std::size_t source : samples) {
    std::vector<PageCell> cells;
    std::vector<std::string> sentences;
    variants_of(source).for_each([&](Orientation variant) {
      cells.push_back({.caption = std::string(name(variant)),
                       .picture = made.path(made[number]),
                       .layers = std::move(layers[number])});
      const auto found = findings.wrong().find(number++);
      if (found != findings.wrong().end())
        sentences.insert(sentences.end(), found->second.begin(), found->second.end());
    });
    page.add_row(files.key(files[source]), cells, sentences);
  }
  return write_page(line.html_file, std::move(page).finish());
}

}  // namespace qturn
