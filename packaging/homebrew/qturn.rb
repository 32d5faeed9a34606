# Homebrew on Linux: untried. QTURN_SOURCE is the path of the source archive that scripts/release makes.
class Qturn < Formula
  desc "Turns and mirrors pictures without loss"
  url "file://#{ENV.fetch("QTURN_SOURCE")}"
  license "Apache-2.0"

  depends_on "cli11" => :build
  depends_on "cmake" => :build
  depends_on "highway" => :build
  depends_on "imath" => :build
  depends_on "ninja" => :build
  depends_on "nlohmann-json" => :build
  depends_on "brotli"
  depends_on "fmt"
  depends_on "giflib"
  depends_on "jpeg-turbo"
  depends_on "libarchive"
  depends_on "libdeflate"
  depends_on "libtiff"
  depends_on :linux
  depends_on "openimageio"
  depends_on "tbb"
  depends_on "webp"
  depends_on "xxhash"
  depends_on "zlib"

  def install
    system "cmake", "-G", "Ninja", "-S", ".", "-B", "built", "-DQTURN_CUDA=OFF", "-DQTURN_TESTS=OFF", *std_cmake_args
    system "cmake", "--build", "built"
    system "cmake", "--install", "built"
  end

  test do
    system bin/"qturn", "--version"
  end
end
