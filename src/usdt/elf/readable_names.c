/*
 * readable_names.c: see readable_names.h. libiberty's functions that pass the text on in pieces
 * need no memory but the stack; they are left by longjmp() once the text is long enough, since they
 * cannot be asked to stop.
 */
#include "usdt/elf/readable_names.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/text.h"

#if __has_include(<libiberty/demangle.h>)

#include <libiberty/demangle.h>
#include <setjmp.h>
#include <stdint.h>

enum {
	MANGLED_MAX = 16384, /* what libiberty takes of the stack grows with the name */
	FORMS = 2            /* without parameters, and with them */
};

struct readable_name {
	char *mangled;
	char *texts[FORMS]; /* NULL: not worked out yet; "": it cannot be read */
};

struct readable_text {
	size_t length;
	jmp_buf is_full;
	char bytes[READABLE_NAME_MAX];
};

static void add_piece(const char *piece, size_t length, void *opaque)
{
	struct readable_text *text = opaque;
	size_t left = sizeof(text->bytes) - 1 - text->length;
	size_t taken = length < left ? length : left;

	if (taken) /* the piece may be NULL */
		memcpy(text->bytes + text->length, piece, taken);
	text->length += taken;
	if (taken < length)
		longjmp(text->is_full, 1);
}

/* Returns true if the name could be read; the text may be cut. */
static bool read_name(const char *name, bool with_parameters, struct readable_text *text)
{
	const int options = with_parameters ? DMGL_PARAMS | DMGL_ANSI : DMGL_NO_OPTS;

	text->length = 0;
	if (setjmp(text->is_full))
		return true;
	if (rust_demangle_callback(name, options, add_piece, text))
		return true;
	text->length = 0;
	return cplus_demangle_v3_callback(name, options, add_piece, text) && text->length;
}

static char *make_text(const char *name, bool with_parameters)
{
	struct readable_text *text = malloc(sizeof(*text));
	char *made = NULL;

	if (text) {
		bool is_read = read_name(name, with_parameters, text);

		text->bytes[text->length] = '\0';
		made = strdup(is_read ? text->bytes : "");
	}
	free(text);
	return made;
}

static bool is_name(const void *names, uint32_t index, const void *name)
{
	return !strcmp(((const struct readable_name *)names)[index].mangled, name);
}

/* Returns the entry of a name, added if it is new; NULL: out of memory. */
static struct readable_name *find_name(
	struct readable_names *names, const char *name, size_t length)
{
	const uint32_t hash = text_hash(name, (uint32_t)length), count = names->table.count;
	uint32_t index = hash_table_find(&names->table, hash, is_name, names->names, name);
	char *mangled;

	if (index != HASH_TABLE_NONE)
		return &names->names[index];
	mangled = strdup(name);
	if (!mangled || array_room(&names->names, &names->room, count, sizeof(*names->names)) ||
		hash_table_add(&names->table, hash, count)) {
		free(mangled);
		return NULL;
	}
	names->names[count] = (struct readable_name){.mangled = mangled};
	return &names->names[count];
}

const char *readable_name(struct readable_names *names, const char *name, bool with_parameters)
{
	struct readable_name *found;
	size_t length;
	char **text;

	if (strncmp(name, "_Z", 2) != 0 && strncmp(name, "_R", 2) != 0)
		return name;
	length = strlen(name);
	found = length <= MANGLED_MAX ? find_name(names, name, length) : NULL;
	if (!found)
		return name;
	text = &found->texts[with_parameters];
	if (!*text)
		*text = make_text(name, with_parameters);
	return *text && **text ? *text : name;
}

void readable_names_free(struct readable_names *names)
{
	for (uint32_t i = 0; i < names->table.count; i++) {
		free(names->names[i].mangled);
		for (int form = 0; form < FORMS; form++)
			free(names->names[i].texts[form]);
	}
	free(names->names);
	hash_table_free(&names->table);
	*names = (struct readable_names){.names = NULL};
}

#else

const char *readable_name(struct readable_names *names, const char *name, bool with_parameters)
{
	(void)names;
	(void)with_parameters;
	return name;
}

void readable_names_free(struct readable_names *names)
{
	(void)names;
}

#endif
