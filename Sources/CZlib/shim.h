// Imports zlib's C interface. Only the Swift target `ListModel` imports this module.
#ifndef LISTORY_CZLIB_SHIM_H
#define LISTORY_CZLIB_SHIM_H

#include <zlib.h>

#endif
