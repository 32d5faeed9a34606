#include <qturn/qturn.h>
#include <stdio.h>
#include <string.h>

static int failures = 0;

static void expect(int is_so, const char* what) {
  if (is_so) return;
  printf("failed: %s; the last error is \"%s\"\n", what, qturn_last_error());
  ++failures;
}

static int says(const char* words) { return strstr(qturn_last_error(), words) != NULL; }

int main(void) {
  char picture[6] = {'A', 'B', 'C', 'D', 'E', 'F'}, turned[6] = {0},
       square[4] = {'A', 'B', 'C', 'D'};
  const qturn_view src = {picture, 3, 2, 3, 1}, dst = {turned, 2, 3, 2, 1};
  const qturn_view same = {square, 2, 2, 2, 1};
  qturn_image image = {{picture, 3, 2, 3, 1}, {turned, 2, 3, 2, 1}, QTURN_TRANSPOSE};

  expect(qturn_transform(&src, &dst, QTURN_ROTATE90) == QTURN_OK, "transform");
  expect(memcmp(turned, "DAEBFC", 6) == 0, "rotate90");
  expect(qturn_transform_in_place(&same, QTURN_FLIP) == QTURN_OK, "in place");
  expect(memcmp(square, "CDAB", 4) == 0, "flip");
  expect(qturn_transform_batch(&image, 1) == QTURN_OK, "batch");
  expect(memcmp(turned, "ADBECF", 6) == 0, "transpose");
  expect(qturn_transform_batch(NULL, 0) == QTURN_OK, "no images");

  expect(qturn_transform(&src, &dst, QTURN_FLOP) == QTURN_INVALID_ARGUMENT, "wrong shape");
  expect(says("dst is 2x3, expected 3x2"), "message of a wrong shape");
  expect(qturn_transform(NULL, &dst, QTURN_FLOP) == QTURN_INVALID_ARGUMENT && says("src is null"),
         "null");
  expect(qturn_transform(&src, &dst, 9) == QTURN_INVALID_ARGUMENT && says("orientation is 9"),
         "a number");
  expect(qturn_transform(&src, &dst, 262) == QTURN_INVALID_ARGUMENT && says("orientation is 262"),
         "a large number");
  expect(qturn_transform_batch(NULL, 1) == QTURN_INVALID_ARGUMENT && says("images is null"),
         "no batch");
  image.orientation = 0;
  expect(qturn_transform_batch(&image, 1) == QTURN_INVALID_ARGUMENT && says("orientation is 0"),
         "of a batch");
  expect(memcmp(turned, "ADBECF", 6) == 0, "what is refused writes nothing");

  expect(
      qturn_orientation_of_name("cw") == QTURN_ROTATE90 && qturn_orientation_of_name("left") == 0,
      "of a name");
  expect(qturn_orientation_of_name(NULL) == 0, "of no name");
  expect(strcmp(qturn_orientation_name(QTURN_TRANSVERSE), "transverse") == 0, "name");
  expect(qturn_orientation_name(0) == NULL, "no name");
  expect(qturn_compose(QTURN_ROTATE90, QTURN_FLOP) == QTURN_TRANSPOSE && qturn_compose(9, 1) == 0,
         "compose");
  expect(qturn_inverse(QTURN_ROTATE90) == QTURN_ROTATE270 && qturn_inverse(-1) == 0, "inverse");
  expect(qturn_swaps_axes(QTURN_TRANSPOSE) == 1 && qturn_swaps_axes(QTURN_FLIP) == 0 &&
             qturn_swaps_axes(0) == 0,
         "axes");

#ifdef WITH_CUDA
  {
    /* An empty picture needs no GPU; what is wrong is found before one is asked for. */
    const qturn_view empty = {NULL, 0, 0, 0, 1};
    expect(qturn_cuda_transform(&empty, &empty, QTURN_ROTATE90, NULL) == QTURN_OK, "empty, CUDA");
    expect(qturn_cuda_transform_in_place(&empty, QTURN_FLOP, NULL) == QTURN_OK,
           "empty in place, CUDA");
    expect(qturn_cuda_transform_batch(NULL, 0, NULL) == QTURN_OK, "no images, CUDA");
    expect(qturn_cuda_transform(&src, &dst, QTURN_FLOP, NULL) == QTURN_INVALID_ARGUMENT,
           "wrong shape, CUDA");
  }
#endif
  if (failures == 0) puts("C: as expected");
  return failures;
}
