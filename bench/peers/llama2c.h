/* SPDX-License-Identifier: MIT
 *
 * llama2.c (github.com/karpathy/llama2.c) in this process, with its own makefile's fastest flags: its run.c, and its
 * runq.c, of whose calls the names begin with llama2c_int8. */
#ifndef HEED_BENCH_LLAMA2C_H
#define HEED_BENCH_LLAMA2C_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Reads a model; ends the program where there is none. */
void llama2c_open(const char* checkpoint);
void llama2c_int8_open(const char* checkpoint);

/* tokens [count]: `first`, and then the likeliest each time. Takes `count` tokens through the model. */
void llama2c_write(uint32_t first, uint32_t count, uint32_t* tokens);
void llama2c_int8_write(uint32_t first, uint32_t count, uint32_t* tokens);

#ifdef __cplusplus
}
#endif

#endif
