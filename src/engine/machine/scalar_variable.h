/*
 * scalar_variable.h: stores into global and this-> variables, which copy strings, and loads and
 * stores of variables whose kind is found out at run time.
 */
#ifndef VMTAP_ENGINE_MACHINE_SCALAR_VARIABLE_H
#define VMTAP_ENGINE_MACHINE_SCALAR_VARIABLE_H

#include "engine/state.h"

/* Stores a string in a global or this-> variable. */
void scalar_store_text(struct engine *engine, uint32_t variable, const struct text *text);

/*
 * Stores a character into a this-> string. The variable has strsize characters and a NUL; what
 * follows a NUL stays, and shows again when the NUL is overwritten. Strings that are in use do not
 * change, so the variable gets a new one.
 */
enum d_fault scalar_store_character(
	struct engine *engine, uint32_t index, uint64_t position, char character);

/* A variable of any scope. */
uint64_t scalar_load(struct engine *engine, uint32_t index);
void scalar_store(struct engine *engine, uint32_t index, uint64_t value);

#endif
