// Calls a function of the library and checks that it preserves what AAPCS64 requires.
//
// On AArch64 the call goes through checked_call_aarch64.S: all registers that a callee may not change hold canaries,
// all others garbage. Afterwards x18-x29, d8-d15, sp and FPCR are compared, with SME also SVCR (streaming mode and ZA
// off) and TPIDR2_EL0. A memory fault or an illegal instruction becomes a test failure that names the place. On other
// hosts the function is simply called, faults are caught all the same.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace test {

/// Installs the signal handlers. Call once.
void install_fault_handlers();

/// While it lives, checked_call calls with ZA in the dormant state of the AAPCS64: PSTATE.ZA is 1, ZA holds a pattern
/// and TPIDR2_EL0 points to a buffer for its lazy save. After the call ZA must still be there, in the register or in
/// the buffer. Needs a CPU with SME.
class LiveZa {
public:
    LiveZa();
    ~LiveZa();
};

/// Bits of FPCR. (FZ16: of f16 operations only.)
enum : uint64_t {
    kFlushHalfToZero = 1 << 19,
    kRoundUp = 1 << 22,
    kRoundDown = 2 << 22,
    kRoundToZero = 3 << 22,
    kFlushToZero = 1 << 24,
    kDefaultNan = 1 << 25
};

/// While it lives, checked_call calls with these bits of FPCR set. (AArch64; elsewhere nothing changes.)
class FpcrMode {
public:
    explicit FpcrMode(uint64_t bits);
    ~FpcrMode();
};

/// While it lives, checked_call just calls: what it does otherwise is not for several threads.
class PlainCalls {
public:
    PlainCalls();
    ~PlainCalls();
};

/// What the trampoline loads and what it found. Offsets are known to checked_call_aarch64.S.
struct Call {
    void (*function)();
    uint64_t x[8];
    uint64_t v[8][2];
    const uint64_t* stack;
    uint64_t stack_count;  // even
    uint64_t has_sme;
    void* tpidr2_block;  // NULL: no live ZA
    const void* za_before;
    void* za_after;
    // afterwards
    uint64_t result;
    uint64_t x18_to_x29[12];
    uint64_t d8_to_d15[8];
    uint64_t sp_change, fpcr_before, fpcr, svcr, tpidr2;
    // Plus the number of the register (d8: 108). Differs from call to call: old stack frames hold old canaries.
    uint64_t canary;
    uint64_t fpcr_mode;
};

/// Runs a call and adds a test failure for whatever it broke.
void run_checked(Call& call);

namespace detail {

/// Arguments by the rules of AAPCS64: integers and pointers in x0-x7, floats in s0-s7, the rest in 8-byte stack slots.
struct Arguments {
    Call call = {};
    uint64_t stack[16] = {};
    size_t integers = 0, floats = 0, slots = 0;

    template <typename T>
    void push(T value) {
        static_assert(sizeof(T) <= 8 && std::is_trivially_copyable_v<T>);
        // Bits that an argument does not fill are unspecified.
        uint64_t cell = sizeof(T) == 4 ? 0xFFFFFFFF00000000u : 0;
        std::memcpy(&cell, &value, sizeof(T));
        if (std::is_floating_point_v<T> && floats < 8) {
            call.v[floats][0] = cell;
            call.v[floats++][1] = ~uint64_t{0};
        } else if (!std::is_floating_point_v<T> && integers < 8) {
            call.x[integers++] = cell;
        } else {
            stack[slots++] = cell;
        }
    }
};

inline bool plain_calls = false;

/// Calls `body` and turns a fault in it into a test failure.
void catch_faults(void (*body)(void*), void* context);

}  // namespace detail

template <typename R, typename... P, typename... A>
R checked_call(R (*function)(P...), A... arguments) {
    if (detail::plain_calls) {
        return function(static_cast<P>(arguments)...);
    }
#if defined(__aarch64__)
    detail::Arguments loaded;
    for (size_t i = 0; i < 8; ++i) {
        loaded.call.x[i] = 0xBAD0BAD0BAD0BAD0u + i;
        loaded.call.v[i][0] = loaded.call.v[i][1] = ~uint64_t{0};
    }
    (loaded.push<P>(static_cast<P>(arguments)), ...);
    loaded.call.function = reinterpret_cast<void (*)()>(function);
    loaded.call.stack = loaded.stack;
    loaded.call.stack_count = (loaded.slots + 1) / 2 * 2;
    run_checked(loaded.call);
    if constexpr (!std::is_void_v<R>) {
        R result;
        std::memcpy(&result, &loaded.call.result, sizeof(R));
        return result;
    }
#else
    using Result = std::conditional_t<std::is_void_v<R>, char, R>;
    Result result = {};
    auto body = [&] {
        if constexpr (std::is_void_v<R>) {
            function(static_cast<P>(arguments)...);
        } else {
            result = function(static_cast<P>(arguments)...);
        }
    };
    detail::catch_faults([](void* context) { (*static_cast<decltype(body)*>(context))(); }, &body);
    return static_cast<R>(result);
#endif
}

/// A policy of kai/call.hpp.
struct Checked {
    template <typename F, typename... A>
    auto operator()(F* function, A... arguments) const {
        return checked_call(function, arguments...);
    }
};

/// The same for a function of the registry whose type is `F`.
template <typename F, typename... A>
auto checked_call_as(void (*function)(), A... arguments) {
    return checked_call(reinterpret_cast<F*>(function), arguments...);
}

}  // namespace test
