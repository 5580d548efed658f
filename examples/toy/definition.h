/*
 * definition.h: what the statements class and def do when they run.
 */
#ifndef TOY_DEFINITION_H
#define TOY_DEFINITION_H

#include "vm.h"

/* NULL when memory runs out. */
struct method *method_new(struct symbol *selector, struct class *owner, enum method_kind kind);

/*
 * Creates or reopens a class. *place holds the superclass or nil, and afterwards the class.
 * Returns false if an error was raised.
 */
bool definition_class(
	struct thread *thread, const struct class_description *description, value *place);
/*
 * Defines a method with this code in a class. The thread must be at a safepoint, since a
 * redefinition may stop the world. Returns false if an error was raised.
 */
bool definition_method(
	struct thread *thread, struct class *class, struct code *code, bool static_method);

#endif
