// Why a picture was not read or written.
#pragma once

#include <qturn/orientation.hpp>
#include <qturn/pictures.hpp>  // ImageFileError

#include <optional>
#include <stdexcept>
#include <string>

namespace qturn {

/// The caller's stop flag was raised while a picture was read or written.
class Interrupted : public std::runtime_error {
 public:
  Interrupted() : std::runtime_error("interrupted") {}
};

/// A result was read again, and does not hold what was to be made of its original. The message has
/// both: what was expected, and what was found.
class ProofError : public ImageFileError {
 public:
  using ImageFileError::ImageFileError;
};

/// The first orientation of which `proves` does not throw ProofError; else throws the first such
/// error. The order is that of what turns are made for.
template <typename Proves>
Orientation first_that_holds(Proves proves) {
  using enum Orientation;
  std::optional<ProofError> first;
  for (const Orientation each :
       {identity, rotate90, rotate270, rotate180, flop, flip, transpose, transverse}) {
    try {
      proves(each);
      return each;
    } catch (const ProofError& error) {
      if (!first) first = error;
    }
  }
  throw ProofError(std::string("in none of the eight orientations is it the original; as it is, ") +
                   first->what());
}

}  // namespace qturn
