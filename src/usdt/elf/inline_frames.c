/*
 * inline_frames.c: see inline_frames.h. A unit is walked once; the ranges of its inlined functions
 * are kept in the order of their beginnings, an outer one before those in it. Of a damaged file, a
 * walk ends after as many entries as the unit can have, and at a limited depth.
 */
#include "usdt/elf/inline_frames.h"

#if __has_include(<elfutils/libdw.h>)

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/bisect.h"
#include "usdt/elf/debug_file.h"
#include "usdt/elf/section.h"

enum { DEPTH_MAX = 256 };

/* Addresses from begin to before end that belong to unit number `unit`. */
struct unit_range {
	uint64_t begin, end;
	size_t unit;
};

struct inline_range {
	uint64_t begin, end;
	uint64_t reach; /* the largest end of this one and those before it */
	size_t depth;   /* of its entry; an inner function's is greater */
	const char *name;
};

struct inline_unit {
	Dwarf_Off die;
	bool is_read;
	size_t count, room;
	struct inline_range *ranges; /* by begin, then an outer function before those in it */
};

struct inline_frames {
	int file;
	Elf *elf;
	bool is_read;
	Dwarf *dwarf, *shared; /* shared: what dwz has moved to a file of several programs */
	int shared_file;
	size_t range_count, range_room;
	struct unit_range *ranges; /* by begin */
	size_t unit_count, unit_room;
	struct inline_unit *units;
};

/* Finds a section with contents; NULL: the file has none of that name. */
static Elf_Scn *find_content(Elf *elf, const char *name)
{
	GElf_Shdr header;
	Elf_Scn *section = elf_section_find(elf, name, &header);

	return section && header.sh_type != SHT_NOBITS ? section : NULL;
}

struct inline_frames *inline_frames_open(int file)
{
	struct inline_frames *frames = calloc(1, sizeof(*frames));

	if (!frames)
		return NULL;
	frames->shared_file = -1;
	frames->file = fcntl(file, F_DUPFD_CLOEXEC, 3);
	elf_version(EV_CURRENT);
	if (frames->file >= 0)
		frames->elf = elf_begin(frames->file, ELF_C_READ_MMAP, NULL);
	if (frames->elf && find_content(frames->elf, ".debug_info"))
		return frames;
	inline_frames_close(frames);
	return NULL;
}

void inline_frames_close(struct inline_frames *frames)
{
	if (!frames)
		return;
	for (size_t i = 0; i < frames->unit_count; i++)
		free(frames->units[i].ranges);
	free(frames->units);
	free(frames->ranges);
	dwarf_end(frames->dwarf);
	dwarf_end(frames->shared);
	elf_end(frames->elf);
	if (frames->shared_file >= 0)
		close(frames->shared_file);
	if (frames->file >= 0)
		close(frames->file);
	free(frames);
}

/*
 * Opens the file to which dwz has moved what several programs have in common. It is taken only from
 * the distribution's folder: the path is the traced program's choice, and libdw would open a pipe.
 * Returns false if one is named and cannot be had.
 */
static bool open_shared(struct inline_frames *frames)
{
	static const char mark[] = ".dwz/";
	Elf_Scn *section = find_content(frames->elf, ".gnu_debugaltlink");
	Elf_Data *data = section ? elf_rawdata(section, NULL) : NULL;
	const char *name = data ? data->d_buf : NULL;
	char path[PATH_MAX];
	struct stat status;

	if (!section)
		return true;
	if (!name || !memchr(name, 0, data->d_size))
		return false;
	name = strstr(name, mark);
	if (!name || strstr(name, "..") ||
		snprintf(path, sizeof(path), "%s/%s", DEBUG_FILE_FOLDER, name) >= (int)sizeof(path))
		return false;
	frames->shared_file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (frames->shared_file < 0 || fstat(frames->shared_file, &status) ||
		!S_ISREG(status.st_mode))
		return false;
	frames->shared = dwarf_begin(frames->shared_file, DWARF_C_READ);
	if (frames->shared)
		dwarf_setalt(frames->dwarf, frames->shared);
	return frames->shared;
}

static int compare_units(const void *a, const void *b)
{
	const struct unit_range *x = a, *y = b;

	return (x->begin > y->begin) - (x->begin < y->begin);
}

static int compare_inlined(const void *a, const void *b)
{
	const struct inline_range *x = a, *y = b;

	if (x->begin != y->begin)
		return x->begin > y->begin ? 1 : -1;
	if (x->end != y->end)
		return x->end < y->end ? 1 : -1;
	return (x->depth > y->depth) - (x->depth < y->depth);
}

/* Adds the addresses of a unit, if memory suffices. */
static void add_unit(struct inline_frames *frames, Dwarf_Die *die)
{
	Dwarf_Addr base = 0, begin, end;
	ptrdiff_t next = 0;

	if (array_room(
		    &frames->units, &frames->unit_room, frames->unit_count, sizeof(*frames->units)))
		return;
	frames->units[frames->unit_count++] = (struct inline_unit){.die = dwarf_dieoffset(die)};
	while ((next = dwarf_ranges(die, next, &base, &begin, &end)) > 0) {
		if (begin >= end ||
			array_room(&frames->ranges, &frames->range_room, frames->range_count,
				sizeof(*frames->ranges)))
			continue;
		frames->ranges[frames->range_count++] =
			(struct unit_range){begin, end, frames->unit_count - 1};
	}
}

/* Lists the units. Their parts in files of their own (.dwo) are not searched for. */
static void read_units(struct inline_frames *frames)
{
	Dwarf_CU *unit = NULL;
	Dwarf_Die die;

	frames->is_read = true;
	frames->dwarf = dwarf_begin_elf(frames->elf, DWARF_C_READ, NULL);
	if (!frames->dwarf || !open_shared(frames))
		return;
	while (!dwarf_get_units(frames->dwarf, unit, &unit, NULL, NULL, &die, NULL))
		if (dwarf_tag(&die) == DW_TAG_compile_unit)
			add_unit(frames, &die);
	if (frames->range_count)
		qsort(frames->ranges, frames->range_count, sizeof(*frames->ranges), compare_units);
}

/* Returns the name as the linker has it, if the compiler gave one, as symbols have it; else that of
 * the source. */
static const char *function_name(Dwarf_Die *die)
{
	Dwarf_Attribute attribute;
	const char *name =
		dwarf_formstring(dwarf_attr_integrate(die, DW_AT_linkage_name, &attribute));

	if (!name)
		name = dwarf_formstring(
			dwarf_attr_integrate(die, DW_AT_MIPS_linkage_name, &attribute));
	return name ? name : dwarf_formstring(dwarf_attr_integrate(die, DW_AT_name, &attribute));
}

static void add_inlined(struct inline_unit *unit, Dwarf_Die *die, size_t depth)
{
	const char *name = function_name(die);
	Dwarf_Addr base = 0, begin, end;
	ptrdiff_t next = 0;

	while (name && (next = dwarf_ranges(die, next, &base, &begin, &end)) > 0)
		if (begin < end &&
			!array_room(&unit->ranges, &unit->room, unit->count, sizeof(*unit->ranges)))
			unit->ranges[unit->count++] = (struct inline_range){
				.begin = begin, .end = end, .depth = depth, .name = name};
}

/* Returns true if inlined functions may be among the entries below this one. */
static bool may_contain(Dwarf_Die *die)
{
	switch (dwarf_tag(die)) {
	case DW_TAG_compile_unit:
	case DW_TAG_namespace:
	case DW_TAG_class_type:
	case DW_TAG_structure_type:
	case DW_TAG_module:
	case DW_TAG_subprogram:
	case DW_TAG_inlined_subroutine:
	case DW_TAG_lexical_block:
	case DW_TAG_try_block:
	case DW_TAG_catch_block:
	case DW_TAG_entry_point:
		return dwarf_haschildren(die) > 0;
	default:
		return false;
	}
}

/* Reads the inlined functions of a unit. `left` bounds the entries of one that is damaged, in which
 * an entry may name an earlier one as the next. */
static void read_unit(struct inline_frames *frames, struct inline_unit *unit)
{
	Dwarf_Die *stack = malloc(DEPTH_MAX * sizeof(*stack));
	Dwarf_Off left = 0, length = 0;
	size_t depth = 0;

	unit->is_read = true;
	if (!stack || !dwarf_offdie(frames->dwarf, unit->die, &stack[0])) {
		free(stack);
		return;
	}
	if (!dwarf_next_unit(frames->dwarf, unit->die - dwarf_cuoffset(&stack[0]), &length, NULL,
		    NULL, NULL, NULL, NULL, NULL, NULL))
		left = length - unit->die;
	/* stack[depth] is the entry to look at */
	for (;;) {
		if (dwarf_tag(&stack[depth]) == DW_TAG_inlined_subroutine)
			add_inlined(unit, &stack[depth], depth);
		if (depth + 1 < DEPTH_MAX && may_contain(&stack[depth]) &&
			!dwarf_child(&stack[depth], &stack[depth + 1])) {
			depth++;
		} else {
			while (depth && dwarf_siblingof(&stack[depth], &stack[depth]))
				depth--;
			if (!depth)
				break;
		}
		if (!left--)
			break;
	}
	free(stack);
	if (unit->count)
		qsort(unit->ranges, unit->count, sizeof(*unit->ranges), compare_inlined);
	for (size_t i = 0; i < unit->count; i++) {
		uint64_t before = i ? unit->ranges[i - 1].reach : 0;

		unit->ranges[i].reach = unit->ranges[i].end > before ? unit->ranges[i].end : before;
	}
}

size_t inline_frames_find(
	struct inline_frames *frames, uint64_t address, const char **names, size_t most)
{
	struct inline_unit *unit;
	size_t number, given = 0;

	if (!frames->is_read)
		read_units(frames);
	number = bisect_up_to(frames->range_count ? &frames->ranges[0].begin : NULL,
		frames->range_count, sizeof(*frames->ranges), address);
	if (!number || address >= frames->ranges[number - 1].end)
		return 0;
	unit = &frames->units[frames->ranges[number - 1].unit];
	if (!unit->is_read)
		read_unit(frames, unit);
	number = bisect_up_to(unit->count ? &unit->ranges[0].begin : NULL, unit->count,
		sizeof(*unit->ranges), address);
	for (; number && address < unit->ranges[number - 1].reach && given < most; number--)
		if (address < unit->ranges[number - 1].end)
			names[given++] = unit->ranges[number - 1].name;
	return given;
}

#else

struct inline_frames *inline_frames_open(int file)
{
	(void)file;
	return NULL;
}

void inline_frames_close(struct inline_frames *frames)
{
	(void)frames;
}

size_t inline_frames_find(
	struct inline_frames *frames, uint64_t address, const char **names, size_t most)
{
	(void)frames;
	(void)address;
	(void)names;
	(void)most;
	return 0;
}

#endif
