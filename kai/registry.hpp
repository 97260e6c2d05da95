// Shared by the parts of the registry.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/kai_registry.h"
#include "kai/engines/core/pack_rhs_rules.hpp"

/// Preconditions of a packer.
struct kai_packer_rules {
    const kai_rhs_rules* table;  ///< RHS packers that state their rules in a table; else NULL, and what follows counts.
    size_t rows, kr, sr;         ///< of the catalogue. 0: any; SIZE_MAX: this CPU cannot tell it
    bool group_is_kr;            ///< consecutive elements of a row: kr, else kr / sr
    uint8_t source_bits;         ///< of an element of the source
    bool bias, scale;            ///< the format has a place for it
    size_t block;                ///< of the format, if it has one length of blocks: k is a multiple of it; else 0
};
