/*
 * object.h: the objects of the guest heap, and their constructors.
 *
 * Every object starts with struct object. Classes and symbols live as long as the VM;
 * other objects are allocated by heap_allocate() and freed by the collector. Constructors
 * never collect: a collection happens only at a safepoint of the interpreter, where every
 * live value is on a guest stack, so C code may hold pointers to new objects freely.
 * Constructors return NULL when the heap is full; a native then returns NATIVE_MEMORY.
 *
 * Guest threads run in parallel and may share any object. Slots are atomic; arrays and
 * hashes have a tiny spin lock for changes of their shape. A guest program that races
 * on an object reads old or new values, and never breaks the VM.
 */
#ifndef TOY_OBJECT_H
#define TOY_OBJECT_H

#include "value.h"

#include <stddef.h>
#include <vmtap.h>

struct vm;
struct capability;
struct thread;
struct code;
struct class;
struct wait_list;

enum kind {
	KIND_INSTANCE,
	KIND_CLASS,
	KIND_STRING,
	KIND_ARRAY,
	KIND_HASH,
	KIND_FUNCTION,
	KIND_CELL,
	KIND_THREAD,
	KIND_LOCK,
	KIND_QUEUE,
	KIND_SPARK,
};

struct object {
	struct class *class;
	struct object *next; /* the capability's list of young or old objects */
	uint32_t bytes;      /* of the cell; object_bytes() adds memory that it refers to */
	uint8_t kind;
	uint8_t old; /* survived a collection; only written while the world is stopped */
	_Atomic uint8_t mark;
	_Atomic uint8_t remembered; /* old, and in a remembered set */
};

struct instance {
	struct object object;
	slot fields[];
};

struct string {
	struct object object;
	uint32_t length;
	_Atomic uint32_t hash; /* 0: not computed yet */
	char text[];           /* also NUL-terminated */
};

/* An array's elements. A body that was outgrown is freed at the next collection. */
struct array_body {
	struct array_body *retired;
	size_t capacity;
	slot items[];
};

struct array {
	struct object object;
	_Atomic(struct array_body *) body;
	_Atomic size_t length;
	atomic_flag busy;
};

struct hash_entry {
	value key; /* VALUE_UNDEFINED: deleted */
	value content;
};

/* Keeps the order of insertion. Everything below busy is read and written under it. */
struct hash {
	struct object object;
	atomic_flag busy;
	size_t count;
	size_t used;
	size_t capacity;
	struct hash_entry *entries;
	uint32_t *index; /* twice the capacity, entry number + 1, 0 is free */
};

/* A variable that an inner function captures. */
struct cell {
	struct object object;
	slot content;
};

struct function {
	struct object object;
	struct code *code;
	value self;
	size_t cell_count;
	struct cell *cells[];
};

struct wait_list {
	struct thread *first;
	struct thread *last;
};

/* Owner and waiters are read and written under the VM's lock. */
struct lock {
	struct object object;
	struct vmtap_name name;
	char *text; /* of the name, or NULL if that is the class's */
	struct thread *owner;
	struct wait_list waiters;
};

/* A bounded channel; all of it under the VM's lock. */
struct queue {
	struct object object;
	size_t capacity;
	size_t head;
	size_t count;
	bool closed;
	slot *items;
	struct wait_list takers;
	struct wait_list givers;
};

enum spark_state { SPARK_WAITING, SPARK_RUNNING, SPARK_DONE, SPARK_FAILED };

/* state, next and waiters under the VM's lock; result is set before the state. */
struct spark {
	struct object object;
	struct spark *next; /* in a capability's pool */
	enum spark_state state;
	struct thread *runner;
	slot function;
	slot result; /* or the exception that ended it */
	struct wait_list waiters;
};

enum native_status {
	NATIVE_OK,
	NATIVE_RAISE,  /* thread->exception is set and its raise event has been fired */
	NATIVE_BLOCK,  /* the thread is in a wait list, and the VM's lock is held */
	NATIVE_YIELD,  /* let others run; the call is complete */
	NATIVE_MEMORY, /* the heap is full: collect, then call again once */
	NATIVE_LOAD,   /* thread->load_* say which file to run as the call's body */
	NATIVE_EXIT,   /* end the program */
};

/*
 * A native method. arguments[0] is the receiver. It may be called again with the same
 * arguments after NATIVE_BLOCK (thread->resumed is set then) and NATIVE_MEMORY.
 */
typedef enum native_status (*native_function)(
	struct thread *thread, value *arguments, int count, value *result);

enum method_kind {
	METHOD_GUEST,
	METHOD_NATIVE,
	METHOD_NEW,  /* allocates an instance, then runs its init */
	METHOD_CALL, /* runs a function object */
};

struct method {
	struct vmtap_name name;
	struct symbol *selector;
	struct class *owner;
	enum method_kind kind;
	int least; /* arguments without the receiver */
	int most;
	struct code *code;
	native_function native;
	struct method *next; /* of its class */
};

/* What a look-up found; call sites cache a pointer to it. Freed by redefinition. */
struct lookup {
	struct class *class;
	struct symbol *selector;
	struct method *method;
	struct lookup *next; /* of its selector */
};

struct class
{
	struct object object;
	struct vmtap_name name;
	struct symbol *symbol;
	struct class *super;
	struct method *methods;
	struct symbol **fields; /* inherited ones first */
	uint32_t field_count;
	enum kind instance_kind;
	bool meta;
	_Atomic(struct lookup *) init; /* the cached look-up of init, which new calls */
	_Atomic bool frozen;           /* has instances or subclasses: no more fields */
	struct class *next;            /* of the VM */
};

struct symbol {
	struct symbol *next; /* in its bucket */
	struct lookup *lookups;
	struct vmtap_name name; /* of the text */
	uint32_t hash;
	uint32_t length;
	char text[];
};

/* Where an allocation happens, for its event. */
struct place {
	struct vmtap_name *file;
	int line;
};

uint32_t hash_bytes(const char *text, size_t length);

/* The symbol of this text, created if necessary. cap NULL: by the VM, before it starts. */
struct symbol *symbol_intern(
	struct vm *vm, struct capability *cap, struct place place, const char *text, size_t length);

/*
 * A class and its metaclass (the class of the class, which holds its static methods).
 * super is NULL for the root only. NULL when memory runs out.
 */
struct class *class_new(
	struct vm *vm, struct class *super, const char *name, size_t length, enum kind kind);
void class_free(struct class *class);
/* The position of a field, or -1. */
int class_field(const struct class *class, const struct symbol *name);
/* Adds a field unless it is there. 0, -EBUSY when the class is frozen, -ENOMEM. */
int class_add_field(struct class *class, struct symbol *name);
bool class_inherits(const struct class *class, const struct class *ancestor);
struct class *class_of(const struct vm *vm, value v);

/* The bytes of an object, including memory that it owns. */
size_t object_bytes(const struct object *object);
/* Frees the memory that an object owns, but not its cell. Returns the bytes. */
void object_finalize(struct object *object);

struct instance *instance_new(struct thread *thread, struct class *class);
/* text may be NULL: the caller fills in the bytes before it publishes the string. */
struct string *string_new(
	struct capability *cap, struct place place, const char *text, size_t length);
struct array *array_new(struct capability *cap, struct place place, size_t capacity);
struct hash *hash_new(struct capability *cap, struct place place, size_t capacity);
struct cell *cell_new(struct thread *thread, value content);
struct function *function_new(struct thread *thread, struct code *code, value self, size_t cells);

uint32_t string_hash(struct string *string);
bool string_equal(const struct string *one, const struct string *other);
/* Equality of the built-in kinds: numbers and strings by content, others by identity. */
bool value_equal(value one, value other);

/* The element, or VALUE_UNDEFINED if the index is out of bounds. */
static inline value array_get(struct array *array, size_t index)
{
	struct array_body *body;

	if (index >= atomic_load_explicit(&array->length, memory_order_acquire))
		return VALUE_UNDEFINED;
	body = atomic_load_explicit(&array->body, memory_order_acquire);
	return index < body->capacity ? slot_load(&body->items[index]) : VALUE_UNDEFINED;
}

/* 0, -ERANGE when there is no such element. */
int array_set(struct capability *cap, struct array *array, size_t index, value content);
/* 0, -ENOMEM when the heap is full. */
int array_push(struct capability *cap, struct array *array, value content);
/* The last element, or VALUE_UNDEFINED of an empty array. */
value array_pop(struct array *array);
value array_shift(struct array *array);

/* VALUE_UNDEFINED if the key is missing. */
value hash_get(struct hash *hash, value key);
int hash_set(struct capability *cap, struct hash *hash, value key, value content);
value hash_delete(struct hash *hash, value key);
/* The entry at a position: returns 1, 0 if it was deleted, -1 after the last one. */
int hash_entry_at(struct hash *hash, size_t position, value *key, value *content);
size_t hash_length(struct hash *hash);
/* Copies keys or values, in order of insertion, to a new array. */
struct array *hash_list(struct capability *cap, struct place place, struct hash *hash, bool keys);

#endif
