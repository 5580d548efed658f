/*
 * readable_names.h: names of C++ and Rust functions as people write them: linkers have mangled ones
 * (the Itanium C++ ABI, section 5.1; Rust's legacy scheme, and RFC 2603, its version 0). They are
 * read by libiberty; without it, all names stay as they are.
 *
 * A name of a hundred bytes may stand for hundreds of megabytes: what is longer than
 * READABLE_NAME_MAX is cut. Each name is worked out once.
 *
 * Not safe to use from several threads at once.
 */
#ifndef VMTAP_USDT_ELF_READABLE_NAMES_H
#define VMTAP_USDT_ELF_READABLE_NAMES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/hash_table.h"

enum { READABLE_NAME_MAX = 4096 };

struct readable_name;

/* All zero: empty. */
struct readable_names {
	size_t room;
	struct readable_name *names;
	struct hash_table table; /* by mangled name */
};

/*
 * Returns the readable form of a name, with the types of a function's parameters or without; the
 * name itself if it is not mangled, or memory runs out. The text lives as long as the names, or as
 * the one that was given.
 */
const char *readable_name(struct readable_names *names, const char *name, bool with_parameters);

void readable_names_free(struct readable_names *names);

#endif
