# Finds out whether there is a CUDA compiler that is new enough, and chooses the GPUs to build for.
#
# Sets have_cuda_compiler, and CMAKE_CUDA_ARCHITECTURES unless the caller did, to qturn_own_architectures: the GPUs of this
# machine. Without a GPU it is one architecture, because building for all of them takes minutes (scripts/bundle does that).
set(cuda_oldest 12.4)
set(have_cuda_compiler OFF)

# Toolkits are installed in /usr/local/cuda, which is not on the PATH by default.
if(NOT DEFINED CMAKE_CUDA_COMPILER AND NOT DEFINED ENV{CUDACXX})
  find_program(nvcc nvcc HINTS ENV CUDA_HOME ENV CUDA_PATH PATHS /usr/local/cuda PATH_SUFFIXES bin NO_CACHE)
  if(nvcc)
    set(ENV{CUDACXX} ${nvcc})
  endif()
endif()
include(CheckLanguage)
check_language(CUDA)

if(CMAKE_CUDA_COMPILER)
  execute_process(COMMAND ${CMAKE_CUDA_COMPILER} --version OUTPUT_VARIABLE cuda_says ERROR_QUIET)
  if(cuda_says MATCHES "release ([0-9]+\\.[0-9]+)" AND CMAKE_MATCH_1 VERSION_LESS cuda_oldest)
    message(STATUS "qturn: ${CMAKE_CUDA_COMPILER} is CUDA ${CMAKE_MATCH_1}, ${cuda_oldest} or newer is needed")
  else()
    set(have_cuda_compiler ON)
  endif()
endif()

set(qturn_own_architectures 90)
execute_process(COMMAND nvidia-smi --query-gpu=compute_cap --format=csv,noheader
  OUTPUT_VARIABLE gpus RESULT_VARIABLE failed ERROR_QUIET)
string(REGEX MATCHALL "[0-9]+\\.[0-9]+" gpus "${gpus}")
if(failed EQUAL 0 AND gpus)
  string(REPLACE "." "" qturn_own_architectures "${gpus}")
  list(REMOVE_DUPLICATES qturn_own_architectures)
endif()
# A project that enabled CUDA without a choice and then adds this one has nvcc's oldest, by CMake's choice.
get_property(chosen_by CACHE CMAKE_CUDA_ARCHITECTURES PROPERTY HELPSTRING)
if(have_cuda_compiler AND NOT DEFINED ENV{CUDAARCHS} AND (NOT DEFINED CMAKE_CUDA_ARCHITECTURES
    OR (chosen_by STREQUAL "CUDA architectures" AND CMAKE_CUDA_ARCHITECTURES MATCHES "^(52|75)$")))
  set(CMAKE_CUDA_ARCHITECTURES ${qturn_own_architectures})
endif()
