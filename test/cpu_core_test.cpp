// Classes of cores: by MIDR_EL1, by the files of Linux as they are, damaged and forged, and by the user.
//
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#if defined(__linux__)
#include <sys/stat.h>
#include <unistd.h>
#endif

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "kai/kai_cpu.h"
#include "test/support/disabled_features.hpp"
#include "test/support/threads.hpp"

namespace {

/// Sets KLEIDIAI_CPU_CORE while it lives; the library asks again.
class NamedCore {
public:
    explicit NamedCore(const char* name) {
        if (const char* old = std::getenv(kName)) {
            old_ = old;
        }
        name != nullptr ? setenv(kName, name, 1) : unsetenv(kName);
        kai_cpu_forget();
    }
    NamedCore(const NamedCore&) = delete;
    ~NamedCore() {
        old_ ? setenv(kName, old_->c_str(), 1) : unsetenv(kName);
        kai_cpu_forget();
    }

private:
    static constexpr const char* kName = "KLEIDIAI_CPU_CORE";
    std::optional<std::string> old_;
};

/// The answer while KLEIDIAI_CPU_CORE is `name`; what goes to stderr meanwhile goes to `report`.
kai_cpu_core_answer fastest_with(const char* name, std::string* report = nullptr) {
    const NamedCore core(name);
    testing::internal::CaptureStderr();
    const kai_cpu_core_answer answer = kai_cpu_fastest_core();
    const std::string text = testing::internal::GetCapturedStderr();
    if (report != nullptr) {
        *report = text;
    }
    return answer;
}

TEST(Cpu, EveryClassOfCoresHasAName) {
    std::set<std::string> names;
    for (int i = KAI_CORE_GENERIC; i < KAI_CORE_COUNT; ++i) {
        const char* name = kai_cpu_core_name(static_cast<kai_cpu_core>(i));
        ASSERT_NE(name, nullptr) << i;
        EXPECT_TRUE(names.insert(name).second) << name;
    }
    for (const int i : {-1, 0, static_cast<int>(KAI_CORE_COUNT), 1000000, -2147483647 - 1}) {
        EXPECT_EQ(kai_cpu_core_name(static_cast<kai_cpu_core>(i)), nullptr) << i;
    }
}

// Implementer and part count; variant, architecture and revision do not.
TEST(Cpu, ClassOfMidr) {
    const std::map<uint64_t, kai_cpu_core> classes = {
        {0x410FD034, KAI_CORE_CORTEX_A55},   // Cortex-A53
        {0x412FD050, KAI_CORE_CORTEX_A55},   // Cortex-A55
        {0x51AF8014, KAI_CORE_CORTEX_A55},   // Kryo 2XX Silver
        {0x517F803C, KAI_CORE_CORTEX_A55},   // Kryo 3XX Silver
        {0x51DF805E, KAI_CORE_CORTEX_A55},   // Kryo 4XX Silver
        {0x411FD461, KAI_CORE_CORTEX_A510},  // Cortex-A510
        {0x410FD801, KAI_CORE_CORTEX_A510},  // Cortex-A520
        {0x410FD880, KAI_CORE_CORTEX_A510},  // Cortex-A520AE
        {0x410FD8A0, KAI_CORE_CORTEX_A510},  // C1-Nano
        {0x410FD8C0, KAI_CORE_GENERIC},      // C1-Ultra
        {0x414FD0C1, KAI_CORE_GENERIC},      // Neoverse N1
        {0x411FD471, KAI_CORE_GENERIC},      // Cortex-A710
        {0x410FD083, KAI_CORE_GENERIC},      // Cortex-A72
        {0x610F0220, KAI_CORE_GENERIC},      // Apple M1
        {0x51DF804E, KAI_CORE_GENERIC},      // Kryo 4XX Gold
        {0x480FD034, KAI_CORE_GENERIC},      // the part of Cortex-A53, of another implementer
        {0x410F0034, KAI_CORE_GENERIC},      // a part that is not known
        {0, KAI_CORE_GENERIC},
        {UINT64_MAX, KAI_CORE_GENERIC}};
    for (const auto& [midr, core] : classes) {
        for (const uint64_t rest : {0x0, 0x00500000, 0x000F0000, 0x0000000F}) {
            EXPECT_EQ(kai_cpu_core_of(midr ^ rest), core) << std::hex << (midr ^ rest);
        }
    }
}

#if defined(__linux__)
/// A folder with the files in which Linux tells of the cores.
class Machine {
public:
    Machine() {
        char name[] = "/tmp/kleidiai_cores_XXXXXX";
        EXPECT_NE(mkdtemp(name), nullptr);
        root_ = name;
    }
    Machine(const Machine&) = delete;
    ~Machine() {
        std::filesystem::remove_all(root_);
    }

    /// Writes a file, and returns itself.
    Machine& has(const std::string& path, const std::string& text) {
        std::filesystem::create_directories((root_ + path).substr(0, (root_ + path).rfind('/')));
        std::ofstream(root_ + path, std::ios::binary) << text;
        return *this;
    }
    Machine& present(const std::string& list) {
        return has("/sys/devices/system/cpu/present", list);
    }
    Machine& core(unsigned number, const std::string& midr) {
        return has(midr_path(number), midr);
    }
    Machine& cpuinfo(const std::string& text) {
        return has("/proc/cpuinfo", text);
    }
    static std::string midr_path(unsigned number) {
        return "/sys/devices/system/cpu/cpu" + std::to_string(number) + "/regs/identification/midr_el1";
    }
    const std::string& root() const {
        return root_;
    }

    /// `core (reason)`; `own`: MIDR_EL1 of the core that asks, 0: it cannot read it.
    std::string asked(uint64_t own = 0) const {
        errno = 4711;
        const kai_cpu_core_answer answer = kai_cpu_core_by_files(root_.c_str(), own);
        EXPECT_EQ(errno, 4711);
        return std::string(kai_cpu_core_name(answer.core)) + " (" + answer.reason + ")";
    }

private:
    std::string root_;
};

constexpr const char* kA55 = "0x00000000412fd050\n";
constexpr const char* kA510 = "0x00000000411fd461\n";
constexpr const char* kA76 = "0x00000000414fd0b1\n";
constexpr const char* kSysfs = " (midr_el1 of each core in /sys/devices/system/cpu)";
constexpr const char* kCpuinfo = " (/proc/cpuinfo)";
constexpr const char* kNothing = "generic (the system does not name its cores)";

std::string paragraph(unsigned number, const std::string& implementer, const std::string& part) {
    return "processor\t: " + std::to_string(number) +
           "\nBogoMIPS\t: 38.40\nFeatures\t: fp asimd evtstrm\n"
           "CPU implementer\t: " +
           implementer + "\nCPU architecture: 8\nCPU variant\t: 0x2\nCPU part\t: " + part + "\nCPU revision\t: 0\n\n";
}

TEST(Cpu, FastestCoreOfSysfs) {
    struct Case {
        const char* present;
        std::vector<const char*> cores;
        std::string answer;
    };
    for (const Case& c : std::vector<Case>{
             {"0\n", {kA55}, "cortex-a55"},
             {"0-3\n", {kA55, kA55, kA55, kA55}, "cortex-a55"},
             {"0-3\n", {kA55, kA55, kA510, kA55}, "cortex-a510"},
             {"0-3\n", {kA510, kA55, kA55, kA55}, "cortex-a510"},
             {"0-3\n", {kA55, kA55, kA55, kA76}, "generic"},
             {"0-3\n", {kA76, kA55, kA55, kA55}, "generic"},
             {"0-3", {kA55, kA55, kA55, kA76}, "generic"},         // no end of the line
             {"0,2-3\n", {kA55, kA76, kA55, kA55}, "cortex-a55"},  // core 1 is not present
             {"0-1,3\n", {kA55, kA55, kA55, kA76}, "generic"},
             {"0-1\n", {kA55, "0x412fd050"}, "cortex-a55"},
         }) {
        Machine machine;
        machine.present(c.present);
        for (size_t i = 0; i < c.cores.size(); ++i) {
            machine.core(static_cast<unsigned>(i), c.cores[i]);
        }
        EXPECT_EQ(machine.asked(), c.answer + kSysfs) << c.present;
        EXPECT_EQ(machine.asked(0x412FD050), c.answer + kSysfs) << c.present;
        // A core that is generic itself need not look at others.
        EXPECT_EQ(machine.asked(0x414FD0B1), "generic (MIDR_EL1 of a core)");
    }
}

// A core that sleeps, or whose file is damaged, may be a fast one.
TEST(Cpu, CoreThatDoesNotTell) {
    for (const char* text :
         {"", "\n", "0x", "0x\n", "412fd050\n", "0x412fd05g\n", "0x412fd050 0x412fd050\n", "-0x412fd050\n", "0x0\n",
          "0x100000000412fd050\n", " 0x412fd050\n", "0X412FD050\n"}) {
        Machine machine;
        machine.present("0-1\n").core(0, kA55).core(1, text);
        EXPECT_EQ(machine.asked(0x412FD050), std::string("generic") + kSysfs) << text;
        // Nor do other sources help: they know less.
        machine.cpuinfo(paragraph(0, "0x41", "0xd05"));
        EXPECT_EQ(machine.asked(), std::string("generic") + kSysfs) << text;
    }
    Machine machine;
    machine.present("0-1\n").core(0, kA55);
    EXPECT_EQ(machine.asked(), std::string("generic") + kSysfs);
    // Damage beyond the number changes nothing.
    machine.core(1, std::string("0x412fd050\n\0\xff garbage", 21) + std::string(100000, 'x'));
    EXPECT_EQ(machine.asked(), std::string("cortex-a55") + kSysfs);
    EXPECT_EQ(Machine().core(0, kA55).asked(), kNothing) << "without a list of cores";
}

TEST(Cpu, ForgedListsOfCores) {
    for (const std::string& list :
         {std::string(), std::string("\n"), std::string("x\n"), std::string("-1\n"), std::string("0-\n"),
          std::string("0-x\n"), std::string("0,,1\n"), std::string("0;1\n"), std::string("0 1\n"),
          std::string("0-99999999999999999999\n"), std::string("18446744073709551616\n"), std::string("0-4097\n"),
          std::string("0x1\n"), std::string(1000, '0'), std::string(300, ','), "0," + std::string(400, '1')}) {
        Machine machine;
        machine.present(list).core(0, kA55).core(1, kA55);
        EXPECT_EQ(machine.asked(), kNothing) << list;
        EXPECT_EQ(machine.asked(0x412FD050), "cortex-a55 (MIDR_EL1 of a core)") << list;
        EXPECT_EQ(machine.cpuinfo(paragraph(0, "0x41", "0xd46")).asked(), std::string("cortex-a510") + kCpuinfo);
    }
    // Long, but not endless: the number of files is limited.
    std::string list = "0-4096";
    for (int i = 0; i < 30; ++i) {
        list += ",0-4096";
    }
    Machine machine;
    EXPECT_EQ(machine.present(list + "\n").asked(), kNothing);
    // Ranges the wrong way round have no cores.
    EXPECT_EQ(machine.present("3-1\n").core(0, kA55).asked(), kNothing);
}

TEST(Cpu, FastestCoreOfCpuinfo) {
    const std::string a53 = paragraph(0, "0x41", "0xd03"), a510 = paragraph(1, "0x41", "0xd46"),
                      n1 = paragraph(2, "0x41", "0xd0c");
    struct Case {
        std::string text, answer;
    };
    for (const Case& c : std::vector<Case>{
             {a53, "cortex-a55"},
             {a53 + a510, "cortex-a510"},
             {a510 + a53, "cortex-a510"},
             {a53 + a510 + n1, "generic"},
             {n1 + a53, "generic"},
             {a53.substr(0, a53.find("CPU revision")), "cortex-a55"},
             {a53 + "processor : 1\n", "generic"},                           // cut off
             {"processor : 0\nprocessor : 1\n" + a53, "generic"},            // as old versions list them
             {a53 + a510.substr(0, a510.find("0xd46") + 3), "generic"},      // another number
             {a53 + a510.substr(0, a510.find("CPU part")), "generic"},       // no part
             {a53 + paragraph(1, "0x141", "0xd05"), "generic"},              // too large
             {a53 + paragraph(1, "0x41", "0x1d05"), "generic"},              // too large
             {a53 + paragraph(1, "0x41", "3333"), "generic"},                // not in hexadecimal digits
             {a53 + paragraph(1, "0x41", "0xd05 0xd05"), "generic"},         // two
             {a53 + std::string(100000, 'F') + "\n" + a510, "cortex-a510"},  // a long line
             {std::string("\0\0\n", 3) + a53, "cortex-a55"},
         }) {
        Machine machine;
        machine.cpuinfo(c.text);
        EXPECT_EQ(machine.asked(), c.answer + kCpuinfo) << c.text;
        EXPECT_EQ(machine.asked(0x412FD050), c.answer + kCpuinfo) << c.text;
        // Files of sysfs are asked first.
        EXPECT_EQ(machine.present("0\n").core(0, kA510).asked(), std::string("cortex-a510") + kSysfs);
    }
    for (const std::string& text :
         {std::string(), std::string("processor\t: 0\n"), std::string("CPU part : 0xd05\n"),
          std::string("CPU implementer : 0x41\n"), std::string("CPU implementer 0x41\nCPU part 0xd05\n"),
          std::string("vendor_id : GenuineIntel\nprocessor : 0\n"), std::string(3000000, 'x')}) {
        Machine machine;
        machine.cpuinfo(text);
        EXPECT_EQ(machine.asked(), kNothing);
        EXPECT_EQ(machine.asked(0x411FD461), "cortex-a510 (MIDR_EL1 of a core)");
    }
    // A megabyte is enough.
    Machine machine;
    machine.cpuinfo(a53 + std::string(2000000, '\n') + n1);
    EXPECT_EQ(machine.asked(), std::string("cortex-a55") + kCpuinfo);
}

// What is no file does not stop it either.
TEST(Cpu, ForgedFiles) {
    Machine machine;
    machine.present("0-1\n").core(0, kA55);
    std::filesystem::create_directories(machine.root() + Machine::midr_path(1));  // a folder
    EXPECT_EQ(machine.asked(), std::string("generic") + kSysfs);

    Machine pipe;
    pipe.has("/proc/version", "");
    ASSERT_EQ(mkfifo((pipe.root() + "/proc/cpuinfo").c_str(), 0600), 0);  // nobody writes to it
    EXPECT_EQ(pipe.asked(), kNothing);

    Machine endless;
    endless.has("/proc/version", "");
    ASSERT_EQ(symlink("/dev/zero", (endless.root() + "/proc/cpuinfo").c_str()), 0);
    EXPECT_EQ(endless.asked(), kNothing);

    const std::string far = "/tmp/" + std::string(600, 'x');
    EXPECT_EQ(kai_cpu_core_by_files(far.c_str(), 0).core, KAI_CORE_GENERIC);
    EXPECT_EQ(kai_cpu_core_by_files("/nonexistent", 0x410FD034).core, KAI_CORE_CORTEX_A55);
    EXPECT_EQ(Machine().asked(), kNothing);
}
#endif

#if defined(__aarch64__) && defined(__linux__)
/// The emulated CPUs of the runs of this test (cmake/KaiEmulation.cmake) with a class of their own. Others are generic.
const std::map<std::string, kai_cpu_core> kModels = {
    {"cortex-a53", KAI_CORE_CORTEX_A55}, {"cortex-a55", KAI_CORE_CORTEX_A55}, {"cortex-a510", KAI_CORE_CORTEX_A510}};

TEST(Cpu, ClassOfThisModel) {
    const char* model = getenv("KLEIDIAI_CPU_MODEL");
    if (model == nullptr) {
        GTEST_SKIP() << "KLEIDIAI_CPU_MODEL is not set";
    }
    const auto known = kModels.find(model);
    const kai_cpu_core core = known != kModels.end() ? known->second : KAI_CORE_GENERIC;
    const NamedCore nobody(nullptr);
    EXPECT_EQ(kai_cpu_fastest_core().core, core) << kai_cpu_fastest_core().reason;
    EXPECT_EQ(kai_cpu_this_core().core, core);
    EXPECT_STREQ(kai_cpu_this_core().reason, "MIDR_EL1 of a core");
}
#endif

TEST(Cpu, CoreIsNamedByTheUser) {
    for (const auto& [name, core] : std::vector<std::pair<const char*, kai_cpu_core>>{
             {"generic", KAI_CORE_GENERIC},
             {"cortex-a55", KAI_CORE_CORTEX_A55},
             {"cortex-a510", KAI_CORE_CORTEX_A510},
             {"Cortex-A53", KAI_CORE_CORTEX_A55},
             {"CORTEX-A520", KAI_CORE_CORTEX_A510},
             {"kryo-4xx-silver", KAI_CORE_CORTEX_A55},
             {" \tcortex-a55\n", KAI_CORE_CORTEX_A55}}) {
        std::string report;
        const kai_cpu_core_answer answer = fastest_with(name, &report);
        EXPECT_EQ(answer.core, core) << name;
        EXPECT_STREQ(answer.reason, "KLEIDIAI_CPU_CORE") << name;
        EXPECT_EQ(report, "") << name;
        const NamedCore named(name);
        EXPECT_EQ(kai_cpu_this_core().core, core) << name;
        EXPECT_STREQ(kai_cpu_this_core().reason, "KLEIDIAI_CPU_CORE");
    }
}

TEST(Cpu, UnknownNamesOfCoresAreReported) {
    const kai_cpu_core_answer alone = fastest_with(nullptr);
    for (const char* name : {"cortex-a5", "cortex-a555", "cortex", "a55", "cortex-a55,generic", "auto", "x"}) {
        std::string report;
        const kai_cpu_core_answer answer = fastest_with(name, &report);
        EXPECT_EQ(answer.core, alone.core) << name;
        EXPECT_STREQ(answer.reason, alone.reason) << name;
        for (const std::string& part :
             {std::string("KLEIDIAI_CPU_CORE"), '"' + std::string(name) + '"', std::string(" generic"),
              std::string(" cortex-a510"), std::string(" cortex-a53")}) {
            EXPECT_NE(report.find(part), std::string::npos) << part << " in: " << report;
        }
    }
    for (const char* nothing : {"", " ", "\n"}) {
        std::string report;
        EXPECT_EQ(fastest_with(nothing, &report).core, alone.core);
        EXPECT_EQ(report, "");
    }
}

TEST(Cpu, CoreIsAskedOnce) {
    const NamedCore named("cortex-a55");
    EXPECT_EQ(kai_cpu_fastest_core().core, KAI_CORE_CORTEX_A55);
    setenv("KLEIDIAI_CPU_CORE", "generic", 1);  // too late
    EXPECT_EQ(kai_cpu_fastest_core().core, KAI_CORE_CORTEX_A55);

    for (int round = 0; round < 20; ++round) {
        const NamedCore wrong("nonsense");
        testing::internal::CaptureStderr();
        std::vector<kai_cpu_core_answer> answers(test::kThreads);
        test::run_threads(answers.size(), [&](size_t t) { answers[t] = kai_cpu_fastest_core(); });
        const std::string report = testing::internal::GetCapturedStderr();
        for (const kai_cpu_core_answer& answer : answers) {
            EXPECT_EQ(answer.core, answers[0].core);
            EXPECT_STREQ(answer.reason, answers[0].reason);
        }
        EXPECT_EQ(report.find("nonsense"), report.rfind("nonsense")) << "reported more than once: " << report;
        EXPECT_NE(report.find("nonsense"), std::string::npos);
    }
}

}  // namespace
