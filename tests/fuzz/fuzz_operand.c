/* fuzz_operand.c: any text as a note's argument string, for each machine. */
#include <elf.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "usdt/elf/operand.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void cut(uint16_t machine, const char *text, size_t size)
{
	const char *rest = text;
	struct operand_argument argument;

	while (operand_next_argument(machine, &rest, &argument)) {
		const struct operand *operand = &argument.operand;

		if (argument.text < text || argument.text + argument.text_length > rest ||
			rest > text + size)
			abort();
		if (operand->symbol &&
			(operand->symbol < argument.text ||
				operand->symbol + operand->symbol_length >
					argument.text + argument.text_length))
			abort();
		if (operand->is_portable && operand->kind != OPERAND_CONSTANT &&
			operand->kind != OPERAND_REGISTER && operand->kind != OPERAND_MEMORY)
			abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);

	if (!text)
		return 0;
	memcpy(text, data, size);
	text[size] = 0;
	size = strlen(text);
	cut(EM_X86_64, text, size);
	cut(EM_AARCH64, text, size);
	cut(EM_PPC64, text, size);
	free(text);
	return 0;
}
