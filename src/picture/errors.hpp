// Why a picture was not read or written.
#ifndef QTURN_SRC_PICTURE_ERRORS_HPP
#define QTURN_SRC_PICTURE_ERRORS_HPP

#include <qturn/pictures.hpp>  // ImageFileError

#include <stdexcept>

namespace qturn {

/// The caller's stop flag was raised while a picture was read or written.
class Interrupted : public std::runtime_error {
 public:
  Interrupted() : std::runtime_error("interrupted") {}
};

}  // namespace qturn

#endif  // QTURN_SRC_PICTURE_ERRORS_HPP
