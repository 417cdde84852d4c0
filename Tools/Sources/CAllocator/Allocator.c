#include "CAllocator.h"

#include <stdlib.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

void allocator_return_large_blocks(void) {
#ifdef __GLIBC__
    // The size with which glibc begins. Once it is set, it stays.
    mallopt(M_MMAP_THRESHOLD, 128 << 10);
#endif
}
