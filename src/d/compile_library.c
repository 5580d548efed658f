/* compile_library.c: see compile_library.h. */
#include "d/compile_library.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "d/check_provider.h"
#include "d/lex.h"
#include "d/parse.h"
#include "d/parse_provider.h"
#include "d/resolve_attribute.h"
#include "d/resolve_dependency.h"

enum {
	LIBRARY_BYTES_MAX = 16 << 20,
	FILES_MAX = 1024 /* of a directory */
};

/* A file of a directory. */
struct file {
	char *name, *path, *text;
	size_t length;
	enum { FILE_WAITS, FILE_ENTERED, FILE_DONE } state;
	const struct d_clause_tree *providers; /* those it defines */
};

struct files {
	struct file *files;
	size_t count, capacity;
};

struct d_library {
	struct files *directories; /* in the order of option libdir */
	size_t count;
};

/*
 * Compiles one library's text; path is NULL for a built-in one, which has a name. Returns the
 * definitions of providers in it.
 */
static int compile_text(struct d_compiler *compiler, const char *name, const char *path,
	const char *text, size_t length, const struct d_clause_tree **providers)
{
	struct d_clause_tree *clauses = NULL;
	const char *file = compiler->file;
	int result;

	compiler->file = path ? path : name;
	compiler->library_unwanted = false;
	compiler->library_is_own = !path;
	d_lexer_start(compiler, text, length);
	compiler->lexer.file = compiler->file;
	result = d_parse(compiler, &clauses);
	if (!result)
		result = d_attribute_unclaimed(compiler);
	for (const struct d_clause_tree *tree = clauses; tree && !result; tree = tree->next) {
		/*
		 * Built-in definitions are about the kernel, so they are not checked against
		 * processes.
		 */
		if (!tree->provider)
			result = d_fail(compiler, &tree->place, "D_UNKNOWN",
				"a library may not contain probe clauses");
		else if (path)
			result = d_provider_check(compiler, tree->provider);
	}
	*providers = result ? NULL : clauses;
	/* What the library depends on does not exist, so it is skipped without an error. */
	if (compiler->library_unwanted)
		result = 0;
	d_attribute_forget(compiler);
	compiler->library_is_own = false;
	compiler->file = file;
	return result;
}

/* Whether the text has a control line other than the one that a provider's definition may have. */
static bool has_control_lines(const char *text, size_t length)
{
	for (const char *line = text, *end = text + length; line < end;) {
		const char *newline = memchr(line, '\n', (size_t)(end - line));
		char words[4][16] = {"", "", "", ""};
		char start[80];

		snprintf(start, sizeof(start), "%.*s",
			(int)((newline ? newline : end) - line < 79
					? (newline ? newline : end) - line
					: 79),
			line);
		if (start[strspn(start, " \t\r\f\v")] == '#' &&
			(sscanf(start, " %1[#] %15s %15s %15s", words[0], words[1], words[2],
				 words[3]) != 4 ||
				strcmp(words[1], "pragma") != 0 || strcmp(words[2], "D") != 0 ||
				strcmp(words[3], "attributes") != 0))
			return true;
		line = newline ? newline + 1 : end;
	}
	return false;
}

int d_library_carry(struct d_compiler *compiler, const struct d_carried *carried,
	const struct d_probe_set *probes)
{
	struct d_clause_tree *clauses = NULL;
	const char *file = compiler->file;
	const uint32_t script = compiler->script;
	const struct d_provider *before = compiler->providers;
	int result = 0;

	/* The user's own definition, in a library or a script, or that of another process. */
	for (const struct d_provider *known = before; known; known = known->next)
		if (!strcmp(known->name->bytes, carried->name))
			return 0;
	if (has_control_lines(carried->text, carried->length))
		return d_fail(compiler, NULL, "D_PRAGMA_INVAL",
			"a definition that comes with events may have no control lines");
	compiler->library = true;
	compiler->script = D_SCRIPT_LIBRARY;
	compiler->file = carried->name;
	d_lexer_start(compiler, carried->text, carried->length);
	compiler->lexer.file = compiler->file;
	result = d_parse(compiler, &clauses);
	if (!result)
		result = d_attribute_unclaimed(compiler);
	for (const struct d_clause_tree *tree = clauses; tree && !result; tree = tree->next)
		result = tree->provider ? d_provider_check_carried(compiler, tree->provider, probes)
					: d_fail(compiler, &tree->place, "D_UNKNOWN",
						  "a library may not contain probe clauses");
	/* what does not agree with the probes must not give them types */
	if (result)
		compiler->providers = (struct d_provider *)before;
	for (struct d_provider *added = compiler->providers; added != before; added = added->next)
		added->is_carried = true;
	d_attribute_forget(compiler);
	compiler->file = file;
	compiler->script = script;
	compiler->library = false;
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

/* Reads the *.d files of a directory, in the order of their names. */
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

/* Parses the line at *at if it is "#pragma D depends_on KIND NAME"; moves *at to the next line. */
static bool next_dependency(
	const struct file *file, const char **at, char kind[256], char name[256])
{
	const char *line = *at, *end = file->text + file->length;
	const char *newline = memchr(line, '\n', (size_t)(end - line));
	char words[3][256], text[600];
	size_t length = (size_t)((newline ? newline : end) - line);

	*at = newline ? newline + 1 : end;
	length = length < sizeof(text) ? length : sizeof(text) - 1;
	memcpy(text, line, length);
	text[length] = '\0';
	return sscanf(text, " # pragma %255s %255s %255s %255s %255s", words[0], words[1], kind,
		       name, words[2]) == 4 &&
		!strcmp(words[0], "D") && !strcmp(words[1], "depends_on");
}

static int compile_file(
	struct d_compiler *compiler, struct files *files, struct file *file, unsigned depth);

/* Compiles the libraries that a file depends on first; built-in ones are already compiled. */
static int compile_dependencies(
	struct d_compiler *compiler, struct files *files, const struct file *file, unsigned depth)
{
	const char *at = file->text;
	char kind[256], name[256];
	int result = 0;

	while (at < file->text + file->length && !result) {
		bool found = false;

		if (!next_dependency(file, &at, kind, name) || strcmp(kind, "library") != 0)
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
		      : compile_text(compiler, file->name, file->path, file->text, file->length,
				&file->providers);
}

int d_library_read(struct d_compiler *compiler)
{
	const struct d_option_texts *directories = &compiler->options.libdir;
	struct d_library *library;
	int result = 0;

	if (compiler->libraries || compiler->options.nolibs)
		return 0;
	library = compiler->libraries = d_get(compiler, sizeof(*library));
	if (!library)
		return -1;
	library->directories = d_get(compiler, directories->count * sizeof(*library->directories));
	if (!library->directories)
		return -1;
	for (size_t i = 0; i < directories->count && !result; i++) {
		library->count++;
		result = read_directory(compiler, directories->items[i], &library->directories[i]);
	}
	return result;
}

static bool file_waits(const struct d_compiler *compiler, const struct file *file)
{
	const char *at = file->text;
	char kind[256], name[256];
	bool waits = false;

	while (at < file->text + file->length && !waits)
		waits = next_dependency(file, &at, kind, name) && strcmp(kind, "library") != 0 &&
			!d_dependency_is_met(compiler, !strcmp(kind, "provider"), name);
	return waits;
}

bool d_library_waits(const struct d_compiler *compiler)
{
	const struct d_library *library = compiler->libraries;
	bool waits = false;

	for (size_t i = 0; library && i < library->count && !compiler->is_settled; i++) {
		const struct files *files = &library->directories[i];

		for (size_t k = 0; k < files->count; k++)
			waits |= file_waits(compiler, &files->files[k]);
	}
	return waits;
}

/*
 * Defines vmtap_process_number, vmtap_thread_number and vmtap_number, which give the number of a
 * process, of a thread and of the kernel's struct pid. A process that has no number in our
 * namespace has 0, as /proc shows it. So has one whose parent has already collected it.
 */
static int define_numbers(struct d_compiler *compiler)
{
	static const char own[] =
		"inline pid_t vmtap_process_number[struct task_struct *T] = T->tgid;\n"
		"inline id_t vmtap_thread_number[struct task_struct *T] = T->pid;\n"
		"inline pid_t vmtap_number[struct pid *P] = P->numbers[0].nr;\n";
	const struct d_numbers *numbers = &compiler->settings.numbers;
	const struct d_clause_tree *providers;
	char *text = NULL;
	int length = 0, result;

	if (!numbers->is_nested)
		return compile_text(compiler, "numbers", NULL, own, strlen(own), &providers);
	length = asprintf(&text,
		"inline pid_t vmtap_number[struct pid *P] = P == NULL || P->level < %" PRIu32
		" || P->numbers[%" PRIu32 "].ns->ns.inum != %" PRIu64 " ? 0 : P->numbers[%" PRIu32
		"].nr;\n"
		"inline pid_t vmtap_process_number[struct task_struct *T] =\n"
		"    vmtap_number[T->signal->pids[1]];\n"
		"inline id_t vmtap_thread_number[struct task_struct *T] = "
		"vmtap_number[T->thread_pid];\n",
		numbers->level, numbers->level, numbers->inode, numbers->level);
	if (length < 0)
		return d_fail_memory(compiler);
	result = compile_text(compiler, "numbers", NULL, text, (size_t)length, &providers);
	free(text);
	return result;
}

int d_library_load(struct d_compiler *compiler)
{
	struct d_library *library;
	const struct d_clause_tree *providers;
	int result;

	if (compiler->library_loaded || compiler->options.nolibs)
		return 0;
	compiler->library_loaded = true;
	compiler->library = true;
	compiler->script = D_SCRIPT_LIBRARY;
	result = d_library_read(compiler);
	library = compiler->libraries;
	if (!result)
		result = define_numbers(compiler);
	for (size_t i = 0; i < d_library_text_count && !result; i++)
		result = compile_text(compiler, d_library_texts[i].name, NULL,
			d_library_texts[i].text, d_library_texts[i].length, &providers);
	compiler->kernel_providers = compiler->providers;
	for (size_t i = 0; !result && i < library->count; i++) {
		struct files *files = &library->directories[i];

		for (size_t k = 0; k < files->count && !result; k++)
			result = compile_file(compiler, files, &files->files[k], 0);
	}
	compiler->script = 0;
	compiler->library = false;
	return result ? -EINVAL : 0;
}

static int settle_file(struct d_compiler *compiler, const struct file *file)
{
	int result = 0;

	compiler->file = file->path;
	d_lexer_start(compiler, file->text, file->length);
	for (const struct d_clause_tree *tree = file->providers; tree && !result; tree = tree->next)
		result = d_provider_check_known(compiler, tree->provider);
	compiler->file = NULL;
	return result;
}

int d_library_settle(struct d_compiler *compiler)
{
	const struct d_library *library = compiler->libraries;
	int result = 0;

	compiler->library = true;
	for (const struct d_provider *provider = compiler->providers; provider && !result;
		provider = provider->next)
		if (provider->is_carried)
			result = d_provider_check_carried(compiler, provider, compiler->probe_set);
	for (size_t i = 0; library && i < library->count && !result; i++) {
		const struct files *files = &library->directories[i];

		for (size_t k = 0; k < files->count && !result; k++)
			result = settle_file(compiler, &files->files[k]);
	}
	compiler->library = false;
	return result;
}

void d_library_free(struct d_compiler *compiler)
{
	struct d_library *library = compiler->libraries;

	for (size_t i = 0; library && i < library->count; i++) {
		struct files *files = &library->directories[i];

		for (size_t k = 0; k < files->count; k++) {
			free(files->files[k].name);
			free(files->files[k].path);
			free(files->files[k].text);
		}
		free(files->files);
	}
}
