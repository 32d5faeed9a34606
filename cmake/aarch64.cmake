# Debian's cross compiler, the arm64 packages that 'scripts/setup --aarch64' has unpacked, and qemu-user, which runs what was
# compiled. QEMU_CPU chooses the processor, for example "cortex-a72", or "max,sve-max-vq=2" for vectors of 32 bytes.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_CUDA_HOST_COMPILER aarch64-linux-gnu-g++)
cmake_path(SET CMAKE_SYSROOT NORMALIZE ${CMAKE_CURRENT_LIST_DIR}/../build/deps/aarch64)
set(CMAKE_FIND_ROOT_PATH ${CMAKE_SYSROOT})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
foreach(kind INCLUDE LIBRARY PACKAGE)
  set(CMAKE_FIND_ROOT_PATH_MODE_${kind} ONLY)
endforeach()
# Not by qemu's option -L: a program that opens "/" would get the root of the libraries. CMake takes that root off run paths.
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64 ${CMAKE_SYSROOT}/lib/ld-linux-aarch64.so.1 --library-path
  ${CMAKE_SYSROOT}/lib/aarch64-linux-gnu:${CMAKE_SYSROOT}/usr/lib/aarch64-linux-gnu:${CMAKE_SYSROOT}/oiio/lib:${CMAKE_SYSROOT}/archive/lib)
