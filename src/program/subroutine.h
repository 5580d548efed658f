/*
 * subroutine.h: D's subroutines, one row for each.
 *
 * A row says everything about a subroutine except what it does. The compiler takes from it the
 * subroutine's name and types and what it needs from a source, the verifier which registers must
 * hold strings, the disassembler its name, and the engine the function that runs it. To add a
 * subroutine, add a row here and a function subroutine_NAME() in the engine
 * (engine/subroutine/subroutine_call.h).
 */
#ifndef VMTAP_PROGRAM_SUBROUTINE_H
#define VMTAP_PROGRAM_SUBROUTINE_H

#include <stdbool.h>
#include <stdint.h>

#include "program/need.h"

/* clang-format off */
/*
 * SUBROUTINE(number, name, function, need, least, most, result, parameters ...)
 *
 * number    after D_SUBROUTINE_
 * name      in scripts
 * function  the engine's, after subroutine_; several subroutines may share one
 * need      what its source must provide, after D_NEED_
 * least     number of arguments
 * most      number of arguments and of parameters, at most 3
 * result    its type in D
 * parameters: their types in D. A string is passed as one, anything else as a number.
 *
 * INTERNAL: the same, for subroutines that only the compiler calls; scripts cannot name them.
 */
#define D_SUBROUTINE_ROWS(SUBROUTINE, INTERNAL) \
	SUBROUTINE(COPYINSTR, "copyinstr", copyinstr, NOTHING, 1, 2, "string", "uintptr_t", "size_t") \
	/* stringof of an integer or a pointer. */ \
	INTERNAL(STRINGOF, "stringof", copyinstr, NOTHING, 1, 1, "string", "uintptr_t") \
	SUBROUTINE(STRJOIN, "strjoin", strjoin, NOTHING, 2, 2, "string", "string", "string") \
	SUBROUTINE(STRLEN, "strlen", strlen, NOTHING, 1, 1, "size_t", "string") \
	/* The rest of the string from the first match, or the last; NULL: no match. */ \
	SUBROUTINE(STRCHR, "strchr", strchr, NOTHING, 2, 2, "string", "string", "char") \
	SUBROUTINE(STRRCHR, "strrchr", strrchr, NOTHING, 2, 2, "string", "string", "char") \
	SUBROUTINE(STRSTR, "strstr", strstr, NOTHING, 2, 2, "string", "string", "string") \
	/* The position of the first match from the third argument on, or of the last; -1: no match. */ \
	SUBROUTINE(INDEX, "index", index, NOTHING, 2, 3, "int", "string", "string", "int") \
	SUBROUTINE(RINDEX, "rindex", rindex, NOTHING, 2, 3, "int", "string", "string", "int") \
	SUBROUTINE(SUBSTR, "substr", substr, NOTHING, 2, 3, "string", "string", "int", "int") \
	SUBROUTINE(STRTOK, "strtok", strtok, NOTHING, 2, 2, "string", "string", "string") \
	/* strtok() with the literal NULL. */ \
	INTERNAL(STRTOK_NEXT, "strtok_next", strtok_next, NOTHING, 1, 1, "string", "string") \
	SUBROUTINE(TOUPPER, "toupper", toupper, NOTHING, 1, 1, "string", "string") \
	SUBROUTINE(TOLOWER, "tolower", tolower, NOTHING, 1, 1, "string", "string") \
	/* Each match of the second one is replaced by the third. */ \
	SUBROUTINE(STRREPLACE, "strreplace", strreplace, NOTHING, 3, 3, "string", "string", "string", "string") \
	SUBROUTINE(BASENAME, "basename", basename, NOTHING, 1, 1, "string", "string") \
	SUBROUTINE(DIRNAME, "dirname", dirname, NOTHING, 1, 1, "string", "string") \
	SUBROUTINE(CLEANPATH, "cleanpath", cleanpath, NOTHING, 1, 1, "string", "string") \
	/* The second argument is the base. */ \
	SUBROUTINE(LLTOSTR, "lltostr", lltostr, NOTHING, 1, 2, "string", "int64_t", "int") \
	SUBROUTINE(STRTOLL, "strtoll", strtoll, NOTHING, 1, 2, "int64_t", "string", "int") \
	/* s[n]: 0 if n is at or after the end of the string, up to strsize. */ \
	INTERNAL(CHARACTER, "character", character, NOTHING, 2, 2, "char", "string", "uint64_t") \
	SUBROUTINE(HTONS, "htons", swap16, NOTHING, 1, 1, "uint16_t", "uint16_t") \
	SUBROUTINE(HTONL, "htonl", swap32, NOTHING, 1, 1, "uint32_t", "uint32_t") \
	SUBROUTINE(HTONLL, "htonll", swap64, NOTHING, 1, 1, "uint64_t", "uint64_t") \
	SUBROUTINE(NTOHS, "ntohs", swap16, NOTHING, 1, 1, "uint16_t", "uint16_t") \
	SUBROUTINE(NTOHL, "ntohl", swap32, NOTHING, 1, 1, "uint32_t", "uint32_t") \
	SUBROUTINE(NTOHLL, "ntohll", swap64, NOTHING, 1, 1, "uint64_t", "uint64_t") \
	/* The value at a path of a JSON document; NULL: not found. */ \
	SUBROUTINE(JSON, "json", json, NOTHING, 2, 2, "string", "string", "string") \
	SUBROUTINE(RAND, "rand", rand, NOTHING, 0, 0, "int") \
	/* Whether the process that fired is this one or descends from it. */ \
	SUBROUTINE(PROGENYOF, "progenyof", progenyof, NOTHING, 1, 1, "int", "pid_t") \
	SUBROUTINE(GETMAJOR, "getmajor", getmajor, NOTHING, 1, 1, "uint_t", "dev_t") \
	SUBROUTINE(GETMINOR, "getminor", getminor, NOTHING, 1, 1, "uint_t", "dev_t") \
	/* Memory of the clause: zeroed; not limited by scratchsize, for the compiler's use; copied. */ \
	SUBROUTINE(ALLOCA, "alloca", alloca, NOTHING, 1, 1, "void *", "size_t") \
	INTERNAL(BLOCK, "block", block, NOTHING, 1, 1, "void *", "size_t") \
	SUBROUTINE(COPYIN, "copyin", copyin, NOTHING, 2, 2, "void *", "uintptr_t", "size_t") \
	SUBROUTINE(COPYINTO, "copyinto", copyinto, NOTHING, 3, 3, "void", "uintptr_t", "size_t", "void *") \
	SUBROUTINE(BCOPY, "bcopy", bcopy, NOTHING, 3, 3, "void", "void *", "void *", "size_t") \
	/* The address and the size, next to each other in memory. */ \
	SUBROUTINE(MEMREF, "memref", memref, NOTHING, 2, 2, "uintptr_t *", "void *", "size_t") \
	/* A string of size - 1 bytes, with NULs replaced by the character; NULL: the size is 0. */ \
	SUBROUTINE(MEMSTR, "memstr", memstr, NOTHING, 3, 3, "string", "void *", "char", "size_t") \
	/* Copies into the process, which no source supports yet. */ \
	SUBROUTINE(COPYOUT, "copyout", copyout, MEMORY, 3, 3, "void", "void *", "uintptr_t", "size_t") \
	SUBROUTINE(COPYOUTSTR, "copyoutstr", copyout, MEMORY, 3, 3, "void", "string", "uintptr_t", "size_t") \
	/* A free speculation; 0: none is free. */ \
	SUBROUTINE(SPECULATION, "speculation", speculation, NOTHING, 0, 0, "int") \
	/* For the D library: the package (0) or the NUMA node (1) of a processor. */ \
	SUBROUTINE(PROCESSOR, "vmtap_processor", processor, PROCESSOR_STATE, 2, 2, "int", "int", "int") \
	/* Addresses in memory as text, by family or hardware type. */ \
	SUBROUTINE(INET_NTOA, "inet_ntoa", inet_ntoa, NOTHING, 1, 1, "string", "ipaddr_t *") \
	SUBROUTINE(INET_NTOA6, "inet_ntoa6", inet_ntoa6, NOTHING, 1, 2, "string", "in6_addr_t *", "int") \
	SUBROUTINE(INET_NTOP, "inet_ntop", inet_ntop, NOTHING, 2, 2, "string", "int", "void *") \
	SUBROUTINE(LINK_NTOP, "link_ntop", link_ntop, NOTHING, 2, 2, "string", "int", "void *") \
	/* About the kernel, which no source supports yet: these fault. */ \
	SUBROUTINE(MUTEX_OWNED, "mutex_owned", kernel, KERNEL_LOCKS, 1, 1, "int", "void *") \
	SUBROUTINE(MUTEX_OWNER, "mutex_owner", kernel, KERNEL_LOCKS, 1, 1, "uintptr_t", "void *") \
	SUBROUTINE(MUTEX_TYPE_ADAPTIVE, "mutex_type_adaptive", kernel, KERNEL_LOCKS, 1, 1, "int", "void *") \
	SUBROUTINE(MUTEX_TYPE_SPIN, "mutex_type_spin", kernel, KERNEL_LOCKS, 1, 1, "int", "void *") \
	SUBROUTINE(RW_ISWRITER, "rw_iswriter", kernel, KERNEL_LOCKS, 1, 1, "int", "void *") \
	SUBROUTINE(RW_READ_HELD, "rw_read_held", kernel, KERNEL_LOCKS, 1, 1, "int", "void *") \
	SUBROUTINE(RW_WRITE_HELD, "rw_write_held", kernel, KERNEL_LOCKS, 1, 1, "int", "void *") \
	SUBROUTINE(MSGSIZE, "msgsize", kernel, KERNEL_DATA, 1, 1, "size_t", "void *") \
	SUBROUTINE(MSGDSIZE, "msgdsize", kernel, KERNEL_DATA, 1, 1, "size_t", "void *") \
	SUBROUTINE(GETF, "getf", kernel, KERNEL_DATA, 1, 1, "uintptr_t", "int") \
	/* The path of a file, whose struct path in the kernel is the argument. With a second argument: \
	 * the path where its file system is mounted. */ \
	SUBROUTINE(D_PATH, "d_path", d_path, FILES, 1, 2, "string", "void *", "int") \
	SUBROUTINE(DDI_PATHNAME, "ddi_pathname", kernel, KERNEL_DATA, 2, 2, "string", "void *", "int64_t") \
	/* A packet for pcap(). */ \
	INTERNAL(PACKET, "packet", kernel, KERNEL_DATA, 1, 1, "uintptr_t", "void *")

#define D_SUBROUTINE_NUMBER(number, ...) D_SUBROUTINE_##number,
enum d_subroutine {
	D_SUBROUTINE_ROWS(D_SUBROUTINE_NUMBER, D_SUBROUTINE_NUMBER)
	D_SUBROUTINES
};
#undef D_SUBROUTINE_NUMBER
/* clang-format on */

/* What callers of a subroutine must comply with. */
struct d_subroutine_form {
	const char *name;
	uint8_t least, most; /* arguments */
	uint8_t strings;     /* bit per argument: it is a string */
	bool gives_string;
	enum d_need need;
};

extern const struct d_subroutine_form d_subroutines[D_SUBROUTINES];

#endif
