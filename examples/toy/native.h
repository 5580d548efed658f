/*
 * native.h: what native methods share, and the functions that define them.
 *
 * A native may allocate and raise, but never calls guest code. Its result and its
 * arguments are safe from the collector, since nothing is collected while it runs.
 */
#ifndef TOY_NATIVE_H
#define TOY_NATIVE_H

#include "exception.h"
#include "heap.h"
#include "scheduler.h"
#include "vm.h"

#define NATIVE(name)                                                                               \
	static enum native_status name(                                                            \
		struct thread *thread, value *arguments, int count, value *result)

/* Returns NULL and raises an error unless v is of that kind; what names the kind in the error. */
void *native_object(struct thread *thread, value v, enum kind kind, const char *what);
struct string *native_string(struct thread *thread, value v);
/* Returns false and raises an error unless v is an integer or a whole number. */
bool native_int(struct thread *thread, value v, int64_t *number);
bool native_number(struct thread *thread, value v, double *number);
/* NATIVE_OK with a new string, or NATIVE_MEMORY. */
enum native_status native_text(
	struct thread *thread, const char *text, size_t length, value *result);

/* Text that grows. */
struct text {
	char *bytes;
	size_t length;
	size_t capacity;
	bool failed;
};

void text_add(struct text *text, const char *bytes, size_t length);
void text_free(struct text *text);
/* How print shows a value; inspect: with quotes around strings. */
void text_value(struct text *text, const struct vm *vm, value v, bool inspect, int depth);

/* A file's content, NUL-terminated, to be freed; NULL with errno set. */
char *loader_read(const char *path, size_t *length);

void native_object_methods(struct vm *vm);
void native_number_methods(struct vm *vm);
void native_string_methods(struct vm *vm);
void native_collection_methods(struct vm *vm);
void native_thread_methods(struct vm *vm);
void native_system_methods(struct vm *vm);

#endif
