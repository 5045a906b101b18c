/* SPDX-License-Identifier: MIT
 *
 * What all of the C interface uses: statuses, tensors, regions, the executor.
 */
#ifndef HEED_HEED_TYPES_H
#define HEED_HEED_TYPES_H

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

#ifdef __cplusplus
extern "C" {
#endif

/* What a call returns; heed_status_to_string() says what each means. Anything but HEED_OK means that the call changed
 * nothing: no output, no state, no arena byte. */
typedef enum heed_status {
  HEED_OK = 0,
  HEED_ZERO_DIMENSION,
  HEED_HEADS_NOT_DIVISIBLE,
  HEED_TOO_LARGE,
  HEED_BAD_WORKERS,
  HEED_ARENA_TOO_SMALL,
  HEED_ARENA_MISALIGNED,
  HEED_NULL_POINTER,
  HEED_BAD_STRIDE,
  HEED_BAD_LENGTH,
  HEED_BAD_SCALE,
  HEED_BAD_OPTION,
  HEED_KEYS_EXCEED_PLAN,
  HEED_CACHE_FULL,
  HEED_BAD_SEQUENCE,
  HEED_BAD_TOKEN,
  HEED_NOT_INITIALISED,
  HEED_WRONG_WEIGHTS,
  HEED_BAD_STATE,
  HEED_PLAN_MISMATCH,
  HEED_BAD_BASE,
  HEED_BAD_ROTARY,
  HEED_BAD_POSITION,
  HEED_RING_WRAPPED,
  HEED_NOT_EMPTY,
  HEED_NOT_FINITE,
  HEED_BAD_FILE,
  HEED_OVERLAP,
  HEED_MISSING_FORMAT,
  HEED_STATUS_LAST = 0x7FFFFFFF /* no status: makes every number that fits 31 bits a value of the type */
} heed_status;

/* One line of text in static storage; never null. */
const char* heed_status_to_string(heed_status status);

/* Float32 [batch, heads, rows, dim]: contiguous along dim, the other strides counted in elements. A stride of 0 repeats
 * an input along that dimension. */
typedef struct heed_tensor {
  float* data;
  ptrdiff_t batch_stride;
  ptrdiff_t head_stride;
  ptrdiff_t row_stride;
} heed_tensor;

typedef struct heed_const_tensor {
  const float* data;
  ptrdiff_t batch_stride;
  ptrdiff_t head_stride;
  ptrdiff_t row_stride;
} heed_const_tensor;

/* Float32 [batch, rows, dim]: contiguous along dim, the other strides counted in elements. */
typedef struct heed_matrix {
  float* data;
  ptrdiff_t batch_stride;
  ptrdiff_t row_stride;
} heed_matrix;

typedef struct heed_const_matrix {
  const float* data;
  ptrdiff_t batch_stride;
  ptrdiff_t row_stride;
} heed_const_matrix;

/* A part of an arena: `bytes` bytes, `offset` bytes after its start. */
typedef struct heed_region {
  uint32_t name; /* see heed_region_to_string() */
  uint32_t offset, bytes;
} heed_region;

/* What the region holds, in words; static storage, never null. */
const char* heed_region_to_string(heed_region region);

/* The caller's way to run tasks at the same time. parallel_for calls task(argument, index) exactly once for every index
 * below count, in any order and on any thread, and returns when all have returned; count is at most the plan's workers;
 * context is passed to it unchanged. Where a call takes an executor, null means that everything runs in the caller. */
typedef struct heed_executor {
  void* context;
  void (*parallel_for)(void* context, uint32_t count, void (*task)(void* argument, uint32_t index), void* argument);
} heed_executor;

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

#ifdef __cplusplus
}
#endif
#endif
