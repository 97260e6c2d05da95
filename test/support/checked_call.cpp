// SPDX-License-Identifier: Apache-2.0
#include "test/support/checked_call.hpp"

#include <gtest/gtest.h>
#include <setjmp.h>
#include <signal.h>

#include <cstdio>
#include <string>
#include <vector>

#include "kai/kai_common.h"
#include "kai/kai_cpu.h"
#include "test/support/guarded_buffer.hpp"

extern "C" void kai_test_call(test::Call* call);

namespace test {

namespace {

sigjmp_buf recovery;
volatile sig_atomic_t recovery_valid = 0;
volatile uintptr_t fault_address, fault_pc;

void on_fault(int signal, siginfo_t* info, [[maybe_unused]] void* context) {
    if (!recovery_valid) {
        ::signal(signal, SIG_DFL);
        return;  // and fault again
    }
    recovery_valid = 0;
    fault_address = reinterpret_cast<uintptr_t>(info->si_addr);
#if defined(__aarch64__) && defined(__linux__)
    fault_pc = static_cast<ucontext_t*>(context)->uc_mcontext.pc;
#endif
    siglongjmp(recovery, signal);
}

}  // namespace

void install_fault_handlers() {
    static uint8_t stack[65536];  // a broken callee may have ruined sp
    const stack_t alternate = {stack, 0, sizeof(stack)};
    sigaltstack(&alternate, nullptr);
    struct sigaction action = {};
    action.sa_sigaction = on_fault;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    for (const int signal : {SIGSEGV, SIGBUS, SIGILL}) {
        sigaction(signal, &action, nullptr);
    }
}

void detail::catch_faults(void (*body)(void*), void* context) {
    const int signal = sigsetjmp(recovery, 1);
    if (signal == 0) {
        recovery_valid = 1;
        body(context);
        recovery_valid = 0;
    } else if (signal == SIGILL) {
        ADD_FAILURE() << "illegal instruction at pc 0x" << std::hex << fault_pc;
    } else {
        ADD_FAILURE() << "memory fault at pc 0x" << std::hex << fault_pc << std::dec << ": access "
                      << GuardedBuffer::describe(fault_address);
    }
}

#if defined(__aarch64__)

namespace {

// The fields that kai_test_call knows by number.
static_assert(offsetof(Call, x) == 8 && offsetof(Call, v) == 72 && offsetof(Call, stack) == 200);
static_assert(
    offsetof(Call, has_sme) == 216 && offsetof(Call, tpidr2_block) == 224 && offsetof(Call, za_before) == 232);
static_assert(offsetof(Call, za_after) == 240 && offsetof(Call, result) == 248 && offsetof(Call, x18_to_x29) == 256);
static_assert(offsetof(Call, d8_to_d15) == 352 && offsetof(Call, sp_change) == 416 && offsetof(Call, svcr) == 440);
static_assert(offsetof(Call, canary) == 456 && offsetof(Call, fpcr_mode) == 464);

/// TPIDR2_EL0 points to one of these (AAPCS64).
struct alignas(16) Tpidr2Block {
    void* za_save_buffer;
    uint16_t num_za_save_slices;
    uint8_t reserved[6];
};

struct ZaState {
    std::vector<uint8_t> before, save, after;
    Tpidr2Block block;
};
ZaState* live_za = nullptr;
uint64_t fpcr_mode = 0;

}  // namespace

FpcrMode::FpcrMode(uint64_t bits) {
    fpcr_mode = bits;
}
FpcrMode::~FpcrMode() {
    fpcr_mode = 0;
}

LiveZa::LiveZa() {
    const size_t svl = kai_cpu_sme_bytes();
    live_za = new ZaState;
    for (size_t i = 0; i < svl * svl; ++i) {
        live_za->before.push_back(static_cast<uint8_t>(i * 37 + i / svl * 11 + 1));
    }
    live_za->save.resize(svl * svl);
    live_za->after.resize(svl * svl);
}

LiveZa::~LiveZa() {
    delete live_za;
    live_za = nullptr;
}

void run_checked(Call& call) {
    static const bool has_sme = kai_cpu_sme_bytes() > 0;
    static uint64_t calls = 0;
    call.has_sme = has_sme;
    call.canary = 0xCA11AB1E00000000u + ++calls * 4096;
    if (live_za != nullptr) {
        live_za->block = {live_za->save.data(), static_cast<uint16_t>(kai_cpu_sme_bytes()), {}};
        std::fill(live_za->save.begin(), live_za->save.end(), 0xEE);
        std::fill(live_za->after.begin(), live_za->after.end(), 0xEE);
        call.tpidr2_block = &live_za->block;
        call.za_before = live_za->before.data();
        call.za_after = live_za->after.data();
    }
    call.fpcr_mode = fpcr_mode;
    uint64_t own_fpcr;
    __asm__ volatile("mrs %0, fpcr" : "=r"(own_fpcr));
    call.sp_change = ~uint64_t{0};
    detail::catch_faults([](void* context) { kai_test_call(static_cast<Call*>(context)); }, &call);
    if (call.sp_change == ~uint64_t{0}) {  // a fault: there is nothing to compare
        __asm__ volatile("msr fpcr, %0" ::"r"(own_fpcr));
        if (has_sme) {
            __asm__ volatile("msr S3_3_C13_C0_5, xzr");  // TPIDR2_EL0
        }
        return;
    }

    std::string broken;
    for (uint64_t i = 0; i < 12; ++i) {
#if defined(__APPLE__)
        if (i == 0) {
            continue;  // x18 belongs to the system
        }
#endif
        if (call.x18_to_x29[i] != call.canary + 18 + i) {
            broken += " x" + std::to_string(18 + i);
        }
    }
    for (uint64_t i = 0; i < 8; ++i) {
        if (call.d8_to_d15[i] != call.canary + 108 + i) {
            broken += " d" + std::to_string(8 + i);
        }
    }
    if (call.sp_change != 0) {
        broken += " sp (" + std::to_string(static_cast<int64_t>(call.sp_change)) + ")";
    }
    if (call.fpcr != call.fpcr_before) {
        char text[40];
        std::snprintf(text, sizeof(text), " FPCR (0x%llx)", static_cast<unsigned long long>(call.fpcr));
        broken += text;
    }
    if (call.svcr & 1) {
        broken += " PSTATE.SM (left on)";
    }
    if (live_za == nullptr) {
        if (call.svcr & 2) {
            broken += " PSTATE.ZA (left on)";
        }
        if (call.tpidr2 != 0) {
            broken += " TPIDR2_EL0";
        }
    } else {
        const bool dormant = (call.svcr & 2) != 0 && call.tpidr2 == reinterpret_cast<uintptr_t>(&live_za->block);
        const bool saved = (call.svcr & 2) == 0 && call.tpidr2 == 0;
        if (!dormant && !saved) {
            broken +=
                " ZA state (SVCR " + std::to_string(call.svcr) + ", TPIDR2_EL0 " + (call.tpidr2 ? "set" : "0") + ")";
        } else if (live_za->after != live_za->before) {
            broken += " ZA contents of the caller";
        }
    }
    if (!broken.empty()) {
        ADD_FAILURE() << "the call changed what a callee must preserve:" << broken;
    }
}

#else

LiveZa::LiveZa() = default;
LiveZa::~LiveZa() = default;
FpcrMode::FpcrMode(uint64_t) {
}
FpcrMode::~FpcrMode() = default;

#endif

PlainCalls::PlainCalls() {
    detail::plain_calls = true;
}
PlainCalls::~PlainCalls() {
    detail::plain_calls = false;
}

}  // namespace test
