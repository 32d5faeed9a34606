// Decides when a call of a program is taken, and when it is left to OpenCV.
#pragma once

#include <qturn/cuda.hpp>

#include <stdexcept>

#include "plugins/opencv/src/refusal.hpp"

namespace qturn::opencv {

/// `enqueue()` returns whether it enqueued anything, and throws if it cannot. If it throws, the
/// call is left to OpenCV, and this returns false. Then `wait()` is called. What it throws goes on
/// to the program: the work is in the stream, and OpenCV would flip a picture in place a second
/// time.
template <class Enqueue, class Wait>
bool taken(Enqueue enqueue, Wait wait) {
  bool enqueued = false;
  try {
    enqueued = enqueue();
  } catch (const Refusal&) {
    return false;
  } catch (const CudaError&) {
    return false;
  } catch (const std::invalid_argument&) {
    return false;
  }
  if (enqueued) wait();
  return true;
}

}  // namespace qturn::opencv
