# Which instruction sets this toolchain can build, and the flags of each.
#
# kai_probe_isas() sets, for every ISA of KAI_ISAS, KAI_BUILD_<isa> (0 or 1) and KAI_FLAGS_<isa>, and says at configure
# time which micro-kernels a toolchain leaves out and why. The last -march on a command line counts, so these flags win
# over the caller's: each object uses what its ISA names and nothing else.

include(CheckCXXSourceCompiles)

set(KAI_FLAGS_any -march=armv8-a)
set(KAI_FLAGS_neon -march=armv8-a)
set(KAI_FLAGS_neon_dotprod -march=armv8.2-a+dotprod)
set(KAI_FLAGS_neon_i8mm -march=armv8.2-a+i8mm)
# Assembly names its extensions itself (.arch), the C++ around it needs none.
set(KAI_FLAGS_sme -march=armv8-a)
set(KAI_FLAGS_sme2 -march=armv8-a)

set(KAI_PROBE_neon_dotprod "#include <arm_neon.h>
int32x4_t f(int32x4_t a, int8x16_t b) { return vdotq_s32(a, b, b); } int main() { return 0; }")
set(KAI_PROBE_neon_i8mm "#include <arm_neon.h>
int32x4_t f(int32x4_t a, int8x16_t b) { return vmmlaq_s32(a, b, b); } int main() { return 0; }")
set(KAI_PROBE_sme "__asm__(R\"(
    .arch armv8-a+sme
    smstart
    fmopa za0.s, p0/m, p0/m, z0.s, z1.s
)\");
int main() { return 0; }")
set(KAI_PROBE_sme2 "__asm__(R\"(
    .arch armv8-a+sme2
    luti4 {z0.b-z1.b}, zt0, z2[0]
    ptrue pn8.b
)\");
int main() { return 0; }")

function(kai_probe_isas)
    check_cxx_source_compiles("
        #if !defined(__aarch64__) && !defined(_M_ARM64)
        #error not AArch64
        #endif
        int main() { return 0; }" KAI_TARGET_IS_AARCH64)
    set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
    foreach(isa IN LISTS KAI_ISAS)
        set(built 1)
        if(NOT isa MATCHES "^(any|neon)$")
            set(built 0)
            if(KAI_TARGET_IS_AARCH64)
                set(CMAKE_REQUIRED_FLAGS ${KAI_FLAGS_${isa}})
                check_cxx_source_compiles("${KAI_PROBE_${isa}}" KAI_TOOLCHAIN_HAS_${isa})
                if(KAI_TOOLCHAIN_HAS_${isa})
                    set(built 1)
                else()
                    message(STATUS "KleidiAI: LEFT OUT: the ${isa} micro-kernels and packers (this compiler or assembler lacks the extension)")
                endif()
            endif()
        endif()
        set(KAI_BUILD_${isa} ${built} PARENT_SCOPE)
    endforeach()
    if(NOT KAI_TARGET_IS_AARCH64)
        message(STATUS "KleidiAI: not AArch64: portable packers, formats and the registry only")
    endif()
    set(KAI_TARGET_IS_AARCH64 ${KAI_TARGET_IS_AARCH64} PARENT_SCOPE)
endfunction()
