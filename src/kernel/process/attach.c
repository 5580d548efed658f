/*
 * attach.c: see attach.h. Sites of one file with equal plans share a program and a
 * link, because each link takes the kernel long to close.
 */
#include "kernel/process/attach.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/debug.h"
#include "base/error.h"
#include "kernel/reduce/reduce.h"
#include "kernel/site/nop.h"

/*
 * The kernel takes some 50 ms to close a link, during which it only waits, and some 3 us for each
 * of its sites, during which it holds a lock that all links share; if threads compete for the lock,
 * it takes 15 us. So links with few sites are closed at the same time, and those with many one
 * after the other.
 */
enum { LARGE_LINK_SITES = 4096 };

static int out_of_memory(struct error *error)
{
	return error_set(error, ENOMEM, "out of memory");
}

/* Writes the name of a probe, such as "python123:libc.so.6:main:entry". */
static void name_probe(const struct d_probe_set *set, uint32_t probe, char *text, size_t size)
{
	const struct d_probe *named = &set->probes[probe];

	snprintf(text, size, "%s:%s:%s:%s", named->provider, named->module, named->function,
		named->name);
}

/* ---- plans ---- */

static int find_plan(struct kernel_attachment *attachment, const struct kernel_plan *plan)
{
	for (size_t i = 0; i < attachment->plan_count; i++)
		if (!memcmp(&attachment->plans[i], plan, sizeof(*plan)))
			return (int)i;
	if (array_room(&attachment->plans, &attachment->plan_capacity, attachment->plan_count,
		    sizeof(*plan)))
		return -ENOMEM;
	attachment->plans[attachment->plan_count] = *plan;
	return (int)attachment->plan_count++;
}

/* Returns the operand of a site's argument, as its note has it. */
static const struct operand_argument *find_operand(
	const struct usdt_object *object, uint64_t offset, unsigned argument)
{
	const struct usdt_image *image = object->image;

	for (size_t i = 0; image && i < image->site_count; i++)
		if (image->sites[i].code.offset == offset &&
			argument < image->sites[i].argument_count)
			return &image->sites[i].arguments[argument];
	return NULL;
}

static int tell_operand(const char *name, const struct usdt_object *object,
	const struct kernel_site *site, unsigned argument, struct error *error)
{
	const struct operand_argument *operand = find_operand(object, site->offset, argument);
	bool is_unresolved = site->arguments[argument].kind == KERNEL_OPERAND_UNRESOLVED;

	if (!operand)
		return error_set(error, ENOTSUP,
			"%s: arg%u cannot be read at offset 0x%llx of %s: the function leaves "
			"there "
			"by a jump to another one, which returns the value",
			name, argument, (unsigned long long)site->offset, object->path);
	return error_set(error, ENOTSUP,
		"%s: arg%u cannot be read at offset 0x%llx of %s: %s operand '%.*s' %s", name,
		argument, (unsigned long long)site->offset, object->path,
		is_unresolved ? "the symbol of its" : "its", (int)operand->text_length,
		operand->text,
		is_unresolved ? "is not in the file's symbol table, or several symbols have "
				"that name"
			      : "has a form that the kernel source cannot read");
}

static int tell_plan(const struct d_probe_set *set, const struct kernel_target *target,
	const struct kernel_site *site, int reason, unsigned argument, struct error *error)
{
	char name[512];

	name_probe(set, site->probe, name, sizeof(name));
	if (reason == -ENOTSUP)
		return tell_operand(name, target->files[site->file].object, site, argument, error);
	return kernel_plan_refuse(name, -E2BIG, error);
}

/* Returns true if a probe's name says that something begins, as method-entry does. */
static bool begins_something(const char *name)
{
	static const char *const ends[] = {"entry", "begin", "start"};
	size_t length = strlen(name);

	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
		if (length >= strlen(ends[i]) && !strcmp(name + length - strlen(ends[i]), ends[i]))
			return true;
	return false;
}

static int plan_site(struct kernel_attachment *attachment, struct kernel_target *target,
	const struct d_probe_set *set, const struct kernel_site *site,
	const struct source_want *wants, size_t count, struct error *error)
{
	struct kernel_plan plan;
	unsigned argument = 0;
	int result = kernel_plan_make(&plan, site, wants, count, &argument), number;

	if (result)
		return tell_plan(set, target, site, result, argument, error);
	if (kernel_clauses_plan(
		    attachment->maps.reduction, wants, count, &set->probes[site->probe], &plan))
		return out_of_memory(error);
	plan.hit = attachment->hit_counter(&set->probes[site->probe]);
	number = find_plan(attachment, &plan);
	if (number < 0 ||
		array_room(&attachment->sites, &attachment->site_capacity, attachment->site_count,
			sizeof(*attachment->sites)))
		return out_of_memory(error);
	attachment->sites[attachment->site_count++] = (struct kernel_attached){.site = site,
		.plan = (uint32_t)number,
		.begins = begins_something(set->probes[site->probe].name)};
	return 0;
}

/* Checks the pieces: memory at an address that only the clause knows cannot be captured when the
 * probe fires. */
static int check_memory(
	const struct d_probe_set *set, const struct source_want *want, struct error *error)
{
	char name[512];

	if (want->reduced || want->followed || !want->demand || !want->demand->any_memory)
		return 0;
	name_probe(set, want->probe, name, sizeof(name));
	return kernel_plan_refuse(name, -ENOTSUP, error);
}

static int plan_all(struct kernel_attachment *attachment, struct kernel_target *target,
	const struct d_probe_set *set, const struct source_request *request, struct error *error)
{
	int result = 0;

	for (size_t i = 0; i < target->site_count && !result; i++) {
		const struct kernel_site *site = &target->sites[i];
		size_t first = source_request_find(request, site->probe), end;

		if (first == request->want_count)
			continue;
		end = source_request_next(request, first);
		for (size_t j = first; j < end && !result; j++)
			result = check_memory(set, &request->wants[j], error);
		if (!result)
			result = plan_site(attachment, target, set, site, &request->wants[first],
				end - first, error);
	}
	return result;
}

/* ---- programs ---- */

/*
 * A program may wait until the guard of a probe is raised, and fire then, so sites with guards are
 * open from the start.
 */
static int open_guarded(const struct kernel_attachment *attachment, uint32_t counter_count)
{
	const uint32_t index = 0;
	bool has_guard = false;
	uint64_t *counters;
	int result;

	for (size_t i = 0; i < attachment->site_count; i++)
		has_guard |= attachment->sites[i].site->semaphore != 0;
	if (!has_guard)
		return 0;
	counters = calloc(counter_count, sizeof(*counters));
	if (!counters)
		return -ENOMEM;
	counters[KERNEL_COUNTER_OPEN_GUARDED] = 1;
	result = bpf_map_set(attachment->maps.counters, &index, counters);
	free(counters);
	return result;
}

static int make_maps(
	struct kernel_attachment *attachment, int ring, uint32_t wake_bytes, struct error *error)
{
	struct kernel_maps *maps = &attachment->maps;
	uint32_t task_bytes = 0, counters = KERNEL_COUNTER_SITES + (uint32_t)attachment->site_count;

	maps->ring = ring;
	maps->wake_bytes = wake_bytes;
	maps->site_count = (uint32_t)attachment->site_count;
	for (size_t i = 0; i < attachment->plan_count; i++) {
		const struct kernel_plan *plan = &attachment->plans[i];

		if (plan->ships && plan->limit > task_bytes)
			task_bytes = plan->limit;
		if (plan->clauses && task_bytes < maps->reduction->sent_bytes)
			task_bytes = maps->reduction->sent_bytes;
	}
	maps->counters = bpf_map(BPF_MAP_TYPE_ARRAY, 4, 8 * counters, 1, BPF_F_MMAPABLE);
	maps->task = task_bytes ? bpf_task_map(task_bytes) : -1;
	if (maps->counters < 0 || (task_bytes && maps->task < 0)) {
		int result = maps->counters < 0 ? maps->counters : maps->task;
		return error_set(
			error, -result, "the kernel refuses a BPF map: %s", strerror(-result));
	}
	if (open_guarded(attachment, counters))
		return error_set(error, ENOMEM, "out of memory");
	return 0;
}

static int load_plan(struct kernel_attachment *attachment, size_t number, struct error *error)
{
	const struct kernel_plan *plan = &attachment->plans[number];
	unsigned flags = (plan->sleeps || plan->clauses_sleep ? BPF_SLEEPS : 0) |
		bpf_uprobe_flags(&attachment->features);
	struct bpf_code code;
	int result;

	bpf_code_begin(&code);
	kernel_capture_generate(&code, plan, &attachment->maps, &attachment->features);
	result = bpf_code_end(&code);
	if (result)
		error_set(error, -result, "a BPF program: %s", strerror(-result));
	else
		result = bpf_load(code.instructions, code.count, flags, error);
	debug_say(DEBUG_KERNEL, "plan %zu: %zu instructions, %u parts, records of %u to %u bytes%s",
		number, code.count, plan->part_count, plan->begin, plan->limit,
		plan->sleeps ? ", sleeps" : "");
	bpf_code_free(&code);
	if (result >= 0)
		attachment->programs[number] = result;
	return result < 0 ? result : 0;
}

/* ---- links ---- */

/* Orders sites so that those which one link can attach are neighbours. */
static int compare_sites(const void *one, const void *other)
{
	const struct kernel_attached *a = one, *b = other;

	/* those that begin when they are attached are attached last */
	if (!a->site->semaphore != !b->site->semaphore)
		return a->site->semaphore ? 1 : -1;
	/* Ends are attached first. Readers ignore an end whose beginning they have not seen, but a
	 * beginning whose end was missed would seem to last for ever. */
	if (a->begins != b->begins)
		return a->begins ? 1 : -1;
	if (a->site->file != b->site->file)
		return a->site->file < b->site->file ? -1 : 1;
	if (a->plan != b->plan)
		return a->plan < b->plan ? -1 : 1;
	if (a->site->is_return != b->site->is_return)
		return a->site->is_return < b->site->is_return ? -1 : 1;
	return 0;
}

static int keep_link(struct kernel_attachment *attachment, int link, uint32_t sites)
{
	bool is_large = sites >= LARGE_LINK_SITES;
	int **links = is_large ? &attachment->large_links : &attachment->links;
	size_t *count = is_large ? &attachment->large_count : &attachment->link_count;
	size_t *capacity = is_large ? &attachment->large_capacity : &attachment->link_capacity;

	if (array_room(links, capacity, *count, sizeof(**links))) {
		close(link);
		return -ENOMEM;
	}
	(*links)[(*count)++] = link;
	return 0;
}

static int tell_link(const struct kernel_target *target, const struct d_probe_set *set,
	const struct kernel_site *site, int reason, struct error *error)
{
	const char *path = target->files[site->file].object->path, *hint = "";
	char name[512];

	name_probe(set, site->probe, name, sizeof(name));
	if (reason == -EINVAL && site->semaphore)
		hint = ": another tracer may have attached to it without its semaphore, or with "
		       "another";
	else if (reason == -EINVAL)
		hint = ": another tracer may have attached to it with a semaphore";
	return error_set(error, -reason,
		"%s: the kernel does not attach to offset 0x%llx of %s (%s)%s", name,
		(unsigned long long)site->offset, path, strerror(-reason), hint);
}

static int attach_each(
	struct kernel_attachment *attachment, int program, const struct bpf_sites *sites)
{
	int result = 0;

	for (uint32_t i = 0; i < sites->count && !result; i++) {
		int link = bpf_attach_site(program, sites, i);
		result = link < 0 ? link : keep_link(attachment, link, 1);
	}
	return result;
}

/*
 * Finds out, once, whether to attach to sites at their 10-byte nop: some kernels then run the
 * program by a call instead of a trap.
 */
static void ask_long_nop(struct kernel_attachment *attachment)
{
	bool is_asked = attachment->features.long_nop != KERNEL_NOP_UNASKED;

	for (size_t i = 0; i < attachment->site_count && !is_asked; i++) {
		if (!attachment->sites[i].site->has_long_nop)
			continue;
		attachment->features.long_nop =
			(uint8_t)kernel_nop_ask(&attachment->features, KERNEL_NOP_TEN, 0);
		debug_say(DEBUG_KERNEL, "vmtap's own sites: attached at the %s: %s",
			attachment->features.long_nop == KERNEL_NOP_SAFE ? "10-byte nop"
									 : "1-byte nop",
			kernel_nop_text(attachment->features.long_nop));
		is_asked = true;
	}
}

/*
 * Returns where the kernel attaches to a site: at its 1-byte nop, or at the 10-byte nop after it.
 */
static uint64_t place_of(const struct kernel_attachment *attachment, const struct kernel_site *site)
{
	return site->offset +
		(site->has_long_nop && attachment->features.long_nop == KERNEL_NOP_SAFE);
}

/* Returns whether the main thread has ended. The kernel finds the process's memory by that thread,
 * so then the link must be for all processes; programs check the process's id in any case. */
static bool is_headless(const struct kernel_target *target)
{
	return target->process && target->process->thread != target->process->pid;
}

/* Attaches to the sites from first to end by one link. Returns 0 or a negative errno. */
static int attach_linked(struct kernel_attachment *attachment, struct kernel_target *target,
	int file, size_t first, size_t end)
{
	const struct kernel_site *site = attachment->sites[first].site;
	uint64_t *numbers = calloc(3 * (end - first), sizeof(*numbers));
	struct bpf_sites sites = {.offsets = numbers,
		.semaphores = numbers + (end - first),
		.cookies = numbers + 2 * (end - first),
		.count = (uint32_t)(end - first),
		.is_return = site->is_return,
		.pid = is_headless(target) ? 0 : site->pid};
	int program = attachment->programs[attachment->sites[first].plan], result;
	char path[64];

	if (!numbers)
		return -ENOMEM;
	for (size_t i = first; i < end; i++) {
		numbers[i - first] = place_of(attachment, attachment->sites[i].site);
		numbers[i - first + sites.count] = attachment->sites[i].site->semaphore;
		numbers[i - first + 2 * (size_t)sites.count] = attachment->maps.first_site + i;
	}
	snprintf(path, sizeof(path), "/proc/self/fd/%d", file);
	sites.path = path;
	if (attachment->features.multi) {
		result = bpf_attach_sites(program, &sites);
		if (result >= 0)
			result = keep_link(attachment, result, sites.count);
	} else {
		result = attach_each(attachment, program, &sites);
	}
	free(numbers);
	return result;
}

/*
 * Attaches to the sites from first to end, which may share a link. The kernel refuses a link as a
 * whole if it does not know the instruction of one site. That site is then found by halves, and
 * left out as an obstacle.
 */
static int attach_run(struct kernel_attachment *attachment, struct kernel_target *target,
	const struct d_probe_set *set, size_t first, size_t end, struct error *error)
{
	const struct kernel_site *site = attachment->sites[first].site;
	int file = kernel_target_file(target, site->file);
	int result = file < 0 ? file : attach_linked(attachment, target, file, first, end);
	size_t middle = first + (end - first) / 2;
	bool is_of_one = result == -ENOEXEC || result == -BPF_ENOTSUPP;

	if (!result)
		attachment->attached_count += end - first;
	if (!result || !is_of_one || !attachment->features.multi || attachment->site_count == 1)
		return result ? tell_link(target, set, site, result, error) : 0;
	if (end - first > 1) {
		result = attach_run(attachment, target, set, first, middle, error);
		return result ? result : attach_run(attachment, target, set, middle, end, error);
	}
	tell_link(target, set, site, result, error);
	return kernel_target_add_obstacle(target, site->probe, "%s", error->text)
		? out_of_memory(error)
		: 0;
}

static int attach_all(struct kernel_attachment *attachment, struct kernel_target *target,
	const struct d_probe_set *set, struct error *error)
{
	size_t first = 0, end;
	int result = 0;

	ask_long_nop(attachment);
	for (; first < attachment->site_count && !result; first = end) {
		for (end = first + 1; end < attachment->site_count &&
			!compare_sites(&attachment->sites[first], &attachment->sites[end]);
			end++)
			;
		result = attach_run(attachment, target, set, first, end, error);
	}
	debug_say(DEBUG_KERNEL, "%zu sites, %zu programs, %zu links", attachment->site_count,
		attachment->plan_count, attachment->link_count + attachment->large_count);
	return result;
}

/* Finds out where the kernel keeps what programs read of a thread or a processor. */
static int find_layout(struct kernel_attachment *attachment, struct error *error)
{
	bool has_identity = false, has_clock = false, has_directories = false;

	for (size_t i = 0; i < attachment->plan_count; i++) {
		has_identity |=
			attachment->plans[i].has_identity || attachment->plans[i].looks_at_task;
		has_clock |=
			attachment->plans[i].has_cpu_clock || attachment->plans[i].looks_at_clock;
		has_directories |= attachment->plans[i].has_directories;
	}
	if (has_directories && kernel_directory_find(&attachment->maps.directories, error))
		return -ENOTSUP;
	if (has_identity || has_clock)
		kernel_layout_find(&attachment->maps.layout);
	if (has_clock && !attachment->maps.layout.has_clock)
		return error_set(error, ENOTSUP,
			"vtimestamp: the kernel does not tell where it keeps a thread's CPU time "
			"(/sys/kernel/btf/vmlinux)");
	return 0;
}

static bool has_strings(const struct kernel_plan *plan)
{
	for (uint32_t i = 0; i < plan->part_count; i++)
		if (plan->parts[i].kind == KERNEL_PART_STRING)
			return true;
	return false;
}

int kernel_attach_begin(struct kernel_attachment *attachment, struct kernel_target *target,
	const struct d_probe_set *set, const struct source_request *request, int ring,
	uint32_t wake_bytes, struct error *error)
{
	int result;

	result = plan_all(attachment, target, set, request, error);
	if (result)
		return result;
	/* The order is final before programs are loaded: a site's number is its cookie. */
	if (attachment->site_count)
		qsort(attachment->sites, attachment->site_count, sizeof(*attachment->sites),
			compare_sites);
	attachment->programs = calloc(attachment->plan_count + 1, sizeof(int));
	if (!attachment->programs)
		return out_of_memory(error);
	for (size_t i = 0; i < attachment->plan_count; i++)
		attachment->programs[i] = -1;
	for (size_t i = 0; i < attachment->plan_count && !attachment->features.copy_string; i++) {
		if (!has_strings(&attachment->plans[i]) && !attachment->plans[i].clauses_sleep)
			continue;
		bpf_find_copy_string(&attachment->features);
		break;
	}
	result = find_layout(attachment, error);
	if (result)
		return result;
	result = make_maps(attachment, ring, wake_bytes, error);
	for (size_t i = 0; i < attachment->plan_count && !result; i++)
		result = load_plan(attachment, i, error);
	return result ? result : attach_all(attachment, target, set, error);
}

void kernel_attach_close_large(struct kernel_attachment *attachment)
{
	for (size_t i = 0; i < attachment->large_count; i++)
		close(attachment->large_links[i]);
	attachment->large_count = 0;
}

void kernel_attach_stop(struct kernel_attachment *attachment)
{
	kernel_attach_close_large(attachment);
	bpf_close_all(attachment->links, attachment->link_count);
	attachment->link_count = 0;
}

void kernel_attach_end(struct kernel_attachment *attachment)
{
	kernel_attach_stop(attachment);
	if (attachment->programs)
		bpf_close_all(attachment->programs, attachment->plan_count);
	if (attachment->maps.counters > 0)
		close(attachment->maps.counters);
	if (attachment->maps.task > 0)
		close(attachment->maps.task);
	free(attachment->plans);
	free(attachment->programs);
	free(attachment->sites);
	free(attachment->links);
	free(attachment->large_links);
	*attachment =
		(struct kernel_attachment){.maps = {.counters = -1, .task = -1, .sample = -1}};
}
