// SPDX-License-Identifier: MIT
//
// Flags that change results, refused where the compiler tells of them. CMake's targets heed and heed::kernels undo
// them; what is seen here came after, as for a single file.
//
// A user's file that compiles the runtime's inline functions may still have flags of its own. So these functions stand
// in `inline namespace heed_own_code`, which is a macro in the library's build: in the archive they have other names,
// and the linker never takes one of the user's for one of the library's.
#pragma once

#if defined(__FAST_MATH__) || (defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__) || \
    defined(__ASSOCIATIVE_MATH__) || defined(__RECIPROCAL_MATH__) || defined(__NO_SIGNED_ZEROS__)
#error "heed gives the same bits everywhere, and -ffast-math or a part of it changes them: add -fno-fast-math"
#endif
