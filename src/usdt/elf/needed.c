/* needed.c: see needed.h. */
#include "usdt/elf/needed.h"

#include <fcntl.h>
#include <gelf.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	FILES_MAX = 200,
	PATH_BYTES = 4096,
	ENTRIES_MAX = 4096, /* of a dynamic section */
	CACHE_BYTES_MAX = 64 << 20
};

/* The format of /etc/ld.so.cache since version 2.2 of the GNU C library. */
#define CACHE_MAGIC "glibc-ld.so.cache1.1"

struct cache_header {
	char magic[20];
	uint32_t count, text_bytes, unused[5];
};

struct cache_entry {
	int32_t flags;
	uint32_t name, path; /* offsets in the file */
	uint32_t version;
	uint64_t hardware;
};

struct needed_search {
	char *paths[FILES_MAX];
	size_t count;
	char *cache; /* ends in a NUL; NULL: there is none */
	size_t cache_bytes;
	int class, machine; /* those of the program */
	bool lacks;         /* a library was not found */
};

/* What a file's dynamic section says. */
struct needed_dynamic {
	const char *needed[FILES_MAX];
	size_t needed_count;
	const char *rpath, *runpath;
};

static const char *const usual_folders = "/lib64:/usr/lib64:/lib:/usr/lib:/usr/local/lib"
#if defined(__x86_64__)
					 ":/lib/x86_64-linux-gnu:/usr/lib/x86_64-linux-gnu"
#elif defined(__aarch64__)
					 ":/lib/aarch64-linux-gnu:/usr/lib/aarch64-linux-gnu"
#endif
	;

/* Whether a file can be loaded into the program: it has the same class and machine. */
static bool suits(const struct needed_search *search, const char *path)
{
	unsigned char start[20];
	int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	bool result = file >= 0 && read(file, start, sizeof(start)) == sizeof(start) &&
		!memcmp(start, ELFMAG, SELFMAG) && start[EI_CLASS] == search->class &&
		(start[EI_DATA] == ELFDATA2MSB ? start[18] << 8 | start[19]
					       : start[19] << 8 | start[18]) == search->machine;

	if (file >= 0)
		close(file);
	return result;
}

static void add_path(struct needed_search *search, const char *path)
{
	for (size_t i = 0; i < search->count; i++)
		if (!strcmp(search->paths[i], path))
			return;
	if (search->count == FILES_MAX) {
		search->lacks = true;
		return;
	}
	search->paths[search->count] = strdup(path);
	search->count += search->paths[search->count] != NULL;
}

/* Adds the library if it is in one of the folders; $ORIGIN is the folder of the file that needs
 * it. */
static bool find_in(
	struct needed_search *search, const char *folders, const char *origin, const char *name)
{
	char path[PATH_BYTES];

	while (folders) {
		size_t length = strcspn(folders, ":;");
		size_t word = !strncmp(folders, "$ORIGIN", 7) ? 7
			: !strncmp(folders, "${ORIGIN}", 9)   ? 9
							      : 0;
		const char *slash = strrchr(origin, '/');
		int prefix = word && slash ? (int)(slash - origin) : 0;

		if (word > length)
			word = 0;
		if (length &&
			snprintf(path, sizeof(path), "%.*s%.*s/%s", prefix, origin,
				(int)(length - word), folders + word, name) < PATH_BYTES &&
			suits(search, path)) {
			add_path(search, path);
			return true;
		}
		folders = folders[length] ? folders + length + 1 : NULL;
	}
	return false;
}

static bool find_in_cache(struct needed_search *search, const char *name)
{
	struct cache_header header;
	struct cache_entry entry;

	if (search->cache_bytes < sizeof(header))
		return false;
	memcpy(&header, search->cache, sizeof(header));
	if (memcmp(header.magic, CACHE_MAGIC, sizeof(header.magic)) != 0 ||
		header.count > (search->cache_bytes - sizeof(header)) / sizeof(entry))
		return false;
	for (uint32_t i = 0; i < header.count; i++) {
		memcpy(&entry, search->cache + sizeof(header) + i * sizeof(entry), sizeof(entry));
		if (entry.name >= search->cache_bytes || entry.path >= search->cache_bytes ||
			strcmp(search->cache + entry.name, name) != 0 ||
			!suits(search, search->cache + entry.path))
			continue;
		add_path(search, search->cache + entry.path);
		return true;
	}
	return false;
}

static void find_library(struct needed_search *search, const char *origin, const char *name,
	const struct needed_dynamic *dynamic)
{
	if (strchr(name, '/')) {
		if (suits(search, name))
			add_path(search, name);
		else
			search->lacks = true;
		return;
	}
	if (!((!dynamic->runpath && find_in(search, dynamic->rpath, origin, name)) ||
		    find_in(search, getenv("LD_LIBRARY_PATH"), origin, name) ||
		    find_in(search, dynamic->runpath, origin, name) ||
		    find_in_cache(search, name) || find_in(search, usual_folders, origin, name)))
		search->lacks = true;
}

static void read_dynamic(
	Elf *elf, Elf_Scn *section, const GElf_Shdr *header, struct needed_dynamic *dynamic)
{
	Elf_Data *data = elf_getdata(section, NULL);
	GElf_Dyn entry;

	for (int i = 0; data && i < ENTRIES_MAX && gelf_getdyn(data, i, &entry); i++) {
		const char *text = NULL;

		if (entry.d_tag == DT_NEEDED || entry.d_tag == DT_RPATH ||
			entry.d_tag == DT_RUNPATH)
			text = elf_strptr(elf, header->sh_link, entry.d_un.d_val);
		if (text && entry.d_tag == DT_NEEDED && dynamic->needed_count < FILES_MAX)
			dynamic->needed[dynamic->needed_count++] = text;
		else if (text && entry.d_tag == DT_RPATH)
			dynamic->rpath = text;
		else if (text && entry.d_tag == DT_RUNPATH)
			dynamic->runpath = text;
	}
}

/* Adds the libraries that a file needs. */
static void add_needed(struct needed_search *search, const char *path)
{
	int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct needed_dynamic dynamic = {.needed_count = 0};
	struct stat status;
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	GElf_Ehdr start;
	Elf *elf = NULL;

	if (file >= 0 && !fstat(file, &status) && S_ISREG(status.st_mode) &&
		elf_version(EV_CURRENT) != EV_NONE)
		elf = elf_begin(file, ELF_C_READ, NULL);
	if (elf && elf_kind(elf) == ELF_K_ELF && gelf_getehdr(elf, &start)) {
		search->class = start.e_ident[EI_CLASS];
		search->machine = start.e_machine;
		while ((section = elf_nextscn(elf, section)))
			if (gelf_getshdr(section, &header) && header.sh_type == SHT_DYNAMIC)
				read_dynamic(elf, section, &header, &dynamic);
		for (size_t i = 0; i < dynamic.needed_count; i++)
			find_library(search, path, dynamic.needed[i], &dynamic);
	}
	elf_end(elf);
	if (file >= 0)
		close(file);
}

static void read_cache(struct needed_search *search)
{
	FILE *file = fopen("/etc/ld.so.cache", "re");
	struct stat status;

	if (file && !fstat(fileno(file), &status) && status.st_size > 0 &&
		status.st_size < CACHE_BYTES_MAX)
		search->cache = malloc((size_t)status.st_size + 1);
	if (search->cache) {
		search->cache_bytes = fread(search->cache, 1, (size_t)status.st_size, file);
		search->cache[search->cache_bytes] = '\0';
	}
	if (file)
		fclose(file);
}

bool usdt_needed_each(
	const char *program, void (*each)(void *context, const char *path), void *context)
{
	struct needed_search *search = calloc(1, sizeof(*search));
	bool has_all;

	if (!search)
		return false;
	read_cache(search);
	add_path(search, program);
	for (size_t i = 0; i < search->count; i++)
		add_needed(search, search->paths[i]);
	for (size_t i = 0; i < search->count; i++)
		each(context, search->paths[i]);
	while (search->count)
		free(search->paths[--search->count]);
	has_all = !search->lacks;
	free(search->cache);
	free(search);
	return has_all;
}

bool usdt_needed_program(const char *name, char path[4096])
{
	const char *directories = getenv("PATH");

	if (strchr(name, '/'))
		return snprintf(path, 4096, "%s", name) < 4096;
	while (directories && *name) {
		size_t length = strcspn(directories, ":");

		if (snprintf(path, 4096, "%.*s/%s", length ? (int)length : 1,
			    length ? directories : ".", name) < 4096 &&
			!access(path, X_OK))
			return true;
		directories = directories[length] ? directories + length + 1 : NULL;
	}
	return false;
}
