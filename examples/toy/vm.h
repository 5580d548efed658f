/*
 * vm.h: the whole machine, and its capabilities.
 *
 * A capability is an OS thread that runs guest code. Data that only one capability touches
 * is in struct capability; shared data is in struct vm, under the lock named there.
 * Lock order: definitions, lock, names; mark_lock and objects' spin locks come last.
 */
#ifndef TOY_VM_H
#define TOY_VM_H

#include "event.h"
#include "thread.h"

#include <pthread.h>

#define TOY_VERSION "0.1.0"

#define HEAP_CELL_STEP 16u
#define HEAP_CELL_CLASSES 32u
#define VM_SYMBOL_BUCKETS 1024u

struct heap_chunk {
	struct heap_chunk *next;
	_Alignas(16) char cells[];
};

struct object_list {
	struct object **items;
	size_t count;
	size_t capacity;
};

struct spark_pool {
	struct spark *first;
	struct spark *last;
};

struct capability {
	struct vm *vm;
	uint16_t index;  /* in the VM's capabilities */
	uint16_t number; /* in the process */
	pthread_t os_thread;
	_Atomic bool interrupt; /* check for a stop of the world or a collection */
	int32_t budget;         /* calls and loops until other threads get their turn */

	uint64_t counts[EVENT_COUNT];
	struct event_recorder *recorder; /* NULL unless events are recorded */
	struct thread *running;          /* NULL between threads */

	/* the heap of this capability */
	struct object *young;
	struct object *old;
	void *free_cells[HEAP_CELL_CLASSES];
	struct heap_chunk *chunks;
	char *chunk_next;
	size_t chunk_left;
	size_t unreported; /* bytes allocated that vm->used does not include yet */
	uint64_t allocated;
	struct array_body *retired;
	struct array_body *released; /* by a collection that this capability led; to be freed */
	struct object_list remembered;
	struct object_list gray;
	uint64_t marked_bytes; /* in the current collection, by its OS thread */
	uint64_t marked_in;    /* the number of the last collection it marked for */
	bool collect_young;
	bool collect_full;
	bool asks_dump;                   /* the program wants thread-dump of all threads */
	bool asks_census;                 /* and heap-sample of all classes */
	struct vmtap_name *collect_cause; /* NULL: none of these */

	/* under vm->lock */
	struct wait_list runnable;
	struct spark_pool sparks;
	bool idle;
	bool disabled; /* gives its threads away and takes none */
};

struct gray_chunk {
	struct gray_chunk *next;
	size_t count;
	struct object *items[256];
};

struct vm_options {
	struct process *process;
	const char *name; /* of this VM, if there are several */
	uint64_t creator; /* the task that creates it; 0: it is the first one */
	uint16_t caps;
	size_t heap;
	const char *program;
	int argument_count;
	char **arguments;
	char **search_path;
	size_t search_count;
	const char *event_log;
	const char *stats_by;
	bool census_by_site; /* samples of the heap are by allocation site, not by class */
};

struct vm {
	struct vm_options options;
	uint32_t instance; /* its number in the process, from 0 */
	struct vmtap_name instance_name;
	struct vm *next_instance;
	struct capability *caps;
	uint16_t cap_count;

	/* The scheduler and the stopping of the world. */
	pthread_mutex_t lock;
	pthread_cond_t wake;    /* idle capabilities wait here */
	pthread_cond_t stopped; /* the capability that stops the world waits here */
	pthread_cond_t resume;  /* the stopped capabilities wait here */
	bool runs;              /* its capabilities have begun to run guest code */
	bool stopping;
	bool is_held;     /* the world is stopped by another VM; changed only by that one */
	uint64_t stop_ns; /* how long it took to stop the world */
	uint16_t stopped_count;
	uint16_t idle_count;
	_Atomic bool ending;
	int exit_code;
	uint16_t ended_by;
	struct thread *threads;
	struct thread *main_thread;
	struct vmtap_name reason_gc;
	struct vmtap_name reason_redefinition;
	struct vmtap_name reason_exit;
	struct vmtap_name reason_census;
	struct vmtap_name reason_dump;
	struct vmtap_name reason_join;
	struct vmtap_name reason_queue;
	struct vmtap_name reason_spark;
	struct vmtap_name reason_type;
	struct vmtap_name cause_allocation;
	struct vmtap_name cause_memory;
	struct vmtap_name cause_request;
	struct vmtap_name phase_mark;
	struct vmtap_name phase_sweep;
	struct vmtap_name phase_release;
	struct vmtap_name name_none;
	struct vmtap_name name_file;
	struct vmtap_name name_anonymous;
	struct vmtap_name name_global;

	/* The heap. */
	_Atomic size_t used; /* bytes of objects, as far as reported */
	_Atomic size_t size; /* bytes from the system */
	_Atomic size_t young_used;
	_Atomic bool gc_asked;
	size_t nursery;       /* young bytes that trigger a collection */
	size_t full_at;       /* used bytes that trigger a full collection */
	uint64_t collections; /* number of the current or last one */
	struct finalizer *finalizers;
	bool collecting_full;

	/* Marking, under mark_lock except for the flags. */
	pthread_mutex_t mark_lock;
	pthread_cond_t mark_changed;
	bool marking; /* under lock */
	struct gray_chunk *gray;
	_Atomic uint16_t mark_idle;
	uint16_t mark_finished;
	bool mark_over;

	/* Symbols, classes, globals, look-ups, codes, files: under names. */
	pthread_mutex_t names;
	pthread_mutex_t definitions; /* one class is created or reopened at a time */
	struct symbol *symbols[VM_SYMBOL_BUCKETS];
	struct class *classes;
	struct global *globals;
	struct code *codes;
	struct source_file *files;
	char **required; /* real paths */
	size_t required_count;
	struct object_list literals; /* strings in codes; roots */
	struct method *replaced;     /* old methods; frames may still run them */
	struct quick_code *quick_codes;

	struct class *class_object;
	struct class *class_class;
	struct class *class_nil;
	struct class *class_bool;
	struct class *class_number;
	struct class *class_int;
	struct class *class_float;
	struct class *class_string;
	struct class *class_symbol;
	struct class *class_array;
	struct class *class_hash;
	struct class *class_function;
	struct class *class_cell;
	struct class *class_thread;
	struct class *class_lock;
	struct class *class_queue;
	struct class *class_spark;
	struct class *class_error;
	struct class *class_type_error;
	struct class *class_argument_error;
	struct class *class_name_error;
	struct class *class_range_error;
	struct class *class_index_error;
	struct class *class_division_error;
	struct class *class_io_error;
	struct class *class_load_error;
	struct class *class_syntax_error;
	struct class *class_stack_error;
	struct class *class_memory_error;
	struct class *class_thread_error;

	struct symbol *symbol_init;
	int event_log; /* or -1 */
	bool broken;   /* memory ran out while the VM was being created */
};

/* The number of the guest thread that runs on a capability, 0 for none. */
static inline uint32_t capability_thread(const struct capability *cap)
{
	return cap->running ? cap->running->number : 0;
}

/* When memory or OS threads run out, prints a message and returns NULL. */
struct vm *vm_new(const struct vm_options *options);
void vm_free(struct vm *vm);
/* Runs the program to its end. Returns the exit status. */
int vm_run(struct vm *vm);

/* Dispatch: the method of a class for a selector, by cache or search; NULL if there is none. */
struct lookup *vm_lookup(struct vm *vm, struct class *class, struct symbol *selector);
/* The global or constant of that name, created if necessary. NULL: no memory. */
struct global *vm_global(struct vm *vm, struct symbol *name);

/*
 * Defines a native method when the VM starts. static_method: a method of the class itself.
 * most -1: any number of arguments. A failure sets vm->broken.
 */
void vm_native(struct vm *vm, struct class *class, bool static_method, const char *name, int least,
	int most, native_function function);

#endif
