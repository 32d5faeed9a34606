// A turned label file of many pictures, compared with its original.
#pragma once

#include <filesystem>

#include "src/labels/labelled_images.hpp"
#include "src/plan/shared_labels.hpp"

namespace qturn {

/// Turns `result`, which has the labels of these variants, back, one variant at a time, and
/// compares the text with that of the original. Memory grows with the pictures. Throws ProofError
/// with both texts where they differ; FileError.
void prove_shared_labels(const SharedLabels::File& file, const std::filesystem::path& result,
                         const VariantsOf& variants_of);

}  // namespace qturn
