/* SPDX-License-Identifier: MIT
 *
 * What all of the C interface uses: statuses, tensors, regions, the executor, the version, and how the calling
 * thread computes floats.
 */
#ifndef HEED_HEED_TYPES_H
#define HEED_HEED_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Boundary of every arena, cache memory and packed weights, in bytes; HEED_ALIGNED opens the declaration of one. It is
 * not defined where the language has no word for it. */
#define HEED_ARENA_ALIGNMENT 64
#if defined(__GNUC__)
#define HEED_ALIGNED __attribute__((aligned(HEED_ARENA_ALIGNMENT)))
#elif defined(__cplusplus) && __cplusplus >= 201103L
#define HEED_ALIGNED alignas(HEED_ARENA_ALIGNMENT)
#elif defined(__STDC_VERSION__) && __STDC_VERSION__ >= 201112L
#define HEED_ALIGNED _Alignas(HEED_ARENA_ALIGNMENT)
#endif

/* Opens the declaration of a function whose status must be checked: a caller that drops it gets a warning. */
#if defined(__GNUC__)
#define HEED_MUST_USE __attribute__((warn_unused_result))
#elif defined(__cplusplus) && __cplusplus >= 201703L
#define HEED_MUST_USE [[nodiscard]]
#else
#define HEED_MUST_USE
#endif

/* Each struct and enumeration is written once, for C and C++ alike: what C calls heed_attention_config, C++20 calls
 * heed::AttentionConfig. Members are 0 unless they are given, in C++ by themselves and in C by {0}, and 0 is the
 * default that the comment names. Enumerators have two names, of C and of C++20. What the C++ of older standards sees
 * is C. */
#if defined(__cplusplus) && __cplusplus >= 202002L
#define HEED_CPP 1
#define HEED_STRUCT(c_name, Name) \
  namespace heed {                \
  struct Name;                    \
  }                               \
  using c_name = heed::Name;      \
  struct heed::Name
#define HEED_ENUM(c_name, Name, integer) \
  namespace heed {                       \
  enum class Name : integer;             \
  }                                      \
  using c_name = heed::Name;             \
  enum class heed::Name : integer
#define HEED_VALUE(C_NAME, name) name
#define HEED_ZERO \
  {}
#define HEED_COMPARED(Name) friend constexpr bool operator==(const Name&, const Name&) noexcept = default;
#else
#define HEED_STRUCT(c_name, Name) \
  typedef struct c_name c_name;   \
  struct c_name
#define HEED_ENUM(c_name, Name, integer) \
  typedef integer c_name;                \
  enum
#define HEED_VALUE(C_NAME, name) C_NAME
#define HEED_ZERO
#define HEED_COMPARED(Name)
#endif

/* What a call returns; heed_status_to_string() says what each means. Anything but `ok` means that the call changed
 * nothing: no output, no state, no byte of an arena, except that a layer's not_finite may come after scratch has been
 * written. Every declaration lists the statuses that it can return other than `ok`. */
#ifdef HEED_CPP
namespace heed {
enum class [[nodiscard]] Status : uint8_t;
}
using heed_status = heed::Status;
enum class heed::Status : uint8_t {
#else
typedef uint8_t heed_status;
enum {
#endif
  HEED_VALUE(HEED_OK, ok),
  HEED_VALUE(HEED_ZERO_DIMENSION, zero_dimension),
  HEED_VALUE(HEED_HEADS_NOT_DIVISIBLE, heads_not_divisible),
  HEED_VALUE(HEED_TOO_LARGE, too_large),
  HEED_VALUE(HEED_BAD_WORKERS, bad_workers),
  HEED_VALUE(HEED_ARENA_TOO_SMALL, arena_too_small),
  HEED_VALUE(HEED_ARENA_MISALIGNED, arena_misaligned),
  HEED_VALUE(HEED_NULL_POINTER, null_pointer),
  HEED_VALUE(HEED_BAD_STRIDE, bad_stride),
  HEED_VALUE(HEED_BAD_LENGTH, bad_length),
  HEED_VALUE(HEED_BAD_SCALE, bad_scale),
  HEED_VALUE(HEED_BAD_OPTION, bad_option),
  HEED_VALUE(HEED_KEYS_EXCEED_PLAN, keys_exceed_plan),
  HEED_VALUE(HEED_CACHE_FULL, cache_full),
  HEED_VALUE(HEED_BAD_SEQUENCE, bad_sequence),
  HEED_VALUE(HEED_BAD_TOKEN, bad_token),
  HEED_VALUE(HEED_NOT_INITIALISED, not_initialised),
  HEED_VALUE(HEED_WRONG_WEIGHTS, wrong_weights),
  HEED_VALUE(HEED_BAD_STATE, bad_state),
  HEED_VALUE(HEED_PLAN_MISMATCH, plan_mismatch),
  HEED_VALUE(HEED_BAD_BASE, bad_base),
  HEED_VALUE(HEED_BAD_ROTARY, bad_rotary),
  HEED_VALUE(HEED_BAD_POSITION, bad_position),
  HEED_VALUE(HEED_RING_WRAPPED, ring_wrapped),
  HEED_VALUE(HEED_NOT_EMPTY, not_empty),
  HEED_VALUE(HEED_NOT_FINITE, not_finite),
  HEED_VALUE(HEED_BAD_FILE, bad_file),
  HEED_VALUE(HEED_OVERLAP, overlap),
  HEED_VALUE(HEED_MISSING_FORMAT, missing_format),
  HEED_VALUE(HEED_BAD_FLOAT_ENVIRONMENT, bad_float_environment)
};
#ifdef HEED_CPP
/* So that a C program that checks its statuses compiles as C++20, too. */
inline constexpr heed_status HEED_OK = heed::Status::ok;
#endif

/* Float32 [batch, heads, rows, dim] in the caller's memory: contiguous along dim, the other strides counted in
 * elements. A stride of 0 repeats the same data along its dimension (inputs only). */
HEED_STRUCT(heed_const_tensor, ConstTensor) {
  const float* data HEED_ZERO;
  ptrdiff_t batch_stride HEED_ZERO;
  ptrdiff_t head_stride HEED_ZERO;
  ptrdiff_t row_stride HEED_ZERO;

#ifdef HEED_CPP
  [[nodiscard]] constexpr const float* row(size_t batch, size_t head, size_t row) const noexcept {
    return data + static_cast<ptrdiff_t>(batch) * batch_stride + static_cast<ptrdiff_t>(head) * head_stride +
           static_cast<ptrdiff_t>(row) * row_stride;
  }
#endif
};

/* An output. Each dimension of more than one step must step over all that the dimensions of smaller strides cover. */
HEED_STRUCT(heed_tensor, MutableTensor) {
  float* data HEED_ZERO;
  ptrdiff_t batch_stride HEED_ZERO;
  ptrdiff_t head_stride HEED_ZERO;
  ptrdiff_t row_stride HEED_ZERO;

#ifdef HEED_CPP
  [[nodiscard]] constexpr float* row(size_t batch, size_t head, size_t row) const noexcept {
    return data + static_cast<ptrdiff_t>(batch) * batch_stride + static_cast<ptrdiff_t>(head) * head_stride +
           static_cast<ptrdiff_t>(row) * row_stride;
  }
  constexpr operator ConstTensor() const noexcept {
    return {data, batch_stride, head_stride, row_stride};
  }
#endif
};

/* Float32 [batch, rows, dim]: contiguous along dim, the other strides counted in elements. */
HEED_STRUCT(heed_const_matrix, ConstMatrix) {
  const float* data HEED_ZERO;
  ptrdiff_t batch_stride HEED_ZERO;
  ptrdiff_t row_stride HEED_ZERO;

#ifdef HEED_CPP
  [[nodiscard]] constexpr const float* row(size_t batch, size_t row) const noexcept {
    return data + static_cast<ptrdiff_t>(batch) * batch_stride + static_cast<ptrdiff_t>(row) * row_stride;
  }
#endif
};

/* An output, likewise. */
HEED_STRUCT(heed_matrix, MutableMatrix) {
  float* data HEED_ZERO;
  ptrdiff_t batch_stride HEED_ZERO;
  ptrdiff_t row_stride HEED_ZERO;

#ifdef HEED_CPP
  [[nodiscard]] constexpr float* row(size_t batch, size_t row) const noexcept {
    return data + static_cast<ptrdiff_t>(batch) * batch_stride + static_cast<ptrdiff_t>(row) * row_stride;
  }
  constexpr operator ConstMatrix() const noexcept {
    return {data, batch_stride, row_stride};
  }
#endif
};

/* What a region holds; heed_region_to_string() has the words. */
#ifdef HEED_CPP
namespace heed {
enum class RegionName : uint32_t;
}
using heed_region_name = heed::RegionName;
#else
typedef uint32_t heed_region_name;
#endif

/* A part of an arena: `bytes` bytes, `offset` bytes after its start. Regions and plans are made of 32-bit numbers alone
 * and have no padding: the same bytes on every target, and clang 14 returns nothing else intact from a consteval call.
 */
HEED_STRUCT(heed_region, Region) {
  heed_region_name name HEED_ZERO;
  uint32_t offset HEED_ZERO;
  uint32_t bytes HEED_ZERO;

  HEED_COMPARED(Region)
};

/* The caller's way to run independent tasks at the same time: a desktop's thread pool, the cores of an RTOS. The
 * runtime itself creates no threads. Where a call of C takes an executor, null means that everything runs in the
 * caller. */
HEED_STRUCT(heed_executor, Executor) {
#ifdef HEED_CPP
  using Task = void (*)(void* argument, uint32_t index);
#endif

  /* Passed to parallel_for unchanged. */
  void* context HEED_ZERO;

  /* Calls task(argument, index) exactly once for every index below count, in any order and on any thread, and returns
   * when all have returned. count never exceeds the plan's workers. Null: everything runs in the caller. */
  void (*parallel_for)(void* context, uint32_t count, void (*task)(void* argument, uint32_t index), void* argument)
      HEED_ZERO;
};

/* As in CMakeLists.txt, which a test compares. Versions of the same major and minor number fit each other. */
#define HEED_VERSION_MAJOR 0
#define HEED_VERSION_MINOR 5
#define HEED_VERSION_PATCH 0
#define HEED_VERSION "0.5.0"

#ifdef __cplusplus
extern "C" {
#endif

/* One line of text in static storage; never null. */
const char* heed_status_to_string(heed_status status);

/* What the region holds, in words; static storage, never null. */
const char* heed_region_to_string(heed_region region);

/* HEED_VERSION of the library that is linked; static storage. */
const char* heed_version(void);

/* Whether the calling thread rounds to nearest and keeps subnormal numbers, which the same bits need; types.hpp
 * says more. */
bool heed_float_environment_is_standard(void);

#ifdef __cplusplus
}
#endif

/* ---- Dense views ---- */

/* C++ compilers warn of the C cast. */
#ifdef __cplusplus
#define HEED_STRIDE(elements) static_cast<ptrdiff_t>(elements)
#else
#define HEED_STRIDE(elements) ((ptrdiff_t)(elements))
#endif

/* [batch, rows, dim]. */
static inline heed_matrix heed_dense(float* data, size_t rows, size_t dim) {
  const heed_matrix view = {data, HEED_STRIDE(rows * dim), HEED_STRIDE(dim)};
  return view;
}
static inline heed_const_matrix heed_const_dense(const float* data, size_t rows, size_t dim) {
  const heed_const_matrix view = {data, HEED_STRIDE(rows * dim), HEED_STRIDE(dim)};
  return view;
}

/* [batch, heads, rows, dim]. */
static inline heed_tensor heed_bhsd(float* data, size_t heads, size_t rows, size_t dim) {
  const heed_tensor view = {data, HEED_STRIDE(heads * rows * dim), HEED_STRIDE(rows * dim), HEED_STRIDE(dim)};
  return view;
}
static inline heed_const_tensor heed_const_bhsd(const float* data, size_t heads, size_t rows, size_t dim) {
  const heed_const_tensor view = {data, HEED_STRIDE(heads * rows * dim), HEED_STRIDE(rows * dim), HEED_STRIDE(dim)};
  return view;
}

/* [batch, rows, heads, dim]: what a projection writes. */
static inline heed_tensor heed_bshd(float* data, size_t heads, size_t rows, size_t dim) {
  const heed_tensor view = {data, HEED_STRIDE(rows * heads * dim), HEED_STRIDE(dim), HEED_STRIDE(heads * dim)};
  return view;
}
static inline heed_const_tensor heed_const_bshd(const float* data, size_t heads, size_t rows, size_t dim) {
  const heed_const_tensor view = {data, HEED_STRIDE(rows * heads * dim), HEED_STRIDE(dim), HEED_STRIDE(heads * dim)};
  return view;
}

#undef HEED_STRIDE

#endif
