# Which instruction sets this toolchain can build, and the flags of each.
#
# kai_probe_isas() sets, for every ISA of KAI_ISAS, KAI_BUILD_<isa> (0 or 1) and KAI_FLAGS_<isa>, and says at configure
# time which micro-kernels a toolchain leaves out and why. KAI_ASM_FLAGS_<isa>: what assembly sources of the ISA need
# (none of KAI_FLAGS_<isa>: they name their extensions themselves, .arch). The last -march on a command line counts, so these flags win
# over the caller's: each object uses what its ISA names and nothing else.

include(CheckCXXSourceCompiles)

set(KAI_FLAGS_any -march=armv8-a)
set(KAI_FLAGS_neon -march=armv8-a)
set(KAI_FLAGS_aarch64 -march=armv8-a)
set(KAI_FLAGS_neon_fp16 -march=armv8.2-a+fp16)
set(KAI_FLAGS_neon_bf16 -march=armv8.2-a+bf16)
set(KAI_FLAGS_neon_dotprod -march=armv8.2-a+dotprod)
set(KAI_FLAGS_neon_i8mm -march=armv8.2-a+i8mm)
set(KAI_FLAGS_sve -march=armv8.2-a+sve)
set(KAI_FLAGS_sve2p1 -march=armv8.2-a+sve)
set(KAI_FLAGS_sve_dotprod -march=armv8.2-a+sve+dotprod)
set(KAI_FLAGS_sve_i8mm -march=armv8.2-a+sve+i8mm)
# The C++ around assembly needs no extension. sve2p1: assembly encodes what it needs beyond SVE.
set(KAI_FLAGS_sme -march=armv8-a)
set(KAI_FLAGS_sme2 -march=armv8-a)

set(KAI_PROBE_neon_fp16 "#include <arm_neon.h>
float16x8_t f(float16x8_t a) { return vaddq_f16(a, a); } int main() { return 0; }")
set(KAI_PROBE_neon_bf16 "#include <arm_neon.h>
float32x4_t f(float32x4_t a, bfloat16x8_t b) { return vbfmmlaq_f32(a, b, b); } int main() { return 0; }")
set(KAI_PROBE_neon_dotprod "#include <arm_neon.h>
int32x4_t f(int32x4_t a, int8x16_t b) { return vdotq_s32(a, b, b); } int main() { return 0; }")
set(KAI_PROBE_neon_i8mm "#include <arm_neon.h>
int32x4_t f(int32x4_t a, int8x16_t b) { return vmmlaq_s32(a, b, b); } int main() { return 0; }")
set(KAI_PROBE_sve "#include <arm_sve.h>
float f(const float* a) { return svaddv_f32(svptrue_b32(), svld1_f32(svptrue_b32(), a)); } int main() { return 0; }")
set(KAI_PROBE_sve2p1 "${KAI_PROBE_sve}")
set(KAI_PROBE_sve_dotprod "#include <arm_sve.h>
int f(int8_t* a) { svint8_t b = svld1_s8(svptrue_b8(), a);
return static_cast<int>(svaddv_s32(svptrue_b32(), svdot_s32(svdup_n_s32(0), b, b))); } int main() { return 0; }")
set(KAI_PROBE_sve_i8mm "#include <arm_sve.h>
int f(int8_t* a) { svint8_t b = svld1_s8(svptrue_b8(), a);
return static_cast<int>(svaddv_s32(svptrue_b32(), svmmla_s32(svdup_n_s32(0), b, b))); } int main() { return 0; }")
set(KAI_PROBE_sme "
    .arch armv8-a+sme
    smstart
    fmopa za0.s, p0/m, p0/m, z0.s, z1.s
")
set(KAI_PROBE_sme2 "
    .arch armv8-a+sme2
    luti4 {z0.b-z1.b}, zt0, z2[0]
    ptrue pn8.b
    fmopa za0.s, p0/m, p0/m, z0.s, z1.s
")
# Macros with the names of the mnemonics that an assembler may lack.
set(KAI_ENCODINGS_sme2 "${CMAKE_CURRENT_LIST_DIR}/../kai/asm/sme2_gas.inc")
cmake_path(NORMAL_PATH KAI_ENCODINGS_sme2)

# Whether an assembly source, with the C preprocessor, assembles.
function(kai_check_assembles source variable)
    if(NOT DEFINED ${variable})
        message(CHECK_START "Performing Test ${variable}")
        try_compile(${variable} SOURCE_FROM_VAR probe.S source)
        if(${variable})
            message(CHECK_PASS "Success")
        else()
            message(CHECK_FAIL "Failed")
        endif()
    endif()
endfunction()

function(kai_probe_isas)
    check_cxx_source_compiles("
        #if !defined(__aarch64__) && !defined(_M_ARM64)
        #error not AArch64
        #endif
        int main() { return 0; }" KAI_TARGET_IS_AARCH64)
    set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
    foreach(isa IN LISTS KAI_ISAS)
        set(built 1)
        if(isa STREQUAL "aarch64" AND NOT KAI_TARGET_IS_AARCH64)
            set(built 0)
        elseif(NOT isa MATCHES "^(any|neon|aarch64)$")
            set(built 0)
            if(KAI_TARGET_IS_AARCH64)
                if(isa MATCHES "^(neon|sve)")
                    set(CMAKE_REQUIRED_FLAGS ${KAI_FLAGS_${isa}})
                    check_cxx_source_compiles("${KAI_PROBE_${isa}}" KAI_TOOLCHAIN_HAS_${isa})
                else()
                    kai_check_assembles("${KAI_PROBE_${isa}}" KAI_TOOLCHAIN_HAS_${isa})
                    if(NOT KAI_TOOLCHAIN_HAS_${isa} AND KAI_ENCODINGS_${isa})
                        kai_check_assembles("#include \"${KAI_ENCODINGS_${isa}}\"\n${KAI_PROBE_${isa}}" KAI_TOOLCHAIN_ENCODES_${isa})
                    endif()
                endif()
                if(KAI_TOOLCHAIN_HAS_${isa})
                    set(built 1)
                elseif(KAI_TOOLCHAIN_ENCODES_${isa})
                    set(built 1)
                    set(KAI_ASM_FLAGS_${isa} "-include;${KAI_ENCODINGS_${isa}}" PARENT_SCOPE)
                    message(STATUS "KleidiAI: this assembler lacks ${isa}: macros encode its instructions")
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
