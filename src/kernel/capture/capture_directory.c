/*
 * capture_directory.c: see capture_directory.h.
 *
 * A path is captured as texts one after the other: first "/" if the directory has been removed, or
 * "" if not, then the names, the last one of the path first. While they are written, the part's
 * length in the record is the place of the next text. The head's time is not known yet, so the sum
 * of the first walk is kept in its place.
 *
 * All is read by bpf_probe_read_kernel(), which fails where nothing can be read.
 */
#include "kernel/capture/capture_directory.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "kernel/bpf/btf_lookup.h"
#include "kernel/capture/capture_generator.h"

enum {
	TRIES = 2,
	STEPS = 96,       /* names and mounts; longer paths are not captured */
	NAME_BYTES = 256, /* the longest name, with its NUL */
	ENTRY_BYTES = 24, /* of a struct dentry: d_parent, d_name.hash_len and d_name.name */
	MOUNT_BYTES = 64, /* of a struct mount, at most: mnt_parent, mnt_mountpoint, mnt.mnt_root */
	REMOVED = '/',
	HASH_FACTOR = 1000003
};

/* ---- the kernel's structs ---- */

enum {
	TASK_FS,
	FS_PWD,
	FS_ROOT,
	PATH_MNT,
	PATH_DENTRY,
	DENTRY_PARENT,
	DENTRY_INODE,
	DENTRY_HASH,
	HASH_PPREV,
	QSTR_NAME,
	VFSMOUNT_ROOT,
	MOUNT_OWN,
	MOUNT_PARENT,
	MOUNT_MOUNTPOINT,
	COUNT
};

static uint32_t least(uint32_t one, uint32_t other)
{
	return one < other ? one : other;
}

static uint32_t most(uint32_t one, uint32_t other)
{
	return one > other ? one : other;
}

int kernel_directory_find(struct kernel_directory_layout *layout, struct error *error)
{
	struct kernel_btf_query q[COUNT] = {
		[TASK_FS] = {KERNEL_BTF_MEMBER, "task_struct", "fs", false, 0, 0},
		[FS_PWD] = {KERNEL_BTF_MEMBER, "fs_struct", "pwd", false, 0, 0},
		[FS_ROOT] = {KERNEL_BTF_MEMBER, "fs_struct", "root", false, 0, 0},
		[PATH_MNT] = {KERNEL_BTF_MEMBER, "path", "mnt", false, 0, 0},
		[PATH_DENTRY] = {KERNEL_BTF_MEMBER, "path", "dentry", false, 0, 0},
		[DENTRY_PARENT] = {KERNEL_BTF_MEMBER, "dentry", "d_parent", false, 0, 0},
		[DENTRY_INODE] = {KERNEL_BTF_MEMBER, "dentry", "d_inode", false, 0, 0},
		[DENTRY_HASH] = {KERNEL_BTF_MEMBER, "dentry", "d_hash", false, 0, 0},
		[HASH_PPREV] = {KERNEL_BTF_MEMBER, "hlist_bl_node", "pprev", false, 0, 0},
		[QSTR_NAME] = {KERNEL_BTF_MEMBER, "qstr", "name", false, 0, 0},
		[VFSMOUNT_ROOT] = {KERNEL_BTF_MEMBER, "vfsmount", "mnt_root", false, 0, 0},
		[MOUNT_OWN] = {KERNEL_BTF_MEMBER, "mount", "mnt", false, 0, 0},
		[MOUNT_PARENT] = {KERNEL_BTF_MEMBER, "mount", "mnt_parent", false, 0, 0},
		[MOUNT_MOUNTPOINT] = {KERNEL_BTF_MEMBER, "mount", "mnt_mountpoint", false, 0, 0}};
	uint32_t top, first, last; /* in struct mount */
	bool all = true;

	kernel_btf_find(q, COUNT);
	top = q[MOUNT_OWN].result + q[VFSMOUNT_ROOT].result;
	for (unsigned i = 0; i < COUNT; i++)
		all &= q[i].is_found;
	/*
	 * The name, a struct qstr of 16 bytes, is in a union without a name in newer kernels. It
	 * lies between the two members.
	 */
	all &= q[DENTRY_INODE].result == q[DENTRY_PARENT].result + 8 + 16 &&
		q[QSTR_NAME].result == 8;
	first = least(least(q[MOUNT_PARENT].result, q[MOUNT_MOUNTPOINT].result), top);
	last = most(most(q[MOUNT_PARENT].result, q[MOUNT_MOUNTPOINT].result), top);
	all &= last - first <= MOUNT_BYTES - 8;
	*layout = (struct kernel_directory_layout){.directories = q[TASK_FS].result,
		.current = q[FS_PWD].result,
		.root = q[FS_ROOT].result,
		.mount = q[PATH_MNT].result,
		.entry = q[PATH_DENTRY].result,
		.parent = q[DENTRY_PARENT].result,
		.chained = q[DENTRY_HASH].result + q[HASH_PPREV].result,
		.top = q[VFSMOUNT_ROOT].result,
		.own = q[MOUNT_OWN].result,
		.mount_begin = first,
		.mount_bytes = last - first + 8,
		.mount_parent = q[MOUNT_PARENT].result,
		.mountpoint = q[MOUNT_MOUNTPOINT].result};
	return all ? 0
		   : error_set(error, ENOTSUP,
			     "cwd, root: the kernel does not tell where it keeps a process's "
			     "directories (/sys/kernel/btf/vmlinux)");
}

/* ---- the program ---- */

/* State that a program keeps while it walks, at the end of the part's room in the record; R9 has
 * its address. */
struct directory_state {
	uint64_t entry, mount; /* addresses of a struct dentry and a struct mount */
	uint64_t sum;          /* of all that the walk has met */
	uint64_t first_sum;    /* that of the walk before */
	uint64_t parent, hash, name;
	uint64_t mounted[MOUNT_BYTES / 8]; /* of the struct mount */
};

struct directory_walk {
	struct kernel_generator *g;
	const struct kernel_part *part;
	const struct kernel_directory_layout *layout;
	uint32_t length_place, end; /* in the record: of the part's length; of the names at most */
	uint32_t fail;
};

#define STATE(member) ((int)offsetof(struct directory_state, member))

/* Reads memory of the kernel, `offset` bytes after the address in R3, into the state. */
static void read_kernel(const struct directory_walk *walk, int to, uint32_t bytes, uint32_t offset)
{
	struct bpf_code *code = walk->g->code;

	bpf_operate_value(code, BPF_ADD, BPF_REG_3, (int32_t)offset);
	bpf_move(code, BPF_REG_1, BPF_REG_9);
	bpf_operate_value(code, BPF_ADD, BPF_REG_1, to);
	bpf_set(code, BPF_REG_2, bytes);
	bpf_call(code, BPF_FUNC_probe_read_kernel);
	bpf_jump_if_value(code, BPF_JNE, BPF_REG_0, 0, walk->fail);
}

static void get_state(const struct directory_walk *walk, int to, int from)
{
	bpf_read(walk->g->code, to, BPF_REG_9, from, 8);
}

static void put_state(const struct directory_walk *walk, int to, int from)
{
	bpf_write(walk->g->code, BPF_REG_9, to, from, 8);
}

/* Adds a member of the state to the sum of what the walk has met. */
static void sum_up(const struct directory_walk *walk, int member)
{
	get_state(walk, BPF_REG_1, member);
	get_state(walk, BPF_REG_2, STATE(sum));
	bpf_operate_value(walk->g->code, BPF_MUL, BPF_REG_2, HASH_FACTOR);
	bpf_operate(walk->g->code, BPF_ADD, BPF_REG_2, BPF_REG_1);
	put_state(walk, STATE(sum), BPF_REG_2);
}

/* Leaves the address for the next name in R1; there is room for a name. */
static void find_place(const struct directory_walk *walk)
{
	struct bpf_code *code = walk->g->code;

	bpf_read(code, BPF_REG_1, BPF_REG_7, (int)walk->length_place, 4);
	bpf_jump_if_value(code, BPF_JGT, BPF_REG_1, (int32_t)(walk->end - NAME_BYTES), walk->fail);
	bpf_operate(code, BPF_ADD, BPF_REG_1, BPF_REG_7);
}

/* Moves the place after R0 bytes have been written. */
static void move_place(const struct directory_walk *walk)
{
	struct bpf_code *code = walk->g->code;

	bpf_read(code, BPF_REG_1, BPF_REG_7, (int)walk->length_place, 4);
	bpf_operate(code, BPF_ADD, BPF_REG_1, BPF_REG_0);
	bpf_write(code, BPF_REG_7, (int)walk->length_place, BPF_REG_1, 4);
}

static void copy_name(const struct directory_walk *walk)
{
	struct bpf_code *code = walk->g->code;

	find_place(walk);
	bpf_set(code, BPF_REG_2, NAME_BYTES);
	get_state(walk, BPF_REG_3, STATE(name));
	bpf_call(code, BPF_FUNC_probe_read_kernel_str);
	bpf_jump_if_value(code, BPF_JSLE, BPF_REG_0, 0, walk->fail);
	move_place(walk);
}

/* Writes whether the directory has been removed: then it is in no chain, just as roots of file
 * systems. */
static void write_removed(const struct directory_walk *walk)
{
	struct bpf_code *code = walk->g->code;
	uint32_t present = bpf_label(code);

	get_state(walk, BPF_REG_3, STATE(entry));
	read_kernel(walk, STATE(hash), 8, walk->layout->chained);
	get_state(walk, BPF_REG_3, STATE(entry));
	read_kernel(walk, STATE(parent), 8, walk->layout->parent);
	find_place(walk);
	bpf_write_value(code, BPF_REG_1, 0, 0, 1);
	bpf_set(code, BPF_REG_0, 1);
	get_state(walk, BPF_REG_2, STATE(hash));
	bpf_jump_if_value(code, BPF_JNE, BPF_REG_2, 0, present);
	get_state(walk, BPF_REG_2, STATE(parent));
	get_state(walk, BPF_REG_3, STATE(entry));
	bpf_jump_if(code, BPF_JEQ, BPF_REG_2, BPF_REG_3, present);
	bpf_write_value(code, BPF_REG_1, 0, REMOVED, 2);
	bpf_set(code, BPF_REG_0, 2);
	bpf_place(code, present);
	move_place(walk);
}

/* Leaves an address in R3. Returns the offset of the struct path from there. */
static uint32_t find_path(const struct directory_walk *walk)
{
	const struct kernel_directory_layout *layout = walk->layout;
	struct bpf_code *code = walk->g->code;

	if (walk->part->kind >= KERNEL_PART_PATH) {
		kernel_generate_piece(walk->g, walk->part);
		return 0;
	}
	bpf_call(code, BPF_FUNC_get_current_task);
	bpf_move(code, BPF_REG_3, BPF_REG_0);
	read_kernel(walk, STATE(mount), 8, layout->directories);
	get_state(walk, BPF_REG_3, STATE(mount));
	return walk->part->kind == KERNEL_PART_ROOT ? layout->root : layout->current;
}

static void begin_walk(const struct directory_walk *walk)
{
	const struct kernel_directory_layout *layout = walk->layout;
	struct bpf_code *code = walk->g->code;
	uint32_t offset;

	bpf_set(code, BPF_REG_1, 0);
	put_state(walk, STATE(sum), BPF_REG_1);
	offset = find_path(walk);
	read_kernel(walk, STATE(entry), 8, offset + layout->entry);
	offset = find_path(walk);
	read_kernel(walk, STATE(mount), 8, offset + layout->mount);
	if (walk->part->kind == KERNEL_PART_MOUNT) {
		get_state(walk, BPF_REG_3, STATE(mount));
		read_kernel(walk, STATE(entry), 8, layout->top);
	}
	get_state(walk, BPF_REG_1, STATE(mount));
	bpf_operate_value(code, BPF_SUB, BPF_REG_1, (int32_t)layout->own);
	put_state(walk, STATE(mount), BPF_REG_1);
}

/* Moves from the root of a file system to the entry that it is mounted on; ends at the top. */
static void leave_mount(const struct directory_walk *walk, uint32_t done)
{
	const struct kernel_directory_layout *layout = walk->layout;
	const int window = STATE(mounted) - (int)layout->mount_begin;

	get_state(walk, BPF_REG_1, window + (int)layout->mount_parent);
	get_state(walk, BPF_REG_2, STATE(mount));
	bpf_jump_if(walk->g->code, BPF_JEQ, BPF_REG_1, BPF_REG_2, done);
	put_state(walk, STATE(mount), BPF_REG_1);
	get_state(walk, BPF_REG_1, window + (int)layout->mountpoint);
	put_state(walk, STATE(entry), BPF_REG_1);
}

static void leave_directory(const struct directory_walk *walk, bool copies)
{
	struct bpf_code *code = walk->g->code;

	get_state(walk, BPF_REG_3, STATE(entry));
	read_kernel(walk, STATE(parent), ENTRY_BYTES, walk->layout->parent);
	sum_up(walk, STATE(hash));
	if (copies)
		copy_name(walk);
	get_state(walk, BPF_REG_1, STATE(parent));
	get_state(walk, BPF_REG_2, STATE(entry));
	bpf_jump_if(code, BPF_JEQ, BPF_REG_1, BPF_REG_2, walk->fail);
	put_state(walk, STATE(entry), BPF_REG_1);
}

/* Walks from the directory to the top. */
static void walk_up(const struct directory_walk *walk, bool copies)
{
	const struct kernel_directory_layout *layout = walk->layout;
	struct bpf_code *code = walk->g->code;
	uint32_t step = bpf_label(code), next = bpf_label(code), mounted = bpf_label(code);
	uint32_t done = bpf_label(code);
	int counter;

	begin_walk(walk);
	if (copies)
		write_removed(walk);
	/* from a register: older kernels do not know the value of a constant on the stack */
	counter = stack_slot_take(&walk->g->slots, STACK_SLOT_STEP);
	bpf_set(code, BPF_REG_1, 0);
	bpf_write(code, BPF_REG_10, counter, BPF_REG_1, 8);
	bpf_place(code, step);
	sum_up(walk, STATE(entry));
	sum_up(walk, STATE(mount));
	get_state(walk, BPF_REG_3, STATE(mount));
	read_kernel(walk, STATE(mounted), layout->mount_bytes, layout->mount_begin);
	get_state(walk, BPF_REG_1,
		STATE(mounted) + (int)(layout->own + layout->top - layout->mount_begin));
	get_state(walk, BPF_REG_2, STATE(entry));
	bpf_jump_if(code, BPF_JEQ, BPF_REG_1, BPF_REG_2, mounted);
	leave_directory(walk, copies);
	bpf_jump(code, next);
	bpf_place(code, mounted);
	leave_mount(walk, done);
	bpf_place(code, next);
	bpf_read(code, BPF_REG_1, BPF_REG_10, counter, 8);
	bpf_operate_value(code, BPF_ADD, BPF_REG_1, 1);
	bpf_write(code, BPF_REG_10, counter, BPF_REG_1, 8);
	bpf_jump_if_value(code, BPF_JLT, BPF_REG_1, STEPS, step);
	bpf_jump(code, walk->fail);
	stack_slot_give_back(&walk->g->slots, STACK_SLOT_STEP);
	bpf_place(code, done);
}

/* Returns the end of a path if all paths before it have their greatest length. */
static uint32_t part_end(const struct kernel_plan *plan, uint32_t part)
{
	uint32_t end = plan->begin;

	for (uint32_t i = 0; i <= part; i++)
		end += plan->parts[i].kind < KERNEL_PART_DIRECTORY ? 0 : plan->parts[i].length;
	return end & ~7u;
}

void kernel_directory_generate(struct kernel_generator *g, uint32_t part)
{
	const struct kernel_directory_layout *layout = &g->maps->directories;
	struct bpf_code *code = g->code;
	struct directory_walk walk = {.g = g,
		.part = &g->plan->parts[part],
		.layout = layout,
		.length_place = g->plan->lengths + 4 * part,
		.end = part_end(g->plan, part) - (uint32_t)sizeof(struct directory_state),
		.fail = bpf_label(code)};
	uint32_t found = bpf_label(code), end = bpf_label(code);

	bpf_move(code, BPF_REG_9, BPF_REG_7);
	bpf_operate_value(code, BPF_ADD, BPF_REG_9, (int32_t)walk.end);
	for (unsigned i = 0; i < TRIES; i++) {
		bpf_write(code, BPF_REG_7, (int)walk.length_place, BPF_REG_8, 4);
		walk_up(&walk, true);
		get_state(&walk, BPF_REG_1, STATE(sum));
		put_state(&walk, STATE(first_sum), BPF_REG_1);
		walk_up(&walk, false);
		get_state(&walk, BPF_REG_1, STATE(sum));
		get_state(&walk, BPF_REG_2, STATE(first_sum));
		bpf_jump_if(code, BPF_JEQ, BPF_REG_1, BPF_REG_2, found);
	}
	bpf_place(code, walk.fail);
	bpf_set(code, BPF_REG_0, 0);
	bpf_jump(code, end);
	bpf_place(code, found);
	bpf_read(code, BPF_REG_0, BPF_REG_7, (int)walk.length_place, 4);
	bpf_operate(code, BPF_SUB, BPF_REG_0, BPF_REG_8);
	bpf_place(code, end);
	kernel_generate_advance(g, walk.length_place, g->plan->parts[part].length);
}

/* ---- the path ---- */

const char *kernel_directory_path(struct arena *arena, const unsigned char *bytes, uint32_t length)
{
	static const char removed[] = " (deleted)";
	bool is_removed = length && bytes[0] == REMOVED;
	uint32_t begin = is_removed ? 2 : 1, at = length;
	char *path, *next;

	/* Each name's NUL makes room for the '/' before it. */
	if (length < begin || bytes[length - 1])
		return NULL;
	path = arena_get(arena, length + sizeof(removed) + 2);
	next = path;
	while (path && at > begin) {
		uint32_t end = --at; /* of a name: its NUL */

		while (at > begin && bytes[at - 1])
			at--;
		*next++ = '/';
		memcpy(next, bytes + at, end - at);
		next += end - at;
	}
	if (path && next == path)
		*next++ = '/';
	if (path)
		memcpy(next, is_removed ? removed : "", is_removed ? sizeof(removed) : 1);
	return path;
}
