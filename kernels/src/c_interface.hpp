// What the functions of qturn.h share: C's structures as C++'s, exceptions as numbers.
#pragma once

#include <qturn/qturn.h>
#include <qturn/batch.hpp>
#include <qturn/orientation.hpp>
#include <qturn/view.hpp>

#include <new>
#include <stdexcept>
#include <vector>

namespace qturn::c {

/// Keeps what qturn_last_error() returns, and returns `status`.
qturn_status failed(qturn_status status, const char* what) noexcept;

/// Runs the body of a function, and returns its status.
template <class Body>
qturn_status run(Body body) noexcept {
  try {
    body();
    return QTURN_OK;
  } catch (const std::invalid_argument& error) {
    return failed(QTURN_INVALID_ARGUMENT, error.what());
  } catch (const std::bad_alloc& error) {
    return failed(QTURN_OUT_OF_MEMORY, error.what());
  } catch (const std::exception& error) {
    return failed(QTURN_CUDA_ERROR, error.what());
  }
}

/// Throws std::invalid_argument if the number is not one.
Orientation orientation(int number);
/// Throws std::invalid_argument if there is none.
View view(const qturn_view* view, const char* which);
/// Throws as the two before.
std::vector<BatchImage> images(const qturn_image* images, std::size_t count);

}  // namespace qturn::c
