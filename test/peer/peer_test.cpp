// Random calls of every function of the established library and of ours, side by side: what getters return, packed
// bytes, results of micro-kernels. Neither is the reference for the other: what differs, and why, is in
// known_differences.def.
//
//     KLEIDIAI_PEER_CASES=100 KLEIDIAI_PEER_SEED=7 kleidiai_peer [--gtest_filter=*sme2*]
//
// Results are the same bits, or both within the error bound of the reference. At the end a table says how often, and
// how far apart they are.
//
// SPDX-License-Identifier: Apache-2.0
#include "test/peer/peer.hpp"

#include <fnmatch.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "kai/ukernels/families.h"
#include "test/matmul/fixture.hpp"
#include "test/reference/float16.hpp"
#include "test/reference/quantise.hpp"
#include "test/support/checked_call.hpp"
#include "test/support/ending.hpp"
#include "test/support/subject.hpp"

namespace {

using reference::Side;
using reference::Tile;
using test::Data;
using test::GuardedBuffer;
using test::Random;

size_t from_environment(const char* name, size_t otherwise) {
    const char* text = std::getenv(name);
    return text != nullptr ? std::strtoul(text, nullptr, 0) : otherwise;
}

const size_t cases = from_environment("KLEIDIAI_PEER_CASES", 8);
const size_t seed = from_environment("KLEIDIAI_PEER_SEED", 1);

const test::PeerFunction* find(const std::string& name) {
    const test::PeerFunction *first = test::peer_functions, *end = first + test::peer_function_count;
    const auto* found = std::lower_bound(
        first, end, name, [](const test::PeerFunction& f, const std::string& s) { return f.name < s; });
    return found != end && found->name == name ? found : nullptr;
}

kai_any_fn* peers(const std::string& name) {
    const test::PeerFunction* found = find(name);
    return found != nullptr ? found->peers : nullptr;
}

/// Structures of the unified API grew with 1.32 of the interface.
const bool unified_agrees = std::string(KAI_INTERFACE_VERSION) >= "1.32";

uint64_t hash(const std::string& text) {
    uint64_t h = 0xCBF29CE484222325u;
    for (const char c : text) {
        h = (h ^ static_cast<uint8_t>(c)) * 0x100000001B3u;
    }
    return h;
}

// ---- what is known to differ ----

enum Kind {
    MISSING,    ///< we lack the function
    ABORTS,     ///< the established one ends by a signal where ours returns
    GETTER,     ///< another number
    BYTES,      ///< other packed bytes, of whole panels from rows without gaps
    STRIDE,     ///< other packed bytes, of whole panels from rows with gaps
    PADDING,    ///< other packed bytes where the last panel has fewer rows (columns)
    RESULTS,    ///< its result is outside of the reference's bound, and ours is not
    SATURATED,  ///< the same, but only where ours is at a bound or at the end of int8
    /// @name Of operands with NaN, infinities, subnormals and the like
    /// @{
    BOUNDS,  ///< results: a NaN is a bound there, an infinity the largest number; all others agree
    /// Depthwise: the same, and outputs whose window is not all in the image, by a filter with such weights; f16: and
    /// sums with terms at the end of f16.
    BESIDE,
    NAN_ROWS,     ///< packed bytes that depend on rows (blocks) with a NaN; all others agree
    TINY_BLOCKS,  ///< the same, and on blocks whose largest number / 127 is subnormal
    SUMS,         ///< packed sums of columns that are infinite: NaN there; all others agree
    SPECIAL,      ///< anything else
    /// @}
    OVERRUN  ///< depthwise, images of one column without padding: it writes past the output, and wrong numbers
};
constexpr const char* kKindNames[] = {"MISSING",  "ABORTS",      "GETTER",    "BYTES",   "STRIDE",
                                      "PADDING",  "RESULTS",     "SATURATED", "BOUNDS",  "BESIDE",
                                      "NAN_ROWS", "TINY_BLOCKS", "SUMS",      "SPECIAL", "OVERRUN"};

struct Known {
    Kind kind;
    const char* functions;  ///< a pattern of fnmatch
    const char* reason;
};
constexpr Known kKnown[] = {
#define KAI_KNOWN_DIFFERENCE(kind, functions, reason) {kind, functions, reason},
#include "test/peer/known_differences.def"
#undef KAI_KNOWN_DIFFERENCE
};

std::set<const Known*> seen;              // those that still differ
std::map<const Known*, size_t> tried_of;  // functions that were called, of those that a difference is about

/// Whether it is known, which is noted.
bool is_known(Kind kind, const std::string& function) {
    for (const Known& known : kKnown) {
        if (known.kind == kind && fnmatch(known.functions, function.c_str(), 0) == 0) {
            seen.insert(&known);
            return true;
        }
    }
    return false;
}

void note_call_of(const std::string& function) {
    for (const Known& known : kKnown) {
        if (fnmatch(known.functions, function.c_str(), 0) == 0) {
            ++tried_of[&known];
        }
    }
}

// ---- what is counted ----

struct Tally {
    size_t calls = 0, same = 0, near = 0, known = 0, unexplained = 0;
    double farthest = 0;  // |ours - theirs| of a result, in error bounds of the reference
};
std::map<std::string, Tally> tallies;  // by family

/// A difference that ends a test of a function, unless it is known.
void differs(Tally& tally, Kind kind, const std::string& function, const std::string& what) {
    if (is_known(kind, function)) {
        ++tally.known;
        return;
    }
    ++tally.unexplained;
    ADD_FAILURE() << kKindNames[kind] << " " << function << ": " << what;
}

/// Runs both. Whether both returned; otherwise what happened is counted, as `kind` if only ours returned.
template <typename Ours, typename Theirs>
bool both_return(
    Tally& tally, const std::string& function, const std::string& call, Ours ours, Theirs theirs, Kind kind = ABORTS) {
    ++tally.calls;
    const test::Ending theirs_end = test::ending_of(theirs);
    const test::Ending ours_end = test::ending_of(ours);
    if (ours_end.returned && theirs_end.returned) {
        return true;
    }
    if (!ours_end.returned && !theirs_end.returned) {
        ++tally.same;
    } else if (ours_end.returned) {
        differs(
            tally, kind, function,
            call + ": theirs ends by signal " + std::to_string(theirs_end.signal) + ", " + theirs_end.text);
    } else {
        ++tally.unexplained;
        ADD_FAILURE() << function << ": " << call << ": ours ends by signal " << ours_end.signal << ", "
                      << ours_end.text;
    }
    return false;
}

/// 1 to `most`.
size_t up_to(Random& random, size_t most) {
    return static_cast<size_t>(random.integer(1, static_cast<int>(most)));
}

// ---- getters ----

/// Integers in all registers for arguments: a getter takes those that it has.
using Registers = size_t(size_t, size_t, size_t, size_t, size_t, size_t, size_t, size_t);

struct Numbers {
    std::vector<size_t> values;
    std::vector<bool> returned;
};

/// What the function returns for each of the calls.
Numbers numbers_of(kai_any_fn* function, const std::vector<std::array<size_t, 8>>& calls) {
    Numbers numbers = {std::vector<size_t>(calls.size()), std::vector<bool>(calls.size())};
    size_t i = 0;
    while (i < calls.size()) {
        const test::Ending end = test::ending_of([&] {
            for (; i < calls.size(); ++i) {
                const std::array<size_t, 8>& a = calls[i];
                numbers.values[i] = test::checked_call(
                    reinterpret_cast<Registers*>(function), a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7]);
                numbers.returned[i] = true;
            }
        });
        i += end.returned ? 0 : 1;
    }
    return numbers;
}

class PeerGetter : public testing::TestWithParam<const test::PeerFunction*> {};

// With any arguments, also such as make no sense: clients have passed them.
TEST_P(PeerGetter, Agrees) {
    const test::PeerFunction& f = *GetParam();
    const std::string name = f.name;
    const bool streaming = name.find("_sme") != std::string::npos || name.find("vl") != std::string::npos ||
                           name.find("vs") != std::string::npos;
    const bool scalable = name.find("_sve") != std::string::npos;
    if ((streaming && kai_cpu_sme_bytes() == 0) || (scalable && kai_cpu_sve_bytes() == 0)) {
        GTEST_SKIP();
    }
    note_call_of(name);
    Tally& tally = tallies["getters"];
    constexpr size_t kUsual[] = {0,  1,  2,   4,   8,   12,   16,   24,          32,
                                 64, 96, 128, 256, 512, 1024, 4096, kai_dt_bf16, kai_dt_f32};
    Random random(seed ^ hash(name));
    std::vector<std::array<size_t, 8>> calls(8 * cases);
    for (auto& call : calls) {
        for (size_t& argument : call) {
            argument = kUsual[static_cast<size_t>(random.integer(0, std::size(kUsual) - 1))];
        }
    }
    const Numbers ours = numbers_of(f.ours, calls), theirs = numbers_of(f.peers, calls);
    for (size_t i = 0; i < calls.size(); ++i) {
        ++tally.calls;
        std::string call;
        for (const size_t argument : calls[i]) {
            call += (call.empty() ? "(" : ", ") + std::to_string(argument);
        }
        call += ")";
        if (ours.returned[i] == theirs.returned[i] && ours.values[i] == theirs.values[i]) {
            ++tally.same;
        } else if (!theirs.returned[i]) {
            ++tally.near;  // it asserts more than we do
        } else {
            differs(
                tally, GETTER, name,
                call + ": " + (ours.returned[i] ? std::to_string(ours.values[i]) : "ours aborts") + ", theirs " +
                    std::to_string(theirs.values[i]));
        }
        if (HasFailure()) {
            return;
        }
    }
}

std::vector<const test::PeerFunction*> getters() {
    std::vector<const test::PeerFunction*> functions;
    for (size_t i = 0; i < test::peer_function_count; ++i) {
        const test::PeerFunction& f = test::peer_functions[i];
        const bool gets = std::strncmp(f.name, "kai_get_", 8) == 0 || std::strncmp(f.name, "kai_rhs_get_", 12) == 0;
        if (gets && f.ours != nullptr) {
            functions.push_back(&f);
        }
    }
    return functions;
}

INSTANTIATE_TEST_SUITE_P(
    Functions, PeerGetter, testing::ValuesIn(getters()),
    [](const testing::TestParamInfo<const test::PeerFunction*>& info) { return std::string(info.param->name); });

// A version of the library that is newer than ours.
TEST(Peer, HasNoFunctionThatWeLack) {
    for (size_t i = 0; i < test::peer_function_count; ++i) {
        const test::PeerFunction& f = test::peer_functions[i];
        note_call_of(f.name);
        if (f.ours == nullptr && !is_known(MISSING, f.name)) {
            ADD_FAILURE() << f.name;
        }
    }
}

// ---- special values ----

/// One to three numbers of a field become NaN, an infinity, a zero, a subnormal, or the largest ones of f16 and f32 and
/// what is beyond; `exact`: such as every type has.
void spoil(Side& side, bool exact, Random& random) {
    static const float kValues[] = {NAN,      INFINITY,  -INFINITY, -0.0F,       0.0F,    1e-40F,
                                    -1e-42F,  0x1p-149F, 0x1p-24F,  65504,       -65504,  65519,
                                    0x1p-25F, 65520,     -65536,    0x1.fp+127F, FLT_MAX, -FLT_MAX};
    constexpr size_t kExact = 5;
    std::vector<float>* const fields[] = {&side.values, &side.scale, &side.bias, &side.min_scale};
    std::vector<std::vector<float>*> used;
    std::copy_if(
        std::begin(fields), std::end(fields), std::back_inserter(used), [](const auto* f) { return !f->empty(); });
    if (used.empty()) {
        return;
    }
    std::vector<float>& field = *used[static_cast<size_t>(random.integer(0, static_cast<int>(used.size()) - 1))];
    for (size_t i = up_to(random, 3); i > 0; --i) {
        field[up_to(random, field.size()) - 1] = kValues[up_to(random, exact ? kExact : std::size(kValues)) - 1];
    }
}

/// Whether a result that is NaN or infinite was clamped: to a bound, or to the largest number of its type.
bool is_clamped(float ours, float theirs, float lo, float hi, kai_datatype type) {
    const float largest = type == kai_dt_f16 ? 65504 : type == kai_dt_bf16 ? 0x1.fep+127F : FLT_MAX;
    const auto is = [&](float bound, float end) {
        const float rounded = type == kai_dt_f16 ? reference::f32_from_f16(reference::f16_from_f32(bound)) : bound;
        return theirs == rounded || (!std::isfinite(bound) && theirs == end);
    };
    return std::isnan(ours)   ? is(lo, -largest) || is(hi, largest)
           : std::isinf(ours) ? (ours < 0 ? is(lo, -largest) : is(hi, largest))
                              : false;
}

// ---- packers ----

class PeerPack : public testing::TestWithParam<const kai_packer*> {
protected:
    const kai_packer& ours = *GetParam();
    kai_packer theirs = ours;
    const bool lhs = kai::is_lhs(ours), unified = kai::is_unified(ours);
    const std::string function = std::string(unified ? "kai_" : "kai_run_") + ours.name;

    /// Whether the established library has it.
    bool find_theirs() {
        const std::string side = lhs ? "lhs" : "rhs";
        theirs.run = peers(function);
        if (!unified && theirs.run != nullptr) {
            theirs.get_source_offset = peers("kai_get_" + side + "_offset_" + ours.name);
            theirs.get_packed_offset = peers("kai_get_" + side + "_packed_offset_" + ours.name);
            theirs.get_packed_size = peers("kai_get_" + side + "_packed_size_" + ours.name);
        }
        return theirs.run != nullptr && (!unified || unified_agrees);
    }

    /// Rows in parts that are quantised on their own: those with a NaN get other numbers, or those that are tiny.
    static std::vector<float> with_other_parts(std::vector<float> values, size_t part, bool tiny, Random& random) {
        for (size_t first = 0; first < values.size(); first += part) {
            const auto begin = values.begin() + static_cast<ptrdiff_t>(first),
                       end = begin + static_cast<ptrdiff_t>(part);
            const auto is_small = [](float x) { return std::fabs(x) < 127 * FLT_MIN; };
            const bool changes =
                tiny ? std::all_of(begin, end, is_small) && std::any_of(begin, end, [](float x) { return x != 0; })
                     : std::any_of(begin, end, [](float x) { return std::isnan(x); });
            if (changes) {
                const float scale = std::ldexp(1.0F, random.integer(-8, 8));
                std::generate(begin, end, [&] { return random.real(-scale, scale); });
            }
        }
        return values;
    }

    static Kind kind_of_special(
        const GuardedBuffer& our_bytes, const GuardedBuffer& their_bytes, const std::vector<bool>& of_nan,
        const std::vector<bool>& of_tiny) {
        bool nan = true, tiny = true, sums = true;
        for (size_t i = 0; i < of_nan.size(); ++i) {
            if (our_bytes.data()[i] != their_bytes.data()[i]) {
                float a = 0, b = 0;
                const size_t word = i / sizeof(a) * sizeof(a), count = std::min(sizeof(a), of_nan.size() - word);
                std::memcpy(&a, our_bytes.data() + word, count), std::memcpy(&b, their_bytes.data() + word, count);
                nan = nan && of_nan[i], tiny = tiny && (of_nan[i] || of_tiny[i]);
                sums = sums && std::isinf(a) && std::isnan(b);
            }
        }
        return sums ? SUMS : nan ? NAN_ROWS : tiny ? TINY_BLOCKS : SPECIAL;
    }

    /// Those of the micro-kernels that it packs for.
    std::vector<Tile> tiles_of_kernels() const {
        std::vector<Tile> tiles;
        for (const kai_ukernel* u : test::all_ukernels()) {
            if (kai_registry_runnable(u->size_features, nullptr, 0) &&
                (kai::packs_for(ours, *u, lhs, false) || kai::packs_for(ours, *u, lhs, true))) {
                tiles.push_back({lhs ? u->get_mr() : u->get_nr(), u->get_kr(), u->get_sr()});
            }
        }
        return tiles;
    }
};

TEST_P(PeerPack, WritesTheSameBytes) {
    TEST_SKIP_UNLESS_RUNNABLE(ours);
    if (!find_theirs() || kai::is_depthwise(ours) || kai::is_file(ours)) {
        return;
    }
    note_call_of(function);
    const reference::Format format = test::format_of(ours);
    const std::vector<Tile> tiles = tiles_of_kernels();
    if (tiles.empty()) {
        GTEST_SKIP() << "the sizes of its micro-kernels are unknown on this CPU";
    }
    Tally& tally = tallies[lhs ? "LHS packers" : "RHS packers"];
    const bool blocks = kai::has_blocks(ours);
    const bool one_row = function.find("_bf16p1x4_") != std::string::npos;
    for (size_t i = 0; i < cases && !HasFailure(); ++i) {
        Random random(seed ^ hash(function) ^ i * 0x9E3779B9u);
        const Tile t = tiles[i % tiles.size()];
        const bool whole = random.integer(0, 1) == 0;
        const size_t rows = one_row ? 1 : whole ? t.rows * up_to(random, 3) : up_to(random, 2 * t.rows + 3);
        const size_t bl = blocks ? 32 * up_to(random, 4) : 0, unit = format.block != 0 ? format.block : bl;
        const size_t k = unit != 0            ? unit * up_to(random, 5)
                         : kai::has_lut(ours) ? 32 * up_to(random, 5)
                                              : up_to(random, 140);
        const size_t gap = random.integer(0, 1) == 0 ? 0 : up_to(random, 3);
        const bool special = i % 4 == 3;
        const std::string call =
            test::listed(
                {{"rows", rows}, {"k", k}, {"bl", bl}, {"tile", t.rows}, {"kr", t.kr}, {"sr", t.sr}, {"gap", gap}}) +
            (special ? ", special values" : "");
        const size_t size = test::packed_size(ours, t, rows, k, bl);
        const GuardedBuffer our_bytes(size), their_bytes(size);
        std::vector<bool> of_nan(size), of_tiny(size);  // bytes that depend on such rows or blocks
        bool returned = false;
        if (lhs) {
            const std::vector<float> values =
                reference::as_source(ours.source_format, test::make_floats(rows, k, special, random));
            const test::LhsSource source(ours, t, values, rows, k, gap);
            if (special) {
                const size_t part = unit != 0 ? unit : k;
                const auto note = [&](bool tiny, std::vector<bool>& depends) {
                    std::vector<uint8_t> first;
                    for (int variant = 0; variant < 6; ++variant) {
                        const test::LhsSource other(
                            ours, t, with_other_parts(values, part, tiny, random), rows, k, gap);
                        const GuardedBuffer bytes(size);
                        test::run_lhs(ours, t, other, 0, rows, bl, 0, bytes.data());
                        first = variant == 0 ? bytes.bytes() : first;
                        for (size_t j = 0; j < size; ++j) {
                            depends[j] = depends[j] || bytes.data()[j] != first[j];
                        }
                    }
                };
                note(false, of_nan), note(true, of_tiny);
            }
            const auto run = [&](const kai_packer& p, const GuardedBuffer& to) {
                test::run_lhs(p, t, source, 0, rows, bl, 0, to.data());
            };
            returned = both_return(
                tally, function, call, [&] { run(ours, our_bytes); }, [&] { run(theirs, their_bytes); });
        } else {
            Side side = test::make_side(format, Data::random, rows, k, bl, random);
            if (special) {
                spoil(side, false, random);
            }
            if (format.is_float()) {
                side.values = reference::as_source(test::source_type(ours), side.values);
            }
            const test::RhsSource source(ours, side, gap);
            const auto run = [&](const kai_packer& p, const GuardedBuffer& to) {
                test::run_rhs(p, t, source, 0, rows, to.data());
            };
            returned = both_return(
                tally, function, call, [&] { run(ours, our_bytes); }, [&] { run(theirs, their_bytes); });
        }
        if (!returned) {
            continue;
        }
        const uint8_t *a = our_bytes.data(), *b = their_bytes.data();
        const size_t first = static_cast<size_t>(std::mismatch(a, a + size, b).first - a);
        if (first == size) {
            ++tally.same;
        } else {
            const Kind kind = rows % t.rows != 0 ? PADDING : gap != 0 ? STRIDE : BYTES;
            differs(
                tally,
                special && !is_known(kind, function) ? kind_of_special(our_bytes, their_bytes, of_nan, of_tiny) : kind,
                function,
                call + ": byte " + std::to_string(first) + " of " + std::to_string(size) + ": " +
                    std::to_string(a[first]) + ", theirs " + std::to_string(b[first]));
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Packers, PeerPack, testing::ValuesIn(test::all_packers()), test::instance_name<kai_packer>);

// ---- micro-kernels ----

kai_any_fn* their_run = nullptr;

class PeerMatmul : public test::matmul::Matmul {
protected:
    const std::string function = std::string(kai::is_unified(*GetParam()) ? "kai_" : "kai_run_") + GetParam()->name;

    /// Whether the established library has it.
    bool find_theirs() const {
        their_run = peers(function);
        if (their_run != nullptr && unified) {
            their_run = reinterpret_cast<kai_any_fn*>(reinterpret_cast<kai_get_matmul_uker_api_fn*>(their_run)().run);
            return unified_agrees;
        }
        return their_run != nullptr;
    }
    void TearDown() override {
        test::substitute_kernel = nullptr;
    }
};

TEST_P(PeerMatmul, GivesTheSameResults) {
    if (!find_theirs()) {
        return;
    }
    note_call_of(function);
    Tally& tally = tallies[u.family];
    for (size_t i = 0; i < cases && !HasFailure(); ++i) {
        Random random(seed ^ hash(function) ^ i * 0x9E3779B9u);
        const size_t bl = has_blocks ? 32 * up_to(random, 4) : 0, unit = u.k_multiple != 0 ? u.k_multiple : length(bl);
        const size_t k = unit != 0 ? unit * up_to(random, wide() ? 2 : 6) : up_to(random, wide() ? 40 : 150);
        const size_t m = one_row || (m_step == 1 && random.integer(0, 1) == 0)
                             ? 1
                             : up_to(random, std::min<size_t>(2 * m_step + 3, m_step + 40));
        const size_t n = up_to(random, std::min<size_t>(2 * n_step + 3, n_step + 80));
        constexpr Data kData[] = {Data::random, Data::random, Data::exact, Data::large};
        const Data data = kData[i % std::size(kData)];
        const bool special = i % 4 == 1 && !integer_dst && !has_unsigned;
        Side lhs = make_lhs(data, m, k, bl, random.next()), rhs = make_rhs(data, n, k, bl, random.next());
        if (special) {
            spoil(random.integer(0, 1) == 0 ? lhs : rhs, true, random);
        }
        const test::matmul::Operands o = packed(lhs, rhs);
        // A rectangle: to the last row and column.
        const bool all = random.integer(0, 1) == 0;
        const size_t m0 = all ? 0 : up_to(random, (m + m_step - 1) / m_step) * m_step - m_step,
                     n0 = all ? 0 : up_to(random, (n + n_step - 1) / n_step) * n_step - n_step;
        const size_t rows = m - m0, columns = n - n0, stride = (columns + up_to(random, 4) - 1) * element;
        test::matmul::Clamp clamp;
        if (clamps && random.integer(0, 2) != 0) {
            clamp.lo = random.real(-20, 0), clamp.hi = random.real(0, 20);
            clamp = whole(clamp);
        }
        const std::string call =
            test::listed({{"m", m}, {"n", n}, {"k", k}, {"bl", bl}, {"m_idx", m0}, {"n_idx", n0}, {"stride", stride}}) +
            (special ? ", special values" : "");
        const uint8_t *l = o.lhs.data() + lhs_offset(m0, k, bl), *r = o.rhs.data() + rhs_offset(n0, k, bl);
        const size_t size = (rows - 1) * stride + columns * element;
        const GuardedBuffer ours(size, test::Flush::end, test::matmul::kNan),
            theirs(size, test::Flush::end, test::matmul::kNan);
        const auto run = [&](const GuardedBuffer& dst, kai_any_fn* (*substitute)(const kai_ukernel&)) {
            test::substitute_kernel = substitute;
            this->call(rows, columns, o, l, r, dst.data(), stride, clamp, m0, n0);
        };
        const bool returned = both_return(
            tally, function, call, [&] { run(ours, nullptr); },
            [&] { run(theirs, [](const kai_ukernel&) { return their_run; }); });
        if (!returned) {
            continue;
        }
        const std::vector<float> a = floats_of(ours.data(), stride, rows, columns),
                                 b = floats_of(theirs.data(), stride, rows, columns);
        if (test::matmul::same_bits(a, b)) {
            ++tally.same;
            continue;
        }
        const reference::Expected& right = expected(lhs.part(m0, rows), rhs.part(n0, columns));
        const auto off = [&](const std::vector<float>& x) {
            return reference::compare(right, x, rows, columns, clamp.lo, clamp.hi, u.dst_type);
        };
        const std::string our_error = off(a), their_error = off(b);
        EXPECT_EQ(our_error, "") << function << ": " << call;
        if (!their_error.empty()) {
            // Whether the elements that differ are all explained.
            const auto agree_but_for = [&](auto is_explained) {
                std::vector<float> explained = b;
                for (size_t j = 0; j < a.size(); ++j) {
                    explained[j] = is_explained(j) ? a[j] : b[j];
                }
                return off(explained).empty();
            };
            const auto saturated = [&](size_t j) {
                return a[j] == -128 || a[j] == 127 || a[j] == clamp.lo || a[j] == clamp.hi;
            };
            const auto clamped = [&](size_t j) { return is_clamped(a[j], b[j], clamp.lo, clamp.hi, u.dst_type); };
            const Kind kind = integer_dst && agree_but_for(saturated)   ? SATURATED
                              : special && agree_but_for(clamped)       ? BOUNDS
                              : special && !is_known(RESULTS, function) ? SPECIAL
                                                                        : RESULTS;
            differs(tally, kind, function, call + ": theirs: " + their_error);
            continue;
        }
        ++tally.near;
        for (size_t j = 0; j < a.size(); ++j) {
            const double apart = std::fabs(static_cast<double>(a[j]) - static_cast<double>(b[j]));
            const double unit = u.dst_type == kai_dt_f16 ? 0x1p-11 : u.dst_type == kai_dt_bf16 ? 0x1p-8 : 0;
            const double bound = right.bound[j] + std::fabs(right.value[j]) * unit;
            if (apart > 0 && bound > 0) {
                tally.farthest = std::max(tally.farthest, apart / bound);
            }
        }
    }
}

std::vector<const kai_ukernel*> matmuls() {
    std::vector<const kai_ukernel*> ukernels = test::all_ukernels();
    ukernels.erase(
        std::remove_if(ukernels.begin(), ukernels.end(), [](const kai_ukernel* u) { return kai::is_depthwise(*u); }),
        ukernels.end());
    return ukernels;
}

INSTANTIATE_TEST_SUITE_P(Kernels, PeerMatmul, testing::ValuesIn(matmuls()), test::instance_name<kai_ukernel>);

// ---- depthwise convolution ----

/// f32 or f16 from a seed; about one of 16 is special.
void fill(const GuardedBuffer& buffer, bool f16, bool special, Random& random) {
    static const float kSpecial[] = {NAN, INFINITY, -INFINITY, -0.0F, 0.0F, 1e-40F, 0x1p-24F, 65504, FLT_MAX};
    const size_t size = f16 ? 2 : 4;
    for (size_t i = 0; i + size <= buffer.size(); i += size) {
        const float x = special && random.integer(0, 15) == 0
                            ? kSpecial[static_cast<size_t>(random.integer(0, std::size(kSpecial) - 1))]
                            : random.real(-2, 2);
        const uint32_t bits = f16 ? reference::f16_from_f32(x) : reference::bits_of(x);
        std::memcpy(buffer.data() + i, &bits, size);
    }
}

class PeerDwconv : public testing::TestWithParam<const kai_ukernel*> {};

// A filter by both packers, and an image by both micro-kernels.
TEST_P(PeerDwconv, PacksAndComputesTheSame) {
    const kai_ukernel& u = *GetParam();
    TEST_SKIP_UNLESS_RUNNABLE(u);
    const bool f16 = u.dst_type == kai_dt_f16;
    const size_t size = f16 ? 2 : 4, lanes = u.get_nr();
    const std::string function = std::string("kai_run_") + u.name;
    const kai_packer* packer = kai_registry_rhs_packer(&u, 0);
    ASSERT_NE(packer, nullptr);
    const std::string packs = std::string("kai_run_") + packer->name;
    kai_any_fn *const their_kernel = peers(function), *const their_packer = peers(packs);
    if (their_kernel == nullptr || their_packer == nullptr) {
        return;
    }
    note_call_of(function), note_call_of(packs);
    Tally &tally = tallies[u.family], &packers = tallies["RHS packers"];
    for (size_t i = 0; i < cases && !HasFailure(); ++i) {
        Random random(seed ^ hash(function) ^ i * 0x9E3779B9u);
        const bool special = i % 4 == 3;
        const bool column_alone = i % 16 == 6;  // one column without padding
        const size_t height = up_to(random, 9), width = column_alone ? 1 : up_to(random, 9),
                     channels = up_to(random, 2 * lanes + 3);
        const size_t top = up_to(random, 3) - 1, left = column_alone ? 0 : up_to(random, 3) - 1;
        const size_t dst_height = std::max<size_t>(height + 2 * top, 3) - 2,
                     dst_width = std::max<size_t>(width + 2 * left, 3) - 2;
        const std::string call = test::listed(
                                     {{"height", height},
                                      {"width", width},
                                      {"channels", channels},
                                      {"top", top},
                                      {"left", left},
                                      {"output rows", dst_height},
                                      {"output columns", dst_width}}) +
                                 (special ? ", special values" : "");
        const size_t column = channels * size, row = width * column, dst_row = dst_width * column;
        const GuardedBuffer src(height * row), filter(9 * column), bias(column);
        fill(src, f16, special, random), fill(filter, f16, special, random), fill(bias, f16, special, random);
        const size_t packed_size =
            test::checked_call_as<kai_get_rhs_dwconv_size_fn>(packer->get_packed_size, size_t{3}, size_t{3}, channels);
        const GuardedBuffer our_filter(packed_size), their_filter(packed_size);
        const auto pack = [&](kai_any_fn* run, const GuardedBuffer& to) {
            test::checked_call_as<kai_run_rhs_dwconv_pack_fn>(
                run, size_t{3}, size_t{3}, size_t{3}, size_t{3}, channels, filter.data(), bias.data(), to.data());
        };
        if (!both_return(
                packers, packs, call, [&] { pack(packer->run, our_filter); },
                [&] { pack(their_packer, their_filter); })) {
            continue;
        }
        if (our_filter.bytes() == their_filter.bytes()) {
            ++packers.same;
        } else {
            differs(
                packers, channels % lanes != 0 ? PADDING : BYTES, packs,
                call + ": " +
                    std::to_string(
                        *std::mismatch(our_filter.data(), our_filter.data() + packed_size, their_filter.data())
                             .second));
        }
        const bool single = !f16 && width == 1 && left == 0;
        const GuardedBuffer ours(dst_height * dst_row), theirs(dst_height * dst_row + (single ? 4 * column : 0));
        const float lo = random.integer(0, 1) == 0 ? -1 : -INFINITY, hi = random.integer(0, 1) == 0 ? 1.5F : INFINITY;
        const auto run = [&](kai_any_fn* kernel, const GuardedBuffer& dst) {
            if (f16) {
                test::checked_call_as<kai_dwconv_clamp_f16_f16_f16p_run_fn>(
                    kernel, src.data(), our_filter.data(), dst.data(), channels, height, width, dst_height, dst_width,
                    left, top, row, column, dst_row, column, lo, hi);
                return;
            }
            for (size_t y = 0; y < dst_height; y += u.get_m_step()) {
                const size_t first = std::min(y > top ? y - top : 0, height), pad = y < top ? top - y : 0;
                test::checked_call_as<kai_dwconv_clamp_f32_f32_f32p_run_fn>(
                    kernel, src.data() + first * row, our_filter.data(), dst.data() + y * dst_row, row, column, dst_row,
                    column, height - first, dst_height - y, left, pad, 0.0F, lo, hi);
            }
        };
        if (!both_return(
                tally, function, call, [&] { run(u.run, ours); }, [&] { run(their_kernel, theirs); },
                single ? OVERRUN : ABORTS)) {
            continue;
        }
        const auto load = [&](const GuardedBuffer& from, size_t at) {
            uint32_t bits = 0;
            std::memcpy(&bits, from.data() + at, size);
            return f16 ? reference::f32_from_f16(static_cast<uint16_t>(bits)) : reference::float_of(bits);
        };
        // Ten roundings of sums of at most ten terms of at most 4, in any order.
        const float bound = 10 * 38 * (f16 ? 0x1p-11F : 0x1p-24F);
        size_t other = 0;
        float farthest = 0;
        std::string pair;
        bool bounds = true, beside = true;
        const auto has_special_weight = [&](size_t channel) {
            for (size_t tap = 0; tap < 9; ++tap) {
                if (!std::isfinite(load(filter, tap * column + channel * size))) {
                    return true;
                }
            }
            return false;
        };
        const auto is_inside = [&](size_t y, size_t x) {
            return y >= top && y + 2 < height + top && x >= left && x + 2 < width + left;
        };
        // The largest number of f16 or an infinity: partial sums are infinite in one order of the terms, not in others.
        const auto overflows = [&](size_t y, size_t x, size_t channel) {
            const auto is_large = [&](const GuardedBuffer& from, size_t at) {
                return std::fabs(load(from, at + channel * size)) >= 65504;
            };
            bool any = is_large(bias, 0);
            for (size_t tap = 0; tap < 9; ++tap) {
                const size_t from_y = y + tap / 3, from_x = x + tap % 3;
                any = any || is_large(filter, tap * column);
                if (from_y >= top && from_y < height + top && from_x >= left && from_x < width + left) {
                    any = any || is_large(src, (from_y - top) * row + (from_x - left) * column);
                }
            }
            return f16 && any;
        };
        for (size_t at = 0; at + size <= ours.size(); at += size) {
            const float a = load(ours, at), b = load(theirs, at);
            if (reference::bits_of(a) != reference::bits_of(b) && !(std::isnan(a) && std::isnan(b))) {
                pair = std::to_string(a) + ", theirs " + std::to_string(b);
                ++other, farthest = std::max(farthest, std::isfinite(a - b) ? std::fabs(a - b) : INFINITY);
                const size_t y = at / dst_row, x = at % dst_row / column, channel = at % column / size;
                const bool clamped = is_clamped(a, b, lo, hi, u.dst_type);
                const bool out = !is_inside(y, x) && has_special_weight(channel);
                if (std::fabs(a - b) > bound || !std::isfinite(a - b)) {
                    bounds = bounds && clamped, beside = beside && (clamped || out || overflows(y, x, channel));
                }
            }
        }
        const uint8_t* const past = theirs.data() + ours.size();
        const bool overrun = std::any_of(
            past, past + theirs.size() - ours.size(), [&](uint8_t x) { return x != GuardedBuffer::kPoison; });
        if (single && (overrun || other != 0)) {
            differs(tally, OVERRUN, function, call + ": past the output, or " + pair);
        } else if (other == 0) {
            ++tally.same;
        } else if (!special && farthest <= bound) {
            ++tally.near, tally.farthest = std::max<double>(tally.farthest, farthest / bound);
        } else {
            differs(
                tally,
                !special ? RESULTS
                : bounds ? BOUNDS
                : beside ? BESIDE
                         : SPECIAL,
                function, call + ": " + std::to_string(other) + " elements: " + pair);
        }
    }
}

std::vector<const kai_ukernel*> depthwise() {
    std::vector<const kai_ukernel*> ukernels = test::all_ukernels();
    ukernels.erase(
        std::remove_if(ukernels.begin(), ukernels.end(), [](const kai_ukernel* u) { return !kai::is_depthwise(*u); }),
        ukernels.end());
    return ukernels;
}

INSTANTIATE_TEST_SUITE_P(Kernels, PeerDwconv, testing::ValuesIn(depthwise()), test::instance_name<kai_ukernel>);

// ---- the table ----

class Table : public testing::EmptyTestEventListener {
    void OnTestProgramEnd(const testing::UnitTest&) override {
        std::printf(
            "%-44s %8s %8s %8s %8s %8s  %s\n", "against the established library", "calls", "same", "near", "known",
            "differ", "farthest apart, in error bounds");
        Tally all;
        for (const auto& [name, t] : tallies) {
            std::printf(
                "%-44s %8zu %8zu %8zu %8zu %8zu  %.3f\n", name.c_str(), t.calls, t.same, t.near, t.known, t.unexplained,
                t.farthest);
            all.calls += t.calls, all.same += t.same, all.near += t.near, all.known += t.known;
            all.unexplained += t.unexplained;
        }
        std::printf(
            "%-44s %8zu %8zu %8zu %8zu %8zu\n", "all", all.calls, all.same, all.near, all.known, all.unexplained);
        for (const Known& known : kKnown) {
            const char* state = seen.count(&known) != 0 ? "seen" : tried_of[&known] != 0 ? "not seen" : "not tried";
            std::printf("%s: %s %s: %s\n", state, kKindNames[known.kind], known.functions, known.reason);
        }
    }
};

}  // namespace

int main(int argc, char** argv) {
    testing::InitGoogleTest(&argc, argv);
    if (std::getenv("GTEST_FILTER") == nullptr && GTEST_FLAG_GET(filter) == "*") {
        GTEST_FLAG_SET(filter, "*Peer*");
    }
    testing::UnitTest::GetInstance()->listeners().Append(new Table);
    const test::PlainCalls plain;
    GuardedBuffer::readable_past_end = 1024;
    std::printf(
        "SVE: %zu bytes, SME: %zu bytes; %zu cases of each function, seed %zu\n", kai_cpu_sve_bytes(),
        kai_cpu_sme_bytes(), cases, seed);
    return RUN_ALL_TESTS();
}
