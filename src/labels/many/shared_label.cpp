#include "src/labels/many/shared_label.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "src/labels/many/coco_file.hpp"
#include "src/labels/many/csv_file.hpp"
#include "src/labels/many/element_file.hpp"
#include "src/labels/text/any_text.hpp"
#include "src/labels/text/label_text.hpp"

namespace qturn {
namespace {

template <typename Reader, typename Content>
class ReaderOf : public SharedLabelReader {
 public:
  template <typename... More>
  explicit ReaderOf(const SwapPairs& pairs, More... more) : reader_(pairs, more...) {}
  void take(std::string_view part) override { reader_.take(part); }
  std::unique_ptr<LabelledImages> finish() override {
    return std::make_unique<Content>(reader_.finish());
  }

 private:
  Reader reader_;
};

template <typename Writer, typename Content>
class WriterOf : public SharedLabelWriter {
 public:
  WriterOf(const Content& content, VariantsOf variants_of, AppendText append)
      : writer_(content, std::move(variants_of), std::move(append)) {}
  void take(std::string_view part) override { writer_.take(part); }
  void finish() override { writer_.finish(); }

 private:
  Writer writer_;
};

template <typename Reader, typename Content>
std::unique_ptr<SharedLabelReader> new_reader(const SwapPairs& pairs) {
  return std::make_unique<ReaderOf<Reader, Content>>(pairs);
}

template <typename Writer, typename Content>
std::unique_ptr<SharedLabelWriter> new_writer(const LabelledImages& images, VariantsOf variants_of,
                                              AppendText append) {
  return std::make_unique<WriterOf<Writer, Content>>(dynamic_cast<const Content&>(images),
                                                     std::move(variants_of), std::move(append));
}

std::unique_ptr<SharedLabelReader> new_voc_csv_reader(const SwapPairs& pairs) {
  return std::make_unique<ReaderOf<CsvReader, CsvContent>>(pairs, BoxOrder::voc);
}

std::unique_ptr<SharedLabelWriter> new_csv_shapes(const LabelledImages& images,
                                                  TellLabelContent tell) {
  return std::make_unique<CsvShapesReader>(dynamic_cast<const CsvContent&>(images),
                                           std::move(tell));
}

/// The row of a format whose files are read element by element.
template <const ElementFormat& format>
constexpr SharedLabelFormat of_elements(std::string_view option, std::string_view name,
                                        std::string_view suffix, bool says_file_sizes = false,
                                        std::string_view plain_name = {},
                                        bool is_named_only = false) {
  return {option,
          name,
          suffix,
          false,
          false,
          says_file_sizes,
          [](const SwapPairs& pairs) { return new_element_reader(format, pairs); },
          [](const LabelledImages& images, VariantsOf variants_of, AppendText append) {
            return new_element_writer(format, images, std::move(variants_of), std::move(append));
          },
          [](const LabelledImages& images, TellLabelContent tell) {
            return new_element_shapes(format, images, std::move(tell));
          },
          [] { return element_recogniser(format); },
          plain_name,
          is_named_only};
}

/// Whether it is an object that has images and annotations, or ends within one of them. The images
/// of a test set have no annotations, and are known by their members.
std::function<std::optional<bool>(std::string_view)> coco_recogniser() {
  return [found = std::array<bool, 6>(), is_begun = false, last = ' ',
          window = std::string()](std::string_view part) mutable -> std::optional<bool> {
    constexpr std::string_view names[] = {"\"images\"",    "\"annotations\"", "\"id\"",
                                          "\"file_name\"", "\"width\"",       "\"height\""};
    const std::size_t begin = part.find_first_not_of(" \t\r\n\xef\xbb\xbf");
    if (!is_begun && begin != std::string_view::npos && part[begin] != '{') return false;
    is_begun = is_begun || begin != std::string_view::npos;
    window += part;
    for (std::size_t i = 0; i < found.size(); ++i)
      found[i] = found[i] || window.find(names[i]) != std::string::npos;
    const auto& [images, annotations, id, file_name, width, height] = found;
    const std::size_t end = part.find_last_not_of(" \t\r\n");
    if (end != std::string_view::npos) last = part[end];
    if (images && annotations) return true;
    if (part.empty() && last != '}') return images || annotations;
    if (part.empty()) return images && id && file_name && width && height;
    window.erase(0, window.size() - std::min<std::size_t>(window.size(), 16));
    return std::nullopt;
  };
}

/// Whether its first row names a picture and coordinates, or Hugging Face's objects, which may have
/// boxes.
std::function<std::optional<bool>(std::string_view)> csv_recogniser() {
  return [head = std::string()](std::string_view part) mutable -> std::optional<bool> {
    head += part.substr(0, text_head_bytes);
    const std::size_t end = head.find('\n');
    const bool is_over = part.empty() || head.size() >= text_head_bytes;
    if (end == head.npos && !is_over) return std::nullopt;
    const std::string header = head.substr(0, end);
    if (names_labels(header)) return true;
    if (!has_all(header, {"file_name", "objects"})) return false;
    if (has_any(head, {"bbox"})) return true;
    return is_over ? std::optional(false) : std::nullopt;
  };
}

constexpr SharedLabelFormat formats[] = {
    {"coco", "COCO", ".json", true, false, false, new_reader<CocoReader, CocoContent>,
     new_writer<CocoWriter, CocoContent>, nullptr, coco_recogniser},
    {"csv", "CSV", ".csv", false, true, false, new_reader<CsvReader, CsvContent>,
     new_writer<CsvWriter, CsvContent>, new_csv_shapes, csv_recogniser, "metadata.csv"},
    of_elements<cvat>("cvat", "CVAT", ".xml"),
    of_elements<hugging_face>("huggingface", "Hugging Face", ".jsonl", false, "metadata.jsonl"),
    of_elements<label_studio>("labelstudio", "Label Studio", ".json"),
    of_elements<create_ml>("createml", "Create ML", ".json"),
    of_elements<datumaro>("datumaro", "Datumaro", ".json"),
    of_elements<via>("via", "VIA", ".json", true),
    of_elements<hugging_face_voc>("huggingface:voc", "Hugging Face VOC", ".jsonl", false,
                                  "metadata.jsonl", true),
    {"huggingface:voc", "Hugging Face VOC CSV", ".csv", false, true, false, new_voc_csv_reader,
     new_writer<CsvWriter, CsvContent>, new_csv_shapes, csv_recogniser, "metadata.csv", true},
};

}  // namespace

const std::span<const SharedLabelFormat> shared_label_formats = formats;

}  // namespace qturn
