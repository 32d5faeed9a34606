// In the place of OpenCV's cudaarithm: the two functions, which say that they were called.
#include <cstdio>
#include <opencv2/core.hpp>
#include <opencv2/core/cuda.hpp>

namespace cv::cuda {

void transpose(InputArray src, OutputArray dst, Stream& stream);
void flip(InputArray src, OutputArray dst, int flip_code, Stream& stream);

void transpose(InputArray, OutputArray, Stream&) { std::puts("OpenCV's transpose"); }
void flip(InputArray, OutputArray, int, Stream&) { std::puts("OpenCV's flip"); }

}  // namespace cv::cuda
