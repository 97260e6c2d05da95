// Shared by the wrappers that misbehave (mutants.cpp).
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string_view>
#include <thread>

#include "kai/kai_registry.h"

namespace mutants {

struct Mutation {
    const char* name;
    bool (*kernels)(const kai_ukernel&);  // NULL: none
    bool (*packers)(const kai_packer&);
    bool needs_sme = false;
    const char* tests = nullptr;  // that should notice, as a filter; NULL: those of results
};

extern std::string_view mutation;  // the current one

/// Whether the current mutation has this name.
inline bool is(std::string_view name) {
    return mutation == name;
}

/// What a mutation does: a row of a table.
template <typename... Args>
struct Change {
    const char* mutation;
    void (*make)(Args...);
};

/// Makes the change of the current mutation. Returns whether the table has one.
template <size_t count, typename... Args, typename... Given>
bool make(const Change<Args...> (&changes)[count], Given&&... args) {
    for (const auto& change : changes) {
        if (is(change.mutation)) {
            change.make(args...);
            return true;
        }
    }
    return false;
}

/// The compiler can neither see that a read is useless nor that a write is out of bounds.
inline void touch(const void* address) {
    static_cast<void>(*static_cast<const volatile uint8_t*>(address));
}
inline void spoil(void* address) {
    *static_cast<volatile uint8_t*>(address) = 0x11;
}

/// Keeps the arguments of a call in a static variable for a while: they may become those of another thread's call. Each
/// is a whole one: half of one could reach any address.
template <typename Call>
void through_a_static_variable(Call& c) {
    static Call shared;
    static std::mutex mutex;
    const auto copy = [](Call& to, const Call& from) {
        const std::lock_guard<std::mutex> lock(mutex);
        to = from;
    };
    copy(shared, c);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    copy(c, shared);
}

/// The caller's FPCR; 0 where there is none.
uint64_t fpcr();

/// Breaks a rule of AAPCS64. The last thing that a wrapper does.
void break_the_abi();

/// Mutations of any packed buffer.
void spoil_packed(void* packed, size_t size);

/// @name Depthwise convolution (mutants_dwconv.cpp)
/// The wrappers replace the micro-kernel or packer that was given last.
/// @{
kai_any_fn* dwconv_wrapper_of(const kai_ukernel& u);
kai_any_fn* dwconv_wrapper_of(const kai_packer& p);

/// Mutations of the micro-kernels; the packers have those of all packers. Ends with a name that is NULL.
extern const Mutation kDwconvMutations[];

/// The same by tiles (mutants_dwconv_tiles.cpp).
kai_any_fn* dwconv_tiles_wrapper_of(const kai_ukernel& u);
extern const Mutation kDwconvTilesMutations[];
/// @}

}  // namespace mutants
