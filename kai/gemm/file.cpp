// The container of packed weights (docs/file.md): a header of 64 bytes, an entry of 256 bytes per tensor, then the
// tensors. Everything that is read is checked first; nothing in the file is trusted.
//
// SPDX-License-Identifier: Apache-2.0
#include <initializer_list>

#include "kai/gemm/tensor.hpp"

namespace kai_gemm_tensors {
namespace {

constexpr size_t kHeader = 64, kEntry = 256;
constexpr char kMagic[8] = {'K', 'A', 'I', 'G', 'E', 'M', 'M', '\n'};

/// @name Where fields are, in bytes. Integers without a width are of 8 bytes.
/// @{
enum : size_t { kVersion32 = 8, kChecksum32 = 12, kFileSize = 16, kCount = 24 };
constexpr size_t kChecked = 16;  // the checksum is of what follows it
enum : size_t {
    kName = 0,
    kFormat = 112,
    kKind32 = 144,
    kType32 = 148,
    kBias32 = 152,
    kVector32 = 156,
    kN = 160,
    kK = 168,
    kBl = 176,
    kMatrices = 184,
    kNr32 = 192,
    kKr32 = 196,
    kSr32 = 200,
    kTensorChecksum32 = 204,
    kOffset = 208,
    kStride = 216,
    kSize = 224,
    kZeroPoint32 = 232,
    kMultiplier32 = 236,
    kLut = 240
};
constexpr size_t kFormatMax = kKind32 - kFormat - 1;
static_assert(kFormat - kName - 1 == KAI_GEMM_FILE_NAME_MAX);
static_assert(kLut + 4 * 4 == kEntry);
constexpr uint32_t kHasBias = 1, kBiasApart = 2;
/// @}

uint64_t get(const uint8_t* from, size_t bytes = 8) {
    uint64_t value = 0;
    for (size_t i = 0; i < bytes; ++i) {
        value |= uint64_t{from[i]} << 8 * i;
    }
    return value;
}
uint32_t get32(const uint8_t* from) {
    return static_cast<uint32_t>(get(from, 4));
}
void put(uint8_t* to, uint64_t value, size_t bytes = 8) {
    for (size_t i = 0; i < bytes; ++i) {
        to[i] = static_cast<uint8_t>(value >> 8 * i);
    }
}
void put32(uint8_t* to, uint32_t value) {
    put(to, value, 4);
}

/// CRC-32 of one byte, and of one byte followed by 1 to 7 zeros: eight bytes are looked up at once.
struct Tables {
    uint32_t of[8][256];

    constexpr Tables() : of() {
        for (uint32_t i = 0; i < 256; ++i) {
            uint32_t crc = i;
            for (int bit = 0; bit < 8; ++bit) {
                crc = (crc & 1) != 0 ? crc >> 1 ^ 0xEDB88320U : crc >> 1;
            }
            of[0][i] = crc;
        }
        for (uint32_t i = 0; i < 256; ++i) {
            for (int t = 1; t < 8; ++t) {
                of[t][i] = of[t - 1][i] >> 8 ^ of[0][of[t - 1][i] & 0xFF];
            }
        }
    }
};
constexpr Tables kCrc;

/// A text of at most `max` bytes in max + 1; the bytes after it are zero.
bool is_text(const uint8_t* field, size_t max) {
    size_t length = 0;
    while (length <= max && field[length] != 0) {
        ++length;
    }
    for (size_t i = length; i <= max; ++i) {
        if (field[i] != 0) {
            return false;
        }
    }
    return length > 0 && length <= max;
}

bool fits(uint64_t value) {
    return value <= SIZE_MAX;
}

/// Reads an entry. Its own values are checked, not where it lies.
kai_gemm_file_status read_entry(const uint8_t* e, kai_gemm_tensor* tensor) {
    if (!is_text(e + kName, KAI_GEMM_FILE_NAME_MAX)) {
        return KAI_GEMM_FILE_BAD_NAME;
    }
    const uint32_t kind = get32(e + kKind32), type = get32(e + kType32), bias = get32(e + kBias32);
    if (!is_text(e + kFormat, kFormatMax) || kind > KAI_GEMM_INT8_STATIC || (bias & ~(kHasBias | kBiasApart)) != 0 ||
        (type != 0 && type != kai_dt_f32 && type != kai_dt_f16 && type != kai_dt_bf16)) {
        return KAI_GEMM_FILE_BAD_VALUE;
    }
    for (const size_t at : {kN, kK, kBl, kMatrices, kOffset, kStride, kSize}) {
        if (!fits(get(e + at))) {
            return KAI_GEMM_FILE_OVERFLOW;
        }
    }
    kai_gemm_tensor t = {};
    t.name = reinterpret_cast<const char*>(e + kName);
    t.kind = static_cast<kai_gemm_kind>(kind);
    t.type = static_cast<kai_datatype>(type);
    t.n = get(e + kN);
    t.k = get(e + kK);
    t.bl = get(e + kBl);
    t.count = get(e + kMatrices);
    t.bias = (bias & kHasBias) != 0;
    for (size_t i = 0; i < 4; ++i) {
        t.lut[i] = static_cast<int32_t>(get32(e + kLut + 4 * i));
    }
    t.a_zero_point = static_cast<int32_t>(get32(e + kZeroPoint32));
    const uint32_t multiplier = get32(e + kMultiplier32);
    memcpy(&t.multiplier, &multiplier, sizeof(multiplier));
    t.format = {reinterpret_cast<const char*>(e + kFormat), get32(e + kNr32), get32(e + kKr32), get32(e + kSr32)};
    t.vector_length = get32(e + kVector32);
    t.bias_apart = (bias & kBiasApart) != 0;
    t.stride = get(e + kStride);
    t.size = get(e + kSize);
    t.offset = get(e + kOffset);
    t.checksum = get32(e + kTensorChecksum32);
    const Size most = Size{t.stride} * Size{t.count};
    if (t.count == 0 || t.stride % KAI_GEMM_FILE_ALIGNMENT != 0 || most.overflow || t.size > most.value ||
        t.size < most.value - t.stride) {
        return KAI_GEMM_FILE_BAD_VALUE;
    }
    kai_gemm_tensor measured = t;
    const kai_gemm_file_status status = kai_gemm_tensor_measure(&measured);
    if (status == KAI_GEMM_FILE_UNKNOWN_FORMAT) {
        // Of a newer library: it can be looked at, and others in the file can be used.
        t.panels_size = t.stride;
    } else if (status != KAI_GEMM_FILE_OK) {
        return status;
    } else if (measured.size != t.size || measured.stride != t.stride || measured.bias_apart != t.bias_apart) {
        return KAI_GEMM_FILE_BAD_VALUE;
    } else {
        t.panels_size = measured.panels_size;
    }
    *tensor = t;
    return KAI_GEMM_FILE_OK;
}

void write_entry(const kai_gemm_tensor& t, uint8_t* e) {
    memset(e, 0, kEntry);
    memcpy(e + kName, t.name, strlen(t.name));
    memcpy(e + kFormat, t.format.name, strlen(t.format.name));
    put32(e + kKind32, t.kind);
    put32(e + kType32, t.type);
    put32(e + kBias32, (t.bias ? kHasBias : 0U) | (t.bias_apart ? kBiasApart : 0U));
    put32(e + kVector32, static_cast<uint32_t>(t.vector_length));
    put(e + kN, t.n);
    put(e + kK, t.k);
    put(e + kBl, t.bl);
    put(e + kMatrices, t.count);
    put32(e + kNr32, static_cast<uint32_t>(t.format.nr));
    put32(e + kKr32, static_cast<uint32_t>(t.format.kr));
    put32(e + kSr32, static_cast<uint32_t>(t.format.sr));
    put32(e + kTensorChecksum32, t.checksum);
    put(e + kOffset, t.offset);
    put(e + kStride, t.stride);
    put(e + kSize, t.size);
    put32(e + kZeroPoint32, static_cast<uint32_t>(t.a_zero_point));
    uint32_t multiplier;
    memcpy(&multiplier, &t.multiplier, sizeof(multiplier));
    put32(e + kMultiplier32, multiplier);
    for (size_t i = 0; i < 4; ++i) {
        put32(e + kLut + 4 * i, static_cast<uint32_t>(t.lut[i]));
    }
}

/// What a header is made from: names that ascend, tensors one after the other.
kai_gemm_file_status lay_out(kai_gemm_tensor& t, const kai_gemm_tensor* previous, size_t& end) {
    if (t.name == nullptr) {
        return KAI_GEMM_FILE_NULL_POINTER;
    }
    const size_t length = strlen(t.name);
    if (length == 0 || length > KAI_GEMM_FILE_NAME_MAX ||
        (previous != nullptr && strcmp(previous->name, t.name) >= 0)) {
        return KAI_GEMM_FILE_BAD_NAME;
    }
    const kai_gemm_file_status status = kai_gemm_tensor_measure(&t);
    if (status != KAI_GEMM_FILE_OK) {
        return status;
    }
    const Size start = Size{end}.rounded_up(KAI_GEMM_FILE_ALIGNMENT), next = start + Size{t.size};
    if (next.overflow) {
        return KAI_GEMM_FILE_OVERFLOW;
    }
    t.offset = start.value;
    end = next.value;
    return KAI_GEMM_FILE_OK;
}

const uint8_t* entry(const kai_gemm_file* file, size_t index) {
    return kai::bytes(file->data, kHeader + index * kEntry);
}

const char* name_of(const kai_gemm_file* file, size_t index) {
    return reinterpret_cast<const char*>(entry(file, index) + kName);
}

}  // namespace
}  // namespace kai_gemm_tensors

using namespace kai_gemm_tensors;

extern "C" {

const char* kai_gemm_file_status_text(kai_gemm_file_status status) {
    static const char* const texts[] = {
        "no error",
        "a pointer is NULL where data is needed",
        "the file ends before its header or a tensor does",
        "this is not a file of packed weights",
        "the file has a version that this library does not read",
        "the header is damaged: its checksum is wrong",
        "a tensor is damaged: its checksum is wrong",
        "a name is empty, too long, not terminated, or not after the one before it",
        "a kind, type, shape or size is out of range or contradicts the others",
        "a tensor is not aligned to 64 bytes, or overlaps what precedes it",
        "the size of a tensor or of the file overflows",
        "the file has no such tensor",
        "the buffer is smaller than what is to be written",
        "no micro-kernel for weights of these kinds has this name",
        "no micro-kernel of this library reads this format with panels of this width",
        "the vector length is not 128, 256, 512, 1024 or 2048 bits",
        "rows overlap, or have gaps where the packer takes none",
        "no packer takes weights of this order or type for this format",
        "this CPU cannot run the micro-kernels that read this format",
    };
    static_assert(sizeof(texts) / sizeof(texts[0]) == KAI_GEMM_FILE_STATUS_COUNT);
    const auto index = static_cast<size_t>(status);
    return index < KAI_GEMM_FILE_STATUS_COUNT ? texts[index] : "unknown status";
}

uint32_t kai_gemm_file_checksum(uint32_t before, const void* data, size_t size) {
    const uint8_t* p = kai::bytes(data);
    uint32_t crc = ~before;
    for (; size >= 8; size -= 8, p += 8) {
        const uint32_t low = get32(p) ^ crc, high = get32(p + 4);
        crc = 0;
        for (int i = 0; i < 4; ++i) {
            crc ^= kCrc.of[7 - i][low >> 8 * i & 0xFF] ^ kCrc.of[3 - i][high >> 8 * i & 0xFF];
        }
    }
    for (; size > 0; --size, ++p) {
        crc = crc >> 8 ^ kCrc.of[0][(crc ^ *p) & 0xFF];
    }
    return ~crc;
}

size_t kai_gemm_file_header_size(size_t count) {
    const Size size = Size{kHeader} + Size{count} * Size{kEntry};
    return size.overflow ? 0 : size.value;
}

kai_gemm_file_status kai_gemm_file_lay_out(kai_gemm_tensor* tensors, size_t count, size_t* file_size) {
    if ((tensors == nullptr && count > 0) || file_size == nullptr) {
        return KAI_GEMM_FILE_NULL_POINTER;
    }
    const size_t header = kai_gemm_file_header_size(count);
    if (header == 0) {
        return KAI_GEMM_FILE_OVERFLOW;
    }
    // First without writing.
    for (const bool write : {false, true}) {
        size_t end = header;
        for (size_t i = 0; i < count; ++i) {
            kai_gemm_tensor t = tensors[i];
            const kai_gemm_file_status status = lay_out(t, i > 0 ? &tensors[i - 1] : nullptr, end);
            if (status != KAI_GEMM_FILE_OK) {
                return status;
            }
            if (write) {
                tensors[i] = t;
            }
        }
        *file_size = write ? end : *file_size;
    }
    return KAI_GEMM_FILE_OK;
}

kai_gemm_file_status kai_gemm_file_write_header(
    const kai_gemm_tensor* tensors, size_t count, void* header, size_t header_size) {
    if ((tensors == nullptr && count > 0) || header == nullptr) {
        return KAI_GEMM_FILE_NULL_POINTER;
    }
    const size_t size = kai_gemm_file_header_size(count);
    if (size == 0) {
        return KAI_GEMM_FILE_OVERFLOW;
    }
    if (header_size < size) {
        return KAI_GEMM_FILE_TOO_SMALL;
    }
    size_t end = size;
    for (size_t i = 0; i < count; ++i) {
        kai_gemm_tensor t = tensors[i];
        const kai_gemm_file_status status = lay_out(t, i > 0 ? &tensors[i - 1] : nullptr, end);
        if (status != KAI_GEMM_FILE_OK) {
            return status;
        }
        if (t.offset != tensors[i].offset || t.size != tensors[i].size) {
            return KAI_GEMM_FILE_BAD_OFFSET;
        }
    }
    uint8_t* bytes = kai::bytes(header);
    memset(bytes, 0, kHeader);
    memcpy(bytes, kMagic, sizeof(kMagic));
    put32(bytes + kVersion32, KAI_GEMM_FILE_VERSION);
    put(bytes + kFileSize, end);
    put(bytes + kCount, count);
    for (size_t i = 0; i < count; ++i) {
        kai_gemm_tensor t = tensors[i];
        kai_gemm_tensor_measure(&t);
        write_entry(t, bytes + kHeader + i * kEntry);
    }
    put32(bytes + kChecksum32, kai_gemm_file_checksum(0, bytes + kChecked, size - kChecked));
    return KAI_GEMM_FILE_OK;
}

kai_gemm_file_status kai_gemm_file_open(const void* data, size_t size, kai_gemm_file* file) {
    if (data == nullptr || file == nullptr) {
        return KAI_GEMM_FILE_NULL_POINTER;
    }
    const uint8_t* bytes = kai::bytes(data);
    if (memcmp(bytes, kMagic, size < sizeof(kMagic) ? size : sizeof(kMagic)) != 0) {
        return KAI_GEMM_FILE_WRONG_MAGIC;
    }
    if (size < kHeader) {
        return KAI_GEMM_FILE_TRUNCATED;
    }
    if (get32(bytes + kVersion32) != KAI_GEMM_FILE_VERSION) {
        return KAI_GEMM_FILE_WRONG_VERSION;
    }
    const uint64_t file_size = get(bytes + kFileSize), count = get(bytes + kCount);
    if (count > (size - kHeader) / kEntry) {
        return KAI_GEMM_FILE_TRUNCATED;
    }
    const size_t header = kai_gemm_file_header_size(count);
    if (get32(bytes + kChecksum32) != kai_gemm_file_checksum(0, bytes + kChecked, header - kChecked)) {
        return KAI_GEMM_FILE_DAMAGED_HEADER;
    }
    if (file_size > size) {
        return KAI_GEMM_FILE_TRUNCATED;
    }
    for (size_t i = kCount + 8; i < kHeader; ++i) {
        if (bytes[i] != 0) {
            return KAI_GEMM_FILE_BAD_VALUE;
        }
    }
    const kai_gemm_file opened = {data, static_cast<size_t>(file_size), static_cast<size_t>(count)};
    size_t end = header;
    for (size_t i = 0; i < count; ++i) {
        kai_gemm_tensor t;
        const kai_gemm_file_status status = read_entry(entry(&opened, i), &t);
        if (status != KAI_GEMM_FILE_OK) {
            return status;
        }
        if (i > 0 && strcmp(name_of(&opened, i - 1), t.name) >= 0) {
            return KAI_GEMM_FILE_BAD_NAME;
        }
        if (t.offset % KAI_GEMM_FILE_ALIGNMENT != 0 || t.offset < end) {
            return KAI_GEMM_FILE_BAD_OFFSET;
        }
        const Size next = Size{t.offset} + Size{t.size};
        if (next.overflow || next.value > opened.size) {
            return KAI_GEMM_FILE_TRUNCATED;
        }
        end = next.value;
    }
    if (end > opened.size) {
        return KAI_GEMM_FILE_BAD_VALUE;
    }
    *file = opened;
    return KAI_GEMM_FILE_OK;
}

kai_gemm_file_status kai_gemm_file_tensor(const kai_gemm_file* file, size_t index, kai_gemm_tensor* tensor) {
    if (file == nullptr || tensor == nullptr) {
        return KAI_GEMM_FILE_NULL_POINTER;
    }
    if (index >= file->count) {
        return KAI_GEMM_FILE_NO_TENSOR;
    }
    const kai_gemm_file_status status = read_entry(entry(file, index), tensor);
    if (status == KAI_GEMM_FILE_OK) {
        tensor->data = kai::bytes(file->data, tensor->offset);
    }
    return status;
}

kai_gemm_file_status kai_gemm_file_find(const kai_gemm_file* file, const char* name, kai_gemm_tensor* tensor) {
    if (file == nullptr || name == nullptr || tensor == nullptr) {
        return KAI_GEMM_FILE_NULL_POINTER;
    }
    size_t first = 0, count = file->count;
    while (count > 0) {
        const size_t middle = first + count / 2;
        const int order = strcmp(name_of(file, middle), name);
        if (order == 0) {
            return kai_gemm_file_tensor(file, middle, tensor);
        }
        if (order < 0) {
            first = middle + 1;
            count -= count / 2 + 1;
        } else {
            count /= 2;
        }
    }
    return KAI_GEMM_FILE_NO_TENSOR;
}

kai_gemm_file_status kai_gemm_tensor_verify(const kai_gemm_tensor* tensor) {
    if (tensor == nullptr || tensor->data == nullptr) {
        return KAI_GEMM_FILE_NULL_POINTER;
    }
    return kai_gemm_file_checksum(0, tensor->data, tensor->size) == tensor->checksum ? KAI_GEMM_FILE_OK
                                                                                     : KAI_GEMM_FILE_DAMAGED_TENSOR;
}

}  // extern "C"
