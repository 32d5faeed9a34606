#!/bin/bash -eu
# Fills $OUT with the fuzzers and what they need, as OSS-Fuzz calls it: with SRC, WORK, OUT, CC, CXX, CFLAGS, CXXFLAGS and
# LIB_FUZZING_ENGINE.
cd "$SRC/qturn"

# The libraries of the distribution, and OpenImageIO, are libstdc++'s.
cmake --preset fuzz -B "$WORK/qturn" -DCMAKE_C_COMPILER="$CC" -DCMAKE_CXX_COMPILER="$CXX" \
  -DCMAKE_CXX_FLAGS="${CXXFLAGS//-stdlib=libc++/}" -DQTURN_FUZZ_ENGINE="$LIB_FUZZING_ENGINE" \
  -DCMAKE_EXE_LINKER_FLAGS=-Wl,--disable-new-dtags \
  -DCMAKE_BUILD_WITH_INSTALL_RPATH=ON "-DCMAKE_INSTALL_RPATH=\$ORIGIN/lib"
cmake --build "$WORK/qturn" --target fuzz
fuzz=$WORK/qturn/tests/fuzz/fuzz module=$WORK/qturn/src/libqturn_openimageio.so

# Where fuzzers run there may be nothing but the C library. The program finds all others in lib, and so do they.
mkdir -p "$OUT/lib"
LD_LIBRARY_PATH=$PWD/build/deps/oiio/lib:$PWD/build/deps/usr/lib ldd "$fuzz" "$module" | awk '$3 ~ /^\// { print $3 }' |
  grep -vE '/(libc|libm|libdl|libpthread|librt)\.so' | sort -u | xargs cp -t "$OUT/lib" "$module"

for seeds in tests/fuzz/*/; do
  name=$(basename "$seeds")
  cp "$fuzz" "$OUT/${name}_fuzz" # its name says what it runs
  python3 -m zipfile -c "$OUT/${name}_fuzz_seed_corpus.zip" "$seeds"*
  printf '[libfuzzer]\nmax_len = 16384\n' >"$OUT/${name}_fuzz.options"
done
