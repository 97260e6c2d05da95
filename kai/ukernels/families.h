// Every family of micro-kernels and every packer: catalogues declare the functions that they name.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kai/ukernels/families.def"    // IWYU pragma: export
#include "kai/ukernels/pack/packs.def"  // IWYU pragma: export
