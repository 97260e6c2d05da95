// KleidiAI's own library, whose functions are measured in the place of ours (--peer).
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "kai/kai_registry.h"

/// Whether this program is linked with it (cmake/KaiPeer.cmake).
bool has_peer();

/// Its version.
std::string peer_version();

/// Its function in the place of `run` of an entry; NULL: it has none, or it is one of the unified API, whose structures
/// differ from version to version.
kai_any_fn* peer_run(const kai_ukernel& u);
kai_any_fn* peer_run(const kai_packer& p);

/// Why its function cannot be measured with m rows; "": it can. Calls that end the program are known from the tests
/// (test/peer/known_differences.def: ABORTS).
std::string peer_refusal(const kai_ukernel& u, size_t m);
/// The same of an LHS packer for a micro-kernel.
std::string peer_refusal(const kai_packer& p, const kai_ukernel& u);
