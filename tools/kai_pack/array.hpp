// Arrays that kai-pack reads: raw, .npy, or a tensor of a safetensors file.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tools/files.hpp"

namespace kai_pack_tool {

/// 2 x 3 x 64.
std::string text_of(const std::vector<size_t>& shape);

/// The product; fails with `what` if it is larger than the address space.
size_t product_of(const std::vector<size_t>& factors, const std::string& what);

/// An array in a file: raw, or of a format that says its type and shape: .npy, or FILE.safetensors:TENSOR.
class Array {
public:
    explicit Array(const std::string& name);

    const std::string& path() const {
        return path_;
    }
    const uint8_t* data() const {
        return data_;
    }
    /// As NumPy spells it, "<f4", and "f8e4m3" or "f8e5m2"; "" if raw.
    const std::string& type() const {
        return type_;
    }
    const std::vector<size_t>& shape() const {
        return shape_;
    }
    /// Raw, or items of bytes, which may be anything.
    bool is_bytes() const;

    /// Refuses other elements than these.
    void expect_type(const std::vector<std::string>& types) const;

    /// Refuses another size or shape than `wanted` (matrices, lines, elements of `size` bytes). Dimensions of 1 do not
    /// matter, the lines of all matrices may be one dimension, and an array of one dimension is taken as it is.
    void expect_shape(std::vector<size_t> wanted, size_t size) const;

private:
    void read_npy();
    /// A dictionary of Python as NumPy writes it.
    void read_header(const std::string& header);
    void read_safetensors(const std::string& tensor);
    /// Refuses another number of bytes than the shape needs.
    void check_size() const;

    std::string path_;
    tools::Mapping file_;
    const uint8_t* data_;
    size_t bytes_;
    std::string type_;
    size_t item_ = 1;  // bytes of an element
    std::vector<size_t> shape_;
};

}  // namespace kai_pack_tool
