// A file in which each element says all of one picture, read and turned without being held: memory
// grows with its pictures. As with COCO, it is read twice.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string_view>

#include "src/labels/many/label_element.hpp"
#include "src/labels/many/shared_label.hpp"

namespace qturn {

std::unique_ptr<SharedLabelReader> new_element_reader(const ElementFormat& format,
                                                      const SwapPairs& pairs);
std::unique_ptr<SharedLabelWriter> new_element_writer(const ElementFormat& format,
                                                      const LabelledImages& images,
                                                      VariantsOf variants_of, AppendText append);
std::unique_ptr<SharedLabelWriter> new_element_shapes(const ElementFormat& format,
                                                      const LabelledImages& images,
                                                      TellLabelContent tell);
std::function<std::optional<bool>(std::string_view)> element_recogniser(
    const ElementFormat& format);

}  // namespace qturn
