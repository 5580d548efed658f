/*
 * code.c: binding byte code to its class, and freeing it.
 */
#include "code.h"

#include <stdlib.h>

void code_free(struct code *code)
{
	if (!code)
		return;
	for (uint32_t i = 0; i < code->code_count; i++)
		code_free(code->codes[i]);
	for (uint32_t i = 0; i < code->class_count; i++)
		free(code->classes[i].fields);
	free(code->instructions);
	free(code->lines);
	free(code->constants);
	free(code->sites);
	free(code->handlers);
	free(code->captures);
	free(code->codes);
	free(code->classes);
	free(code->globals);
	free(code->fields);
	free(code->field_slots);
	free(code);
}

struct symbol *code_bind(struct code *code, struct class *owner)
{
	struct symbol *missing = NULL;

	code->owner = owner;
	for (uint32_t i = 0; i < code->field_count; i++) {
		int position = class_field(owner, code->fields[i]);

		if (position < 0)
			missing = code->fields[i];
		else
			code->field_slots[i] = (uint32_t)position;
	}
	for (uint32_t i = 0; i < code->code_count; i++) {
		struct symbol *inside = code_bind(code->codes[i], owner);

		missing = missing ? missing : inside;
	}
	return missing;
}
