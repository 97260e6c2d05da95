// The container of GGUF files: a header, pairs, descriptions of tensors, data. Nothing of it is trusted.
//
// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "kai/gemm/kai_gguf_file.h"

namespace kai_gguf_files {
namespace {

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "numbers are little-endian in the file");

using Status = kai_gguf_file_status;
using File = kai_gguf_file;
using Pair = kai_gguf_pair;
using Tensor = kai_gguf_tensor;

constexpr size_t kLongestName = 65535, kDefaultAlignment = 32;
constexpr char kAlignmentKey[] = "general.alignment";

/// What is left of the file. What does not fit sets `status`, and everything after that is 0.
struct Cursor {
    const uint8_t* data;
    size_t size, at;
    Status status = KAI_GGUF_FILE_OK;

    void fails(Status with) {
        status = status != KAI_GGUF_FILE_OK ? status : with;
    }
    bool ok() const {
        return status == KAI_GGUF_FILE_OK;
    }
    /// The next `count` items of `each` bytes; NULL if they do not fit.
    const uint8_t* take(uint64_t count, size_t each) {
        if (!ok() || count > (size - at) / each) {
            fails(KAI_GGUF_FILE_TRUNCATED);
            return nullptr;
        }
        const uint8_t* start = data + at;
        at += static_cast<size_t>(count) * each;
        return start;
    }
    template <typename T>
    T number() {
        T value = 0;
        if (const uint8_t* from = take(1, sizeof(T))) {
            memcpy(&value, from, sizeof(T));
        }
        return value;
    }
    const char* string(size_t& length) {
        const auto announced = number<uint64_t>();
        const uint8_t* from = take(announced, 1);
        length = from != nullptr ? static_cast<size_t>(announced) : 0;
        return reinterpret_cast<const char*>(from);
    }
    /// A key or a name. It may be printed.
    const char* name(size_t& length) {
        const size_t start = at;
        const char* text = string(length);
        bool good = length != 0 && length <= kLongestName;
        for (size_t i = 0; good && i < length; ++i) {
            good = static_cast<uint8_t>(text[i]) >= 0x20 && text[i] != 0x7F;
        }
        if (ok() && !good) {
            fails(KAI_GGUF_FILE_BAD_NAME);
            at = start;
        }
        return text;
    }
};

Cursor cursor_at(const File& file, size_t at) {
    return {static_cast<const uint8_t*>(file.data), file.size, at};
}

/// Bytes of an element; 0: strings and arrays, SIZE_MAX: no such type.
size_t element_size(uint32_t type) {
    constexpr uint8_t kSizes[] = {1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8};
    return type < sizeof(kSizes) ? kSizes[type] : SIZE_MAX;
}

void read_pair(Cursor& c, Pair& pair) {
    const size_t start = c.at;
    pair.key = c.name(pair.key_length);
    const size_t value = c.at;
    auto type = c.number<uint32_t>();
    const bool array = type == KAI_GGUF_ARRAY;
    uint64_t count = 1;
    if (array) {
        type = c.number<uint32_t>();
        count = c.number<uint64_t>();
    }
    if (!c.ok()) {
        return;
    }
    const size_t each = element_size(type);
    if (type == KAI_GGUF_ARRAY || each == SIZE_MAX) {
        c.fails(type == KAI_GGUF_ARRAY ? KAI_GGUF_FILE_NESTED_ARRAY : KAI_GGUF_FILE_BAD_VALUE);
        c.at = value;
        return;
    }
    // Not before it is known to be an enumerator.
    pair.element_type = static_cast<kai_gguf_value_type>(type);
    pair.type = array ? KAI_GGUF_ARRAY : pair.element_type;
    const size_t elements = c.at;
    if (type == KAI_GGUF_STRING) {
        // Each takes 8 bytes at least: a count that does not fit is found at once.
        if (count > (c.size - c.at) / sizeof(uint64_t)) {
            c.fails(KAI_GGUF_FILE_TRUNCATED);
        }
        for (uint64_t i = 0; i < count && c.ok(); ++i) {
            size_t length = 0;
            c.string(length);
        }
    } else if (const uint8_t* bytes = c.take(count, each)) {
        for (size_t i = 0; type == KAI_GGUF_BOOL && i < count; ++i) {
            if (bytes[i] > 1) {
                c.fails(KAI_GGUF_FILE_BAD_VALUE);
                c.at = elements + i;
                return;
            }
        }
    }
    if (c.ok()) {
        pair.count = static_cast<size_t>(count);
        pair.elements = c.data + elements;
        pair.size = c.at - elements;
        pair.end = c.at;
    } else {
        c.at = c.at > start ? elements : start;
    }
}

/// `data_start`: 0 while it is not known, and the place of the data is not checked.
void read_tensor(Cursor& c, size_t alignment, size_t data_start, Tensor& t) {
    t.name = c.name(t.name_length);
    const size_t fields = c.at;
    t.dimensions = c.number<uint32_t>();
    const auto refuse = [&](Status status) {
        c.fails(status);
        c.at = fields;
    };
    if (c.ok() && t.dimensions > 4) {
        return refuse(KAI_GGUF_FILE_BAD_SHAPE);
    }
    for (size_t i = 0; i < 4; ++i) {
        t.shape[i] = c.ok() && i < t.dimensions ? c.number<uint64_t>() : 1;
    }
    t.type_id = c.number<uint32_t>();
    const auto offset = c.number<uint64_t>();
    if (!c.ok()) {
        return;
    }
    t.end = c.at;
    uint64_t rows = 1;
    for (size_t i = 0; i < 4; ++i) {
        if (t.shape[i] == 0) {
            return refuse(KAI_GGUF_FILE_BAD_SHAPE);
        }
        if (i > 0 && __builtin_mul_overflow(rows, t.shape[i], &rows)) {
            return refuse(KAI_GGUF_FILE_OVERFLOW);
        }
    }
    if (offset % alignment != 0) {
        return refuse(KAI_GGUF_FILE_BAD_OFFSET);
    }
    t.type = kai_gguf_find_type(t.type_id);
    if (t.type != nullptr) {
        if (t.shape[0] % t.type->block_weights != 0) {
            return refuse(KAI_GGUF_FILE_BAD_SHAPE);
        }
        // k and rows fit if their bytes do, unless a weight takes less than a byte.
        if (!kai_gguf_row_size(t.type, t.shape[0], &t.row_size) || rows > SIZE_MAX || t.shape[0] > SIZE_MAX ||
            __builtin_mul_overflow(static_cast<size_t>(rows), t.row_size, &t.size)) {
            return refuse(KAI_GGUF_FILE_OVERFLOW);
        }
        t.k = static_cast<size_t>(t.shape[0]), t.rows = static_cast<size_t>(rows);
    }
    if (data_start == 0) {
        return;
    }
    if (data_start > c.size || offset > c.size - data_start || t.size > c.size - data_start - offset) {
        return refuse(KAI_GGUF_FILE_TRUNCATED);
    }
    t.offset = data_start + static_cast<size_t>(offset);
    t.data = t.type != nullptr ? c.data + t.offset : nullptr;
}

bool is_name(const char* text, size_t length, const char* name) {
    return strlen(name) == length && memcmp(text, name, length) == 0;
}

/// The alignment that a pair sets; false if it cannot.
bool read_alignment(const Pair& pair, size_t& alignment) {
    uint32_t value = 0;
    if (pair.type != KAI_GGUF_U32) {
        return false;
    }
    memcpy(&value, pair.elements, sizeof(value));
    alignment = value;
    return value != 0 && (value & (value - 1)) == 0;
}

Status refuse(Status status, size_t at, size_t* position) {
    if (position != nullptr) {
        *position = at;
    }
    return status;
}

// ---- the index: where pairs start, by key, then where descriptions of tensors start, by name ----

/// Places in the file, in memory at any address.
struct Places {
    uint8_t* memory;

    size_t get(size_t i) const {
        size_t at = 0;
        memcpy(&at, memory + i * sizeof(at), sizeof(at));
        return at;
    }
    void set(size_t i, size_t at) const {
        memcpy(memory + i * sizeof(at), &at, sizeof(at));
    }
    void swap(size_t i, size_t j) const {
        const size_t kept = get(i);
        set(i, get(j));
        set(j, kept);
    }
};

/// Heap sort: in place, n log n whatever the order was.
template <typename Less>
void sort(Places p, size_t count, Less less) {
    const auto sink = [&](size_t from, size_t end) {
        for (size_t child = 2 * from + 1; child < end; from = child, child = 2 * from + 1) {
            if (child + 1 < end && less(p.get(child), p.get(child + 1))) {
                ++child;
            }
            if (!less(p.get(from), p.get(child))) {
                return;
            }
            p.swap(from, child);
        }
    };
    for (size_t i = count / 2; i-- > 0;) {
        sink(i, count);
    }
    for (size_t end = count; end-- > 1;) {
        p.swap(0, end);
        sink(0, end);
    }
}

struct Name {
    const char* text;
    size_t length;

    /// Below 0, 0, above 0.
    int compare(Name other) const {
        const int order = memcmp(text, other.text, length < other.length ? length : other.length);
        return order != 0 ? order : length < other.length ? -1 : length > other.length ? 1 : 0;
    }
};

/// The string at this place of a file that was checked.
Name name_at(const File& file, size_t at) {
    Cursor c = cursor_at(file, at);
    Name name = {nullptr, 0};
    name.text = c.string(name.length);
    return name;
}

Tensor tensor_at(const File& file, size_t at) {
    Cursor c = cursor_at(file, at);
    Tensor t = {};
    read_tensor(c, file.alignment, file.data_start, t);
    return t;
}

Pair pair_at(const File& file, size_t at) {
    Cursor c = cursor_at(file, at);
    Pair pair = {};
    read_pair(c, pair);
    return pair;
}

Status sort_names(const File& file, Places places, size_t count, Status duplicate, size_t* position) {
    sort(places, count, [&](size_t a, size_t b) { return name_at(file, a).compare(name_at(file, b)) < 0; });
    for (size_t i = 1; i < count; ++i) {
        if (name_at(file, places.get(i)).compare(name_at(file, places.get(i - 1))) == 0) {
            return refuse(duplicate, places.get(i), position);
        }
    }
    return KAI_GGUF_FILE_OK;
}

/// The place of a name among sorted ones; SIZE_MAX if it is not there.
size_t find(const File& file, Places places, size_t count, Name name) {
    for (size_t first = 0; first < count;) {
        const size_t middle = first + (count - first) / 2;
        const int order = name_at(file, places.get(middle)).compare(name);
        if (order == 0) {
            return places.get(middle);
        }
        (order < 0 ? first : count) = order < 0 ? middle + 1 : middle;
    }
    return SIZE_MAX;
}

Places index_of(const File& file, size_t first) {
    return {static_cast<uint8_t*>(const_cast<void*>(file.index)) + first * sizeof(size_t)};
}

}  // namespace
}  // namespace kai_gguf_files

using namespace kai_gguf_files;

extern "C" {

const char* kai_gguf_file_status_text(kai_gguf_file_status status) {
    static const char* const texts[] = {
        "no error",
        "a pointer is NULL where data is needed",
        "the file ends before what it announces",
        "this is not a GGUF file",
        "the file has neither version 2 nor 3",
        "the file is big-endian",
        "a key or name is empty, too long, or has control characters",
        "a value has no known type, or a bool is neither 0 nor 1",
        "an array of arrays",
        "general.alignment is no u32 that is a power of two",
        "a tensor has more than 4 dimensions, one of 0, or rows of partial blocks",
        "the size of a tensor is larger than the address space",
        "a tensor does not start at a multiple of the alignment",
        "two pairs have the same key",
        "two tensors have the same name",
        "a tensor starts within another one",
        "the memory for the index is too small",
        "there is no such pair, tensor or row",
        "this library cannot read the type of the tensor",
    };
    static_assert(sizeof(texts) / sizeof(texts[0]) == KAI_GGUF_FILE_STATUS_COUNT);
    const auto index = static_cast<size_t>(status);
    return index < KAI_GGUF_FILE_STATUS_COUNT ? texts[index] : "unknown status";
}

kai_gguf_file_status kai_gguf_file_open(const void* data, size_t size, kai_gguf_file* file, size_t* position) {
    if (data == nullptr || file == nullptr) {
        return KAI_GGUF_FILE_NULL_POINTER;
    }
    File f = {};
    f.data = data, f.size = size, f.alignment = kDefaultAlignment;
    Cursor c = cursor_at(f, 0);
    constexpr char kMagic[4] = {'G', 'G', 'U', 'F'};
    if (memcmp(data, kMagic, size < sizeof(kMagic) ? size : sizeof(kMagic)) != 0) {
        return refuse(KAI_GGUF_FILE_WRONG_MAGIC, 0, position);
    }
    c.take(sizeof(kMagic), 1);
    f.version = c.number<uint32_t>();
    if (c.ok() && f.version != 2 && f.version != 3) {
        const bool big = f.version != 0 && (f.version & 0xFFFF) == 0;
        return refuse(big ? KAI_GGUF_FILE_BIG_ENDIAN : KAI_GGUF_FILE_WRONG_VERSION, sizeof(kMagic), position);
    }
    const auto tensor_count = c.number<uint64_t>(), pair_count = c.number<uint64_t>();
    // A pair takes 14 bytes at least, a tensor 25. Both counts fit, then.
    if (c.ok() && (pair_count > size / 14 || tensor_count > size / 25)) {
        c.fails(KAI_GGUF_FILE_TRUNCATED);
    }
    f.pairs = c.at;
    for (uint64_t i = 0; i < pair_count && c.ok(); ++i) {
        const size_t start = c.at;
        Pair pair = {};
        read_pair(c, pair);
        if (c.ok() && is_name(pair.key, pair.key_length, kAlignmentKey) && !read_alignment(pair, f.alignment)) {
            return refuse(KAI_GGUF_FILE_BAD_ALIGNMENT, start, position);
        }
    }
    f.tensors = c.at;
    for (uint64_t i = 0; i < tensor_count && c.ok(); ++i) {
        Tensor t = {};
        read_tensor(c, f.alignment, 0, t);
    }
    if (!c.ok()) {
        return refuse(c.status, c.at, position);
    }
    f.tensors_end = c.at;
    f.pair_count = static_cast<size_t>(pair_count), f.tensor_count = static_cast<size_t>(tensor_count);
    f.index_size = (f.pair_count + f.tensor_count) * sizeof(size_t);
    // A file without tensors may end here.
    const size_t padding = (0 - c.at) & (f.alignment - 1);
    if (f.tensor_count == 0) {
        f.data_start = padding < size - c.at ? c.at + padding : size;
        *file = f;
        return KAI_GGUF_FILE_OK;
    }
    if (padding > size - c.at) {
        return refuse(KAI_GGUF_FILE_TRUNCATED, c.at, position);
    }
    f.data_start = c.at + padding;
    c.at = f.tensors;
    for (size_t i = 0; i < f.tensor_count; ++i) {
        Tensor t = {};
        read_tensor(c, f.alignment, f.data_start, t);
        if (!c.ok()) {
            return refuse(c.status, c.at, position);
        }
    }
    *file = f;
    return KAI_GGUF_FILE_OK;
}

kai_gguf_file_status kai_gguf_file_index(kai_gguf_file* file, void* memory, size_t memory_size, size_t* position) {
    if (file == nullptr || (memory == nullptr && file->index_size != 0)) {
        return KAI_GGUF_FILE_NULL_POINTER;
    }
    if (memory_size < file->index_size) {
        return KAI_GGUF_FILE_TOO_SMALL;
    }
    const Places pairs = {static_cast<uint8_t*>(memory)},
                 tensors = {static_cast<uint8_t*>(memory) + file->pair_count * sizeof(size_t)};
    size_t at = file->pairs;
    for (size_t i = 0; i < file->pair_count; ++i) {
        pairs.set(i, at);
        at = pair_at(*file, at).end;
    }
    for (size_t i = 0; i < file->tensor_count; ++i) {
        tensors.set(i, at);
        at = tensor_at(*file, at).end;
    }
    sort(tensors, file->tensor_count, [&](size_t a, size_t b) {
        const Tensor x = tensor_at(*file, a), y = tensor_at(*file, b);
        return x.offset != y.offset ? x.offset < y.offset : x.size < y.size;
    });
    for (size_t i = 1; i < file->tensor_count; ++i) {
        const Tensor before = tensor_at(*file, tensors.get(i - 1)), t = tensor_at(*file, tensors.get(i));
        if (t.offset - before.offset < before.size) {
            return refuse(KAI_GGUF_FILE_OVERLAP, tensors.get(i), position);
        }
    }
    Status status = sort_names(*file, pairs, file->pair_count, KAI_GGUF_FILE_DUPLICATE_KEY, position);
    if (status == KAI_GGUF_FILE_OK) {
        status = sort_names(*file, tensors, file->tensor_count, KAI_GGUF_FILE_DUPLICATE_TENSOR, position);
    }
    file->index = status == KAI_GGUF_FILE_OK ? memory : nullptr;
    return status;
}

bool kai_gguf_file_next_pair(const kai_gguf_file* file, kai_gguf_pair* pair) {
    const size_t at = pair->key == nullptr ? file->pairs : pair->end;
    *pair = {};
    if (at >= file->tensors) {
        return false;
    }
    *pair = pair_at(*file, at);
    return true;
}

kai_gguf_file_status kai_gguf_file_find_pair(const kai_gguf_file* file, const char* key, kai_gguf_pair* pair) {
    if (file == nullptr || key == nullptr || pair == nullptr) {
        return KAI_GGUF_FILE_NULL_POINTER;
    }
    if (file->index != nullptr) {
        const size_t at = find(*file, index_of(*file, 0), file->pair_count, {key, strlen(key)});
        if (at == SIZE_MAX) {
            return KAI_GGUF_FILE_NOT_THERE;
        }
        *pair = pair_at(*file, at);
        return KAI_GGUF_FILE_OK;
    }
    Pair found = {};
    while (kai_gguf_file_next_pair(file, &found)) {
        if (is_name(found.key, found.key_length, key)) {
            *pair = found;
            return KAI_GGUF_FILE_OK;
        }
    }
    return KAI_GGUF_FILE_NOT_THERE;
}

bool kai_gguf_pair_next(const kai_gguf_pair* pair, size_t* position, kai_gguf_value* value) {
    if (*position >= pair->size) {
        return false;
    }
    Cursor c = {static_cast<const uint8_t*>(pair->elements), pair->size, *position};
    kai_gguf_value v = {};
    v.type = pair->element_type;
    switch (v.type) {
        case KAI_GGUF_U8:
        case KAI_GGUF_BOOL:
            v.u = c.number<uint8_t>();
            break;
        case KAI_GGUF_U16:
            v.u = c.number<uint16_t>();
            break;
        case KAI_GGUF_U32:
            v.u = c.number<uint32_t>();
            break;
        case KAI_GGUF_U64:
            v.u = c.number<uint64_t>();
            break;
        case KAI_GGUF_I8:
            v.i = c.number<int8_t>();
            break;
        case KAI_GGUF_I16:
            v.i = c.number<int16_t>();
            break;
        case KAI_GGUF_I32:
            v.i = c.number<int32_t>();
            break;
        case KAI_GGUF_I64:
            v.i = c.number<int64_t>();
            break;
        case KAI_GGUF_FLOAT32:
            v.f = static_cast<double>(c.number<float>());
            break;
        case KAI_GGUF_FLOAT64:
            v.f = c.number<double>();
            break;
        case KAI_GGUF_STRING:
            v.text = c.string(v.length);
            break;
        case KAI_GGUF_ARRAY:
            return false;
    }
    if (!c.ok()) {
        return false;
    }
    *position = c.at;
    *value = v;
    return true;
}

bool kai_gguf_file_next_tensor(const kai_gguf_file* file, kai_gguf_tensor* tensor) {
    const size_t at = tensor->name == nullptr ? file->tensors : tensor->end;
    *tensor = {};
    if (at >= file->tensors_end) {
        return false;
    }
    *tensor = tensor_at(*file, at);
    return true;
}

kai_gguf_file_status kai_gguf_file_find_tensor(const kai_gguf_file* file, const char* name, kai_gguf_tensor* tensor) {
    if (file == nullptr || name == nullptr || tensor == nullptr) {
        return KAI_GGUF_FILE_NULL_POINTER;
    }
    if (file->index != nullptr) {
        const size_t at = find(*file, index_of(*file, file->pair_count), file->tensor_count, {name, strlen(name)});
        if (at == SIZE_MAX) {
            return KAI_GGUF_FILE_NOT_THERE;
        }
        *tensor = tensor_at(*file, at);
        return KAI_GGUF_FILE_OK;
    }
    Tensor found = {};
    while (kai_gguf_file_next_tensor(file, &found)) {
        if (is_name(found.name, found.name_length, name)) {
            *tensor = found;
            return KAI_GGUF_FILE_OK;
        }
    }
    return KAI_GGUF_FILE_NOT_THERE;
}

kai_gguf_file_status kai_gguf_tensor_rows(
    const kai_gguf_tensor* tensor, const uint32_t* rows, size_t count, kai_datatype dst_type, void* dst,
    size_t dst_stride) {
    if (tensor == nullptr) {
        return KAI_GGUF_FILE_NULL_POINTER;
    }
    if (tensor->type == nullptr) {
        return KAI_GGUF_FILE_UNKNOWN_TYPE;
    }
    if (dst == nullptr && count != 0) {
        return KAI_GGUF_FILE_NULL_POINTER;
    }
    if (dst_type != kai_dt_f32 && dst_type != kai_dt_f16 && dst_type != kai_dt_bf16) {
        return KAI_GGUF_FILE_BAD_VALUE;
    }
    for (size_t i = 0; i < count; ++i) {
        if ((rows != nullptr ? rows[i] : i) >= tensor->rows) {
            return KAI_GGUF_FILE_NOT_THERE;
        }
    }
    for (size_t i = 0; i < count; ++i) {
        const size_t row = rows != nullptr ? rows[i] : i;
        kai_gguf_dequantise(
            tensor->type, tensor->k, static_cast<const uint8_t*>(tensor->data) + row * tensor->row_size, dst_type,
            static_cast<uint8_t*>(dst) + i * dst_stride);
    }
    return KAI_GGUF_FILE_OK;
}

}  // extern "C"
