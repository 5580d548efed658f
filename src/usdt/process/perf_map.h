/*
 * perf_map.h: the functions of JIT compilers, from /tmp/perf-PID.map, to which a program adds a
 * line "BEGIN SIZE NAME" for each function that it compiles; the numbers are hexadecimal.
 *
 * The file is read when an address is first looked up. If an address is not found in it, the
 * lines that were added since are read, but less and less often (struct mapped_retry). It can
 * also be read after the process has ended, unless that had another root directory.
 *
 * The JVM's methods are named as others are (base/method_text.h): "java.lang.String#hashCode" for
 * "int java.lang.String.hashCode()", as jcmd writes it, and for "Ljava/lang/String;::hashCode", as
 * agents do. All other names are those of the file.
 *
 * The traced program writes the file, so its names may contain anything but a newline and NUL:
 * whoever prints one must escape it. How much is read is limited.
 */
#ifndef VMTAP_USDT_PROCESS_PERF_MAP_H
#define VMTAP_USDT_PROCESS_PERF_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "usdt/process/mapped_code.h"

struct perf_map_function {
	uint64_t begin, size;
	uint32_t line; /* of those that cover an address, the one that was added last counts */
	const char *name;
};

struct perf_map {
	pid_t pid;
	char module[32]; /* the file's name without its folder */
	uint32_t owner;  /* the process's user, when the map was opened */
	bool is_kept;    /* its /tmp is ours, so its file is there after its end */
	struct mapped_retry retry;
	uint64_t inode, offset; /* of what has been read */
	size_t text_size;
	uint32_t line_count;
	size_t chunk_count, chunk_room;
	char **chunks; /* pieces of the file, in which the names are */
	size_t count, capacity;
	struct perf_map_function *functions; /* sorted by begin, then by line */
};

/* While the process runs. */
void perf_map_open(struct perf_map *map, pid_t pid);
void perf_map_close(struct perf_map *map);

/*
 * The function that covers the address, NULL if none does. The file may be read. Its name lives
 * as long as the map, the rest until the next call.
 */
const struct perf_map_function *perf_map_find(struct perf_map *map, uint64_t address);

/*
 * Adds complete lines, which are changed in place; others than functions are left out. text is
 * allocated; the map frees it.
 */
void perf_map_add(struct perf_map *map, char *text, size_t size);

#endif
