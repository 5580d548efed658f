/*
 * loader.c: finds, reads and compiles files.
 *
 * require loads a file once, identified by its real path; load loads it each time. A
 * name that starts with / or ./ is used as it is, relative to the file that asks. Any
 * other name is looked for in the directory of that file, then in the search path: the
 * program's directory, its lib, and what -I and TOY_PATH name. ".toy" may be left out.
 */
#include "loader.h"
#include "compiler.h"
#include "exception.h"
#include "native.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#define FILE_MAX_BYTES (64u * 1024 * 1024)

char *loader_read(const char *path, size_t *length)
{
	FILE *file = fopen(path, "rb");
	struct stat status;
	size_t capacity = 4096;
	size_t used = 0;
	char *text;

	if (!file)
		return NULL;
	if (fstat(fileno(file), &status) == 0 && S_ISDIR(status.st_mode)) {
		fclose(file);
		errno = EISDIR;
		return NULL;
	}
	text = malloc(capacity);
	while (text) {
		used += fread(text + used, 1, capacity - used - 1, file);
		if (used < capacity - 1)
			break;
		if (capacity > FILE_MAX_BYTES) {
			free(text);
			text = NULL;
			errno = EFBIG;
			break;
		}
		char *larger = realloc(text, capacity *= 2);

		if (!larger)
			free(text);
		text = larger;
	}
	if (text && ferror(file)) {
		free(text);
		text = NULL;
		errno = EIO;
	}
	if (text) {
		text[used] = '\0';
		*length = used;
	}
	fclose(file);
	return text;
}

/* The VM's record of a file, by the path it was found under. NULL: no memory. */
static struct source_file *find_file(struct vm *vm, const char *path)
{
	struct source_file *file;
	char *slash;

	pthread_mutex_lock(&vm->names);
	for (file = vm->files; file; file = file->next) {
		if (strcmp(file->path, path) == 0)
			goto out;
	}
	file = calloc(1, sizeof(*file));
	if (!file)
		goto out;
	file->path = strdup(path);
	file->directory = strdup(path);
	if (!file->path || !file->directory) {
		free(file->path);
		free(file->directory);
		free(file);
		file = NULL;
		goto out;
	}
	slash = strrchr(file->directory, '/');
	if (slash)
		slash[slash == file->directory] = '\0';
	else
		strcpy(file->directory, *path ? "." : "");
	vmtap_name_init(&file->name, file->path, strlen(file->path));
	file->next = vm->files;
	vm->files = file;
out:
	pthread_mutex_unlock(&vm->names);
	return file;
}

struct code *loader_compile(struct capability *cap, const char *path, struct source_file **file,
	struct parse_error *error)
{
	struct vm *vm = cap->vm;
	struct arena arena = {0};
	struct code *code = NULL;
	struct scope *scope;
	size_t length = 0;
	char *text;
	int line = 1;

	*file = NULL;
	error->line = 0;
	text = loader_read(path, &length);
	if (!text) {
		snprintf(error->message, sizeof(error->message), "%s", strerror(errno));
		return NULL;
	}
	*file = find_file(vm, path);
	if (!*file) {
		snprintf(error->message, sizeof(error->message), "out of memory");
		goto out;
	}
	EVENT(cap, PARSE_BEGIN, &(*file)->name, 1);
	if (strlen(text) != length) {
		error->line = 1;
		snprintf(error->message, sizeof(error->message), "the file has a NUL byte");
	} else {
		scope = parser_parse(cap, *file, text, &arena, &line, error);
		if (scope)
			code = compiler_compile(cap, *file, scope, error);
	}
	EVENT(cap, PARSE_END, &(*file)->name, line);
	if (code) {
		pthread_mutex_lock(&vm->names);
		code->next = vm->codes;
		vm->codes = code;
		pthread_mutex_unlock(&vm->names);
		code_cache_load(cap, code, &vm->name_none, &vm->name_file);
	}
out:
	arena_free(&arena);
	free(text);
	return code;
}

static char *join_path(const char *directory, const char *name)
{
	char *path = malloc(strlen(directory) + strlen(name) + sizeof("/.toy"));

	if (path && strcmp(directory, ".") == 0)
		strcpy(path, name);
	else if (path)
		sprintf(path, "%s/%s", directory, name);
	return path;
}

static bool is_file(const char *path)
{
	struct stat status;

	return stat(path, &status) == 0 && S_ISREG(status.st_mode);
}

/* The file of that name in a directory, with or without .toy; NULL if there is none. */
static char *look_in(const char *directory, const char *name)
{
	char *path = join_path(directory, name);

	if (!path || is_file(path))
		return path;
	strcat(path, ".toy");
	if (is_file(path))
		return path;
	free(path);
	return NULL;
}

static char *find_wanted(struct thread *thread, const char *wanted)
{
	const struct vm_options *options = &thread->vm->options;
	const char *here = thread_frame(thread)->code->file->directory;
	char *path;

	if (wanted[0] == '/')
		return look_in("/", wanted + 1);
	path = look_in(here, wanted);
	if (wanted[0] == '.')
		return path;
	for (size_t i = 0; !path && i < options->search_count; i++)
		path = look_in(options->search_path[i], wanted);
	return path;
}

/* Records that a file is required. Returns 1 if it was already, 0 if it is new, -ENOMEM. */
static int note_required(struct vm *vm, const char *path)
{
	char *real = realpath(path, NULL);
	char **list;
	int result = -ENOMEM;

	if (!real)
		return -ENOMEM;
	pthread_mutex_lock(&vm->names);
	for (size_t i = 0; i < vm->required_count; i++) {
		if (strcmp(vm->required[i], real) == 0) {
			result = 1;
			goto out;
		}
	}
	list = realloc(vm->required, (vm->required_count + 1) * sizeof(*list));
	if (!list)
		goto out;
	vm->required = list;
	list[vm->required_count++] = real;
	real = NULL;
	result = 0;
out:
	pthread_mutex_unlock(&vm->names);
	free(real);
	return result;
}

static enum native_status compile_wanted(
	struct thread *thread, const char *wanted, const char *path, enum frame_kind kind)
{
	struct vm *vm = thread->vm;
	struct parse_error error;
	struct source_file *file;

	thread->load_code = loader_compile(thread->cap, path, &file, &error);
	if (!thread->load_code && strcmp(error.message, "out of memory") == 0)
		return exception_raise(
			thread, vm->class_memory_error, "no memory to load %.200s", path);
	if (!thread->load_code && error.line)
		return exception_raise(thread, vm->class_syntax_error, "%.200s:%d: %s", path,
			error.line, error.message);
	if (!thread->load_code)
		return exception_raise(thread, vm->class_load_error, "cannot load %.200s: %s", path,
			error.message);
	thread->load_wanted = strdup(wanted);
	thread->load_kind = kind;
	if (!thread->load_wanted)
		return exception_raise(
			thread, vm->class_memory_error, "no memory to load %.200s", path);
	return NATIVE_LOAD;
}

void loader_abandon(struct thread *thread)
{
	if (thread->load_kind == FRAME_REQUIRE)
		EVENT(thread->cap, REQUIRE_RETURN, thread->load_wanted, thread_file(thread, 0),
			thread_line(thread, 0), 1);
	else
		EVENT(thread->cap, LOAD_RETURN, thread->load_wanted, thread_file(thread, 0),
			thread_line(thread, 0), 1);
	free(thread->load_wanted);
	thread->load_wanted = NULL;
}

static enum native_status native_require(
	struct thread *thread, value *arguments, int count, value *result)
{
	struct capability *cap = thread->cap;
	struct vm *vm = thread->vm;
	struct string *wanted = native_string(thread, arguments[1]);
	enum native_status status = NATIVE_OK;
	char *path;
	int known;

	(void)count;
	if (!wanted)
		return NATIVE_RAISE;
	*result = VALUE_FALSE;
	EVENT(cap, REQUIRE_ENTRY, wanted->text, thread_file(thread, 0), thread_line(thread, 0));
	EVENT(cap, FIND_REQUIRE_ENTRY, wanted->text, thread_file(thread, 0),
		thread_line(thread, 0));
	path = find_wanted(thread, wanted->text);
	EVENT(cap, FIND_REQUIRE_RETURN, wanted->text, thread_file(thread, 0),
		thread_line(thread, 0));
	known = path ? note_required(vm, path) : 0;
	if (!path)
		status = exception_raise(
			thread, vm->class_load_error, "no file %.200s to require", wanted->text);
	else if (known < 0)
		status = exception_raise(
			thread, vm->class_memory_error, "no memory to require %.200s", path);
	else if (!known)
		status = compile_wanted(thread, wanted->text, path, FRAME_REQUIRE);
	free(path);
	/* Otherwise the return event is fired when the file's frame ends. */
	if (status != NATIVE_LOAD)
		EVENT(cap, REQUIRE_RETURN, wanted->text, thread_file(thread, 0),
			thread_line(thread, 0), status == NATIVE_RAISE);
	return status;
}

static enum native_status native_load(
	struct thread *thread, value *arguments, int count, value *result)
{
	struct string *wanted = native_string(thread, arguments[1]);
	enum native_status status;
	char *path;

	(void)count;
	if (!wanted)
		return NATIVE_RAISE;
	*result = VALUE_TRUE;
	EVENT(thread->cap, LOAD_ENTRY, wanted->text, thread_file(thread, 0),
		thread_line(thread, 0));
	path = find_wanted(thread, wanted->text);
	if (path)
		status = compile_wanted(thread, wanted->text, path, FRAME_LOAD);
	else
		status = exception_raise(thread, thread->vm->class_load_error,
			"no file %.200s to load", wanted->text);
	free(path);
	if (status != NATIVE_LOAD)
		EVENT(thread->cap, LOAD_RETURN, wanted->text, thread_file(thread, 0),
			thread_line(thread, 0), status == NATIVE_RAISE);
	return status;
}

void loader_natives(struct vm *vm)
{
	vm_native(vm, vm->class_object, false, "require", 1, 1, native_require);
	vm_native(vm, vm->class_object, false, "load", 1, 1, native_load);
}
