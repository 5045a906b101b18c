// SPDX-License-Identifier: MIT
static_assert(__cplusplus == 201703L, "heed has raised this project's C++");

#include "plain.c"
