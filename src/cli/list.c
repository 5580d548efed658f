/*
 * list.c: `vmtap list`: the probes of binaries and processes, in the layout of
 * `dtrace -l`.
 *
 * Sites are gathered to rows: one row for each (provider, module, function, name), as
 * DTrace counts probes, with the number of its sites. Rows keep the order of the
 * notes. It only looks: nothing is attached, no semaphore is raised.
 */
#include <errno.h>
#include <fnmatch.h>
#include <getopt.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"

#include "base/error.h"
#include "cli/cli.h"
#include "cli/probes.h"
#include "contract/contract.h"
#include "contract/known.h"
#include "contract/promise.h"
#include "usdt/elf/needed.h"
#include "usdt/process/process_names.h"

enum { FIELD_PROVIDER, FIELD_MODULE, FIELD_FUNCTION, FIELD_NAME, FIELDS };

/* One -P, -m, -f or -n: a glob for each field, NULL for any. */
struct filter {
	char *text; /* holds the globs */
	const char *globs[FIELDS];
};

struct row {
	const struct usdt_object *object; /* NULL for a file */
	const struct usdt_image *image;
	const struct usdt_process *process;
	const struct usdt_site *first;
	const char *module;
	char *provider; /* with the pid for a process, as DTrace has it */
	size_t site_count, site_capacity;
	const struct usdt_site **sites;
};

struct listing {
	struct filter *filters;
	size_t filter_count, filter_room;
	struct row *rows;
	size_t row_count, row_capacity;
	bool verbose, json;
	bool incomplete; /* an object of a process could not be read */
	bool any;        /* a probe was there, whether it passed the filters or not */
};

static const char help[] =
	"Usage: vmtap list [OPTION]... FILE|PID...\n"
	"       vmtap list -s SCRIPT... [OPTION OF TRACE]...\n"
	"Lists the USDT probes of binaries and processes, as dtrace -l does; with -s those that\n"
	"D scripts match in a target (-p, -c, --log), as vmtap trace -l does.\n"
	"\n"
	"  -P GLOB        probes of these providers\n"
	"  -m GLOB        probes in these modules: [provider:]module\n"
	"  -f GLOB        probes in these functions: [[provider:]module:]function\n"
	"  -n GLOB        probes of these names: [[[provider:]module:]function:]name\n"
	"                 several filters: probes that pass one of them\n"
	"  -v, --verbose  stability, types; addresses, instructions, semaphores and arguments of\n"
	"                 each site\n"
	"      --json     one JSON document\n"
	"  -h, --help     this text\n"
	"\n"
	"Examples:\n"
	"  vmtap list /usr/bin/python3           all probes of a binary\n"
	"  vmtap list -n 'gc-*' -v 1234          a running process's gc probes, in detail\n"
	"  vmtap list --json libvm.so | jq .     for programs\n"
	"\n"
	"Exit status: 0 probes were found, 1 none, 2 wrong usage, 3 something could not be read.\n";

static void *memory_ended(void)
{
	cli_message("out of memory");
	exit(CLI_CANNOT);
}

/* array_room(), without which nothing can be listed. */
static void list_room(void *array, size_t *capacity, size_t count, size_t size)
{
	if (array_room(array, capacity, count, size))
		memory_ended();
}

/* Fields are given from the right: "-f a:b" is module a, function b. */
static bool add_filter(struct listing *listing, int last_field, const char *text)
{
	struct filter *filter;
	int field = last_field;
	char *end;

	list_room(&listing->filters, &listing->filter_room, listing->filter_count,
		sizeof(*listing->filters));
	filter = &listing->filters[listing->filter_count++];
	memset(filter, 0, sizeof(*filter));
	filter->text = strdup(text);
	if (!filter->text)
		memory_ended();
	for (;; field--) {
		end = strrchr(filter->text, ':');
		if (field < 0)
			return false;
		filter->globs[field] = end ? end + 1 : filter->text;
		if (!filter->globs[field][0])
			filter->globs[field] = NULL; /* an empty field is any */
		if (!end)
			return true;
		*end = 0;
	}
}

static bool matches(const char *glob, const char *text)
{
	return !glob || fnmatch(glob, text, 0) == 0;
}

/* A process's provider is known with its pid and without, a name as D's and the note's. */
static bool passes(const struct listing *listing, const struct usdt_site *site,
	const char *provider, const char *module)
{
	for (size_t i = 0; i < listing->filter_count; i++) {
		const char *const *globs = listing->filters[i].globs;

		if ((matches(globs[FIELD_PROVIDER], provider) ||
			    matches(globs[FIELD_PROVIDER], site->provider)) &&
			matches(globs[FIELD_MODULE], module) &&
			matches(globs[FIELD_FUNCTION], site->function) &&
			(matches(globs[FIELD_NAME], site->name) ||
				matches(globs[FIELD_NAME], site->note_name)))
			return true;
	}
	return listing->filter_count == 0;
}

/* Sites in an order that puts those of one row together, first notes first. */
static int compare_sites(const void *a, const void *b)
{
	const struct usdt_site *x = *(const struct usdt_site *const *)a;
	const struct usdt_site *y = *(const struct usdt_site *const *)b;
	int order = usdt_site_compare(x, y);

	if (order == 0)
		order = strcmp(x->function, y->function);
	if (order == 0)
		order = x < y ? -1 : x > y;
	return order;
}

static int compare_rows(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	return x->first < y->first ? -1 : x->first > y->first;
}

static bool same_row(const struct usdt_site *a, const struct usdt_site *b)
{
	return strcmp(a->provider, b->provider) == 0 && strcmp(a->name, b->name) == 0 &&
		strcmp(a->function, b->function) == 0;
}

static char *provider_text(const struct usdt_site *site, const struct usdt_process *process)
{
	char *text;

	if (!process)
		text = strdup(site->provider);
	else if (asprintf(&text, "%s%d", site->provider, (int)process->pid) < 0)
		text = NULL;
	return text ? text : memory_ended();
}

static void add_image(struct listing *listing, const struct usdt_image *image,
	const struct usdt_process *process, const struct usdt_object *object)
{
	const char *module = probes_module(object ? object->path : image->name);
	const struct usdt_site **sites = calloc(image->site_count, sizeof(*sites));
	size_t first_row = listing->row_count;
	struct row *row = NULL;

	if (!sites)
		memory_ended();
	for (size_t i = 0; i < image->site_count; i++)
		sites[i] = &image->sites[i];
	qsort(sites, image->site_count, sizeof(*sites), compare_sites);
	for (size_t i = 0; i < image->site_count; i++) {
		if (!row || !same_row(row->first, sites[i])) {
			char *provider = provider_text(sites[i], process);

			if (!passes(listing, sites[i], provider, module)) {
				free(provider);
				row = NULL;
				continue;
			}
			list_room(&listing->rows, &listing->row_capacity, listing->row_count,
				sizeof(*listing->rows));
			row = &listing->rows[listing->row_count++];
			*row = (struct row){.object = object,
				.image = image,
				.process = process,
				.first = sites[i],
				.module = module,
				.provider = provider};
		}
		list_room(&row->sites, &row->site_capacity, row->site_count, sizeof(*row->sites));
		row->sites[row->site_count++] = sites[i];
	}
	free(sites);
	if (listing->row_count > first_row)
		qsort(listing->rows + first_row, listing->row_count - first_row, sizeof(*row),
			compare_rows);
}

/* What a process's memory says about a site. */
struct live {
	uint64_t address;           /* 0 when it is not mapped */
	uint64_t semaphore_address; /* likewise */
	bool has_semaphore;         /* its value could be read */
	uint16_t semaphore;
	bool has_form;
	enum site_form form;
};

static void look(const struct row *row, const struct usdt_site *site, struct live *live)
{
	uint8_t bytes[SITE_BYTES];

	memset(live, 0, sizeof(*live));
	if (!row->process)
		return;
	if (site->code.has_offset)
		live->address = usdt_object_address(row->object, site->code.offset, false);
	if (live->address && site->byte_count > 0 &&
		usdt_process_memory(row->process, live->address, bytes, site->byte_count) == 0) {
		live->has_form = true;
		live->form = site_form(row->image->machine, bytes, site->byte_count);
	}
	if (site->semaphore.has_offset)
		live->semaphore_address =
			usdt_object_address(row->object, site->semaphore.offset, true);
	live->has_semaphore = live->semaphore_address &&
		usdt_process_memory(row->process, live->semaphore_address, &live->semaphore,
			sizeof(live->semaphore)) == 0;
}

static void print_place(const char *what, const struct usdt_place *place, uint64_t live)
{
	char text[600];

	printf("\t    %s ", what);
	probes_print(probes_place_text(place, text, sizeof(text)));
	if (place->has_offset)
		printf(", file offset 0x%" PRIx64, place->offset);
	else if (place->relocation && !place->is_mapped)
		printf(", of another object");
	else
		printf(", not in the file");
	if (live)
		printf(", in the process 0x%" PRIx64, live);
}

static const char *visibility_text(enum usdt_visibility visibility)
{
	switch (visibility) {
	case USDT_VISIBILITY_UNKNOWN:
		return "";
	case USDT_VISIBILITY_LOCAL:
		return ", hidden";
	case USDT_VISIBILITY_GLOBAL:
		return ", global";
	}
	return "";
}

static void print_site(const struct row *row, const struct usdt_site *site, size_t number)
{
	struct live live;
	char text[600], type[32];

	look(row, site, &live);
	printf("\tsite %zu of %zu\n", number, row->site_count);
	print_place("address", &site->code, live.address);
	printf(", %s", site_form_text(site->form));
	if (site->form == SITE_OTHER) {
		printf(":");
		for (int i = 0; i < 4 && i < site->byte_count; i++)
			printf(" %02x", site->bytes[i]);
	}
	if (live.has_form && live.form == SITE_BREAKPOINT)
		printf(", traced now");
	putchar('\n');
	if (site->semaphore.is_set) {
		print_place("semaphore", &site->semaphore, live.semaphore_address);
		if (site->semaphore.is_mapped)
			printf(", %s%s", site->semaphore.is_writable ? "writable" : "not writable",
				visibility_text(site->semaphore_visibility));
		if (live.has_semaphore)
			printf(", value %u", live.semaphore);
		putchar('\n');
	} else {
		printf("\t    no semaphore\n");
	}
	for (int i = 0; i < site->argument_count; i++) {
		printf("\t    args[%d]: %s ", i,
			probes_argument_type(&site->arguments[i], type, sizeof(type)));
		probes_print(probes_argument_text(&site->arguments[i], text, sizeof(text)));
		putchar('\n');
	}
	if (site->has_more_arguments)
		printf("\t    more than 12 arguments: the rest is not shown\n");
}

/* The contract that was read last, for the rows of one provider. */
struct known_provider {
	const char *provider; /* NULL: none yet */
	const struct usdt_image *image;
	struct contract *contract;
};

/*
 * The definition of a row's provider: vmtap's own, or the one that the binary carries. NULL: there
 * is none. Valid until the next call.
 */
static const struct contract_provider *find_provider(
	struct known_provider *known, const struct row *row)
{
	const char *name = row->first->provider;
	struct error error;

	if (!known->provider || strcmp(known->provider, name) != 0 || known->image != row->image) {
		contract_free(known->contract);
		known->contract = NULL;
		known->provider = name;
		known->image = row->image;
		if (known_contract_read(name, &known->contract, &error))
			known->contract = usdt_image_contract(row->image, name);
	}
	return known->contract ? contract_find_provider(known->contract, name) : NULL;
}

/* What the definition says of a row's probe, if it fits the site. */
static const struct contract_probe *find_known(struct known_provider *known, const struct row *row)
{
	const struct contract_provider *provider = find_provider(known, row);
	const struct contract_probe *probe =
		provider ? contract_find_probe(provider, row->first->name) : NULL;

	return probe && probe->argument_count == row->first->argument_count ? probe : NULL;
}

/* What is promised of a row's probes: by vmtap's own definitions, D's, or the binary's. */
static struct promise find_promise(struct known_provider *known, const struct row *row)
{
	const struct contract_provider *provider = find_provider(known, row);

	return provider ? promise_of_contract(provider) : *promise_find(row->first->provider);
}

/* A definition's type; where there is none, a note's says no more than size and sign. */
static const char *type_text(const struct contract_probe *probe, const struct usdt_site *site,
	int argument, char *text, size_t size)
{
	if (probe && !probe->arguments[argument].is_typedef)
		return probe->arguments[argument].type;
	return probes_argument_type(&site->arguments[argument], text, size);
}

static void print_types(struct known_provider *known, const struct row *row)
{
	const struct usdt_site *site = row->first;
	const struct contract_probe *probe = find_known(known, row);
	char text[32];

	printf("\n\tArgument Types\n");
	for (int i = 0; i < site->argument_count; i++)
		printf("\t\targs[%d]%s%s: %s\n", i, probe ? " " : "",
			probe ? probe->arguments[i].name : "",
			type_text(probe, site, i, text, sizeof(text)));
	if (!site->argument_count)
		printf("\t\tNone\n");
}

/* The names of the arguments: null where no definition says them. */
static json_t *json_names(struct known_provider *known, const struct row *row)
{
	const struct usdt_site *site = row->first;
	const struct contract_probe *probe = find_known(known, row);
	json_t *names = json_array();

	for (int i = 0; i < site->argument_count; i++)
		json_array_append_new(
			names, probe ? json_string(probe->arguments[i].name) : json_null());
	return names;
}

static json_t *json_types(struct known_provider *known, const struct row *row)
{
	const struct usdt_site *site = row->first;
	const struct contract_probe *probe = find_known(known, row);
	json_t *types = json_array();
	char text[32];

	for (int i = 0; i < site->argument_count; i++)
		json_array_append_new(
			types, json_string(type_text(probe, site, i, text, sizeof(text))));
	return types;
}

static void print_text(const struct listing *listing)
{
	struct known_provider known = {NULL, NULL, NULL};

	if (listing->row_count > 0)
		printf("%5s %10s %17s %33s %s\n", "ID", "PROVIDER", "MODULE", "FUNCTION", "NAME");
	for (size_t i = 0; i < listing->row_count; i++) {
		const struct row *row = &listing->rows[i];
		const char *fields[] = {row->provider, row->module, row->first->function};
		static const int widths[] = {10, 17, 33};

		printf("%5zu ", i + 1);
		for (int j = 0; j < 3; j++) {
			printf("%*s",
				widths[j] - (int)strlen(fields[j]) > 0
					? widths[j] - (int)strlen(fields[j])
					: 0,
				"");
			probes_print(fields[j]);
			putchar(' ');
		}
		probes_print(row->first->name);
		if (row->site_count > 1)
			printf(" (%zu sites)", row->site_count);
		putchar('\n');
		if (listing->verbose && strcmp(row->first->name, row->first->note_name) != 0) {
			printf("\tin the note, and for bpftrace, perf and gdb: ");
			probes_print(row->first->note_name);
			putchar('\n');
		}
		if (listing->verbose) {
			const struct promise promise = find_promise(&known, row);

			promise_print(stdout, &promise, row->module, row->first->function);
			print_types(&known, row);
			putchar('\n');
		}
		for (size_t j = 0; listing->verbose && j < row->site_count; j++)
			print_site(row, row->sites[j], j + 1);
		if (listing->verbose)
			putchar('\n');
	}
	contract_free(known.contract);
}

static json_t *json_place(const struct usdt_place *place, uint64_t live)
{
	json_t *json = json_object();

	json_object_set_new(json, "address", probes_json_address(place->address));
	if (place->relocation)
		json_object_set_new(json, "relocation", probes_json_text(place->relocation));
	json_object_set_new(json, "offset",
		place->has_offset ? probes_json_address(place->offset) : json_null());
	json_object_set_new(json, "executable", json_boolean(place->is_executable));
	json_object_set_new(json, "writable", json_boolean(place->is_writable));
	if (live)
		json_object_set_new(json, "process_address", probes_json_address(live));
	return json;
}

static json_t *json_site(const struct row *row, const struct usdt_site *site)
{
	json_t *json, *arguments = json_array(), *semaphore = json_null();
	struct live live;

	look(row, site, &live);
	json = json_place(&site->code, live.address);
	json_object_set_new(json, "instruction", json_string(site_form_text(site->form)));
	if (live.has_form)
		json_object_set_new(json, "traced", json_boolean(live.form == SITE_BREAKPOINT));
	if (site->semaphore.is_set) {
		semaphore = json_place(&site->semaphore, live.semaphore_address);
		json_object_set_new(semaphore, "symbol", probes_json_text(site->semaphore_symbol));
		if (site->semaphore_visibility != USDT_VISIBILITY_UNKNOWN)
			json_object_set_new(semaphore, "hidden",
				json_boolean(site->semaphore_visibility == USDT_VISIBILITY_LOCAL));
		if (live.has_semaphore)
			json_object_set_new(semaphore, "value", json_integer(live.semaphore));
	}
	json_object_set_new(json, "semaphore", semaphore);
	for (int i = 0; i < site->argument_count; i++)
		json_array_append_new(arguments, probes_json_argument(&site->arguments[i]));
	json_object_set_new(json, "arguments", arguments);
	json_object_set_new(json, "arguments_text", probes_json_text(site->arguments_text));
	return json;
}

/* "Name/Data/Class" of a probe and of its arguments, as D's pragma writes them. */
static json_t *json_stability(struct known_provider *known, const struct row *row)
{
	const struct promise promise = find_promise(known, row);
	char text[STABILITY_TEXT_MAX];
	json_t *json = json_object();

	json_object_set_new(json, "probe",
		json_string(stability_text(
			promise_of_probe(&promise, *row->module, *row->first->function, true),
			text)));
	json_object_set_new(json, "arguments",
		json_string(stability_text(promise.parts[STABILITY_ARGUMENTS], text)));
	return json;
}

static void print_json(const struct listing *listing)
{
	json_t *document = json_object(), *probes = json_array();
	struct known_provider known = {NULL, NULL, NULL};

	for (size_t i = 0; i < listing->row_count; i++) {
		const struct row *row = &listing->rows[i];
		json_t *probe = json_object(), *sites = json_array();

		json_object_set_new(probe, "id", json_integer((json_int_t)(i + 1)));
		json_object_set_new(probe, "provider", probes_json_text(row->provider));
		json_object_set_new(probe, "module", probes_json_text(row->module));
		json_object_set_new(probe, "function", probes_json_text(row->first->function));
		json_object_set_new(probe, "name", probes_json_text(row->first->name));
		json_object_set_new(probe, "note_name", probes_json_text(row->first->note_name));
		json_object_set_new(probe, "file", probes_json_text(row->image->name));
		json_object_set_new(
			probe, "machine", json_string(usdt_machine_text(row->image->machine)));
		if (row->process)
			json_object_set_new(probe, "pid", json_integer(row->process->pid));
		json_object_set_new(probe, "stability", json_stability(&known, row));
		json_object_set_new(probe, "argument_types", json_types(&known, row));
		json_object_set_new(probe, "argument_names", json_names(&known, row));
		for (size_t j = 0; j < row->site_count; j++)
			json_array_append_new(sites, json_site(row, row->sites[j]));
		json_object_set_new(probe, "sites", sites);
		json_array_append_new(probes, probe);
	}
	contract_free(known.contract);
	json_object_set_new(document, "probes", probes);
	probes_json_print(document);
}

/* If the name is no file, says which program or process has it. */
static void tell_name(const char *name)
{
	char path[PATH_MAX];
	uint32_t pid;

	if (!access(name, F_OK))
		return;
	if (!strchr(name, '/') && usdt_needed_program(name, path))
		cli_message("the program of that name: 'vmtap list %s'", path);
	if (process_names_find(name, &pid, 1) == 1)
		cli_message("the process of that name: 'vmtap list %" PRIu32 "'", pid);
}

/* The first library of a program that has probes. */
struct probed_library {
	char path[PATH_MAX]; /* "": none */
};

static void look_at_library(void *context, const char *path)
{
	struct probed_library *library = context;
	struct usdt_image *image;
	struct error ignored;

	if (*library->path || usdt_image_open(path, NULL, &image, &ignored))
		return;
	/* those of the C and C++ libraries are not what a program is listed for */
	for (size_t i = 0; i < image->site_count && !*library->path; i++)
		if (strncmp(image->sites[i].provider, "lib", 3) != 0 &&
			strcmp(image->sites[i].provider, "rtld") != 0)
			snprintf(library->path, sizeof(library->path), "%s", path);
	usdt_image_free(image);
}

/* Says that a file has no probes, and which of the libraries that it is linked with has some. */
static void tell_absence(const char *name, const struct usdt_image *image)
{
	struct probed_library library = {""};

	usdt_needed_each(name, look_at_library, &library);
	if (*library.path)
		cli_message(
			"no probes in %s, but in a library that it is linked with: 'vmtap list %s'",
			name, library.path);
	else
		cli_message("no probes in %s: %s", name, image->absence);
}

/* Adds a target's probes; says so when it has none, or when some could not be read. */
static void add_target(struct listing *listing, const struct probes_target *target)
{
	size_t site_count = 0;

	/* a library that was upgraded under a process hides its own probes only */
	listing->incomplete |= probes_report_problems(target) > 0;

	for (size_t i = 0; i < probes_count(target); i++) {
		const struct usdt_object *object;
		const struct usdt_image *image = probes_image(target, i, &object);

		if (!image)
			continue;
		site_count += image->site_count;
		listing->any |= image->site_count > 0;
		if (image->damaged_count > 0)
			cli_message("%s: %zu damaged probe notes are passed over", image->name,
				image->damaged_count);
		if (image->site_count > 0)
			add_image(listing, image, target->process, object);
		else if (!target->process)
			tell_absence(target->argument, image);
	}
	if (site_count == 0 && target->process)
		cli_message("no probes in process %s: neither its program nor a library of it was "
			    "built with probes (no section .note.stapsdt)",
			target->argument);
}

/* The probes of scripts: what trace -l shows, with all of its options. */
static int list_scripts(int argc, char **argv)
{
	char list[] = "-l";
	char **arguments = calloc((size_t)argc + 2, sizeof(*arguments));
	int status;

	if (!arguments)
		memory_ended();
	arguments[0] = argv[0];
	arguments[1] = list;
	memcpy(arguments + 2, argv + 1, (size_t)argc * sizeof(*argv));
	status = command_trace(argc + 1, arguments);
	free(arguments);
	return status;
}

int command_list(int argc, char **argv)
{
	static const struct option options[] = {{"verbose", no_argument, NULL, 'v'},
		{"json", no_argument, NULL, 'j'}, {"help", no_argument, NULL, 'h'},
		{NULL, 0, NULL, 0}};
	struct listing listing = {0};
	struct probes_target *targets = NULL;
	size_t target_count = 0;
	int status = CLI_OK;
	int option;

	for (int i = 1; i < argc; i++)
		if (!strncmp(argv[i], "-s", 2))
			return list_scripts(argc, argv);
	optind = 0;
	opterr = 0; /* one message, of our own */
	while ((option = getopt_long(argc, argv, ":P:m:f:n:vh", options, NULL)) != -1) {
		int field = FIELD_PROVIDER;

		switch (option) {
		case 'n':
			field++; /* fall through */
		case 'f':
			field++; /* fall through */
		case 'm':
			field++; /* fall through */
		case 'P':
			if (!add_filter(&listing, field, optarg)) {
				status = cli_usage(
					"list", "-%c %s: too many fields", option, optarg);
				goto out;
			}
			break;
		case 'v':
			listing.verbose = true;
			break;
		case 'j':
			listing.json = true;
			break;
		case 'h':
			fputs(help, stdout);
			goto out;
		default:
			status = cli_option_refused("list", option, argv, options);
			goto out;
		}
	}
	if (optind == argc) {
		status = cli_usage("list", "name a binary or a pid");
		goto out;
	}
	targets = calloc((size_t)(argc - optind), sizeof(*targets));
	if (!targets)
		memory_ended();
	for (; optind < argc; optind++) {
		struct error error;

		if (probes_open(argv[optind], &targets[target_count], &error) < 0) {
			cli_message("%s", error.text);
			tell_name(argv[optind]);
			status = CLI_CANNOT;
			continue;
		}
		add_target(&listing, &targets[target_count++]);
	}
	if (listing.json)
		print_json(&listing);
	else
		print_text(&listing);
	if (listing.row_count == 0 && listing.any)
		cli_message("no probe passes the filters");
	if (listing.row_count == 0 && status == CLI_OK)
		status = listing.incomplete ? CLI_CANNOT : CLI_FOUND;
out:
	for (size_t i = 0; i < listing.row_count; i++) {
		free(listing.rows[i].provider);
		free(listing.rows[i].sites);
	}
	free(listing.rows);
	for (size_t i = 0; i < listing.filter_count; i++)
		free(listing.filters[i].text);
	free(listing.filters);
	for (size_t i = 0; i < target_count; i++)
		probes_close(&targets[i]);
	free(targets);
	return probes_finish(status);
}
