# Results are specified to the last bit (docs/arithmetic.md), so the compiler computes as the sources say, whatever a
# parent project asks for: no contraction of a * b + c, no fast math, IEEE 754 in all parts.
#
# kai_set_float_rules(SOURCES...): options of the source files, which CMake puts behind everything else: behind
# CMAKE_CXX_FLAGS, the options of folders and of targets, and those of the libraries that a target is linked with. Where
# nobody asks for anything, they change no object, but for contraction.
#
# kai_keep_float_environment(TARGET): linked with -ffast-math, a shared library would make the process that loads it
# flush subnormals to zero (crtfastmath.o).
#
# kai/engines/core/base.hpp refuses what the compiler tells of.
#
# SPDX-License-Identifier: Apache-2.0

# -fno-fast-math alone leaves what a flag of its own has set. It also resets -ffp-contract and, with Clang,
# -fmath-errno: these come after it.
set(kai_float_rules -fno-fast-math -fno-unsafe-math-optimizations -fno-associative-math -fno-reciprocal-math
    -fno-finite-math-only -fsigned-zeros -ffp-contract=off -fno-math-errno)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    list(APPEND kai_float_rules -ftrapping-math -fno-rounding-math -fno-single-precision-constant)
else()  # warns about the flags of the parent that lose, which -Werror would make an error
    list(APPEND kai_float_rules -fdenormal-fp-math=ieee -Wno-unknown-warning-option -Wno-overriding-option
        -Wno-overriding-t-option)
endif()
kai_compiler_flags(kai_float_rules ${kai_float_rules})

function(kai_set_float_rules)
    set(sources ${ARGV})
    list(FILTER sources INCLUDE REGEX "\\.cpp$")
    set_property(SOURCE ${sources} APPEND PROPERTY COMPILE_OPTIONS ${kai_float_rules})
endfunction()

function(kai_keep_float_environment target)
    if(CMAKE_C_COMPILER_ID MATCHES "^(GNU|.*Clang)$" AND NOT CMAKE_C_COMPILER_FRONTEND_VARIANT STREQUAL "MSVC")
        # -O2: instead of -Ofast
        target_link_options(${target} PRIVATE -O2 -fno-fast-math -fno-unsafe-math-optimizations)
    endif()
endfunction()
