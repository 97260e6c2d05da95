// The table of test/peer, or nothing.
//
// SPDX-License-Identifier: Apache-2.0
#include "benchmark/peer.hpp"

#include <algorithm>

#include "kai/call.hpp"
#ifdef KAI_BENCH_PEER
#include "test/peer/peer.hpp"
#endif

namespace {

kai_any_fn* function_of(const std::string& name) {
#ifdef KAI_BENCH_PEER
    const test::PeerFunction *first = test::peer_functions, *end = first + test::peer_function_count;
    const auto* found = std::find_if(first, end, [&](const test::PeerFunction& f) { return f.name == name; });
    return found != end ? found->peers : nullptr;
#else
    (void)name;
    return nullptr;
#endif
}

}  // namespace

bool has_peer() {
#ifdef KAI_BENCH_PEER
    return true;
#else
    return false;
#endif
}

std::string peer_version() {
#ifdef KAI_BENCH_PEER
    return KAI_BENCH_PEER;
#else
    return "";
#endif
}

kai_any_fn* peer_run(const kai_ukernel& u) {
    return kai::is_unified(u) ? nullptr : function_of(std::string("kai_run_") + u.name);
}
kai_any_fn* peer_run(const kai_packer& p) {
    return kai::is_unified(p) ? nullptr : function_of(std::string("kai_run_") + p.name);
}

std::string peer_refusal(const kai_ukernel& u, size_t m) {
    const std::string name = u.name, theirs = "KleidiAI's library ";
    if (peer_run(u) == nullptr) {
        return theirs + "has no " + name + ", or only by the unified API";
    }
    if (u.rhs_format[0] == 'q' && name.find("_sve_") != std::string::npos && kai_cpu_sve_bytes() != 32) {
        return theirs + "takes vectors of 256 bits only";
    }
    if (u.rows != KAI_ROWS_MANY && m > 1) {
        return theirs + "takes one row";
    }
    if (u.dst_type == kai_dt_bf16 && !kai_cpu_query(KAI_CPU_BF16).present) {
        return theirs + "needs bf16 instructions for it";
    }
    return "";
}

std::string peer_refusal(const kai_packer& p, const kai_ukernel& u) {
    if (peer_run(p) == nullptr) {
        return std::string("KleidiAI's library has no ") + p.name + ", or only by the unified API";
    }
    const bool groups_of_8 = std::string("lhs_quant_pack_qai8dxp_bf16_neon") == p.name;
    return groups_of_8 && u.get_kr() / u.get_sr() != 8 ? "KleidiAI's library takes groups of 8 only" : "";
}
