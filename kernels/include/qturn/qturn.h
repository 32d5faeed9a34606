/* The eight orientations for C, and for languages that call C. No function throws, and none keeps
   memory of the caller after it has returned or, on a GPU, after its work is done.

     const qturn_view src = {.data = pixels, .width = 640, .height = 480, .pitch = 640 * 3,
                             .pixel_bytes = 3};
     const qturn_view dst = {.data = turned, .width = 480, .height = 640, .pitch = 480 * 3,
                             .pixel_bytes = 3};
     if (qturn_transform(&src, &dst, QTURN_ROTATE90) != QTURN_OK) puts(qturn_last_error());

   cpu.hpp, cuda.hpp and batch.hpp say which shapes, pitches and overlaps are allowed.

   Threads: any thread may call any function at any time, on memory that no other call writes. */
#ifndef QTURN_H
#define QTURN_H

#include <stddef.h>
#include <stdint.h>

#include <qturn/export.hpp>

#ifdef __cplusplus
extern "C" {
#endif

/* NOLINTBEGIN(modernize-use-using): it is C. */

/** The result of a call. */
typedef enum qturn_status {
  QTURN_OK = 0,
  QTURN_INVALID_ARGUMENT = 1, /**< nothing was written or enqueued */
  QTURN_CUDA_ERROR = 2,       /**< a launch failed, or the stream is not the current device's */
  QTURN_OUT_OF_MEMORY = 3     /**< of the host; nothing was written or enqueued */
} qturn_status;

/** The numbers of Exif's tag 274. Turns are clockwise. */
enum {
  QTURN_IDENTITY = 1,
  QTURN_FLOP = 2,      /**< left and right exchanged */
  QTURN_ROTATE180 = 3, /**< half turn */
  QTURN_FLIP = 4,      /**< top and bottom exchanged */
  QTURN_TRANSPOSE = 5, /**< mirrored at the main diagonal */
  QTURN_ROTATE90 = 6,
  QTURN_TRANSVERSE = 7, /**< mirrored at the other diagonal */
  QTURN_ROTATE270 = 8
};

/** `height` rows of `width` pixels of `pixel_bytes` (1 to 256) each. Row y begins y * `pitch` bytes
    after `data`; the pitch may be negative. */
typedef struct qturn_view {
  void* data;
  int64_t width, height, pitch;
  int pixel_bytes;
} qturn_view;

/** `dst` becomes `src` seen in `orientation`. Nothing is written to `src`. */
typedef struct qturn_image {
  qturn_view src, dst;
  int orientation;
} qturn_image;

/* NOLINTEND(modernize-use-using) */

/** Why the last call of this thread that did not return QTURN_OK failed. Valid until the next one
    that fails. */
QTURN_EXPORT const char* qturn_last_error(void);

/** The number of "rotate90", "cw" and the other names, in lower case; 0 for any other word. */
QTURN_EXPORT int qturn_orientation_of_name(const char* name);
/** "rotate90" for 6; null for a number that is not 1 to 8. */
QTURN_EXPORT const char* qturn_orientation_name(int orientation);
/** The one orientation that does `first` and, on its result, `then`; 0 if one is not 1 to 8. */
QTURN_EXPORT int qturn_compose(int first, int then);
/** The orientation that undoes this one; 0 if it is not 1 to 8. */
QTURN_EXPORT int qturn_inverse(int orientation);
/** 1 for transpose, rotate90, transverse and rotate270: width becomes height. Else 0. */
QTURN_EXPORT int qturn_swaps_axes(int orientation);

/** Writes `src` seen in `orientation` to `dst`, in host memory, on the calling thread. */
QTURN_EXPORT qturn_status qturn_transform(const qturn_view* src, const qturn_view* dst,
                                          int orientation);
/** Transforms a view within its own memory: any size for mirrors and half turns, squares for the
    orientations that swap axes. */
QTURN_EXPORT qturn_status qturn_transform_in_place(const qturn_view* view, int orientation);
/** Transforms all images, one after the other. */
QTURN_EXPORT qturn_status qturn_transform_batch(const qturn_image* images, size_t count);

/** The same in memory that the device of `stream` can reach: each enqueues and returns without
    waiting, and may be captured in a graph. `stream` is a cudaStream_t of the current device; null
    is the default stream. Only in libraries that are built with CUDA. */
QTURN_EXPORT qturn_status qturn_cuda_transform(const qturn_view* src, const qturn_view* dst,
                                               int orientation, void* stream);
QTURN_EXPORT qturn_status qturn_cuda_transform_in_place(const qturn_view* view, int orientation,
                                                        void* stream);
QTURN_EXPORT qturn_status qturn_cuda_transform_batch(const qturn_image* images, size_t count,
                                                     void* stream);

#ifdef __cplusplus
}
#endif

#endif
