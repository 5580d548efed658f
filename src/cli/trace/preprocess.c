/*
 * preprocess.c: see preprocess.h. The preprocessor reads the text from a file in memory and writes
 * the result to a pipe, so that neither side waits for the other.
 */
#include "cli/trace/preprocess.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum {
	RESULT_MAX = 64 << 20, /* bytes of a script with all that it includes */
	CHUNK = 64 << 10
};

/* The macros that dtrace defines on every system of this kind, and those that GNU headers need. */
static const char *const always[] = {"-D__SUNW_D=1", "-D__SUNW_D_VERSION=0x02000000",
	"-D__SUNW_D_64", "-D__linux", "-D__unix", "-D__SVR4",
#if defined(__x86_64__)
	"-D__amd64",
#endif
	"-U__GNUC__", "-D__Linux",
	/*
	 * The compiler's own headers use these without a test for them. D has no type for a list of
	 * variable arguments.
	 */
	"-D__attribute__(xyz)=", "-D__extension__=", "-D__builtin_va_list=struct __va_list",
	"-D__builtin_offsetof=offsetof",
	/*
	 * GNU's alternative spellings of C keywords, and keywords that do not affect a type's
	 * layout.
	 */
	"-D__signed__=signed", "-D__signed=signed", "-D__const__=const", "-D__const=const",
	"-D__volatile__=volatile", "-D__volatile=volatile", "-D__inline__=inline",
	"-D__inline=inline",
	"-D__restrict=", "-D__restrict__=", "-D_Atomic=", "-D_Noreturn=", "-D_Thread_local="};

enum {
	ALWAYS = sizeof(always) / sizeof(always[0]),
	FIXED = 4 /* the program, -iquote and its folder, the end */
};

/* The arguments of the command. Only the array and the folder are allocated. */
static char **words_of(const struct d_compile_options *options, char *folder)
{
	char **words = calloc(ALWAYS + options->cpp_arguments.count + FIXED, sizeof(*words));
	size_t count = 0;

	if (!words)
		return NULL;
	words[count++] = (char *)(options->cpppath ? options->cpppath : "cpp");
	for (size_t i = 0; i < ALWAYS; i++)
		words[count++] = (char *)always[i];
	for (size_t i = 0; i < options->cpp_arguments.count; i++)
		words[count++] = options->cpp_arguments.items[i];
	/* Files that the script includes with "..." are searched for in its folder. */
	words[count++] = (char *)"-iquote";
	words[count] = folder;
	return words;
}

static char *folder_of(const char *file)
{
	const char *slash = strrchr(file, '/');

	if (!slash)
		return strdup(".");
	return slash == file ? strdup("/") : strndup(file, (size_t)(slash - file));
}

/*
 * A descriptor from which the text is read. The line before the text names the file and the number
 * of its first line.
 */
static int input_of(const char *file, const char *text, size_t length)
{
	const char *end = memchr(text, '\n', length);
	unsigned line = 1;
	size_t skipped = 0;
	FILE *stream;
	int descriptor = memfd_create("script", MFD_CLOEXEC), copy;

	if (descriptor < 0)
		return -errno;
	copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
	stream = copy < 0 ? NULL : fdopen(copy, "w");
	if (!stream) {
		if (copy >= 0)
			close(copy);
		close(descriptor);
		return -ENOMEM;
	}
	if (length > 1 && text[0] == '#' && text[1] == '!') {
		skipped = end ? (size_t)(end - text) + 1 : length;
		line = 2;
	}
	fprintf(stream, "# %u \"", line);
	for (const char *at = file; *at; at++) {
		if (*at == '"' || *at == '\\')
			putc('\\', stream);
		putc(*at, stream);
	}
	fputs("\"\n", stream);
	fwrite(text + skipped, 1, length - skipped, stream);
	if (fclose(stream) || lseek(descriptor, 0, SEEK_SET) < 0) {
		close(descriptor);
		return -ENOMEM;
	}
	return descriptor;
}

static int read_all(int descriptor, char **result, size_t *length)
{
	size_t capacity = 0;
	ssize_t got;
	char *grown;

	*result = NULL;
	*length = 0;
	for (;;) {
		if (capacity - *length < CHUNK) {
			capacity = capacity ? capacity * 2 : CHUNK;
			grown = capacity <= RESULT_MAX ? realloc(*result, capacity) : NULL;
			if (!grown)
				return capacity > RESULT_MAX ? -EFBIG : -ENOMEM;
			*result = grown;
		}
		got = read(descriptor, *result + *length, capacity - *length);
		if (got == 0)
			return 0;
		if (got > 0)
			*length += (size_t)got;
		else if (errno != EINTR)
			return -errno;
	}
}

static int start(char **words, int input, int output, pid_t *pid)
{
	posix_spawn_file_actions_t actions;
	int number = posix_spawn_file_actions_init(&actions);

	if (number)
		return -number;
	number = posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
	if (!number)
		number = posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
	if (!number)
		number = posix_spawnp(pid, words[0], &actions, NULL, words, environ);
	posix_spawn_file_actions_destroy(&actions);
	return -number;
}

/* Runs the preprocessor with these arguments. On failure, error says what went wrong. */
static int run(char **words, int input, char **result, size_t *length, struct error *error)
{
	int ends[2] = {-1, -1}, outcome, status = 0;
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC))
		return error_set(
			error, errno, "failed to invoke C preprocessor: %s", strerror(errno));
	outcome = start(words, input, ends[1], &pid);
	close(ends[1]);
	if (outcome) {
		close(ends[0]);
		return error_set(error, -outcome, "failed to invoke C preprocessor (%s): %s",
			words[0], strerror(-outcome));
	}
	outcome = read_all(ends[0], result, length);
	close(ends[0]);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (outcome)
		return error_set(error, -outcome, "failed to read from the C preprocessor: %s",
			strerror(-outcome));
	if (!WIFEXITED(status) || WEXITSTATUS(status))
		return error_set(error, EINVAL, "Preprocessor failed to process input program");
	return 0;
}

int preprocess_run(const struct d_compile_options *options, const char *file, const char *text,
	size_t length, char **result, size_t *result_length, struct error *error)
{
	char *folder = folder_of(file), **words = folder ? words_of(options, folder) : NULL;
	int input = words ? input_of(file, text, length) : -ENOMEM, outcome;

	*result = NULL;
	if (input < 0)
		outcome = error_set(
			error, -input, "failed to invoke C preprocessor: %s", strerror(-input));
	else
		outcome = run(words, input, result, result_length, error);
	if (outcome) {
		free(*result);
		*result = NULL;
	}
	if (input >= 0)
		close(input);
	free(words);
	free(folder);
	return outcome;
}
