// Linux and Android: /proc, /sys, perf events. Apple systems: sysctl.
//
// SPDX-License-Identifier: Apache-2.0
#include "benchmark/machine.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <map>
#include <mutex>
#include <sstream>
#include <thread>

#if defined(__linux__)
#include <dirent.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>
#elif defined(__APPLE__)
#include <pthread.h>
#include <sys/sysctl.h>
#include <sys/utsname.h>
#endif
#if defined(__ANDROID__)
#include <sys/system_properties.h>
#endif

#include "benchmark/options.hpp"
#include "benchmark/peer.hpp"
#include "benchmark_commit.hpp"
#include "kai/kai_common.h"
#include "kai/kai_cpu.h"

namespace {

using std::string;

/// The first line of a file, without a terminating 0; "": there is none.
[[maybe_unused]] string line_of(const string& path) {
    std::ifstream file(path);
    string line;
    std::getline(file, line);
    return line.substr(0, line.find('\0'));
}

string kib(size_t bytes) {
    char text[32];
    const bool mib = bytes >= size_t{1} << 20;
    std::snprintf(text, sizeof(text), "%g %s", double(bytes) / (mib ? 1 << 20 : 1 << 10), mib ? "MiB" : "KiB");
    return text;
}

struct Cache {
    string name;  ///< "L1d", "L2", ...
    size_t bytes;
};

#if defined(__linux__)

/// Names by MIDR_EL1: implementer and part.
string core_name(const string& implementer, const string& part) {
    static const std::map<string, const char*> arm = {
        {"0xd03", "Cortex-A53"},  {"0xd04", "Cortex-A35"},   {"0xd05", "Cortex-A55"},   {"0xd07", "Cortex-A57"},
        {"0xd08", "Cortex-A72"},  {"0xd09", "Cortex-A73"},   {"0xd0a", "Cortex-A75"},   {"0xd0b", "Cortex-A76"},
        {"0xd0c", "Neoverse-N1"}, {"0xd0d", "Cortex-A77"},   {"0xd0e", "Cortex-A76AE"}, {"0xd40", "Neoverse-V1"},
        {"0xd41", "Cortex-A78"},  {"0xd42", "Cortex-A78AE"}, {"0xd44", "Cortex-X1"},    {"0xd46", "Cortex-A510"},
        {"0xd47", "Cortex-A710"}, {"0xd48", "Cortex-X2"},    {"0xd49", "Neoverse-N2"},  {"0xd4a", "Neoverse-E1"},
        {"0xd4b", "Cortex-A78C"}, {"0xd4c", "Cortex-X1C"},   {"0xd4d", "Cortex-A715"},  {"0xd4e", "Cortex-X3"},
        {"0xd4f", "Neoverse-V2"}, {"0xd80", "Cortex-A520"},  {"0xd81", "Cortex-A720"},  {"0xd82", "Cortex-X4"},
        {"0xd84", "Neoverse-V3"}, {"0xd85", "Cortex-X925"},  {"0xd87", "Cortex-A725"},  {"0xd8e", "Neoverse-N3"}};
    const auto found = arm.find(part);
    return implementer == "0x41" && found != arm.end() ? found->second : "implementer " + implementer + " part " + part;
}

string sysfs_cpu(size_t cpu, const char* file) {
    return line_of("/sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/" + file);
}

/// "0-3 Cortex-A55 1.80 GHz, 4-7 Cortex-A76 2.25 GHz"
string cpu_names() {
    std::ifstream file("/proc/cpuinfo");
    std::vector<string> names;
    string implementer, model;
    for (string line; std::getline(file, line);) {
        const size_t colon = line.find(": ");
        const string value = colon != string::npos ? line.substr(colon + 2) : "";
        if (line.rfind("processor", 0) == 0) {
            names.emplace_back();
        } else if (names.empty()) {
            continue;
        } else if (line.rfind("model name", 0) == 0) {
            names.back() = value;
        } else if (line.rfind("CPU implementer", 0) == 0) {
            implementer = value;
        } else if (line.rfind("CPU part", 0) == 0) {
            names.back() = core_name(implementer, value);
        }
    }
    for (size_t i = 0; i < names.size(); ++i) {
        const double ghz = 1e-6 * std::atof(sysfs_cpu(i, "cpufreq/cpuinfo_max_freq").c_str());
        if (ghz > 0) {
            char text[32];
            std::snprintf(text, sizeof(text), " %.2f GHz", ghz);
            names[i] += text;
        }
    }
    string all;
    for (size_t i = 0, end; i < names.size(); i = end) {
        for (end = i + 1; end < names.size() && names[end] == names[i]; ++end) {
        }
        all += (i != 0 ? ", " : "") + std::to_string(i) + (end - i > 1 ? "-" + std::to_string(end - 1) : "") + " " +
               names[i];
    }
    return all;
}

/// "performance", or "0-3 powersave, 4-7 performance"
string governors() {
    std::vector<string> names;
    for (size_t i = 0; i < static_cast<size_t>(sysconf(_SC_NPROCESSORS_CONF)); ++i) {
        names.push_back(sysfs_cpu(i, "cpufreq/scaling_governor"));
    }
    if (std::equal(names.begin() + 1, names.end(), names.begin())) {
        return names[0];
    }
    string all;
    for (size_t i = 0, end; i < names.size(); i = end) {
        for (end = i + 1; end < names.size() && names[end] == names[i]; ++end) {
        }
        all += (i != 0 ? ", " : "") + std::to_string(i) + (end - i > 1 ? "-" + std::to_string(end - 1) : "") + " " +
               (names[i].empty() ? "unknown" : names[i]);
    }
    return all;
}

string machine_name() {
    string name = line_of("/proc/device-tree/model");
#if defined(__ANDROID__)
    for (const char* property : {"ro.product.manufacturer", "ro.product.model", "ro.soc.model"}) {
        char value[PROP_VALUE_MAX] = "";
        __system_property_get(property, value);
        name += (name.empty() || value[0] == 0 ? "" : " ") + string(value);
    }
#endif
    if (name.empty()) {
        name = line_of("/sys/class/dmi/id/product_name");
    }
    utsname system = {};
    uname(&system);
    return (name.empty() ? "" : name + "; ") + system.sysname + " " + system.release;
}

/// The largest of each kind: small cores have smaller caches.
std::vector<Cache> find_caches() {
    std::map<string, size_t> found;
    const auto cpus = static_cast<size_t>(sysconf(_SC_NPROCESSORS_CONF));  // not only those that this thread may use
    for (size_t cpu = 0; cpu < cpus; ++cpu) {
        for (size_t i = 0; i < 8; ++i) {
            const string folder = "cache/index" + std::to_string(i) + "/";
            const string type = sysfs_cpu(cpu, (folder + "type").c_str());
            const string size = sysfs_cpu(cpu, (folder + "size").c_str());  // "512K"
            if (type.empty() || type == "Instruction") {
                continue;
            }
            const string name = "L" + sysfs_cpu(cpu, (folder + "level").c_str()) + (type == "Data" ? "d" : "");
            const size_t bytes = std::strtoul(size.c_str(), nullptr, 10)
                                 << (size.find('M') != string::npos   ? 20
                                     : size.find('K') != string::npos ? 10
                                                                      : 0);
            found[name] = std::max(found[name], bytes);
        }
    }
    std::vector<Cache> all;
    for (const auto& [name, bytes] : found) {
        all.push_back({name, bytes});
    }
    return all;
}

#elif defined(__APPLE__)

string sysctl_text(const char* name) {
    char text[128] = "";
    size_t size = sizeof(text) - 1;
    sysctlbyname(name, text, &size, nullptr, 0);
    return text;
}
size_t sysctl_number(const char* name) {
    uint64_t value = 0;
    size_t size = sizeof(value);
    return sysctlbyname(name, &value, &size, nullptr, 0) == 0 ? static_cast<size_t>(value) : 0;
}

string cpu_names() {
    const size_t fast = sysctl_number("hw.perflevel0.logicalcpu"), slow = sysctl_number("hw.perflevel1.logicalcpu");
    const string name = sysctl_text("machdep.cpu.brand_string");
    return fast == 0 ? name : name + ", " + std::to_string(fast) + " fast and " + std::to_string(slow) + " slow cores";
}

string governors() {
    return "";
}

string machine_name() {
    utsname system = {};
    uname(&system);
    return sysctl_text("hw.model") + "; " + system.sysname + " " + system.release;
}

std::vector<Cache> find_caches() {
    std::vector<Cache> all;
    const std::pair<const char*, const char*> names[] = {
        {"L1d", "hw.perflevel0.l1dcachesize"}, {"L2", "hw.perflevel0.l2cachesize"}, {"L3", "hw.l3cachesize"}};
    for (const auto& [name, key] : names) {
        const size_t bytes = sysctl_number(key);
        if (bytes != 0) {
            all.push_back({name, bytes});
        }
    }
    return all;
}

#else

string cpu_names() {
    return "";
}
string governors() {
    return "";
}
string machine_name() {
    return "";
}
std::vector<Cache> find_caches() {
    return {};
}

#endif

const std::vector<Cache>& caches() {
    static const std::vector<Cache> found = find_caches();
    return found;
}

string compiler() {
#if defined(__clang__)
    return "Clang " __clang_version__;
#elif defined(__GNUC__)
    return "GCC " __VERSION__;
#else
    return "unknown compiler";
#endif
}

/// The time at which the program started, in UTC.
string date() {
    static const std::time_t now = std::time(nullptr);
    char text[32];
    std::strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", std::gmtime(&now));
    return text;
}

string vector_length(const char* name, size_t bytes) {
    return "; " + string(name) + (bytes != 0 ? " " + std::to_string(8 * bytes) + " bits" : " none");
}

}  // namespace

std::vector<std::pair<string, string>> describe_machine() {
    string features, sizes, pinned;
    for (int i = 0; i < KAI_CPU_FEATURE_COUNT; ++i) {
        const auto feature = static_cast<kai_cpu_feature>(i);
        if (kai_cpu_query(feature).present) {
            features += (features.empty() ? "" : " ") + string(kai_cpu_feature_name(feature));
        }
    }
    features = (features.empty() ? "portable code only" : features) + vector_length("SVE", kai_cpu_sve_bytes()) +
               vector_length("SME", kai_cpu_sme_bytes());
    for (const Cache& cache : caches()) {
        sizes += (sizes.empty() ? "" : ", ") + cache.name + " " + kib(cache.bytes);
    }
    for (const int cpu : options.cpus) {
        pinned += (pinned.empty() ? "pinned to " : ",") + std::to_string(cpu);
    }
    return {
        {"library", options.peer ? "KleidiAI " + peer_version() : string(kai_version()) + ", commit " KAI_BENCH_COMMIT},
        {"compiler", compiler()},
        {"date", date()},
        {"machine", machine_name()},
        {"cpus", cpu_names()},
        {"governor", governors().empty() ? "not told" : governors()},
        {"features", features},
        {"caches", sizes.empty() ? "unknown" : sizes},
        {"threads", pinned.empty() ? "not pinned (--cpus)" : pinned}};
}

bool is_emulated() {
#if defined(__aarch64__) && defined(__linux__)
    const string host = line_of("/proc/sys/kernel/arch"), bus = line_of("/sys/devices/system/cpu/modalias");
    return (!host.empty() && host != "aarch64" && host != "arm64") ||
           (!bus.empty() && bus.find("aarch64") == string::npos && bus.find("arm64") == string::npos);
#else
    return false;
#endif
}

size_t last_level_cache() {
    size_t most = 0;
    for (const Cache& cache : caches()) {
        most = std::max(most, cache.bytes);
    }
    return most;
}

size_t memory_size() {
#if defined(__linux__)
    return static_cast<size_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<size_t>(sysconf(_SC_PAGESIZE));
#elif defined(__APPLE__)
    return sysctl_number("hw.memsize");
#else
    return 0;
#endif
}

size_t available_memory() {
#if defined(__linux__)
    std::ifstream file("/proc/meminfo");
    for (string line; std::getline(file, line);) {
        if (line.rfind("MemAvailable:", 0) == 0) {
            return std::strtoull(line.c_str() + 13, nullptr, 10) << 10;
        }
    }
#endif
    return memory_size() / 2;
}

string described(const char* word) {
    for (const auto& [name, text] : describe_machine()) {
        if (name == word) {
            return text;
        }
    }
    return "";
}

size_t thread_limit() {
    if (!options.cpus.empty()) {
        return options.cpus.size();
    }
    return std::max<size_t>(1, std::thread::hardware_concurrency());
}

void enter_thread([[maybe_unused]] size_t index) {
    [[maybe_unused]] static std::once_flag reported;
#if defined(__linux__)
    if (index < options.cpus.size()) {
        const int cpu = options.cpus[index];
        cpu_set_t set;
        CPU_ZERO(&set);
        bool pinned = cpu < CPU_SETSIZE;
        if (pinned) {
            CPU_SET(cpu, &set);
            pinned = sched_setaffinity(0, sizeof(set), &set) == 0;
        }
        if (!pinned) {
            std::call_once(reported, [&] {
                std::fprintf(stderr, "--cpus: cannot run on CPU %d: %s\n", cpu, std::strerror(errno));
            });
        }
    }
#elif defined(__APPLE__)
    pthread_set_qos_class_self_np(QOS_CLASS_USER_INTERACTIVE, 0);  // threads cannot be pinned
#endif
#if !defined(__linux__)
    if (!options.cpus.empty()) {
        std::call_once(reported, [] { std::fprintf(stderr, "--cpus: this system does not pin threads\n"); });
    }
#endif
}

#if defined(__linux__)

namespace {

int open_counter(uint32_t type, uint64_t config) {
    perf_event_attr attributes = {};
    attributes.size = sizeof(attributes);
    attributes.type = type, attributes.config = config;
    attributes.exclude_kernel = attributes.exclude_hv = 1;
    return static_cast<int>(syscall(SYS_perf_event_open, &attributes, 0, -1, -1, 0));
}

uint64_t read_counter(int fd) {
    uint64_t count = 0;
    return read(fd, &count, sizeof(count)) == static_cast<ssize_t>(sizeof(count)) ? count : 0;
}

/// Whether it counts on the current CPU: counters of another kind of core stay at 0.
bool advances(int fd) {
    const uint64_t before = read_counter(fd);
    for (volatile int i = 0; i < 100000; i = i + 1) {
    }
    return read_counter(fd) > before;
}

}  // namespace

Cycles::Cycles() {
    fd_ = open_counter(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES);
    const int error = fd_ < 0 ? errno : 0;
    if (fd_ >= 0 && advances(fd_)) {
        return;
    }
    if (fd_ >= 0) {
        close(fd_);
        fd_ = -1;
    }
    // Machines with several kinds of cores have one counter unit for each, named after the core.
    constexpr uint64_t kArmCycles = 0x11;
    const string folder = "/sys/bus/event_source/devices";
    if (DIR* devices = opendir(folder.c_str())) {
        while (const dirent* entry = fd_ < 0 ? readdir(devices) : nullptr) {
            const string device = folder + "/" + entry->d_name, type = line_of(device + "/type");
            if (string(entry->d_name).rfind("armv", 0) == 0 && !type.empty()) {
                fd_ = open_counter(static_cast<uint32_t>(std::atoi(type.c_str())), kArmCycles);
                if (fd_ >= 0 && !advances(fd_)) {
                    close(fd_);
                    fd_ = -1;
                }
            }
        }
        closedir(devices);
    }
    if (fd_ < 0) {
        const string paranoid = line_of("/proc/sys/kernel/perf_event_paranoid");
        reason_ = string("perf_event_open: ") + (error != 0 ? std::strerror(error) : "the counter stands still") +
                  (paranoid.empty() ? "" : "; kernel.perf_event_paranoid is " + paranoid);
    }
}

Cycles::~Cycles() {
    if (fd_ >= 0) {
        close(fd_);
    }
}

uint64_t Cycles::now() const {
    return fd_ >= 0 ? read_counter(fd_) : 0;
}

#else

Cycles::Cycles() : reason_("this system has no perf events") {
}
Cycles::~Cycles() = default;
uint64_t Cycles::now() const {
    return 0;
}

#endif
