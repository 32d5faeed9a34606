# Builds and runs the two projects that use the kernels as somebody else would: one finds them
# installed, one has their sources as a subfolder. Both are configured from nothing, for the CPU or
# with CUDA as this build is.
set(consumers ${CMAKE_CURRENT_BINARY_DIR}/consumers)
set(consumer_options
  -G ${CMAKE_GENERATOR} -DCMAKE_CXX_COMPILER=${CMAKE_CXX_COMPILER} "-DCMAKE_CXX_FLAGS=${CMAKE_CXX_FLAGS}")

add_test(NAME "consumers: every installed header compiles alone"
  COMMAND ${CMAKE_COMMAND} --build ${PROJECT_BINARY_DIR} --config $<CONFIG>
    --target all_verify_interface_header_sets)

# Runs a step of a consumer after the others it names.
function(consumer_step name after)
  add_test(NAME "consumers: ${name}" COMMAND ${ARGN})
  set_tests_properties("consumers: ${name}" PROPERTIES FIXTURES_SETUP "${name}"
    FIXTURES_REQUIRED "${after}" TIMEOUT 600)
endfunction()

consumer_step("an old installation is gone" "" ${CMAKE_COMMAND} -E rm -rf ${consumers})
consumer_step("the kernels install" "an old installation is gone"
  ${CMAKE_COMMAND} --install ${PROJECT_BINARY_DIR} --config $<CONFIG> --component kernels
  --prefix ${consumers}/prefix)
set(with_cuda "")
if(QTURN_CUDA)
  set(with_cuda -DWITH_CUDA)
  set(jpeg_guide -DJPEG_README=${PROJECT_SOURCE_DIR}/kernels/jpeg/README.md)
endif()
consumer_step("a C++17 project finds the installed kernels" "the kernels install"
  ${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR}/consumer_find_package -B ${consumers}/found
  ${consumer_options} -DCMAKE_PREFIX_PATH=${consumers}/prefix ${jpeg_guide})
consumer_step("the C++17 project builds" "a C++17 project finds the installed kernels"
  ${CMAKE_COMMAND} --build ${consumers}/found)
consumer_step("the C++17 program runs" "the C++17 project builds" ${consumers}/found/consumer)
set_tests_properties("consumers: the C++17 program runs" PROPERTIES
  PASS_REGULAR_EXPRESSION "^CA/DB\n$")
consumer_step("a project in C alone finds the installed kernels" "the kernels install"
  ${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR}/consumer_c -B ${consumers}/c -G ${CMAKE_GENERATOR}
  "-DCMAKE_C_FLAGS=${CMAKE_CXX_FLAGS}" -DCMAKE_PREFIX_PATH=${consumers}/prefix)
consumer_step("the C project builds" "a project in C alone finds the installed kernels"
  ${CMAKE_COMMAND} --build ${consumers}/c)
consumer_step("the C program runs" "the C project builds" ${consumers}/c/consumer)

consumer_step("the kernels install alone" "an old installation is gone"
  ${CMAKE_COMMAND} --install ${PROJECT_BINARY_DIR} --config $<CONFIG> --component kernels
  --prefix ${consumers}/alone)
consumer_step("a project is told which components are missing" "the kernels install alone"
  ${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR}/consumer_missing -B ${consumers}/missing
  ${consumer_options} -DCMAKE_PREFIX_PATH=${consumers}/alone -DWITH_CUDA=${QTURN_CUDA})

# pkg-config finds the installation where it lies now.
find_program(QTURN_PKG_CONFIG pkg-config DOC "pkg-config, for the test of what is installed for it")
mark_as_advanced(QTURN_PKG_CONFIG)
if(QTURN_PKG_CONFIG)
  consumer_step("the installation is moved" "the kernels install alone"
    ${CMAKE_COMMAND} -E copy_directory ${consumers}/alone ${consumers}/moved)
  consumer_step("pkg-config builds a program with the moved kernels" "the installation is moved"
    ${CMAKE_CURRENT_LIST_DIR}/consumer_pkg_config.sh ${QTURN_PKG_CONFIG} ${consumers}/moved/${CMAKE_INSTALL_LIBDIR} qturn
    ${CMAKE_CXX_COMPILER} ${CMAKE_CURRENT_LIST_DIR}/consumer_find_package/main.cpp ${consumers}/by_pkg_config -std=c++17 ${with_cuda})
  consumer_step("the program of pkg-config runs" "pkg-config builds a program with the moved kernels"
    ${consumers}/by_pkg_config)
  set_tests_properties("consumers: the program of pkg-config runs" PROPERTIES PASS_REGULAR_EXPRESSION "^CA/DB\n$")
  consumer_step("pkg-config builds a program in C" "the installation is moved"
    ${CMAKE_CURRENT_LIST_DIR}/consumer_pkg_config.sh ${QTURN_PKG_CONFIG} ${consumers}/moved/${CMAKE_INSTALL_LIBDIR} qturn
    cc ${CMAKE_CURRENT_LIST_DIR}/consumer_c/main.c ${consumers}/c_by_pkg_config ${with_cuda})
  consumer_step("the program in C of pkg-config runs" "pkg-config builds a program in C" ${consumers}/c_by_pkg_config)
endif()

if(QTURN_CUDA AND NOT BUILD_SHARED_LIBS)
  add_test(NAME "consumers: the libraries link with the runtime of CUDA 12.4"
    COMMAND ${CMAKE_CURRENT_LIST_DIR}/cuda_runtime.sh ${CMAKE_NM} $<TARGET_FILE:qturn_kernels> $<TARGET_FILE:qturn_jpeg>)
endif()
if(QTURN_CUDA)
  consumer_step("the JPEG guide's program names what it refuses" "the C++17 project builds"
    ${consumers}/found/decode_jpeg ${CMAKE_CURRENT_LIST_FILE})
  set_tests_properties("consumers: the JPEG guide's program names what it refuses" PROPERTIES
    PASS_REGULAR_EXPRESSION "it is not a JPEG")
  consumer_step("the training loop finds the installed kernels" "the kernels install"
    ${CMAKE_COMMAND} -S ${PROJECT_SOURCE_DIR}/kernels/examples/training_loop -B ${consumers}/training_loop
    ${consumer_options} -DCMAKE_PREFIX_PATH=${consumers}/prefix)
  consumer_step("the training loop builds" "the training loop finds the installed kernels"
    ${CMAKE_COMMAND} --build ${consumers}/training_loop)
endif()

consumer_step("a C++20 project takes the sources as a folder" "an old installation is gone"
  ${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR}/consumer_add_subdirectory -B ${consumers}/added
  ${consumer_options} -DQTURN_SOURCE_DIR=${PROJECT_SOURCE_DIR} -DQTURN_CUDA=${QTURN_CUDA}
  -DEXPECTED_ARCHITECTURES=${qturn_own_architectures})
consumer_step("the kernels of a project without a build type are optimised" "a C++20 project takes the sources as a folder"
  grep -e "-O3 .*plain.cpp" ${consumers}/added/compile_commands.json)
consumer_step("the C++20 project builds" "a C++20 project takes the sources as a folder"
  ${CMAKE_COMMAND} --build ${consumers}/added --target consumer)
set_tests_properties("consumers: the C++20 project builds" PROPERTIES TIMEOUT 1800)  # all kernels once more
consumer_step("the C++20 program runs" "the C++20 project builds" ${consumers}/added/consumer)
set_tests_properties("consumers: the C++20 program runs" PROPERTIES
  PASS_REGULAR_EXPRESSION "^DAEBFC, dst is 2x3, expected 3x2\n$")
consumer_step("Python's ctypes turns pictures" "the C++20 project builds" Python3::Interpreter
  ${CMAKE_CURRENT_LIST_DIR}/c_interface.py ${consumers}/added/qturn/kernels/libqturn_kernels.so)

if(QTURN_TOOLS)
  consumer_step("the pictures install" "the kernels install"
    ${CMAKE_COMMAND} --install ${PROJECT_BINARY_DIR} --config $<CONFIG> --component pictures --prefix ${consumers}/prefix)
  string(REPLACE ":" "\\;" prefixes "$ENV{CMAKE_PREFIX_PATH}")
  consumer_step("a C++17 project finds the installed pictures" "the pictures install"
    ${CMAKE_COMMAND} -S ${PROJECT_SOURCE_DIR}/tests/turn/consumer_pictures -B ${consumers}/pictures
    ${consumer_options} "-DCMAKE_PREFIX_PATH=${consumers}/prefix\;${prefixes}"
    -DEXAMPLE=${PROJECT_SOURCE_DIR}/src/examples/upright.cpp)
  consumer_step("the pictures' example builds" "a C++17 project finds the installed pictures"
    ${CMAKE_COMMAND} --build ${consumers}/pictures)
  if(QTURN_PKG_CONFIG)
    consumer_step("pkg-config builds the pictures' example" "the pictures install"
      ${CMAKE_CURRENT_LIST_DIR}/consumer_pkg_config.sh ${QTURN_PKG_CONFIG} ${consumers}/prefix/${CMAKE_INSTALL_LIBDIR}
      qturn-pictures ${CMAKE_CXX_COMPILER} ${PROJECT_SOURCE_DIR}/src/examples/upright.cpp ${consumers}/upright_by_pkg_config -std=c++17)
  endif()
  set(sample "${PROJECT_SOURCE_DIR}/testdata/samples/camera roll/cat.jpg")
  consumer_step("the pictures' example runs" "the pictures' example builds"
    ${consumers}/pictures/upright ${sample} ${consumers}/upright.jpg)
  set_tests_properties("consumers: the pictures' example runs" PROPERTIES PASS_REGULAR_EXPRESSION "^jpeg, 451 x 300\n$")
  consumer_step("the program turns a picture as the example does" "the pictures' example runs"
    qturn upright ${sample} -o ${consumers}/by_program.jpg --jpeg-edges tag --overwrite)
  consumer_step("the program and the example write the same bytes" "the program turns a picture as the example does"
    ${CMAKE_COMMAND} -E compare_files ${consumers}/upright.jpg ${consumers}/by_program.jpg)
endif()

if(QTURN_OPENCV)
  consumer_step("the OpenCV plugin installs" "the kernels install"
    ${CMAKE_COMMAND} --install ${PROJECT_BINARY_DIR} --config $<CONFIG> --component opencv --prefix ${consumers}/prefix)
  consumer_step("a C++17 project finds the installed OpenCV plugin" "the OpenCV plugin installs"
    ${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR}/consumer_opencv -B ${consumers}/opencv
    ${consumer_options} -DCMAKE_PREFIX_PATH=${consumers}/prefix -DOpenCV_DIR=${OpenCV_DIR}
    -DEXAMPLE=${PROJECT_SOURCE_DIR}/plugins/opencv/example/quarter_turn.cpp)
  consumer_step("the OpenCV plugin's example builds" "a C++17 project finds the installed OpenCV plugin"
    ${CMAKE_COMMAND} --build ${consumers}/opencv)
  consumer_step("the OpenCV plugin's example runs" "the OpenCV plugin's example builds" ${consumers}/opencv/quarter_turn)
  # Its own cv::Mat comparison, or, without a GPU, what the plugin says then.
  set_tests_properties("consumers: the OpenCV plugin's example runs" PROPERTIES
    PASS_REGULAR_EXPRESSION "cv::Mat: equal to cv::rotate\n.*(equal to cv::rotate|without CUDA)\n|code -216: there is no GPU to use")
endif()
