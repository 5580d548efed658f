/*
 * mapped_code.h: which code lies at an address of a running process: a mapped file, the vdso, or
 * memory without a file, such as a JIT compiler's.
 *
 * The mappings are read and their files opened (usdt/process/file_store.h) while the process lives,
 * so a file can still be read after the process has ended. Of one that has ended before, what was
 * heard is used (usdt/process/heard_code.h). An address outside the known mappings makes them be
 * read again, but less and less often, so that addresses that belong to nothing cost little (see
 * struct mapped_retry).
 *
 * Not safe to use from several threads at once.
 */
#ifndef VMTAP_USDT_PROCESS_MAPPED_CODE_H
#define VMTAP_USDT_PROCESS_MAPPED_CODE_H

#include <libelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct file_store;
struct stored_file;

/* mapped_area.file, if it is no file's number */
#define MAPPED_ANONYMOUS SIZE_MAX
#define MAPPED_VDSO (SIZE_MAX - 1)

struct mapped_segment {
	uint64_t address, offset, size; /* of the file's part of a PT_LOAD segment */
};

/*
 * When a search that failed is worth repeating with newly read data: at its first failure, the
 * second, the fourth, and so on, and once a second, or if reading takes long, for 1% of the time.
 */
struct mapped_retry {
	uint64_t failures;
	uint64_t next; /* CLOCK_MONOTONIC */
};

/* Counts a failure and returns whether to read again. */
bool mapped_retry_due(struct mapped_retry *retry);
/* Says that what was begun at this time has been read. */
void mapped_retry_done(struct mapped_retry *retry, uint64_t begun);

/* A mapped file. Files are only ever added, so their numbers stay. */
struct mapped_file {
	uint64_t inode;
	unsigned int device_major, device_minor;
	char *path;                 /* in the process's own mount namespace */
	struct stored_file *stored; /* NULL: it could not be opened */
	uint64_t begin;             /* address of its lowest mapping */
};

/* A mapping of a file that has code, or an executable one without a file. */
struct mapped_area {
	uint64_t begin, end, offset;
	size_t file;
	bool is_executable;
};

struct mapped_code {
	pid_t pid;
	size_t file_count, file_room, area_count;
	struct mapped_file *files;
	struct mapped_area *areas; /* sorted by address; replaced when the mappings are read */
	struct file_store *store;
	struct mapped_retry retry; /* after lookups of addresses in no mapping */
	uint64_t generation;       /* how often the mappings have been read */
};

/* If the process cannot be examined, the map is empty. The files are the store's. */
void mapped_code_open(struct mapped_code *map, pid_t pid, struct file_store *store);
void mapped_code_close(struct mapped_code *map);

/*
 * The area that contains the address, NULL if there is none. The mappings may be read again.
 * Valid until the next call.
 */
const struct mapped_area *mapped_code_find(struct mapped_code *map, uint64_t address);

/* Like mapped_code_find(), but never reads the mappings. */
const struct mapped_area *mapped_code_known(const struct mapped_code *map, uint64_t address);

/* The file's name without its folders. */
const char *mapped_file_name(const struct mapped_file *file);

/*
 * The kernel's vdso, as this process has it: the same that others of its kind have. The caller
 * closes it by elf_end(). NULL: there is none, or it cannot be found.
 */
Elf *mapped_vdso_open(void);

/* The PT_LOAD segments of an ELF file; the caller frees them. NULL if it has none. */
struct mapped_segment *mapped_segments_read(Elf *elf, size_t *count);

/* Translates an offset in the file to its address as the file states it; false: none. */
bool mapped_segments_address(
	const struct mapped_segment *segments, size_t count, uint64_t offset, uint64_t *address);

#endif
