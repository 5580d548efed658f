/* typed_memory.c: see typed_memory.h. */
#include "engine/machine/typed_memory.h"

#include <string.h>

#include "engine/state.h"
#include "engine/store/value.h"

enum d_fault typed_read_integer(
	struct engine *engine, uint64_t address, uint8_t form, uint64_t *result)
{
	uint32_t size = form & 15;
	uint8_t bytes[8];
	enum d_fault fault = memory_read(engine, address, size, bytes);

	if (fault)
		return fault;
	switch (size) {
	case 1:
		*result = bytes[0];
		break;
	case 2: {
		uint16_t half;
		memcpy(&half, bytes, 2);
		*result = half;
		break;
	}
	case 4: {
		uint32_t word;
		memcpy(&word, bytes, 4);
		*result = word;
		break;
	}
	case 8:
		memcpy(result, bytes, 8);
		break;
	default: /* of a bit-field, whose lowest byte is always the first */
		*result = 0;
		for (uint32_t i = 0; i < size; i++)
			*result |= (uint64_t)bytes[i] << 8 * i;
	}
	if (form & 16)
		*result = value_cut(*result, size, true);
	return D_FAULT_NONE;
}

enum d_fault typed_write_integer(
	struct engine *engine, uint64_t address, uint8_t size, uint64_t value)
{
	uint8_t byte = (uint8_t)value;
	uint16_t half = (uint16_t)value;
	uint32_t word = (uint32_t)value;
	uint8_t odd[8];
	const void *bytes = size == 1 ? (const void *)&byte
		: size == 2           ? (const void *)&half
		: size == 4           ? (const void *)&word
		: size == 8           ? (const void *)&value
				      : (const void *)odd;

	/* A bit-field's lowest byte is always the first. */
	for (unsigned i = 0; bytes == odd && i < size; i++)
		odd[i] = (uint8_t)(value >> 8 * i);
	return memory_write(engine, address, size, bytes);
}

enum d_fault typed_write_text(
	struct engine *engine, uint64_t address, uint32_t size, const struct text *text)
{
	uint32_t length = text && text->length < size ? text->length : size;
	enum d_fault fault;

	if (!text)
		length = 0;
	fault = memory_write(engine, address, length, text ? text->bytes : "");
	if (!fault && length < size)
		fault = memory_write(engine, address + length, 1, "");
	return fault;
}
