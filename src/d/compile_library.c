/* compile_library.c: see compile_library.h. */
#include "d/compile_library.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "d/check_provider.h"
#include "d/lex.h"
#include "d/parse.h"
#include "d/resolve_attribute.h"

enum {
	LIBRARY_BYTES_MAX = 16 << 20,
	FILES_MAX = 1024 /* of a directory */
};

/* A file of a directory, on its way to be compiled. */
struct file {
	char *name, *path, *text;
	size_t length;
	enum { FILE_WAITS, FILE_ENTERED, FILE_DONE } state;
};

struct files {
	struct file *files;
	size_t count, capacity;
};

/* One library's text; path is NULL for a built-in one, which has a name. */
static int compile_text(struct d_compiler *compiler, const char *name, const char *path,
	const char *text, size_t length)
{
	struct d_clause_tree *clauses = NULL;
	const char *file = compiler->file;
	int result;

	compiler->file = path ? path : name;
	compiler->library_unwanted = false;
	d_lexer_start(compiler, text, length);
	compiler->lexer.file = compiler->file;
	result = d_parse(compiler, &clauses);
	if (!result)
		result = d_attribute_unclaimed(compiler);
	for (; clauses && !result; clauses = clauses->next) {
		/* What the built-in ones say of the kernel is not for processes to agree with. */
		if (!clauses->provider)
			result = d_fail(compiler, &clauses->place, "D_UNKNOWN",
				"a library may not contain probe clauses");
		else if (path)
			result = d_provider_check(compiler, clauses->provider);
	}
	/* What it is for is not here: so is what it defines. */
	if (result && path && compiler->library_unwanted) {
		d_fail_forget(compiler);
		result = 0;
	}
	d_attribute_forget(compiler);
	compiler->file = file;
	return result;
}

static int fail_file(struct d_compiler *compiler, const char *path, int number)
{
	return d_fail(compiler, NULL, "D_UNKNOWN", "failed to load library %.200s: %s", path,
		strerror(number));
}

static int read_file(struct d_compiler *compiler, struct file *file)
{
	FILE *stream = fopen(file->path, "re");
	int number = 0;

	if (!stream)
		return fail_file(compiler, file->path, errno);
	file->text = malloc(LIBRARY_BYTES_MAX + 1);
	if (!file->text) {
		fclose(stream);
		return d_fail_memory(compiler);
	}
	errno = 0;
	file->length = fread(file->text, 1, LIBRARY_BYTES_MAX + 1, stream);
	if (ferror(stream))
		number = errno ? errno : EIO;
	else if (file->length > LIBRARY_BYTES_MAX)
		number = EFBIG;
	else
		file->text[file->length] = '\0';
	fclose(stream);
	if (number)
		return fail_file(compiler, file->path, number);
	file->text = realloc(file->text, file->length + 1);
	return file->text ? 0 : d_fail_memory(compiler);
}

static int by_name(const void *one, const void *other)
{
	return strcmp(((const struct file *)one)->name, ((const struct file *)other)->name);
}

/* The *.d files of a directory, read, in the order of their names. */
static int read_directory(struct d_compiler *compiler, const char *path, struct files *files)
{
	DIR *directory = opendir(path);
	struct dirent *entry;
	int result = 0;

	if (!directory)
		return fail_file(compiler, path, errno);
	while (!result && (entry = readdir(directory))) {
		size_t length = strlen(entry->d_name);
		struct file *file;

		if (length < 3 || strcmp(entry->d_name + length - 2, ".d") != 0 ||
			entry->d_name[0] == '.')
			continue;
		if (files->count == FILES_MAX) {
			result = fail_file(compiler, path, EMFILE);
			break;
		}
		if (array_room(
			    &files->files, &files->capacity, files->count, sizeof(*files->files))) {
			result = d_fail_memory(compiler);
			break;
		}
		file = &files->files[files->count++];
		memset(file, 0, sizeof(*file));
		file->name = strdup(entry->d_name);
		if (!file->name || asprintf(&file->path, "%s/%s", path, entry->d_name) < 0)
			file->path = NULL;
		result = file->name && file->path ? read_file(compiler, file)
						  : d_fail_memory(compiler);
	}
	closedir(directory);
	if (!result && files->count)
		qsort(files->files, files->count, sizeof(*files->files), by_name);
	return result;
}

/* The name in a line "#pragma D depends_on library NAME"; false: another line. */
static bool names_library(const char *line, const char *end, char name[256])
{
	char words[5][256];
	char text[600];
	size_t length =
		(size_t)(end - line) < sizeof(text) ? (size_t)(end - line) : sizeof(text) - 1;

	memcpy(text, line, length);
	text[length] = '\0';
	if (sscanf(text, " # pragma %255s %255s %255s %255s %255s", words[0], words[1], words[2],
		    words[3], words[4]) != 4 ||
		strcmp(words[0], "D") != 0 || strcmp(words[1], "depends_on") != 0 ||
		strcmp(words[2], "library") != 0)
		return false;
	memcpy(name, words[3], 256);
	return true;
}

static int compile_file(
	struct d_compiler *compiler, struct files *files, struct file *file, unsigned depth);

/* The libraries that a file depends on come first; built-in ones are there already. */
static int compile_dependencies(
	struct d_compiler *compiler, struct files *files, const struct file *file, unsigned depth)
{
	const char *line = file->text, *end;
	char name[256];
	int result = 0;

	for (; line < file->text + file->length && !result; line = end + 1) {
		bool found = false;

		end = memchr(line, '\n', file->length - (size_t)(line - file->text));
		if (!end)
			end = file->text + file->length;
		if (!names_library(line, end, name))
			continue;
		for (size_t i = 0; i < files->count && !found; i++) {
			found = !strcmp(files->files[i].name, name);
			if (found)
				result = compile_file(compiler, files, &files->files[i], depth + 1);
		}
		for (size_t i = 0; i < d_library_text_count && !found; i++) {
			size_t length = strlen(d_library_texts[i].name);

			found = !strncmp(d_library_texts[i].name, name, length) &&
				!strcmp(name + length, ".d");
		}
		if (!found)
			result = d_fail(compiler, NULL, "D_PRAGMA_DEPEND",
				"library %.200s requires library %.100s", file->path, name);
	}
	return result;
}

static int compile_file(
	struct d_compiler *compiler, struct files *files, struct file *file, unsigned depth)
{
	int result;

	if (file->state == FILE_DONE)
		return 0;
	if (file->state == FILE_ENTERED || depth > 64)
		return d_fail(compiler, NULL, "D_PRAGMA_DEPEND",
			"library %.200s depends on itself, or on a chain that is too long",
			file->path);
	file->state = FILE_ENTERED;
	result = compile_dependencies(compiler, files, file, depth);
	file->state = FILE_DONE;
	return result ? result
		      : compile_text(compiler, file->name, file->path, file->text, file->length);
}

static int load_directory(struct d_compiler *compiler, const char *path)
{
	struct files files = {0};
	int result = read_directory(compiler, path, &files);

	for (size_t i = 0; i < files.count && !result; i++)
		result = compile_file(compiler, &files, &files.files[i], 0);
	for (size_t i = 0; i < files.count; i++) {
		free(files.files[i].name);
		free(files.files[i].path);
		free(files.files[i].text);
	}
	free(files.files);
	return result;
}

int d_library_load(struct d_compiler *compiler)
{
	const struct d_option_texts *directories = &compiler->options.libdir;
	uint32_t script = compiler->script;
	int result = 0;

	if (compiler->library_loaded || compiler->options.nolibs)
		return 0;
	compiler->library_loaded = true;
	compiler->library = true;
	compiler->script = D_SCRIPT_LIBRARY;
	for (size_t i = 0; i < d_library_text_count && !result; i++)
		result = compile_text(compiler, d_library_texts[i].name, NULL,
			d_library_texts[i].text, d_library_texts[i].length);
	compiler->kernel_providers = compiler->providers;
	for (size_t i = 0; i < directories->count && !result; i++)
		result = load_directory(compiler, directories->items[i]);
	compiler->script = script;
	compiler->library = false;
	return result ? -EINVAL : 0;
}
