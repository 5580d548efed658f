/*
 * carried.c: see carried.h. Definitions come from files of others, so each is limited in size and
 * must parse before it is kept. The programs of a command are only read, never executed; opening
 * one must not block.
 */
#include "source/carried.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/error.h"
#include "contract/contract.h"
#include "usdt/elf/image.h"
#include "usdt/elf/needed.h"
#include "usdt/process/process_images.h"
#include "wire/wire.h"

enum { PROVIDERS_MAX = 256, WORDS_MAX = 64 };

size_t carried_lines(char *text, const char *marked, size_t length)
{
	const size_t mark = strlen(WIRE_LIBRARY);
	const char *end = marked + length;
	size_t used = 0;

	for (const char *line = marked, *next; line < end; line = next) {
		const char *newline = memchr(line, '\n', (size_t)(end - line));
		next = newline ? newline + 1 : end;
		if ((size_t)(next - line) < mark || memcmp(line, WIRE_LIBRARY, mark) != 0)
			continue;
		memcpy(text + used, line + mark, (size_t)(next - line) - mark);
		used += (size_t)(next - line) - mark;
	}
	text[used] = '\0';
	return strlen(text);
}

/* Adds a definition, unless the list has one of this provider that is as long. Returns 0 or
 * -ENOMEM. */
static int add_carried(struct carried_list *list, const char *name, const char *text, size_t length)
{
	struct d_carried added = {.name = strdup(name), .text = strdup(text), .length = length};
	size_t i = 0;

	if (!added.name || !added.text)
		goto failed;
	while (i < list->count && strcmp(list->items[i].name, name) != 0)
		i++;
	if (i == list->count) {
		if (array_room(&list->items, &list->capacity, i, sizeof(*list->items)))
			goto failed;
		list->count++;
	} else if (list->items[i].length < length) {
		free((char *)list->items[i].name);
		free((char *)list->items[i].text);
	} else {
		free((char *)added.name);
		free((char *)added.text);
		return 0;
	}
	list->items[i] = added;
	return 0;
failed:
	free((char *)added.name);
	free((char *)added.text);
	return -ENOMEM;
}

int carried_add_image(struct carried_list *list, const struct usdt_image *image)
{
	int result = 0;

	for (size_t at = 0; at < image->definitions_size && !result;) {
		const char *marked = image->definitions + at;
		size_t length = strlen(marked), used;
		struct contract *contract;
		struct error ignored;
		char *text;

		at += length + 1;
		if (!length || length > 2 * WIRE_LIBRARY_MAX || list->count >= PROVIDERS_MAX)
			continue;
		text = malloc(length + 1);
		if (!text)
			return -ENOMEM;
		used = carried_lines(text, marked, length);
		if (used <= WIRE_LIBRARY_MAX &&
			!contract_parse("carried", text, used, &contract, &ignored)) {
			if (contract->provider_count == 1)
				result = add_carried(list, contract->providers[0].name, text, used);
			contract_free(contract);
		}
		free(text);
	}
	return result;
}

struct addition {
	struct carried_list *list;
	int result;
};

static void add_file(void *context, const char *path)
{
	struct addition *addition = context;
	struct usdt_image *image;
	struct error ignored;

	if (addition->result || usdt_image_open(path, NULL, &image, &ignored))
		return;
	addition->result = carried_add_image(addition->list, image);
	usdt_image_free(image);
}

static int add_program(struct carried_list *list, const char *path)
{
	struct addition addition = {list, 0};

	usdt_needed_each(path, add_file, &addition);
	return addition.result;
}

/* Adds the programs whose paths occur in a text. */
static int add_paths(struct carried_list *list, const char *text)
{
	static const char between[] = " \t\n;|&()<>'\"`=!#";
	char path[4096];
	int result = 0;

	for (unsigned i = 0; i < WORDS_MAX && *text && !result; i++) {
		size_t length = strcspn(text, between);

		if (length && length < sizeof(path) && memchr(text, '/', length)) {
			memcpy(path, text, length);
			path[length] = '\0';
			if (!access(path, X_OK))
				result = add_program(list, path);
		}
		text += length;
		text += strspn(text, between);
	}
	return result;
}

/* If the file is a script, adds the programs that it names, its interpreter first. */
static int add_script(struct carried_list *list, const char *path)
{
	int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	char text[4096];
	ssize_t count = file < 0 ? 0 : read(file, text, sizeof(text) - 1);

	if (file >= 0)
		close(file);
	if (count < 2 || memcmp(text, "#!", 2) != 0)
		return 0;
	text[count] = '\0';
	return add_paths(list, text);
}

int carried_add_command(struct carried_list *list, char *const *words)
{
	char path[4096];
	int result = 0;

	for (unsigned i = 0; i < WORDS_MAX && words[i] && !result; i++) {
		if (!usdt_needed_program(words[i], path) || access(path, X_OK)) {
			result = add_paths(list, words[i]);
			continue;
		}
		result = add_program(list, path);
		if (!result)
			result = add_script(list, path);
	}
	return result;
}

int carried_add_process(struct carried_list *list, uint32_t pid)
{
	struct usdt_process *process;
	struct error ignored;
	int result = 0;

	if (usdt_process_open((pid_t)pid, &process, &ignored))
		return 0;
	for (size_t i = 0; i < process->object_count && !result; i++)
		if (process->objects[i].image)
			result = carried_add_image(list, process->objects[i].image);
	usdt_process_free(process);
	return result;
}

void carried_free(struct carried_list *list)
{
	for (size_t i = 0; i < list->count; i++) {
		free((char *)list->items[i].name);
		free((char *)list->items[i].text);
	}
	free(list->items);
	*list = (struct carried_list){0};
}
