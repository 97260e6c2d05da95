// Micro-kernels and packers, all of the registry: none is named here.
//
// With several threads each computes a part of the columns, and packs a part of the rows or columns. Indirect matmul
// runs with one chunk: a table of rows. Depthwise convolution has another shape: conv.cpp.
//
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <random>

#include "benchmark/measure.hpp"
#include "benchmark/peer.hpp"
#include "examples/common/aligned_memory.hpp"
#include "kai/call.hpp"
#include "kai/gemm/kai_gemm.h"
#include "kai/kai_call.h"

namespace {

using std::string;

// ---- what Operands can call ----

template <auto... Members>
struct MemberSet {
    template <auto Member>
    static constexpr bool has = (kai::kSame<Member, Members> || ...);
};
using K = kai::KernelArgs;
using P = kai::PackerArgs;
/// The arguments that Operands gives values, or that may be 0. A signature with others is refused.
using Known = MemberSet<
    &K::m, &K::n, &K::k, &K::bl, &K::k_chunk_count, &K::k_chunk_length, &K::lhs, &K::lhs_stride, &K::pad_ptr,
    &K::lhs_ptr_offset, &K::rhs, &K::rhs_stride, &K::dst, &K::dst_stride_row, &K::dst_stride_col, &K::clamp_min,
    &K::clamp_max, &K::requantize, &K::lowp, &K::offsets, &K::lut, &P::count, &P::k, &P::bl, &P::k_chunk_count,
    &P::k_chunk_length, &P::rows, &P::kr, &P::sr, &P::source, &P::stride, &P::m_idx_start, &P::pad_ptr,
    &P::lhs_ptr_offset, &P::num_groups, &P::extra_bytes, &P::zero, &P::bias, &P::scale, &P::scale_stride, &P::no_bias,
    &P::no_scale, &P::no_params, &P::params, &P::lut, &P::table, &P::packed>;

template <typename F, auto... Arguments>
constexpr bool is_known(kai::Function<F, Arguments...> /*run*/) {
    return (Known::has<Arguments> && ...);
}
constexpr bool is_known(kai::NoFunction /*run*/) {
    return false;
}
static_assert(!is_known(kai::Function<void(size_t, size_t), &K::n, &K::index>{}), "arguments that are not in the list");
/// A micro-kernel or a packer. Those of the unified API take structures, which kai::run fills.
template <typename Entry>
bool is_known(const Entry& entry) {
    return kai::with_signature(entry.signature, [](auto s) {
        using Run = typename decltype(s)::Run;
        if constexpr (kai::kKind<Run> == kai::Kind::unified) {
            return true;
        } else {
            return is_known(Run{});
        }
    });
}

/// What a micro-kernel is measured with.
struct Packers {
    const kai_packer *lhs, *rhs;
};

std::vector<const kai_packer*> lhs_packers(const kai_ukernel& u) {
    std::vector<const kai_packer*> all;
    for (size_t i = 0; const kai_packer* p = kai_registry_lhs_packer(&u, i); ++i) {
        all.push_back(p);
    }
    return all;
}

/// Those of GGUF files come last.
std::vector<const kai_packer*> rhs_packers(const kai_ukernel& u) {
    std::vector<const kai_packer*> all;
    for (size_t i = 0; const kai_packer* p = kai_registry_rhs_packer(&u, i); ++i) {
        all.push_back(p);
    }
    for (size_t i = 0; kai::rhs_is_packed(u) && i < kai_gguf_type_count(); ++i) {
        if (const kai_packer* p = kai_registry_gguf_packer(&u, kai_gguf_type_at(i)->id); p != nullptr) {
            all.push_back(p);
        }
    }
    return all;
}

Packers first_packers(const kai_ukernel& u) {
    const auto first = [](const std::vector<const kai_packer*>& all) { return all.empty() ? nullptr : all[0]; };
    return {first(lhs_packers(u)), first(rhs_packers(u))};
}

/// The length of a block: that of the rows of a file is given.
size_t block_length(const kai_ukernel& u, const kai_packer* rhs_packer) {
    return u.signature == KAI_UKERNEL_MATMUL_FILE ? u.k_multiple
           : rhs_packer != nullptr && kai::is_file(*rhs_packer) && kai::has_blocks(u)
               ? kai::file_type_of(*rhs_packer).packed_bl
               : options.block_length;
}

/// Why the registry, which knows the preconditions, or this program refuses the shape; "" if it is accepted.
string refusal(const kai_ukernel& u, const Packers& packers, const Shape& s) {
    char reason[256] = "";
    if (kai::is_depthwise(u)) {
        return "depthwise convolution has no m x n x k";
    }
    if (!is_known(u)) {
        return "this program does not know the arguments of its signature";
    }
    if (!kai_registry_runnable(u.features | u.size_features, reason, sizeof(reason))) {
        return reason;
    }
    if (u.rows == KAI_ROWS_ONE && s.m > 1) {
        return "made for one row";
    }
    kai_registry_call call = {};
    call.ukernel = &u;
    call.m = s.m, call.n = s.n, call.k = s.k, call.bl = block_length(u, packers.rhs);
    if (!kai_registry_check(&call, reason, sizeof(reason))) {
        return reason;
    }
    for (const bool lhs : {true, false}) {
        const kai_packer* p = lhs ? packers.lhs : packers.rhs;
        if (p == nullptr) {
            if (lhs ? kai::lhs_is_packed(u) : kai::rhs_is_packed(u)) {
                return string("no packer for its ") + (lhs ? "LHS" : "RHS") + " runs on this CPU";
            }
            continue;
        }
        if (!is_known(*p)) {
            return string("this program does not know the arguments of ") + p->name;
        }
        call.ukernel = nullptr, call.packer = p;
        call.m = s.m;
        call.rows = lhs ? u.get_mr() : u.get_nr(), call.kr = u.get_kr(), call.sr = u.get_sr();
        call.bias = call.scale = call.zero = true;
        if (lhs && !kai_registry_check(&call, reason, sizeof(reason))) {
            return reason;
        }
        if (!lhs) {
            call.bias = kai::packs_bias(*p);
            call.scale = kai::takes<&P::scale>(*p) || kai::is_unified(*p);
            call.zero = kai::takes<&P::zero>(*p);
            kai::RhsParams params;
            call.params = kai::make_params(*p, params, 1, 8, 1.0F);
            if (!kai_registry_check(&call, reason, sizeof(reason))) {
                return reason;
            }
        }
    }
    return "";
}

// ---- operands ----

enum class Step { matmul, end_to_end, lhs_pack, rhs_pack };

/// Operands of one micro-kernel.
class Operands : public Work {
public:
    Operands(const kai_ukernel& u, const Packers& packers, const Shape& s, Step step) : step_(step) {
        call_.ukernel = &u, call_.lhs_packer = packers.lhs, call_.rhs_packer = packers.rhs;
        if (options.peer) {
            take_peers();
        }
        call_.m = s.m, call_.n = s.n, call_.k = s.k, call_.bl = block_length(u, packers.rhs);
        make_lhs();
        make_rhs();
        dst_.resize(kai_call_dst_size(&call_));
        call_.dst = dst_.data();
        lhs_packed_.resize(kai_call_lhs_packed_size(&call_));
        kai_call_pack_lhs(&call_, 0, s.m, lhs_packed_.data());
        call_.lhs_packed = lhs_packed_.data();
        pack_copies();
    }

    void run(Pool& pool) override {
        const kai_ukernel& u = *call_.ukernel;
        turn_ = turn_ + 1 < copies_ ? turn_ + 1 : 0;
        void* rhs = static_cast<char*>(copy_.get()) + turn_ * stride_;
        if (step_ == Step::rhs_pack) {
            const bool parts = kai::packs_parts(*call_.rhs_packer);
            share(pool, call_.n, parts ? u.get_nr() : call_.n, [&](size_t first, size_t count) {
                kai_call_pack_rhs(&call_, first, count, rhs);
            });
            return;
        }
        if (step_ != Step::matmul && call_.lhs_packer != nullptr) {
            share(pool, call_.m, u.get_mr(), [&](size_t first, size_t count) {
                kai_call_pack_lhs(&call_, first, count, lhs_packed_.data());
            });
        }
        if (step_ != Step::lhs_pack) {
            (call_.rhs_packer != nullptr ? call_.rhs_packed : call_.rhs) = rhs;
            share(pool, call_.n, u.get_n_step(), [&](size_t first, size_t count) {
                kai_call_run(&call_, 0, first, call_.m, count);
            });
        }
    }

    double bytes() const override {
        const size_t lhs = (call_.lhs_packer != nullptr ? lhs_packed_ : lhs_).size();
        return double(
            step_ == Step::lhs_pack   ? lhs_.size() + lhs_packed_.size()
            : step_ == Step::rhs_pack ? rhs_.size() + rhs_size_
                                      : lhs + rhs_size_ + dst_.size());
    }

private:
    static size_t element_size(const char* format) {
        return (kai::element_bits(format) + 7) / 8;
    }

    /// What is measured is KleidiAI's. The rest stays ours: packed bytes are the same.
    void take_peers() {
        const auto take = [](auto& copy, auto*& entry) {
            copy = *entry;
            copy.run = peer_run(copy);
            entry = &copy;
        };
        if (step_ == Step::matmul || step_ == Step::end_to_end) {
            take(peers_ukernel_, call_.ukernel);
        }
        if ((step_ == Step::end_to_end || step_ == Step::lhs_pack) && call_.lhs_packer != nullptr) {
            take(peers_lhs_packer_, call_.lhs_packer);
        }
        if (step_ == Step::rhs_pack) {
            take(peers_rhs_packer_, call_.rhs_packer);
        }
    }

    void make_lhs() {
        const kai_ukernel& u = *call_.ukernel;
        const kai_packer* packer = call_.lhs_packer;
        const char* type = packer != nullptr ? packer->source_format : u.lhs_format;
        const size_t row = call_.k * element_size(type);
        lhs_ = random_elements(type, call_.m * row, 1);
        const size_t group = packer != nullptr ? u.get_mr() : u.get_m_step();
        rows_.resize((call_.m + group - 1) / group * group);
        for (size_t i = 0; i < call_.m; ++i) {
            rows_[i] = &lhs_[i * row];
        }
        const bool pointers = packer != nullptr ? kai::takes_pointers(*packer) : kai::takes_pointers(u);
        call_.lhs = pointers ? static_cast<const void*>(rows_.data()) : lhs_.data();
        call_.lhs_zero_point = 1;
    }

    void make_rhs() {
        const kai_ukernel& u = *call_.ukernel;
        const kai_packer* packer = call_.rhs_packer;
        const size_t n = call_.n, blocks = n * (call_.k / call_.bl + 1);
        std::mt19937 random(2);
        std::uniform_real_distribution<float> value(-1.0F, 1.0F);
        for (std::vector<float>* v : {&zero_, &scale_, &bias_}) {
            v->resize(v == &bias_ ? n : blocks);
            std::generate(v->begin(), v->end(), [&] { return value(random); });
        }
        std::transform(scale_.begin(), scale_.end(), std::back_inserter(bf16_scale_), kai_cast_bf16_f32);
        const bool kxn = packer != nullptr && kai::is_kxn(*packer);
        const size_t size = packer != nullptr ? (kxn ? call_.k : n) * kai::line_size(*packer, n, call_.k, call_.bl)
                                              : (kai::is_kxn(u) ? call_.k : n) * kai::line_size(u, n, call_.k);
        const bool is_file = packer != nullptr ? kai::is_file(*packer) : kai::file_type_of(u) != nullptr;
        if (kai::has_blocks(u) || is_file) {
            rhs_ = random_elements("int8", size, 3);
            for (uint8_t& b : rhs_) {
                b &= 0x3F;  // f16 scales stay finite
            }
        } else {
            rhs_ = random_elements(packer != nullptr ? packer->source_format : u.rhs_format, size, 3);
        }
        static constexpr int32_t kMultiplier = 1 << 30, kShift = -8;
        call_.lowp.multiplier = &kMultiplier, call_.lowp.shift = &kShift;
        call_.lowp.lhs_offset = call_.offsets.lhs_offset = -100, call_.lowp.max_value = 127;
        static constexpr int8_t kTable[16] = {-127, -88, -67, -50, -36, -23, -12, 0, 10, 20, 31, 43, 56, 71, 92, 127};
        call_.table = kTable;
        call_.rhs = rhs_.data(), call_.rhs_zero = zero_.data(), call_.rhs_zero_point = 8;
        if (packer != nullptr) {
            if (kai::has_block_sums(*packer)) {
                call_.rhs_scale = bf16_scale_.data();
            } else if (kai::takes<&P::scale>(*packer) || kai::is_unified(*packer)) {
                call_.rhs_scale = scale_.data();
            }
            call_.bias = kai::packs_bias(*packer) ? bias_.data() : nullptr;
        }
    }

    /// The RHS as the kernel reads it; as many copies as copies_of says.
    void pack_copies() {
        const bool packed = call_.rhs_packer != nullptr;
        rhs_size_ = packed ? kai_call_rhs_packed_size(&call_) : rhs_.size();
        copies_ = copies_of(rhs_size_, options.is_cold({call_.m, call_.n, call_.k}));
        stride_ = (rhs_size_ + 63) / 64 * 64;
        copy_ = allocate(copies_ * stride_);
        if (packed) {
            kai_call_pack_rhs(&call_, 0, call_.n, copy_.get());
        } else {
            std::memcpy(copy_.get(), rhs_.data(), rhs_size_);
        }
        for (size_t i = 1; i < copies_; ++i) {
            std::memcpy(static_cast<char*>(copy_.get()) + i * stride_, copy_.get(), rhs_size_);
        }
    }

    /// Calls part(first, count) on each thread with its share of `count`, in whole steps.
    template <typename Part>
    static void share(Pool& pool, size_t count, size_t step, Part part) {
        if (pool.threads() == 1) {
            part(size_t{0}, count);
            return;
        }
        struct Job {
            Part& part;
            size_t count, each;
        };
        const size_t steps = (count + step - 1) / step;
        Job job = {part, count, (steps + pool.threads() - 1) / pool.threads() * step};
        pool.run(
            (count + job.each - 1) / job.each,
            [](void* context, size_t i) {
                auto& j = *static_cast<Job*>(context);
                j.part(i * j.each, std::min(j.each, j.count - i * j.each));
            },
            &job);
    }

    Step step_;
    kai_call call_ = {};
    kai_ukernel peers_ukernel_ = {};  // --peer: an entry with another `run`
    kai_packer peers_lhs_packer_ = {}, peers_rhs_packer_ = {};
    std::vector<float> zero_, scale_, bias_;
    std::vector<uint16_t> bf16_scale_;
    std::vector<uint8_t> lhs_, rhs_, lhs_packed_, dst_;
    std::vector<const void*> rows_;  // of lhs_, for indirect matmul
    AlignedMemory copy_;
    size_t rhs_size_ = 0, copies_ = 1, stride_ = 0, turn_ = 0;
};

// ---- cases ----

constexpr struct {
    const char* name;
    Step step;
} kSteps[] = {
    {"matmul", Step::matmul},
    {"end_to_end", Step::end_to_end},
    {"lhs_pack", Step::lhs_pack},
    {"rhs_pack", Step::rhs_pack},
};

/// The kernels of a family that are measured for this shape.
std::vector<const kai_ukernel*> choose(const char* family, const Shape& s) {
    std::vector<const kai_ukernel*> chosen;
    if (!options.all && options.kernel.empty()) {
        kai_registry_request request = {};
        request.family = family, request.m = s.m;
        if (const kai_ukernel* best = kai_registry_best(&request, nullptr, nullptr); best != nullptr) {
            return {best};
        }
    }
    for (size_t i = 0; i < kai_registry_ukernel_count(); ++i) {
        const kai_ukernel* u = kai_registry_ukernel(i);
        if (std::strcmp(u->family, family) == 0 && matches(options.kernel, u->name)) {
            chosen.push_back(u);
        }
    }
    return chosen;
}

/// The f32 kernel that the GEMM layer takes for this shape; NULL: there is none.
const kai_ukernel* f32_kernel(const Shape& s) {
    kai_gemm_problem problem = kai_gemm_problem_of(s.m, s.n, s.k);
    problem.b_constant = true;
    kai_gemm_plan plan;
    if (kai_gemm_make_plan(&problem, &plan) != KAI_GEMM_OK) {
        return nullptr;
    }
    return (s.m == 1 ? plan.gemv : plan.gemm).ukernel;
}

/// Why KleidiAI's functions are not measured; "": they are.
string refusal_of_peer(const kai_ukernel& u, const Packers& packers, const Shape& s, Step step) {
    string reason = step == Step::matmul || step == Step::end_to_end ? peer_refusal(u, s.m) : "";
    const kai_packer* packer = step == Step::end_to_end || step == Step::lhs_pack ? packers.lhs
                               : step == Step::rhs_pack                           ? packers.rhs
                                                                                  : nullptr;
    return reason.empty() && packer != nullptr ? peer_refusal(*packer, u) : reason;
}

void add(
    std::vector<Case>& cases, const kai_ukernel& u, const Packers& packers, const Shape& s, size_t threads,
    const char* what, Step step, bool is_f32) {
    Case c;
    c.what = what, c.family = u.family, c.kernel = &u, c.shape = s, c.threads = threads;
    c.skipped = refusal(u, packers, s);
    if (options.peer && c.skipped.empty()) {
        c.skipped = refusal_of_peer(u, packers, s, step);
    }
    if (c.skipped.empty() && options.kernel.empty() && (u.rows == KAI_ROWS_MANY) == (s.m == 1) && options.all) {
        return;  // with --all, kernels for one row get shapes of one row, the others those of many
    }
    const bool lhs = step == Step::lhs_pack;
    const kai_packer* packer = lhs ? packers.lhs : step == Step::rhs_pack ? packers.rhs : nullptr;
    if (packer != nullptr) {
        c.name = string(packer->name) + "/";
    } else if ((lhs || step == Step::rhs_pack) && c.skipped.empty()) {
        return;
    }
    // Micro-kernels that read the same panels share a packer.
    const auto same_panels = [&](const Case& other) {
        const kai_ukernel& v = *other.kernel;
        return other.what == what && other.name.rfind(c.name, 0) == 0 && other.skipped.empty() &&
               other.threads == threads && text(other.shape) == text(s) &&
               (lhs ? v.get_mr() == u.get_mr() : v.get_nr() == u.get_nr()) && v.get_kr() == u.get_kr() &&
               v.get_sr() == u.get_sr();
    };
    if (options.all && packer != nullptr && c.skipped.empty() && std::any_of(cases.begin(), cases.end(), same_panels)) {
        return;
    }
    c.name += u.name;
    c.is_f32 = is_f32;
    c.make = [&u, packers, s, step] { return std::make_unique<Operands>(u, packers, s, step); };
    const auto is_it = [&](const Case& other) {
        return other.what == what && other.name == c.name && other.threads == threads && text(other.shape) == text(s);
    };
    const auto there = std::find_if(cases.begin(), cases.end(), is_it);
    if (there == cases.end()) {
        cases.push_back(c);
    } else {
        there->is_f32 |= is_f32;
    }
}

/// The packers of a micro-kernel, if they are measured; with --all, every packer.
std::vector<Packers> choose_packers(const kai_ukernel& u, Step step) {
    const Packers first = first_packers(u);
    std::vector<Packers> chosen;
    if (step == Step::lhs_pack) {
        for (const kai_packer* p : lhs_packers(u)) {
            chosen.push_back({p, first.rhs});
        }
    } else if (step == Step::rhs_pack) {
        for (const kai_packer* p : rhs_packers(u)) {
            chosen.push_back({first.lhs, p});
        }
    } else {
        return {first};
    }
    if (chosen.empty()) {
        return {first};
    }
    chosen.resize(options.all ? chosen.size() : 1);
    return chosen;
}

}  // namespace

std::vector<Case> kernel_cases(const std::vector<Shape>& shapes) {
    std::vector<Case> cases;
    const auto add_all = [&](const char* what, Step step, const Shape& s, size_t t) {
        for (size_t i = 0; i < kai_registry_family_count(); ++i) {
            const char* family = kai_registry_family(i);
            if (matches(options.family, family)) {
                for (const kai_ukernel* u : choose(family, s)) {
                    for (const Packers& packers : choose_packers(*u, step)) {
                        add(cases, *u, packers, s, t, what, step, false);
                    }
                }
            }
        }
        const bool multiplies = step == Step::matmul || step == Step::end_to_end;
        const kai_ukernel* f32 = options.baseline && multiplies ? f32_kernel(s) : nullptr;
        if (f32 != nullptr) {
            add(cases, *f32, first_packers(*f32), s, t, what, step, true);
        }
    };
    for (const auto& [what, step] : kSteps) {
        if (options.does(what)) {
            for (const Shape& s : shapes) {
                for (const size_t t : threads_for(s)) {
                    add_all(what, step, s, t);
                }
            }
        }
    }
    return cases;
}
