/* debug_file.c: see debug_file.h. */
#include "usdt/elf/debug_file.h"
#include "usdt/elf/section.h"

#include <errno.h>
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
	BUILD_ID_MAX = 64,
	NOTES_MAX = 1 << 20,  /* bytes of a segment of notes */
	LINK_MAX = 4096,      /* bytes of .gnu_debuglink */
	CHECKED_MAX = 1 << 28 /* bytes of a file whose checksum is worked out */
};

struct build_id {
	size_t size; /* 0: the file has none */
	uint8_t bytes[BUILD_ID_MAX];
};

struct debug_link {
	char name[256]; /* without folders; empty: the file has none */
	uint32_t checksum;
};

/* What a debug file must be the one of. */
struct wanted {
	struct build_id id;
	struct debug_link link;
};

static bool find_id(Elf_Data *data, struct build_id *id)
{
	size_t at = 0, name, description;
	GElf_Nhdr note;

	while (data && (at = gelf_getnote(data, at, &note, &name, &description))) {
		if (note.n_type != NT_GNU_BUILD_ID || note.n_namesz != 4 ||
			memcmp((char *)data->d_buf + name, "GNU", 4) != 0 || !note.n_descsz ||
			note.n_descsz > BUILD_ID_MAX)
			continue;
		id->size = note.n_descsz;
		memcpy(id->bytes, (char *)data->d_buf + description, id->size);
		return true;
	}
	return false;
}

/* A debug file has the sections of the file whose symbols it has, but not its segments. */
static void read_id(Elf *elf, struct build_id *id)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	GElf_Phdr segment;
	size_t count;

	id->size = 0;
	while ((section = elf_nextscn(elf, section)))
		if (gelf_getshdr(section, &header) && header.sh_type == SHT_NOTE &&
			header.sh_size <= NOTES_MAX && find_id(elf_getdata(section, NULL), id))
			return;
	if (elf_getphdrnum(elf, &count))
		return;
	for (size_t i = 0; i < count; i++)
		if (gelf_getphdr(elf, (int)i, &segment) && segment.p_type == PT_NOTE &&
			segment.p_filesz <= NOTES_MAX &&
			find_id(elf_getdata_rawchunk(elf, (int64_t)segment.p_offset,
					segment.p_filesz,
					segment.p_align == 8 ? ELF_T_NHDR8 : ELF_T_NHDR),
				id))
			return;
}

/* A name, NUL, up to three bytes of padding, and a checksum. */
static void read_link(Elf *elf, struct debug_link *link)
{
	GElf_Shdr header;
	Elf_Scn *section = elf_section_find(elf, ".gnu_debuglink", &header);
	Elf_Data *data = section && header.sh_size <= LINK_MAX ? elf_rawdata(section, NULL) : NULL;
	const char *text = data ? data->d_buf : NULL;
	size_t length, at;

	link->name[0] = '\0';
	if (!text)
		return;
	length = strnlen(text, data->d_size);
	at = (length + 4) & ~(size_t)3;
	if (!length || length >= sizeof(link->name) || at + 4 > data->d_size ||
		memchr(text, '/', length))
		return;
	memcpy(&link->checksum, text + at, sizeof(link->checksum));
	memcpy(link->name, text, length + 1);
}

/* The CRC-32 of zlib and Ethernet, by which a link states its file's content. */
static bool has_checksum(int file, uint32_t wanted)
{
	uint32_t table[256], sum = UINT32_MAX;
	uint8_t bytes[1 << 14];
	off_t at = 0;
	ssize_t got;

	for (uint32_t i = 0; i < 256; i++) {
		table[i] = i;
		for (int bit = 0; bit < 8; bit++)
			table[i] = table[i] >> 1 ^ (table[i] & 1 ? 0xedb88320 : 0);
	}
	while ((got = pread(file, bytes, sizeof(bytes), at)) > 0) {
		for (ssize_t i = 0; i < got; i++)
			sum = sum >> 8 ^ table[(sum ^ bytes[i]) & 0xff];
		at += got;
	}
	return got == 0 && ~sum == wanted;
}

static bool has_id(int file, const struct build_id *wanted)
{
	Elf *elf = elf_begin(file, ELF_C_READ, NULL);
	struct build_id id = {0};

	if (elf)
		read_id(elf, &id);
	elf_end(elf);
	return id.size == wanted->size && memcmp(id.bytes, wanted->bytes, id.size) == 0;
}

/* Opens the file if it is the one wanted; takes the path. */
static int try(char *path, const struct wanted *wanted)
{
	struct stat status;
	int file = path ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY) : -1;

	free(path);
	if (file < 0)
		return -ENOENT;
	if (fstat(file, &status) == 0 && S_ISREG(status.st_mode) &&
		(wanted->id.size ? has_id(file, &wanted->id)
				 : status.st_size <= CHECKED_MAX &&
					has_checksum(file, wanted->link.checksum)))
		return file;
	close(file);
	return -ENOENT;
}

static char *format(const char *a, const char *b, size_t b_length, const char *c, const char *d)
{
	char *text;

	return asprintf(&text, "%s%.*s%s%s", a, (int)b_length, b, c, d) < 0 ? NULL : text;
}

static int open_by_id(const struct wanted *wanted, const char *folder)
{
	char name[BUILD_ID_MAX * 2 + 2], *at = name;

	if (wanted->id.size < 2)
		return -ENOENT;
	for (size_t i = 0; i < wanted->id.size; i++)
		at += sprintf(at, i == 1 ? "/%02x" : "%02x", wanted->id.bytes[i]);
	return try(format(folder, "/.build-id/", strlen("/.build-id/"), name, ".debug"), wanted);
}

static int open_by_link(const struct wanted *wanted, const char *path, const char *folder)
{
	const char *slash = strrchr(path, '/'), *name = wanted->link.name;
	size_t length = slash ? (size_t)(slash - path) : 0;
	int file;

	if (!*name || !slash || length > 4096)
		return -ENOENT;
	file = try(format("", path, length, "/", name), wanted);
	if (file < 0)
		file = try(format("", path, length, "/.debug/", name), wanted);
	if (file < 0)
		file = try(format(folder, path, length, "/", name), wanted);
	return file;
}

int debug_file_open(Elf *elf, const char *path, const char *folder)
{
	struct wanted wanted;
	int file;

	read_id(elf, &wanted.id);
	read_link(elf, &wanted.link);
	file = open_by_id(&wanted, folder);
	if (file < 0)
		file = open_by_link(&wanted, path, folder);
	return file;
}
