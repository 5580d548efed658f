/*
 * bpf.h: the system calls of BPF that the kernel source uses: maps, programs and links. A map,
 * program or link is a descriptor; closing it ends it. Functions return a descriptor or 0, or a
 * negative errno. bpf_features.h finds out what the kernel can do.
 */
#ifndef VMTAP_KERNEL_BPF_BPF_H
#define VMTAP_KERNEL_BPF_BPF_H

#include <linux/bpf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct error;

/* Program flags. */
enum {
	BPF_SLEEPS = 1,  /* it may wait for pages of the process to be read */
	BPF_MULTI = 2,   /* it will be attached by bpf_attach_sites() */
	BPF_SAMPLES = 4, /* it will be attached by bpf_attach_clock() */
	BPF_RAW = 8      /* it will be attached by bpf_attach_raw() */
};

/* Makes a map; type is a BPF_MAP_TYPE_..., flags BPF_F_... */
int bpf_map(
	uint32_t type, uint32_t key_bytes, uint32_t value_bytes, uint32_t entries, uint32_t flags);

/* The same, with a name of less than 16 bytes by which others can find it. */
int bpf_map_named(const char *name, uint32_t type, uint32_t key_bytes, uint32_t value_bytes,
	uint32_t entries, uint32_t flags);

/*
 * Opens the machine's next map with that name and returns its descriptor. *id is 0 at first, then
 * the number of the map that was opened last. Returns -ENOENT if there is no further one, -EPERM
 * without CAP_SYS_ADMIN, or another negative errno.
 */
int bpf_map_find(const char *name, uint32_t *id);

/* Makes a map with a value of that many bytes for each thread that has asked for one. */
int bpf_task_map(uint32_t value_bytes);

int bpf_map_set(int map, const void *key, const void *value);
int bpf_map_get(int map, const void *key, void *value);
int bpf_map_delete(int map, const void *key);
/*
 * Finds the key after another one, or the first if key is NULL. Returns -ENOENT if there is none.
 */
int bpf_map_next(int map, const void *key, void *next);

/*
 * Reads many elements of a hash map at once, beginning after those of the previous call. *at is the
 * position, which the first call ignores. *count is the room of the arrays; on return, the number
 * of elements. An element of a map by processor has a value for each possible processor. Returns 0,
 * -ENOENT if these are the last elements, -ENOSPC if the room is too small, or another negative
 * errno.
 */
int bpf_map_read(int map, bool is_first, uint32_t *at, void *keys, void *values, uint32_t *count);

/* Returns how many processors the machine may have: an element of a map by processor has that many
 * values. */
uint32_t bpf_cpu_count(void);

/*
 * Loads a program for uprobes, or for samples. If the kernel refuses it, error has the kernel's
 * message about the last instruction that it checked.
 */
int bpf_load(const struct bpf_insn *code, size_t count, unsigned flags, struct error *error);

/* A function of the kernel or of a module, as its BTF describes it. */
struct bpf_function {
	uint32_t number;    /* of its type, in the BTF */
	int module;         /* descriptor of the module's BTF; 0: the kernel's own */
	bool is_return;     /* when it returns */
	bool is_tracepoint; /* not a function: number is a tracepoint's type (btf_trace_NAME) */
	bool is_iterator;   /* bpf_iter_NAME, for a program that bpf_iterate() runs */
};

/*
 * The same for a program that will be attached to a function, by bpf_attach_raw(program, NULL).
 * -EPERM: the kernel allows none there.
 */
int bpf_load_function(const struct bpf_insn *code, size_t count,
	const struct bpf_function *function, struct error *error);

/* The same for either, without an error text: function is NULL for a program for uprobes. */
int bpf_try_load(const struct bpf_insn *code, size_t count, unsigned flags,
	const struct bpf_function *function);

/*
 * Runs a program that was loaded for an iterator over everything that it goes through, and takes
 * what it has written, as far as that fits. Returns its bytes, or a negative errno.
 */
int bpf_iterate(int program, void *bytes, size_t size);

/* Opens the BTF of a module and returns its descriptor, or -ENOENT if the kernel has none of that
 * name. */
int bpf_module_types(const char *module);

/* Runs a program that was loaded as BPF_RAW once, in this thread. *returned: what it returns. */
int bpf_run(int program, uint32_t *returned);

/* Returns how often the kernel skipped the program because the same processor was already running
 * it. */
uint64_t bpf_missed(int program);

/* Where to attach a program, in one file. The arrays have `count` elements each. */
struct bpf_sites {
	const char *path;
	const uint64_t *offsets;
	const uint64_t *semaphores; /* offsets in the file; NULL: no site has one */
	const uint64_t *cookies;
	uint32_t count;
	bool is_return; /* when the functions at the offsets return */
	uint32_t pid;   /* 0: all processes */
};

/* One link for all sites. */
int bpf_attach_sites(int program, const struct bpf_sites *sites);

/* The same for site number `index` alone, for kernels without links for several sites. */
int bpf_attach_site(int program, const struct bpf_sites *sites, uint32_t index);

/*
 * Runs the program at each period (ns) on one processor, where it interrupts what runs there.
 * -ENODEV: there is no such processor now.
 */
int bpf_attach_clock(int program, int processor, uint64_t period, uint64_t cookie);

/* Attaches a program to a tracepoint of the kernel's, whose arguments it gets as they are.
 * tracepoint NULL: attaches it to what it was loaded for, by bpf_load_function(). */
int bpf_attach_raw(int program, const char *tracepoint);

/*
 * Closes descriptors, many of them from several threads, because each may take long. Returns when
 * all are closed: a thread that is closing a link when the process ends leaves the kernel's probe
 * in place.
 */
void bpf_close_all(const int *descriptors, size_t count);

#endif
