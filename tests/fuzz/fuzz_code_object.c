/*
 * fuzz_code_object.c: any bytes as an ELF file with functions, and as the code of one. Apart from
 * not crashing: instructions are as long as they say, and what is listed as a beginning of an
 * instruction is one by itself.
 */
#include <elf.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "usdt/code/code.h"
#include "usdt/code/code_object.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool is_same(void *context, int64_t offset)
{
	(void)context;
	return offset % 3 == 0;
}

static bool is_function(void *context, int64_t offset)
{
	(void)context;
	return offset % 2 == 0;
}

/* Decodes bytes as a function of the machine. */
static void decode(uint16_t machine, const uint8_t *bytes, size_t count)
{
	const struct code_surroundings surroundings = {is_same, is_function, NULL};
	struct code_instruction instruction;
	struct code_starts starts;
	uint32_t *offsets;
	size_t found, expected = 0;
	uint64_t before;

	if (code_starts_make(machine, bytes, count, &starts))
		return;
	for (size_t at = 0; at < starts.size; at++) {
		if (code_starts_at(&starts, at, &before) != (at == expected))
			abort();
		if (at != expected)
			continue;
		code_decode(machine, bytes + at, count - at, &instruction);
		if (!instruction.length || instruction.kind == CODE_UNKNOWN ||
			instruction.length > CODE_LENGTH_MAX || instruction.length > count - at ||
			(instruction.kind == CODE_REFUSED) != (instruction.reason != NULL))
			abort();
		expected += instruction.length;
	}
	if (expected != starts.size)
		abort();
	if (!code_starts_returns(&starts, machine, bytes, &surroundings, &offsets, &found))
		for (size_t i = 0; i < found; i++)
			if (!code_starts_at(&starts, offsets[i], &before))
				abort();
	free(offsets);
	code_starts_free(&starts);
}

static void read_functions(struct code_object *object)
{
	for (size_t i = 0; i < object->functions.count && i < 64; i++) {
		const struct usdt_function *function = &object->functions.functions[i];
		const char *name = object->functions.texts + function->name;
		const uint8_t *bytes;
		uint64_t offset, address;
		size_t available;

		if (code_object_offset(object, function->begin, &offset))
			continue;
		code_object_address(object, offset, &address);
		code_object_is_function(object, function->begin);
		code_object_is_cold(object, name, function->begin);
		bytes = code_object_bytes(object, offset,
			function->size < 4096 ? (size_t)function->size : 4096, &available);
		if (bytes && code_is_known(object->machine))
			decode(object->machine, bytes, available);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct code_object object;
	int file;

	if (size < 4 || memcmp(data, ELFMAG, SELFMAG) != 0) {
		decode(EM_X86_64, data, size);
		decode(EM_AARCH64, data, size);
		return 0;
	}
	file = memfd_create("fuzz", MFD_CLOEXEC);
	if (file < 0 || write(file, data, size) != (ssize_t)size) {
		close(file);
		return 0;
	}
	if (code_object_read(file, "/fuzz", &object) == 0) {
		read_functions(&object);
		code_object_free(&object);
	}
	return 0;
}
