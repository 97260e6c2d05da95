// The out-of-line functions of kai_common.h. Vector lengths: kai/engines/core/vector_length.S.
//
// SPDX-License-Identifier: Apache-2.0
#include "kai/engines/core/check.hpp"

#include <stdarg.h>

#include "kai/kai_common.h"

extern "C" const char* kai_version(void) {
    return KAI_LIBRARY_VERSION;
}

extern "C" void kai_fail(const char* function, const char* format, ...) {
#if KLEIDIAI_ERROR_TRAP
    (void)function;
    (void)format;
#else
    va_list values;
    va_start(values, format);
    fflush(stdout);
    fprintf(stderr, "%s: ", function);
    vfprintf(stderr, format, values);
    fputc('\n', stderr);
    va_end(values);
#endif
    KAI_ABORT();
}

extern "C" void kai_refuse(const char* prefix, const char* name, const kai_violation* violation) {
#if KLEIDIAI_ERROR_TRAP
    (void)prefix;
    (void)name;
    (void)violation;
#else
    char text[256];
    kai::write(text, sizeof(text), *violation);
    fflush(stdout);
    fprintf(stderr, "%s%s: %s\n", prefix, name, text);
#endif
    KAI_ABORT();
}

#if defined(__aarch64__)

extern "C" {

#if defined(__ELF__)
/// Saves ZA into the buffer that TPIDR2_EL0 describes: a support routine of the compiler's runtime (AAPCS64, SME),
/// which need not be linked. Weak references are for ELF alone: linkers of Mach-O want them in some library.
[[gnu::weak]] void __arm_tpidr2_save(void);
#endif

/// The same, of this library. 0: TPIDR2_EL0 describes something else.
[[gnu::visibility("hidden")]] int kai_save_za(void);

// Apart from kai_commit_za, which needs no stack without it.
[[gnu::noinline, gnu::cold]] static void save_za() {
#if defined(__ELF__)
    if (__arm_tpidr2_save != nullptr) {
        __arm_tpidr2_save();
    } else
#endif
    {
        KAI_REQUIRE_ALWAYS("kai_commit_za", kai_save_za(), no_tpidr2);
    }
    __asm__ volatile("msr S3_3_C13_C0_5, xzr" ::: "memory");
}

void kai_commit_za(void) {
    uint64_t tpidr2;
    __asm__ volatile("mrs %0, S3_3_C13_C0_5" : "=r"(tpidr2));  // TPIDR2_EL0
    if (__builtin_expect(tpidr2 != 0, 0)) {
        save_za();
    }
}

}  // extern "C"

#else

// Other hosts have no such vectors: 0 bytes.
extern "C" {
uint64_t kai_get_sme_vector_length_u8(void) {
    return 0;
}
uint64_t kai_get_sve_vector_length_u8(void) {
    return 0;
}
void kai_commit_za(void) {
}
}

#endif
