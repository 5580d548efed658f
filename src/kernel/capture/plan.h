/*
 * plan.h: what a BPF program captures when a probe fires, and where in its record. A plan follows
 * from what the clauses of one probe need and from where one site has its arguments. Sites with
 * equal plans share a program.
 *
 * A record has these parts, in this order: a head; the arguments; the process's identity, the
 * registers, and the thread's CPU clock and address if they are wanted; a length for each part that
 * is not an argument; pieces of memory of fixed length; and parts whose length differs from event
 * to event (strings, stacks, paths), each on an 8-byte boundary. Parts whose addresses the clauses'
 * own code computes (follow.h) are read late: after all others, in the order of that code. Each of
 * them has a struct kernel_late among the parts of fixed length.
 */
#ifndef VMTAP_KERNEL_CAPTURE_PLAN_H
#define VMTAP_KERNEL_CAPTURE_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/site/probe_site.h"
#include "source/request.h"

struct error;

enum {
	KERNEL_PARTS_MAX = D_DEMAND_PIECES_MAX + 4, /* pieces, stacks and directories */
	KERNEL_CAPTURE_MAX = 48 << 10, /* bytes of a record; limited by the kernel's task maps */
	KERNEL_FRAMES_MAX = 127,       /* the most that the kernel follows */
	KERNEL_PROGRAM_FRAMES = 6,     /* the most frames of a stack that only run the program */
	KERNEL_READS_MAX = 128,        /* instructions of clauses that are followed */
	KERNEL_STACK_PAGES = 4 /* of the user stack, besides the rest of the innermost page */
};

/* The head of every record. */
struct kernel_head {
	uint64_t time; /* CLOCK_MONOTONIC; taken after the record has its place among the others */
	uint32_t site; /* the cookie */
	uint32_t tid, pid;
	uint16_t cpu, kind; /* enum kernel_record_kind */
};

enum kernel_record_kind {
	KERNEL_RECORD_EVENT,
	KERNEL_RECORD_FAULT,
	KERNEL_RECORD_UPDATE,
	KERNEL_RECORD_END /* only a head: the thread has ended; its site means nothing */
};

/* A fault of a clause that a program carries out. */
struct kernel_fault {
	struct kernel_head head;
	uint32_t clause, code; /* enum d_fault */
	uint64_t offset, value;
};

/* Identity of the process, if it is wanted. */
struct kernel_identity {
	uint32_t uid, gid;
	uint32_t ppid; /* 0: not known, because the kernel's pids are not ours */
	uint32_t unused;
	char name[16]; /* the kernel's name for the process */
};

enum kernel_part_kind {
	KERNEL_PART_MEMORY,  /* bytes of a fixed number */
	KERNEL_PART_COUNTED, /* a number of bytes that an argument gives */
	KERNEL_PART_STRING,
	KERNEL_PART_KERNEL_STACK, /* return addresses */
	KERNEL_PART_STACK_COPY,   /* the top of the user stack, for unwinding (usdt/unwind/unwind.h)
				   */
	KERNEL_PART_WORDS,        /* the program's arguments (capture_words.h) */
	/* paths (capture_directory.h) */
	KERNEL_PART_DIRECTORY, /* of the current directory */
	KERNEL_PART_ROOT,      /* of the root directory */
	KERNEL_PART_PATH,      /* of the file whose struct path is at an address */
	KERNEL_PART_MOUNT      /* where the file system of that file is mounted */
};

/* Describes a part that is read late. */
struct kernel_late {
	uint64_t address, count; /* as computed, if they are; count: of bytes */
	uint64_t place;          /* in the record, if it differs in length */
};

enum { KERNEL_COUNT_COMPUTED = UINT16_MAX /* a part's counter: its struct kernel_late has it */ };

struct kernel_part {
	enum kernel_part_kind kind;
	enum d_piece_base from; /* memory and strings: see struct d_piece */
	/* base is a part's number. Computed: the number of the instruction, and of its clause. */
	uint32_t base, at;
	int64_t offset, more;
	int64_t index_scale;
	uint32_t index; /* see struct d_piece */
	int32_t index_bits;
	uint32_t counter; /* the number of an argument + 1; 0: none */
	uint32_t length;  /* bytes at most; of a string with its NUL */
	uint32_t place;   /* in the record; 0: it differs from event to event */
	uint32_t late;    /* it is read late: number of its struct kernel_late + 1; 0: it is not */
};

/* An instruction of a clause that is followed, and the part that it reads. */
struct kernel_read {
	uint32_t clause, instruction; /* counted from the predicate's first */
	uint32_t part;
	uint16_t address, count; /* registers of D that have them, if they are computed */
};

struct kernel_plan {
	uint32_t pid;         /* the only process that is wanted; 0: any */
	bool is_sample;       /* of what runs on a processor, by a timer: it never sleeps */
	bool is_machine;      /* at a tracepoint: it never sleeps */
	bool is_call;         /* of system calls */
	bool is_function;     /* at a function of the kernel's; is_machine too */
	bool is_return;       /* when they return */
	bool is_guarded;      /* the site has a guard */
	bool notes;           /* see struct kernel_site */
	bool sleeps;          /* user memory is read, which may have to be fetched from disk */
	uint32_t user_frames; /* of the user stack; all registers are captured with it */
	bool has_registers;
	bool has_identity;
	bool has_cpu_clock;
	bool has_thread;   /* its address in the kernel */
	bool reads_kernel; /* addresses may be the kernel's */
	bool has_directories;
	bool has_words;  /* the program's arguments */
	uint32_t number; /* of the site + 1, at a tracepoint; 0: there are several */
	struct kernel_condition conditions[KERNEL_CONDITIONS_MAX];
	uint8_t argument_count;
	struct kernel_operand arguments[KERNEL_ARGUMENTS_MAX];
	uint32_t part_count;
	struct kernel_part parts[KERNEL_PARTS_MAX];
	uint32_t read_count;
	struct kernel_read reads[KERNEL_READS_MAX];
	uint32_t late_count;
	uint32_t late;       /* the place of an array of struct kernel_late */
	uint32_t identity;   /* the place of a struct kernel_identity in the record */
	uint32_t registers;  /* that of the registers */
	uint32_t cpu_clock;  /* that of a struct kernel_clock (cpu_time.h) */
	uint32_t thread;     /* that of the thread's address */
	uint32_t lengths;    /* the place of the parts' lengths, each an int32_t */
	uint32_t begin;      /* of what differs in length; the record's size if nothing does */
	uint32_t limit;      /* the record's greatest size */
	bool ships;          /* a clause needs a record */
	bool sends_stacks;   /* with updates of aggregations (sent_updates.h) */
	bool looks_at_clock; /* the same for where its CPU time is kept */
	bool looks_at_task;  /* what the program carries out needs struct kernel_layout */
	bool clauses_sleep;  /* as sleeps, for what the program does before it makes a record */
	uint32_t clauses;    /* number of a set in the reduction; 0: there is only the record */
	bool names_site;     /* what the program does for clauses needs the site's number */
	bool ships_first;    /* clauses are carried out after the record has been sent, because one
				that writes to the process comes after one that needs a record */
	uint32_t hit;        /* the counter that an event sets to 1 (capture.h); 0: none */
};

/*
 * Makes the plan for a site from the wants of its probe. Returns 0, -ENOTSUP if a wanted argument
 * cannot be read (*argument is its number), or -E2BIG if the wants ask for more than a record can
 * hold.
 */
int kernel_plan_make(struct kernel_plan *plan, const struct kernel_site *site,
	const struct source_want *wants, size_t count, unsigned *argument);

/* Reports that no plan can be made for the probe of this name, because the records are too long
 * (-E2BIG) or an address is not known when the probe fires (-ENOTSUP). Returns the reason. */
int kernel_plan_refuse(const char *name, int reason, struct error *error);

#endif
