// The container of packed weights (docs/file.md): a header of 64 bytes, an entry of 256 bytes per tensor, then the
// tensors. Everything that is read is checked first; nothing in the file is trusted.
//
// SPDX-License-Identifier: Apache-2.0
#include <stddef.h>

#include <initializer_list>

#include "kai/packed_file/tensor.hpp"

namespace kai_gemm_tensors {
namespace {

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "files are little-endian, and so are packed bytes");

constexpr char kMagic[8] = {'K', 'A', 'I', 'G', 'E', 'M', 'M', '\n'};

/// @name As they are in the file
/// @{
struct Header {
    char magic[8];
    uint32_t version, checksum;
    uint64_t file_size, count;
    uint8_t zeros[32];
};
struct Entry {
    char name[KAI_GEMM_FILE_NAME_MAX + 1];
    char format[32];
    uint32_t kind, type, bias, vector_length;
    uint64_t n, k, bl, count;
    uint32_t nr, kr, sr, checksum;
    uint64_t offset, stride, size;
    int32_t a_zero_point;
    float multiplier;
    int32_t lut[4];
};
/// @}
constexpr size_t kHeader = 64, kEntry = 256;
static_assert(sizeof(Header) == kHeader && sizeof(Entry) == kEntry);
constexpr size_t kChecked = 16;  // the checksum is of what follows it
constexpr uint32_t kHasBias = 1, kBiasApart = 2, kTagged = 4;

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

/// A text, its terminating zero, and nothing else.
template <size_t size>
bool is_text(const char (&field)[size]) {
    const size_t length = strnlen(field, size);
    for (size_t i = length; i < size; ++i) {
        if (field[i] != 0) {
            return false;
        }
    }
    return length > 0 && length < size;
}

/// Whether kind and type are enumerators that files may have. Nothing else may be converted to the enumerations.
bool are_enumerators(uint32_t kind, uint32_t type) {
    switch (kind) {
        case KAI_GEMM_DENSE:
            return type == kai_dt_f32 || type == kai_dt_f16 || type == kai_dt_bf16;
        case KAI_GEMM_GGUF: {
            const kai_gguf_type* found = kai_gguf_find_type(type);
            return found != nullptr && found->block_weights != 1;
        }
        case KAI_GEMM_F8E4M3_BLOCK:
        case KAI_GEMM_F8E5M2_BLOCK:
            return type == 0;
        default:
            return kind <= KAI_GEMM_INT4_TABLE && kind != KAI_GEMM_UINT8_LOWP && kind != KAI_GEMM_INT8_LOWP &&
                   type == 0;
    }
}

/// Reads an entry. Its own values are checked, not where it lies.
kai_gemm_file_status read_entry(const uint8_t* from, kai_gemm_tensor* tensor) {
    const auto e = kai::load<Entry>(from);
    if (!is_text(e.name)) {
        return KAI_GEMM_FILE_BAD_NAME;
    }
    if (!is_text(e.format) || !are_enumerators(e.kind, e.type) || (e.bias & ~(kHasBias | kBiasApart | kTagged)) != 0 ||
        e.n == 0 || e.k == 0) {
        return KAI_GEMM_FILE_BAD_VALUE;
    }
    for (const uint64_t size : {e.n, e.k, e.bl, e.count, e.offset, e.stride, e.size}) {
        if (size > SIZE_MAX) {
            return KAI_GEMM_FILE_OVERFLOW;
        }
    }
    kai_gemm_tensor t = {};
    t.name = reinterpret_cast<const char*>(from + offsetof(Entry, name));
    t.kind = static_cast<kai_gemm_kind>(e.kind);
    if (t.kind == KAI_GEMM_GGUF) {
        t.gguf_type = static_cast<kai_gguf_type_id>(e.type);
    } else {
        t.type = static_cast<kai_datatype>(e.type);
    }
    t.n = e.n, t.k = e.k, t.bl = e.bl, t.count = e.count;
    t.bias = (e.bias & kHasBias) != 0;
    memcpy(t.lut, e.lut, sizeof(t.lut));
    t.a_zero_point = e.a_zero_point, t.multiplier = e.multiplier;
    t.format = {reinterpret_cast<const char*>(from + offsetof(Entry, format)), e.nr, e.kr, e.sr};
    t.untagged = (e.bias & kTagged) == 0;
    t.vector_length = e.vector_length;
    t.bias_apart = (e.bias & kBiasApart) != 0;
    t.stride = e.stride, t.size = e.size, t.offset = e.offset;
    t.checksum = e.checksum;
    const Size most = Size{t.stride} * Size{t.count};
    if (t.count == 0 || t.stride % KAI_GEMM_FILE_ALIGNMENT != 0 || most.overflow || t.size > most.value ||
        t.size < most.value - t.stride) {
        return KAI_GEMM_FILE_BAD_VALUE;
    }
    kai_gemm_tensor measured = t;
    const kai_gemm_file_status status = kai_gemm_tensor_measure(&measured);
    if (status == KAI_GEMM_FILE_UNKNOWN_FORMAT) {
        // Of a newer library: it can be looked at, and others in the file can be used.
        if (is_of_other_weights(t)) {
            return KAI_GEMM_FILE_BAD_VALUE;
        }
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

void write_entry(const kai_gemm_tensor& t, uint8_t* to) {
    Entry e = {};
    memcpy(e.name, t.name, strlen(t.name));
    memcpy(e.format, t.format.name, strlen(t.format.name));
    e.kind = t.kind;
    e.type = t.kind == KAI_GEMM_GGUF ? static_cast<uint32_t>(t.gguf_type) : static_cast<uint32_t>(t.type);
    e.bias = (t.bias ? kHasBias : 0U) | (t.bias_apart ? kBiasApart : 0U) | (t.untagged ? 0U : kTagged);
    e.vector_length = static_cast<uint32_t>(t.vector_length);
    e.n = t.n, e.k = t.k, e.bl = t.bl, e.count = t.count;
    e.nr = static_cast<uint32_t>(t.format.nr);
    e.kr = static_cast<uint32_t>(t.format.kr);
    e.sr = static_cast<uint32_t>(t.format.sr);
    e.checksum = t.checksum;
    e.offset = t.offset, e.stride = t.stride, e.size = t.size;
    e.a_zero_point = t.a_zero_point, e.multiplier = t.multiplier;
    memcpy(e.lut, t.lut, sizeof(e.lut));
    kai::store(to, e);
}

/// Checks and measures tensors, and puts them one after the other: use(i, tensor) for each. `end`: of the file.
template <typename Use>
kai_gemm_file_status lay_out(const kai_gemm_tensor* tensors, size_t count, size_t& end, Use use) {
    end = kai_gemm_file_header_size(count);
    if (end == 0) {
        return KAI_GEMM_FILE_OVERFLOW;
    }
    for (size_t i = 0; i < count; ++i) {
        kai_gemm_tensor t = tensors[i];
        if (t.name == nullptr) {
            return KAI_GEMM_FILE_NULL_POINTER;
        }
        const size_t length = strlen(t.name);
        if (length == 0 || length > KAI_GEMM_FILE_NAME_MAX || (i > 0 && strcmp(tensors[i - 1].name, t.name) >= 0)) {
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
        use(i, t);
    }
    return KAI_GEMM_FILE_OK;
}

const uint8_t* entry(const kai_gemm_file* file, size_t index) {
    return kai::bytes(file->data, kHeader + index * kEntry);
}

const char* name_of(const kai_gemm_file* file, size_t index) {
    return reinterpret_cast<const char*>(entry(file, index) + offsetof(Entry, name));
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
        "a bias is given, the tensor has none",
        "reserved room of a structure is not zero: it is not initialised, or for a newer library",
    };
    static_assert(sizeof(texts) / sizeof(texts[0]) == KAI_GEMM_FILE_STATUS_COUNT);
    const auto index = static_cast<size_t>(status);
    return index < KAI_GEMM_FILE_STATUS_COUNT ? texts[index] : "unknown status";
}

uint32_t kai_gemm_file_checksum(uint32_t before, const void* data, size_t size) {
    const uint8_t* p = kai::bytes(data);
    uint32_t crc = ~before;
    for (; size >= 8; size -= 8, p += 8) {
        const uint32_t low = kai::load<uint32_t>(p) ^ crc, high = kai::load<uint32_t>(p + 4);
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
    // First without writing.
    size_t size = 0;
    const kai_gemm_file_status status = lay_out(tensors, count, size, [](size_t, const kai_gemm_tensor&) {});
    if (status == KAI_GEMM_FILE_OK) {
        lay_out(tensors, count, *file_size, [&](size_t i, const kai_gemm_tensor& t) { tensors[i] = t; });
    }
    return status;
}

kai_gemm_file_status kai_gemm_file_write_header(
    const kai_gemm_tensor* tensors, size_t count, void* header, size_t header_size) {
    if ((tensors == nullptr && count > 0) || header == nullptr) {
        return KAI_GEMM_FILE_NULL_POINTER;
    }
    bool laid_out = true;
    size_t end = 0;
    const kai_gemm_file_status status = lay_out(tensors, count, end, [&](size_t i, const kai_gemm_tensor& t) {
        laid_out = laid_out && t.offset == tensors[i].offset && t.size == tensors[i].size;
    });
    const size_t size = kai_gemm_file_header_size(count);
    if (status != KAI_GEMM_FILE_OK || !laid_out || header_size < size) {
        return status != KAI_GEMM_FILE_OK ? status : !laid_out ? KAI_GEMM_FILE_BAD_OFFSET : KAI_GEMM_FILE_TOO_SMALL;
    }
    uint8_t* bytes = kai::bytes(header);
    lay_out(
        tensors, count, end, [&](size_t i, const kai_gemm_tensor& t) { write_entry(t, bytes + kHeader + i * kEntry); });
    Header h = {{}, KAI_GEMM_FILE_VERSION, 0, end, count, {}};
    memcpy(h.magic, kMagic, sizeof(kMagic));
    kai::store(bytes, h);
    h.checksum = kai_gemm_file_checksum(0, bytes + kChecked, size - kChecked);
    kai::store(bytes, h);
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
    const auto h = kai::load<Header>(bytes);
    if (h.version == 0 || h.version > KAI_GEMM_FILE_VERSION) {
        return KAI_GEMM_FILE_WRONG_VERSION;
    }
    if (h.count > (size - kHeader) / kEntry) {
        return KAI_GEMM_FILE_TRUNCATED;
    }
    const size_t header = kai_gemm_file_header_size(h.count);
    if (h.checksum != kai_gemm_file_checksum(0, bytes + kChecked, header - kChecked)) {
        return KAI_GEMM_FILE_DAMAGED_HEADER;
    }
    if (h.file_size > size) {
        return KAI_GEMM_FILE_TRUNCATED;
    }
    for (const uint8_t zero : h.zeros) {
        if (zero != 0) {
            return KAI_GEMM_FILE_BAD_VALUE;
        }
    }
    const kai_gemm_file opened = {data, static_cast<size_t>(h.file_size), static_cast<size_t>(h.count), {}};
    size_t end = header;
    for (size_t i = 0; i < opened.count; ++i) {
        kai_gemm_tensor t;
        const kai_gemm_file_status status = read_entry(entry(&opened, i), &t);
        if (status != KAI_GEMM_FILE_OK) {
            return status;
        }
        if (h.version == 1 && !t.untagged) {
            return KAI_GEMM_FILE_BAD_VALUE;
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
