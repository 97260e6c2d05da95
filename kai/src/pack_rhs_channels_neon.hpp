// RHS packers of formats with one scale per column: NEON. The same bytes as the scalar functions of
// pack_rhs_channels.hpp.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/src/pack_rhs_channels.hpp"

namespace kai {
namespace {

template <const Format& format, class Source, class Missing, class Weights>
void pack_rhs_channels(const RhsChannels& p, const Weights& weights) {
    pack_rhs_channels_scalar<format, Source, Missing>(p, weights);
}

}  // namespace
}  // namespace kai
