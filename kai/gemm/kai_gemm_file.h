// Packed weights as a file, and packing on any host for a given CPU.
//
// A file holds named tensors, packed for micro-kernels. It is mapped read-only and multiplied from in place:
//
//     struct kai_gemm_file file;
//     struct kai_gemm_tensor tensor;
//     if (kai_gemm_file_open(mapped, size, &file) != KAI_GEMM_FILE_OK ||
//         kai_gemm_file_find(&file, "layers.0.up", &tensor) != KAI_GEMM_FILE_OK) ...
//     struct kai_gemm_problem problem = kai_gemm_problem_of(m, 0, 0);
//     kai_gemm_tensor_describe(&tensor, &problem);
//     if (kai_gemm_make_plan(&problem, &plan) != KAI_GEMM_OK) ...     // kai_gemm_tensor_usable says what is missing
//     operands.b.data = tensor.data;                                  // plan.packed_b_size == tensor.size
//
// It is made on any host, for a micro-kernel and a vector length that the host need not have:
//
//     struct kai_gemm_tensor tensor = {0};
//     kai_gemm_tensor_for("matmul_clamp_f32_qai8dxp1vlx8_qsi4cxp4vlx8_1vlx4vl_sme2_mopa", 512, &tensor);
//     tensor.name = "layers.0.up", tensor.n = n, tensor.k = k, tensor.count = 1;
//     kai_gemm_file_lay_out(&tensor, 1, &file_size);                  // sets sizes and offsets
//     kai_gemm_tensor_pack(&tensor, 0, true, &weights, 0, n, bytes + tensor.offset, tensor.size);
//     tensor.checksum = kai_gemm_file_checksum(0, bytes + tensor.offset, tensor.size);
//     kai_gemm_file_write_header(&tensor, 1, bytes, file_size);
//
// The caller owns all memory. No function allocates, keeps state, prints or aborts. A function that can fail returns a
// status; if it fails, it has written nothing. The file, byte by byte: docs/file.md.
//
// SPDX-License-Identifier: Apache-2.0
//
#pragma once

#include "kai/gemm/kai_gemm.h"

KAI_BEGIN_DECLARATIONS

enum kai_gemm_file_status {
    KAI_GEMM_FILE_OK,
    KAI_GEMM_FILE_NULL_POINTER,    ///< A pointer is NULL where data is needed.
    KAI_GEMM_FILE_TRUNCATED,       ///< The file ends before its header or a tensor does.
    KAI_GEMM_FILE_WRONG_MAGIC,     ///< Not a file of packed weights.
    KAI_GEMM_FILE_WRONG_VERSION,   ///< Of a version that this library does not read.
    KAI_GEMM_FILE_DAMAGED_HEADER,  ///< The checksum of the header is wrong.
    KAI_GEMM_FILE_DAMAGED_TENSOR,  ///< The checksum of a tensor is wrong.
    KAI_GEMM_FILE_BAD_NAME,        ///< A name is empty, too long, not terminated, or out of order.
    KAI_GEMM_FILE_BAD_VALUE,       ///< A kind, type, shape or size is out of range or contradicts the others.
    KAI_GEMM_FILE_BAD_OFFSET,      ///< A tensor is not aligned to 64 bytes, or overlaps what precedes it.
    KAI_GEMM_FILE_OVERFLOW,        ///< The size of a tensor or of the file overflows.
    KAI_GEMM_FILE_NO_TENSOR,       ///< There is no tensor of this name or number.
    KAI_GEMM_FILE_TOO_SMALL,       ///< The buffer is smaller than what is to be written.
    KAI_GEMM_FILE_UNKNOWN_KERNEL,  ///< No micro-kernel with weights of a kai_gemm_kind has this name.
    KAI_GEMM_FILE_UNKNOWN_FORMAT,  ///< No micro-kernel of this library reads this format with panels of this width.
    KAI_GEMM_FILE_BAD_VECTOR,      ///< The vector length is not 128, 256, 512, 1024 or 2048 bits.
    KAI_GEMM_FILE_BAD_STRIDE,      ///< Rows overlap, or have gaps where the packer takes none.
    KAI_GEMM_FILE_NO_PACKER,       ///< No packer takes weights of this order or type for this format.
    KAI_GEMM_FILE_CPU_LACKS,       ///< This CPU cannot run the micro-kernels that read this format.
    KAI_GEMM_FILE_UNUSED_BIAS,     ///< A bias is given, the tensor has none.
    KAI_GEMM_FILE_RESERVED,        ///< Reserved room of a structure is not zero (KAI_GEMM_RESERVED).
    KAI_GEMM_FILE_STATUS_COUNT
};

/// A sentence that says what is wrong. Never NULL.
const char* kai_gemm_file_status_text(enum kai_gemm_file_status status);

enum {
    KAI_GEMM_FILE_VERSION = 2,     ///< What is written. Version 1, whose tensors have no tags, is read, too.
    KAI_GEMM_FILE_ALIGNMENT = 64,  ///< Of each tensor in the file, in bytes, and so of the memory that holds the file.
    KAI_GEMM_FILE_NAME_MAX = 111   ///< Bytes of a name, without the terminating zero.
};

/// Packed weights: all that a plan needs to use them. Initialise it to zero.
struct kai_gemm_tensor {
    const char* name;  ///< In UTF-8. Of an opened file: in its header, and so is format.name.
    /// @name What is packed
    /// @{
    enum kai_gemm_kind kind;
    enum kai_datatype type;           ///< DENSE: of the weights before they were packed.
    enum kai_gguf_type_id gguf_type;  ///< GGUF: of the rows; not F32, F16 or BF16, which are DENSE.
    size_t n, k;                      ///< Not 0.
    size_t bl;                        ///< Block kinds: length of a block of k (INT4_TABLE: 32). Others: 0.
    size_t count;                     ///< Number of matrices, at least 1.
    bool bias;
    int32_t lut[4];        ///< INT2_CHANNEL: the four weights, which fit int8. The run needs them too.
    int32_t a_zero_point;  ///< STATIC: they are part of the packed biases and scales.
    float multiplier;
    /// @}

    /// @name For which micro-kernels (kai_gemm_tensor_for)
    /// @{
    struct kai_gemm_format format;
    size_t vector_length;  ///< In bytes, that of SVE or SME; 0: the panels do not depend on it.
    bool untagged;         ///< Matrices do not end with a tag (docs/file.md): from a file of version 1.
    /// @}

    /// @name Sizes in bytes (kai_gemm_tensor_measure): exactly those of kai_gemm_make_plan
    /// @{
    bool bias_apart;     ///< f32 [n] after the panels of each matrix, at the next multiple of 64. Set where the
                         ///< format has no place for it; set it for plans that are not `direct`.
    size_t panels_size;  ///< One matrix without the bias apart.
    size_t stride;       ///< From one matrix to the next. A multiple of 64.
    size_t size;
    /// @}

    /// @name Where it is
    /// @{
    size_t offset;      ///< In the file. A multiple of 64.
    uint32_t checksum;  ///< kai_gemm_file_checksum of its bytes.
    const void* data;   ///< Of an opened file: its bytes.
    /// @}

    uint64_t reserved[16];  ///< Zeros, else RESERVED: room for members of later versions (docs/versioning.md).
};

/// @name Descriptions
/// @{

/// What the micro-kernel `kernel` reads on a CPU with vectors of `vector_bits` (of SVE or SME; ignored by kernels whose
/// panels do not depend on it). Sets kind, type, format and vector_length. The name is looked up in the catalogue of
/// all micro-kernels: neither this build nor this CPU needs to have it. To pack rows of a GGUF file for it, set kind to
/// GGUF, which some kernels have anyway, and gguf_type; for indices of a table of your own, kind to INT4_TABLE and bl
/// to 32.
enum kai_gemm_file_status kai_gemm_tensor_for(const char* kernel, size_t vector_bits, struct kai_gemm_tensor* tensor);

/// The same for rows of a GGUF file of this type, on a CPU with `features` (bits 1 << enum kai_cpu_feature) and vectors
/// of `vector_bits` (of SME; ignored without it): what kai_gemm_make_plan chooses there for many rows, f32 and one SME
/// unit. Sets gguf_type, too. `kernel` (may be NULL): its name. NO_PACKER: rows of this type are not packed.
enum kai_gemm_file_status kai_gemm_tensor_for_gguf(
    enum kai_gguf_type_id type, uint64_t features, size_t vector_bits, struct kai_gemm_tensor* tensor,
    const char** kernel);

/// The same for weights that are packed as floats of `element`, f32, f16 or bf16: f32 A and C, rounded to that. Sets
/// kind to DENSE and type to `element`: change type if the weights are other floats. Rows of a GGUF file of another
/// type are dequantised while they are packed: set kind to GGUF, type to kai_dt_unknown, and gguf_type. NO_PACKER:
/// there is no such micro-kernel.
enum kai_gemm_file_status kai_gemm_tensor_for_dense(
    enum kai_datatype element, uint64_t features, size_t vector_bits, struct kai_gemm_tensor* tensor,
    const char** kernel);

/// Checks the description and sets bias_apart, panels_size, stride and size.
enum kai_gemm_file_status kai_gemm_tensor_measure(struct kai_gemm_tensor* tensor);

/// Whether a micro-kernel of this build that this CPU can run reads the tensor: OK, CPU_LACKS or UNKNOWN_FORMAT. In
/// each case a sentence is written to `reason` (may be NULL): "packed for SME2 with vectors of 512 bits: CPU lacks SME2
/// (HWCAP2 bit 37 is not set)".
enum kai_gemm_file_status kai_gemm_tensor_usable(
    const struct kai_gemm_tensor* tensor, char* reason, size_t reason_size);

/// Sets the members of `problem` that say what B is: n, k, b_*, bl, bias, format, untagged; for STATIC kinds also
/// a_zero_point and multiplier, if `count` > 1 the batch, and allow_bf16 or allow_f16 if floats are packed as that.
/// a_type and c_type: the first that the format serves (f32, f16 or int8). b_transposed: an order that the kind has;
/// the original one no longer matters. The problem keeps a pointer to tensor->format. If reserved room of the tensor is
/// not zero, neither is that of the problem, and there is no plan for it.
void kai_gemm_tensor_describe(const struct kai_gemm_tensor* tensor, struct kai_gemm_problem* problem);

/// Packs columns `first` to first + columns - 1 of matrix number `matrix` to their place in `packed`, the buffer of the
/// whole tensor (of at least tensor->size bytes). The bytes are those that packers write on the CPU for which the
/// tensor is described; the part with column 0 also writes what is between panels, bias and tag, and the tag.
/// `b_transposed`: the weights are N x K. weights->lut is ignored: tensor->lut counts. UNUSED_BIAS: weights->bias is
/// given, and tensor->bias is false.
/// @pre `first` is a multiple of nr. All columns at once (or BAD_VALUE) if the weights are K x N and of a channel kind.
enum kai_gemm_file_status kai_gemm_tensor_pack(
    const struct kai_gemm_tensor* tensor, size_t matrix, bool b_transposed, const struct kai_gemm_weights* weights,
    size_t first, size_t columns, void* packed, size_t packed_size);
/// @}

/// @name Writing a file
/// @{

/// Bytes before the first tensor of a file of `count` tensors, a multiple of 64; 0 if that overflows.
size_t kai_gemm_file_header_size(size_t count);

/// Measures `count` tensors and sets their offsets. Their names ascend as bytes (strcmp).
enum kai_gemm_file_status kai_gemm_file_lay_out(struct kai_gemm_tensor* tensors, size_t count, size_t* file_size);

/// Writes the header: kai_gemm_file_header_size(count) bytes. `tensors` are laid out and have their checksums.
enum kai_gemm_file_status kai_gemm_file_write_header(
    const struct kai_gemm_tensor* tensors, size_t count, void* header, size_t header_size);

/// CRC-32 as in zlib and PNG. `before`: the CRC of the bytes that precede these; 0 at the start.
uint32_t kai_gemm_file_checksum(uint32_t before, const void* data, size_t size);
/// @}

/// @name Reading a file
/// @{
struct kai_gemm_file {
    const void* data;
    size_t size;
    size_t count;          ///< Number of tensors.
    uint64_t reserved[8];  ///< Zeros.
};

/// Checks the whole header, and that all tensors lie within `size` bytes; the bytes of tensors are not read. Formats
/// that this library does not know are accepted; kinds and types that it does not know are BAD_VALUE. `data` must not
/// change while `file` or one of its tensors is used. Bytes that follow the file are ignored.
enum kai_gemm_file_status kai_gemm_file_open(const void* data, size_t size, struct kai_gemm_file* file);

/// Tensor number `index`, in the order of their names.
enum kai_gemm_file_status kai_gemm_file_tensor(
    const struct kai_gemm_file* file, size_t index, struct kai_gemm_tensor* tensor);
enum kai_gemm_file_status kai_gemm_file_find(
    const struct kai_gemm_file* file, const char* name, struct kai_gemm_tensor* tensor);

/// Compares the checksum of a tensor of an opened file with its bytes: reads all of them.
enum kai_gemm_file_status kai_gemm_tensor_verify(const struct kai_gemm_tensor* tensor);
/// @}

KAI_END_DECLARATIONS
