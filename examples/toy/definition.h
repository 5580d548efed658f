/*
 * definition.h: what the statements class and def do when they are run.
 */
#ifndef TOY_DEFINITION_H
#define TOY_DEFINITION_H

#include "vm.h"

/* NULL when memory runs out. */
struct method *method_new(struct symbol *selector, struct class *owner, enum method_kind kind);

/*
 * Makes or reopens a class. *place holds the superclass or nil, and then the class.
 * false: an error was raised.
 */
bool definition_class(
	struct thread *thread, const struct class_description *description, value *place);
/*
 * Gives a class a method with this code. The thread stands at a safepoint, since a
 * redefinition may stop the world. false: an error was raised.
 */
bool definition_method(
	struct thread *thread, struct class *class, struct code *code, bool static_method);

#endif
