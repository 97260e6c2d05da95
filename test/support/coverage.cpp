// SPDX-License-Identifier: Apache-2.0
#include "test/support/coverage.hpp"

#include <cstdio>
#include <map>
#include <set>

namespace test {

namespace {

struct Tally {
    std::set<std::string> ran;
    std::map<std::string, std::string> skipped;  // and why

    template <typename T>
    bool note(const T& subject, std::string& reason) {
        char text[256] = "";
        if (!kai_registry_runnable(subject.features, text, sizeof(text))) {
            skipped[subject.name] = reason = text;
            return false;
        }
        ran.insert(subject.name);
        return true;
    }
    std::string counts() const {
        return std::to_string(ran.size()) + " ran, " + std::to_string(skipped.size()) + " skipped";
    }
};
Tally kernels, packers;

}  // namespace

std::vector<const kai_ukernel*> all_ukernels() {
    std::vector<const kai_ukernel*> all;
    for (size_t i = 0; i < kai_registry_ukernel_count(); ++i) {
        all.push_back(kai_registry_ukernel(i));
    }
    return all;
}

std::vector<const kai_packer*> all_packers() {
    std::vector<const kai_packer*> all;
    for (size_t i = 0; i < kai_registry_packer_count(); ++i) {
        all.push_back(kai_registry_packer(i));
    }
    return all;
}

bool note_test_of(const kai_ukernel& subject, std::string& reason) {
    return kernels.note(subject, reason);
}

bool note_test_of(const kai_packer& subject, std::string& reason) {
    return packers.note(subject, reason);
}

std::string coverage_summary() {
    std::string summary;
    for (const Tally* tally : {&kernels, &packers}) {
        for (const auto& [name, reason] : tally->skipped) {
            summary += "not tested: " + name + " (" + reason + ")\n";
        }
    }
    return summary + "kernels: " + kernels.counts() + "; packers: " + packers.counts() + "\n";
}

void CoverageListener::OnTestProgramEnd(const testing::UnitTest&) {
    std::fputs(coverage_summary().c_str(), stdout);
    std::fflush(stdout);
}

}  // namespace test
