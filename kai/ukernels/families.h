//
// Every family of micro-kernels: catalogues declare the functions that they name.
//
// SPDX-License-Identifier: Apache-2.0
//
#pragma once

#include "kai/ukernels/dwconv/pack/kai_rhs_dwconv_pack.h"
#include "kai/ukernels/families.def"  // IWYU pragma: export
