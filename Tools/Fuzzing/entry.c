// The functions that libFuzzer looks for. The targets are in a library in Swift.
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

void listory_fuzz(const uint8_t *bytes, ptrdiff_t count);
void listory_fuzz_seeds(void);

int LLVMFuzzerInitialize(int *count, char ***arguments) {
    if (getenv("LISTORY_FUZZ_SEEDS")) {
        listory_fuzz_seeds();
        exit(0);
    }
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
    listory_fuzz(bytes, (ptrdiff_t)count);
    return 0;
}
