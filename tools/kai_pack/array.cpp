// SPDX-License-Identifier: Apache-2.0
#include "tools/kai_pack/array.hpp"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <map>

#include "tools/kai_pack/kai_pack.hpp"
#ifdef KAI_HAS_JSON
#include <nlohmann/json.hpp>
#endif

namespace kai_pack_tool {

using std::string;
using tools::fail;

string text_of(const std::vector<size_t>& shape) {
    string text;
    for (const size_t length : shape) {
        text += (text.empty() ? "" : " x ") + std::to_string(length);
    }
    return text;
}

size_t product_of(const std::vector<size_t>& factors, const string& what) {
    size_t product = 1;
    for (const size_t factor : factors) {
        if (__builtin_mul_overflow(product, factor, &product)) {
            fail(what + ": " + text_of(factors) + " bytes do not fit into memory");
        }
    }
    return product;
}

namespace {

constexpr char kSafetensors[] = ".safetensors";

/// Where the colon of FILE.safetensors:TENSOR is; npos: nowhere.
size_t colon_of(const string& name) {
    const size_t end = name.find(string(kSafetensors) + ":");
    return end == string::npos ? string::npos : end + sizeof(kSafetensors) - 1;
}

std::vector<size_t> without_ones(std::vector<size_t> shape) {
    shape.erase(std::remove(shape.begin(), shape.end(), size_t{1}), shape.end());
    return shape;
}

}  // namespace

string file_of(const string& name) {
    return name.substr(0, colon_of(name));
}

Array::Array(const string& name) : path_(name), file_(file_of(name)), data_(file_.data()), bytes_(file_.size()) {
    const size_t colon = colon_of(name);
    if (colon != string::npos) {
        read_safetensors(name.substr(colon + 1));
        return;
    }
    const size_t end = sizeof(kSafetensors) - 1;
    if (name.size() > end && name.compare(name.size() - end, end, kSafetensors) == 0) {
        fail(path_ + ": which tensor? FILE.safetensors:TENSOR");
    }
    constexpr char kMagic[] = "\x93NUMPY";
    constexpr size_t kVersion = sizeof(kMagic) - 1;
    if (bytes_ >= kVersion && std::memcmp(data_, kMagic, kVersion) == 0) {
        read_npy();
    }
}

void Array::read_npy() {
    constexpr size_t kVersion = 6, kLength = 8;
    const size_t version = bytes_ > kVersion ? data_[kVersion] : 0, width = version == 1 ? 2 : 4;
    if (version < 1 || version > 3) {
        fail(path_ + ": .npy of version " + std::to_string(version) + ", not 1, 2 or 3");
    }
    size_t length = 0;
    if (bytes_ >= kLength + width) {
        std::memcpy(&length, data_ + kLength, width);
    }
    if (bytes_ < kLength + width || length > bytes_ - kLength - width) {
        fail(path_ + ": truncated");
    }
    read_header(string(reinterpret_cast<const char*>(data_) + kLength + width, length));
    data_ += kLength + width + length;
    bytes_ -= kLength + width + length;
    check_size();
}

void Array::check_size() const {
    std::vector<size_t> factors = shape_;
    factors.push_back(item_);
    const size_t needed = product_of(factors, path_);
    if (bytes_ != needed) {
        fail(
            path_ + ": has " + std::to_string(bytes_) + " bytes, its shape " + text_of(shape_) + " of " + type_ +
            " needs " + std::to_string(needed));
    }
}

#ifdef KAI_HAS_JSON
// A file is the length of its header, 8 bytes; the header, JSON: {"tensor": {"dtype": "F8_E4M3", "shape": [2048, 7168],
// "data_offsets": [begin, end]}, ...}; the elements.
void Array::read_safetensors(const string& tensor) {
    struct Type {
        const char* name;
        size_t size;
    };
    static const std::map<string, Type> types = {
        {"F32", {"<f4", 4}},        {"F16", {"<f2", 2}},        {"BF16", {"<u2", 2}},
        {"U8", {"|u1", 1}},         {"I8", {"|i1", 1}},         {"I32", {"<i4", 4}},
        {"F8_E4M3", {"f8e4m3", 1}}, {"F8_E5M2", {"f8e5m2", 1}}, {"F8_E8M0", {"|u1", 1}}};
    constexpr size_t kLength = 8;
    uint64_t length = 0;
    if (bytes_ >= kLength) {
        std::memcpy(&length, data_, kLength);
    }
    if (bytes_ < kLength || length > bytes_ - kLength) {
        fail(path_ + ": truncated");
    }
    const auto* header = reinterpret_cast<const char*>(data_) + kLength;
    const nlohmann::json all = nlohmann::json::parse(header, header + length, nullptr, false);
    if (!all.is_object()) {
        fail(path_ + ": its header is not JSON");
    }
    const auto found = all.find(tensor);
    if (found == all.end() || !found->is_object()) {
        fail(path_ + ": there is no such tensor in the file");
    }
    const auto numbers = [&](const char* key) {
        const auto list = found->find(key);
        std::vector<size_t> values;
        for (const auto& value : list != found->end() && list->is_array() ? *list : nlohmann::json::array()) {
            if (!value.is_number_unsigned()) {
                fail(path_ + ": " + key + " is no list of sizes");
            }
            values.push_back(value.get<size_t>());
        }
        return values;
    };
    const auto dtype = found->find("dtype");
    const string its = dtype != found->end() && dtype->is_string() ? dtype->get<string>() : "";
    const auto type = types.find(its);
    if (type == types.end()) {
        fail(path_ + ": elements are " + (its.empty() ? "of no type" : its));
    }
    type_ = type->second.name, item_ = type->second.size, shape_ = numbers("shape");
    const std::vector<size_t> offsets = numbers("data_offsets");
    const size_t elements = bytes_ - kLength - length;
    if (offsets.size() != 2 || offsets[0] > offsets[1] || offsets[1] > elements) {
        fail(path_ + ": its data_offsets are not in the file");
    }
    if (shape_.empty() || shape_.size() > 3) {
        fail(path_ + ": its shape has " + std::to_string(shape_.size()) + " dimensions, not 1, 2 or 3");
    }
    data_ += kLength + length + offsets[0], bytes_ = offsets[1] - offsets[0];
    check_size();
}
#else
void Array::read_safetensors(const string&) {
    fail(path_ + ": kai-pack was built without nlohmann's JSON, which reads the headers of such files");
}
#endif

bool Array::is_bytes() const {
    return type_.empty() || (type_[0] == '|' && std::strchr("uiV", type_[1]) != nullptr);
}

void Array::expect_type(const std::vector<string>& types) const {
    if (!is_bytes() && std::find(types.begin(), types.end(), type_) == types.end()) {
        string wanted;
        for (const string& type : types) {
            wanted += type + " or ";
        }
        fail(path_ + ": has elements " + type_ + ", needs " + wanted + "bytes");
    }
}

void Array::expect_shape(std::vector<size_t> wanted, size_t size) const {
    std::vector<size_t> factors = wanted;
    factors.push_back(size);
    const size_t needed = product_of(factors, path_);
    if (type_.empty()) {
        if (bytes_ != needed) {
            fail(path_ + ": has " + std::to_string(bytes_) + " bytes, needs " + std::to_string(needed));
        }
        return;
    }
    if (item_ != 0 && wanted.back() * size % item_ == 0) {
        wanted.back() = wanted.back() * size / item_;
    }
    const std::vector<size_t> is = without_ones(shape_), one = without_ones(wanted);
    const bool lines = one.size() == 3 && is == std::vector<size_t>{one[0] * one[1], one[2]};
    if (bytes_ != needed || (is.size() > 1 && is != one && !lines)) {
        fail(path_ + ": has shape " + text_of(shape_) + " of " + type_ + ", needs " + text_of(wanted));
    }
}

void Array::read_header(const string& header) {
    const auto after = [&](const string& key) {
        const size_t at = header.find(key);
        if (at == string::npos) {
            fail(path_ + ": its header lacks " + key);
        }
        return header.substr(at + key.size());
    };
    const string descr = after("'descr': ");
    const size_t end = descr.find('\'', 1);
    if (descr[0] != '\'' || end == string::npos) {
        fail(path_ + ": elements are structures");
    }
    type_ = descr.substr(1, end - 1);
    // "<f4": order of the bytes, what they are, how many.
    item_ = type_.size() > 2 ? std::strtoull(type_.c_str() + 2, nullptr, 10) : 0;
    if (item_ == 0) {
        fail(path_ + ": elements are " + type_ + ", which have no size");
    }
    if (type_[0] == '>') {
        fail(path_ + ": elements are big-endian (" + type_ + ")");
    }
    if (after("'fortran_order': ")[0] != 'F') {
        fail(path_ + ": columns come first (fortran_order)");
    }
    const string numbers = after("'shape': (");
    const string shape = numbers.substr(0, numbers.find(')'));
    for (const char* p = shape.c_str(); *p != 0;) {
        char* next = nullptr;
        errno = 0;
        const unsigned long long length =
            std::isdigit(static_cast<unsigned char>(*p)) != 0 ? std::strtoull(p, &next, 10) : 0;
        if (next == nullptr || errno != 0 || length > SIZE_MAX) {
            fail(path_ + ": its shape is (" + shape + ")");
        }
        shape_.push_back(static_cast<size_t>(length));
        for (p = next; *p == ',' || *p == ' ' || *p == 'L';) {  // L: Python 2
            ++p;
        }
    }
    if (shape_.empty() || shape_.size() > 3) {
        fail(path_ + ": its shape is (" + shape + "), not of 1, 2 or 3 dimensions");
    }
}

}  // namespace kai_pack_tool
