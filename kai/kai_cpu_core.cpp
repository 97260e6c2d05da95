// Classes of cores, by MIDR_EL1: of this core on Linux and Android, which read it for programs, of all cores from their
// files; on Windows from the registry. Nothing here allocates.
//
// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>
#include <string.h>

#include "kai/engines/core/check.hpp"
#include "kai/engines/core/cpu.hpp"
#include "kai/words.hpp"

#if defined(__linux__)
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>
#endif
#if defined(__linux__) && defined(__aarch64__)
#include <sys/auxv.h>
#endif
#if defined(_WIN32) && (defined(__aarch64__) || defined(_M_ARM64))
#define KAI_WINDOWS_ON_ARM
#include <windows.h>
#ifdef _MSC_VER
#pragma comment(lib, "advapi32")  // the registry
#endif
#endif

namespace {

using kai::is_word;

/// What MIDR_EL1 says of a core, without variant and revision.
constexpr uint32_t key_of(uint64_t midr) {
    return static_cast<uint32_t>(midr >> 24 & 0xFF) << 12 | static_cast<uint32_t>(midr >> 4 & 0xFFF);
}
constexpr uint32_t kArm = 0x41 << 12, kQualcomm = 0x51 << 12;

/// The cores that are not generic. Silver cores of Kryo are Arm's.
constexpr struct {
    uint32_t key;
    const char* name;
    kai_cpu_core core;
} kCores[] = {
    {kArm | 0xD03, "cortex-a53", KAI_CORE_CORTEX_A55},
    {kArm | 0xD05, "cortex-a55", KAI_CORE_CORTEX_A55},
    {kQualcomm | 0x801, "kryo-2xx-silver", KAI_CORE_CORTEX_A55},
    {kQualcomm | 0x803, "kryo-3xx-silver", KAI_CORE_CORTEX_A55},
    {kQualcomm | 0x805, "kryo-4xx-silver", KAI_CORE_CORTEX_A55},
    {kArm | 0xD46, "cortex-a510", KAI_CORE_CORTEX_A510},
    {kArm | 0xD80, "cortex-a520", KAI_CORE_CORTEX_A510},
    {kArm | 0xD88, "cortex-a520ae", KAI_CORE_CORTEX_A510},
    {kArm | 0xD8A, "c1-nano", KAI_CORE_CORTEX_A510},
};

/// Where a class is known from: reasons, and their places in the word that remembers it.
constexpr const char* kReasons[] = {
    "the system does not name its cores",
    "MIDR_EL1 of a core",
    "midr_el1 of each core in /sys/devices/system/cpu",
    "/proc/cpuinfo",
    "the registry of Windows: CP 4000 of each core",
    "all cores of Apple are generic",
    "this is not an AArch64 CPU, or an unknown system",
    "KLEIDIAI_CPU_CORE",
};
enum Source : unsigned { kNoNames, kThisCore, kSysfs, kCpuinfo, kRegistry, kApple, kUnknownSystem, kUser };

struct Found {
    kai_cpu_core core;
    Source source;
};

/// The fastest class of some cores. Classes are in order of speed.
struct Fastest {
    kai_cpu_core core = KAI_CORE_COUNT;

    void add(kai_cpu_core its) {
        core = its < core ? its : core;
    }
    void add_midr(uint64_t midr) {
        add(kai_cpu_core_of(midr));
    }
    bool any() const {
        return core != KAI_CORE_COUNT;
    }
    bool is_known() const {  // no other core changes it
        return core == KAI_CORE_GENERIC;
    }
};

#if defined(__linux__)
/// @name Files, which may be missing, cut off, or anything else than what they should be
/// @{
constexpr size_t kLine = 256;

/// Reads lines. What is beyond kLine - 1 characters of a line is left out, and what is beyond a megabyte of a file.
class Lines {
public:
    Lines(const char* root, const char* path) {
        char name[512];
        const int length = snprintf(name, sizeof(name), "%s%s", root, path);
        if (length > 0 && static_cast<size_t>(length) < sizeof(name)) {
            file_ = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);  // a pipe does not make it wait
        }
    }
    Lines(const Lines&) = delete;
    ~Lines() {
        if (file_ >= 0) {
            close(file_);
        }
        errno = errno_;
    }

    bool next(char (&line)[kLine]) {
        size_t length = 0;
        int c = get();
        const bool has = c >= 0;
        for (; c >= 0 && c != '\n'; c = get()) {
            if (length + 1 < kLine) {
                line[length++] = static_cast<char>(c);
            }
        }
        line[length] = 0;
        return has;
    }

private:
    int get() {
        if (at_ == size_) {
            ssize_t count = -1;
            do {
                count = file_ >= 0 && left_ != 0 ? read(file_, buffer_, sizeof(buffer_)) : 0;
            } while (count < 0 && errno == EINTR);
            at_ = 0, size_ = count > 0 ? static_cast<size_t>(count) : 0;
            left_ -= size_ < left_ ? size_ : left_;
            if (size_ == 0) {
                left_ = 0;
                return -1;
            }
        }
        return static_cast<unsigned char>(buffer_[at_++]);
    }

    int errno_ = errno, file_ = -1;
    size_t left_ = size_t{1} << 20, at_ = 0, size_ = 0;
    char buffer_[512];
};

/// The number that begins here, at most `most`; `end`: what follows it. False if there is none.
bool read_number(const char* text, unsigned base, uint64_t most, uint64_t* number, const char** end) {
    *number = 0, *end = text;
    for (;; ++*end) {
        const char c = kai::lower(**end);
        const unsigned digit = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : base;
        if (digit >= base) {
            return *end != text;
        }
        if (*number > (most - digit) / base) {
            return false;
        }
        *number = *number * base + digit;
    }
}

/// The whole text is 0x and digits.
bool read_hexadecimal(const char* text, uint64_t most, uint64_t* number) {
    const char* end = text;
    return text[0] == '0' && text[1] == 'x' && read_number(text + 2, 16, most, number, &end) &&
           end[strspn(end, " \t\r")] == 0;
}

/// MIDR_EL1 of a core from its file.
bool read_midr(const char* root, uint64_t cpu, uint64_t* midr) {
    char path[96], line[kLine];
    snprintf(
        path, sizeof(path), "/sys/devices/system/cpu/cpu%u/regs/identification/midr_el1", static_cast<unsigned>(cpu));
    Lines file(root, path);
    return file.next(line) && read_hexadecimal(line, UINT64_MAX, midr) && *midr != 0;
}

/// By the files of all cores that are present, a list such as 0-3,6. One that tells nothing, perhaps because it sleeps,
/// may be a fast one. None if no core tells anything.
Fastest ask_sysfs(const char* root) {
    constexpr uint64_t kMost = 4096;  // files, and the number of a core
    Fastest fastest;
    bool told = false;
    char list[kLine];
    if (!Lines(root, "/sys/devices/system/cpu/present").next(list) || strlen(list) == kLine - 1) {
        return fastest;
    }
    const char* at = list;
    uint64_t first = 0, last = 0, midr = 0, files = 0;
    while (read_number(at, 10, kMost, &first, &at)) {
        last = first;
        if (*at == '-' && !read_number(at + 1, 10, kMost, &last, &at)) {
            return {};
        }
        for (uint64_t cpu = first; cpu <= last && !(told && fastest.is_known()) && files < kMost; ++cpu, ++files) {
            const bool tells = read_midr(root, cpu, &midr);
            told = told || tells;
            fastest.add(tells ? kai_cpu_core_of(midr) : KAI_CORE_GENERIC);
        }
        if (*at != ',') {
            break;
        }
        ++at;
    }
    return told && *at == 0 ? fastest : Fastest{};
}

/// The value of a line `key : value`, or NULL.
const char* value_of(const char* line, const char* key) {
    const size_t length = strlen(key);
    if (strncmp(line, key, length) != 0) {
        return nullptr;
    }
    line += length + strspn(line + length, " \t");
    return *line == ':' ? line + 1 + strspn(line + 1, " \t") : nullptr;
}

/// By the cores that Linux lists in a file: a paragraph each, which begins with its number. One that does not say what
/// it is may be a fast one. None if no core says it.
Fastest ask_cpuinfo(const char* root) {
    constexpr uint64_t kUnknown = UINT64_MAX;
    Fastest fastest;
    bool told = false, in_core = false;
    uint64_t implementer = kUnknown, part = kUnknown;
    const auto end_core = [&] {
        const bool tells = implementer != kUnknown && part != kUnknown;
        if (tells) {
            fastest.add_midr(implementer << 24 | part << 4);
        } else if (in_core) {
            fastest.add(KAI_CORE_GENERIC);
        }
        told = told || tells;
        implementer = part = kUnknown;
    };
    char line[kLine];
    for (Lines file(root, "/proc/cpuinfo"); file.next(line);) {
        if (value_of(line, "processor") != nullptr) {
            end_core();
            in_core = true;
        } else if (const char* text = value_of(line, "CPU implementer")) {
            implementer = read_hexadecimal(text, 0xFF, &implementer) ? implementer : kUnknown;
        } else if (const char* its_part = value_of(line, "CPU part")) {
            part = read_hexadecimal(its_part, 0xFFF, &part) ? part : kUnknown;
        }
    }
    end_core();
    return told ? fastest : Fastest{};
}
/// @}

/// `own`: MIDR_EL1 of the core that this thread happens to run on; 0: unknown.
Found ask_linux(const char* root, uint64_t own) {
    Fastest one;
    if (own != 0) {
        one.add_midr(own);
    }
    if (one.is_known()) {
        return {one.core, kThisCore};
    }
    const Fastest by_sysfs = ask_sysfs(root);
    if (by_sysfs.any()) {
        return {by_sysfs.core, kSysfs};
    }
    const Fastest by_cpuinfo = ask_cpuinfo(root);
    if (by_cpuinfo.any()) {
        return {by_cpuinfo.core, kCpuinfo};
    }
    return one.any() ? Found{one.core, kThisCore} : Found{KAI_CORE_GENERIC, kNoNames};
}
#endif  // Linux

#if defined(__linux__) && defined(__aarch64__)
/// MIDR_EL1 of the core that this thread runs on, which Linux reads for it; 0: it does not.
uint64_t own_midr() {
    constexpr unsigned long kHwcapCpuid = 1UL << 11;
    uint64_t midr = 0;
    if ((getauxval(AT_HWCAP) & kHwcapCpuid) != 0) {
        __asm__ volatile("mrs %0, midr_el1" : "=r"(midr));
    }
    return midr;
}
#elif defined(KAI_WINDOWS_ON_ARM)
bool read_midr(unsigned cpu, uint64_t* midr) {
    char key[80];
    snprintf(key, sizeof(key), "HARDWARE\\DESCRIPTION\\System\\CentralProcessor\\%u", cpu);
    DWORD size = sizeof(*midr);
    return RegGetValueA(HKEY_LOCAL_MACHINE, key, "CP 4000", RRF_RT_REG_QWORD, nullptr, midr, &size) == 0 &&
           size == sizeof(*midr) && *midr != 0;
}
#endif

/// The fastest class, by the system.
Found ask_system() {
#if defined(__linux__) && defined(__aarch64__)
    return ask_linux("", own_midr());
#elif defined(__APPLE__) && defined(__aarch64__)
    return {KAI_CORE_GENERIC, kApple};
#elif defined(KAI_WINDOWS_ON_ARM)
    Fastest fastest;
    uint64_t midr = 0;
    for (unsigned cpu = 0; !fastest.is_known() && read_midr(cpu, &midr); ++cpu) {
        fastest.add_midr(midr);
    }
    return fastest.any() ? Found{fastest.core, kRegistry} : Found{KAI_CORE_GENERIC, kNoNames};
#else
    return {KAI_CORE_GENERIC, kUnknownSystem};
#endif
}

/// @name KLEIDIAI_CPU_CORE: the name of a class or of a core, upper or lower case
/// @{
constexpr const char* kVariable = "KLEIDIAI_CPU_CORE";

/// KAI_CORE_AUTO for an unknown name.
kai_cpu_core named(const char* word, size_t length) {
    for (int i = KAI_CORE_GENERIC; i < KAI_CORE_COUNT; ++i) {
        if (is_word(word, length, kai_cpu_core_name(static_cast<kai_cpu_core>(i)))) {
            return static_cast<kai_cpu_core>(i);
        }
    }
    for (const auto& known : kCores) {
        if (is_word(word, length, known.name)) {
            return known.core;
        }
    }
    return KAI_CORE_AUTO;
}

struct Word {
    const char* text;
    size_t length;
};

/// What the variable holds, without white space around it.
Word word_of_user() {
    const char* text = getenv(kVariable);
    text = text != nullptr ? text + strspn(text, kai::kSpaces) : "";
    size_t length = strlen(text);
    while (length != 0 && strchr(kai::kSpaces, text[length - 1]) != nullptr) {
        --length;
    }
    return {text, length};
}

void report_unknown(Word word) {
    fprintf(stderr, "%s: no core \"%.*s\"; there are:", kVariable, static_cast<int>(word.length), word.text);
    for (int i = KAI_CORE_GENERIC; i < KAI_CORE_COUNT; ++i) {
        fprintf(stderr, " %s", kai_cpu_core_name(static_cast<kai_cpu_core>(i)));
    }
    for (const auto& known : kCores) {
        if (strcmp(known.name, kai_cpu_core_name(known.core)) != 0) {
            fprintf(stderr, " %s", known.name);
        }
    }
    fputc('\n', stderr);
}
/// @}

/// The answer, in a word that is written once, so that concurrent queries need no lock: class and source. 0: unknown.
uint32_t known_core;

[[gnu::noinline, gnu::cold]] uint32_t ask() {
    const Word word = word_of_user();
    const kai_cpu_core user = named(word.text, word.length);
    const Found found = user != KAI_CORE_AUTO ? Found{user, kUser} : ask_system();
    const uint32_t answer = static_cast<uint32_t>(found.core) | static_cast<uint32_t>(found.source) << 8;
    uint32_t expected = 0;
    if (!__atomic_compare_exchange_n(&known_core, &expected, answer, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
        return expected;  // another thread was first, and reports
    }
    if (user == KAI_CORE_AUTO && word.length != 0) {
        report_unknown(word);
    }
    return answer;
}

kai_cpu_core_answer answer_of(Found found) {
    return {found.core, kReasons[found.source]};
}

}  // namespace

extern "C" {

const char* kai_cpu_core_name(kai_cpu_core core) {
    constexpr const char* kNames[KAI_CORE_COUNT] = {nullptr, "generic", "cortex-a510", "cortex-a55"};
    const auto index = static_cast<unsigned>(core);
    return index < KAI_CORE_COUNT ? kNames[index] : nullptr;
}

kai_cpu_core kai_cpu_core_of(uint64_t midr) {
    for (const auto& known : kCores) {
        if (known.key == key_of(midr)) {
            return known.core;
        }
    }
    return KAI_CORE_GENERIC;
}

kai_cpu_core_answer kai_cpu_fastest_core() {
    const uint32_t known = __atomic_load_n(&known_core, __ATOMIC_RELAXED);
    const uint32_t answer = known != 0 ? known : ask();
    return answer_of({static_cast<kai_cpu_core>(answer & 0xFF), static_cast<Source>(answer >> 8)});
}

kai_cpu_core_answer kai_cpu_this_core() {
    const kai_cpu_core_answer fastest = kai_cpu_fastest_core();
    uint64_t midr = 0;
#if defined(__linux__) && defined(__aarch64__)
    midr = own_midr();
    constexpr Source kSource = kThisCore;
#elif defined(KAI_WINDOWS_ON_ARM)
    midr = read_midr(GetCurrentProcessorNumber(), &midr) ? midr : 0;
    constexpr Source kSource = kRegistry;
#else
    constexpr Source kSource = kUnknownSystem;
#endif
    return midr == 0 || fastest.reason == kReasons[kUser] ? fastest : answer_of({kai_cpu_core_of(midr), kSource});
}

kai_cpu_core_answer kai_cpu_core_by_files([[maybe_unused]] const char* root, [[maybe_unused]] uint64_t midr) {
#if defined(__linux__)
    return answer_of(ask_linux(root, midr));
#else
    return answer_of({KAI_CORE_GENERIC, kUnknownSystem});
#endif
}

void kai_cpu_forget_core() {
    __atomic_store_n(&known_core, 0, __ATOMIC_RELAXED);
}

}  // extern "C"
