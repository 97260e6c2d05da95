// x
#pragma once

#include "kai/src/pack_rhs_sums.hpp"

namespace kai {
namespace {

template <const Format& format, class Groups>
void pack_rhs_sums_nxk(const RhsPack& p, const RhsSums& s) {
    pack_rhs_sums_scalar<format, SourceNxK, Groups>(p, s);
}

template <const Format& format, class Source, class Groups>
void pack_rhs_sums_kxn(const RhsPack& p, const RhsSums& s) {
    pack_rhs_sums_scalar<format, Source, Groups>(p, s);
}

}  // namespace
}  // namespace kai
