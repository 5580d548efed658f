/*
 * provider_fbt.c: provider fbt: entry to and return from functions of the kernel (module vmlinux)
 * and of its modules, fbt:MODULE:FUNCTION:entry and :return, with the arguments that the kernel's
 * descriptions of types give them. The BTF of the kernel or of a module has a type for each
 * function; programs are attached to the function by that type's number.
 *
 * At return, arg1 is the value. The kernel does not report at which instruction the function
 * returns, so arg0 is 0.
 */
#include <dirent.h>
#include <errno.h>
#include <linux/btf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/pattern.h"
#include "base/suggestion.h"
#include "kernel/bpf/bpf.h"
#include "kernel/bpf/bpf_features.h"
#include "kernel/machine/provider_row.h"
#include "kernel/machine/provider_sdt.h"

#define TYPES_FOLDER "/sys/kernel/btf"

enum {
	TEXT_MAX = 128,
	RETURN_ARGUMENTS = 2,
	SLOT = 8,
	ENABLED_MAX = 1000 /* probes that are enabled at a time */
};

struct fbt_module {
	char *name;
	struct btf *types;
	bool is_kernel; /* its types belong to the caller */
	int descriptor; /* 0: not opened, or the kernel's own */
};

/* A probe. */
struct fbt_probe {
	uint32_t function; /* number of its type */
	uint16_t module;
	bool is_return;
};

struct kernel_fbt {
	struct fbt_module *modules;
	size_t module_count, module_capacity;
	struct fbt_probe *probes;
	size_t count, capacity;
	/* The functions that can be attached to, "name" or "name [module]", sorted; NULL: the
	 * kernel has no such list. */
	char *text;
	char **attachable;
	size_t attachable_count;
	char *refusal; /* NULL: the kernel allows programs at functions, or it is not known yet */
	bool is_tried;
};

static void fbt_close(void *own)
{
	struct kernel_fbt *fbt = own;

	if (!fbt)
		return;
	for (size_t i = 0; i < fbt->module_count; i++) {
		if (!fbt->modules[i].is_kernel)
			btf_free(fbt->modules[i].types);
		if (fbt->modules[i].descriptor > 0)
			close(fbt->modules[i].descriptor);
		free(fbt->modules[i].name);
	}
	free(fbt->modules);
	free(fbt->probes);
	free(fbt->text);
	free(fbt->attachable);
	free(fbt->refusal);
	free(fbt);
}

/* ---- what can be attached to ---- */

static int compare_texts(const void *one, const void *other)
{
	return strcmp(*(char *const *)one, *(char *const *)other);
}

/* Returns the whole content of a file of unknown size; NULL if it cannot be read. */
static char *read_text(const char *path, size_t *size)
{
	FILE *file = fopen(path, "re");
	size_t capacity = 0, got = 0;
	char *text = NULL;

	*size = 0;
	while (file && !array_room(&text, &capacity, *size + (1 << 16), 1) &&
		(got = fread(text + *size, 1, 1 << 16, file)) > 0)
		*size += got;
	if (file)
		fclose(file);
	if (text && *size && text[*size - 1] == '\n')
		text[*size - 1] = '\0';
	else
		*size = 0;
	return text;
}

/* Reads the kernel's own list. Nothing else leaves out what must not be traced, such as the tracing
 * code. */
static void read_attachable(struct kernel_fbt *fbt)
{
	static const char *const paths[] = {"/sys/kernel/tracing/available_filter_functions",
		"/sys/kernel/debug/tracing/available_filter_functions"};
	size_t capacity = 0, size = 0;
	char *rest, *line;

	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]) && !size; i++) {
		free(fbt->text);
		fbt->text = read_text(paths[i], &size);
	}
	rest = size ? fbt->text : NULL;
	while ((line = strsep(&rest, "\n"))) {
		if (array_room(&fbt->attachable, &capacity, fbt->attachable_count,
			    sizeof(*fbt->attachable)))
			break;
		fbt->attachable[fbt->attachable_count++] = line;
	}
	if (fbt->attachable_count)
		qsort(fbt->attachable, fbt->attachable_count, sizeof(*fbt->attachable),
			compare_texts);
}

static bool is_attachable(
	const struct kernel_fbt *fbt, const struct fbt_module *module, const char *function)
{
	char text[2 * TEXT_MAX], *key = text;

	if (!fbt->attachable_count)
		return true;
	if (module->is_kernel)
		snprintf(text, sizeof(text), "%s", function);
	else
		snprintf(text, sizeof(text), "%s [%s]", function, module->name);
	return bsearch(&key, fbt->attachable, fbt->attachable_count, sizeof(*fbt->attachable),
		compare_texts);
}

static int open_module(struct fbt_module *module)
{
	if (!module->is_kernel && module->descriptor <= 0)
		module->descriptor = bpf_module_types(module->name);
	return module->descriptor < 0 ? module->descriptor : 0;
}

/* Finds out whether the kernel allows programs at functions: loads one, without attaching it. */
static void try_function(struct kernel_fbt *fbt, struct fbt_module *module, uint32_t number)
{
	struct bpf_function function = {.number = number};
	struct error error;
	int result;

	if (open_module(module))
		return;
	function.module = module->descriptor;
	result = bpf_try_function(&function, &error);
	fbt->is_tried = !result || result == -EPERM;
	if (result == -EPERM)
		fbt->refusal = strdup(error.text);
}

/* ---- probes ---- */

struct fbt_adding {
	struct kernel_fbt *fbt;
	struct d_probe_set *set;
	const struct d_asked *asked;
	size_t asked_count;
	uint32_t tag;
	uint16_t module;
	struct suggestion meant; /* the existing function nearest to the one that was asked for */
};

static bool is_asked(
	const struct fbt_adding *adding, const char *module, const char *function, const char *name)
{
	for (size_t i = 0; i < adding->asked_count; i++) {
		const struct d_asked *asked = &adding->asked[i];

		if (kernel_provider_is_asked(asked, "fbt") &&
			pattern_match(asked->module, module) &&
			(!function || pattern_match(asked->function, function)) &&
			(!name || pattern_match(asked->name, name)))
			return true;
	}
	return false;
}

/* Finds the types of a function's arguments and result. Returns false if it takes a variable number
 * of arguments, so that it cannot be traced. */
static bool find_prototype(struct btf *types, uint32_t function, struct btf_view *prototype)
{
	struct btf_view view;
	struct btf_field last;

	if (!btf_get(types, function, &view) || !btf_get(types, view.target, prototype) ||
		prototype->kind != BTF_KIND_FUNC_PROTO)
		return false;
	return !prototype->count ||
		(btf_field(types, prototype, prototype->count - 1, &last) && last.type);
}

static bool returns_value(struct btf *types, const struct btf_view *prototype)
{
	struct btf_view view;

	return btf_get(types, btf_resolve(types, prototype->target), &view) &&
		view.kind != BTF_KIND_UNKN;
}

static uint32_t count_arguments(const struct btf_view *prototype)
{
	return prototype->count < KERNEL_ARGUMENTS_MAX ? prototype->count : KERNEL_ARGUMENTS_MAX;
}

struct probe_texts {
	char types[KERNEL_ARGUMENTS_MAX][TEXT_MAX], names[KERNEL_ARGUMENTS_MAX][TEXT_MAX];
	struct d_probe_argument arguments[KERNEL_ARGUMENTS_MAX];
};

static uint8_t name_arguments(struct btf *types, const struct btf_view *prototype, bool is_return,
	struct probe_texts *texts)
{
	uint32_t count = is_return ? RETURN_ARGUMENTS : count_arguments(prototype);
	struct btf_field field;

	if (is_return && !returns_value(types, prototype))
		return 0;
	for (uint32_t i = 0; i < count; i++) {
		*texts->names[i] = '\0';
		if (is_return) {
			snprintf(texts->types[0], TEXT_MAX, "int");
			btf_text(types, prototype->target, texts->types[1], TEXT_MAX);
			snprintf(texts->names[i], TEXT_MAX, i ? "value" : "offset");
		} else if (btf_field(types, prototype, i, &field)) {
			btf_text(types, field.type, texts->types[i], TEXT_MAX);
			snprintf(texts->names[i], TEXT_MAX, "%s", field.name);
		}
		texts->arguments[i] = (struct d_probe_argument){texts->types[i], texts->names[i]};
	}
	return (uint8_t)count;
}

static int add_probe(const struct fbt_adding *adding, uint32_t number, const char *function,
	const struct btf_view *prototype, bool is_return)
{
	struct kernel_fbt *fbt = adding->fbt;
	const struct fbt_module *module = &fbt->modules[adding->module];
	struct probe_texts texts;
	struct d_probe probe = {.provider = (char[]){"fbt"},
		.arguments = texts.arguments,
		.module = module->name,
		.function = (char *)(uintptr_t)function,
		.name = is_return ? (char[]){"return"} : (char[]){"entry"},
		.kind = D_PROBE_SOURCE,
		.source_tag = adding->tag + (uint32_t)fbt->count,
		.is_refused = fbt->refusal,
		.note = fbt->refusal};

	probe.argument_count = name_arguments(module->types, prototype, is_return, &texts);
	if (array_room(&fbt->probes, &fbt->capacity, fbt->count, sizeof(*fbt->probes)))
		return -ENOMEM;
	fbt->probes[fbt->count++] = (struct fbt_probe){number, adding->module, is_return};
	return d_probe_set_add(adding->set, &probe) < 0 ? -ENOMEM : 0;
}

static int add_function(void *context, uint32_t number, const char *name)
{
	const struct fbt_adding *adding = context;
	struct kernel_fbt *fbt = adding->fbt;
	struct fbt_module *module = &fbt->modules[adding->module];
	struct btf_view prototype;
	int result = 0;

	if (strlen(name) >= TEXT_MAX || !is_asked(adding, module->name, name, NULL) ||
		!find_prototype(module->types, number, &prototype) ||
		!is_attachable(fbt, module, name))
		return 0;
	if (!fbt->is_tried)
		try_function(fbt, module, number);
	for (int i = 0; i < 2 && !result; i++)
		if (is_asked(adding, module->name, name, i ? "return" : "entry"))
			result = add_probe(adding, number, name, &prototype, i);
	return result;
}

/* Adds a module and its probes. Its types then belong to fbt, unless they are the kernel's own. */
static int add_module(
	struct fbt_adding *adding, const char *name, struct btf *types, bool is_kernel)
{
	struct kernel_fbt *fbt = adding->fbt;
	char *copy = strdup(name);

	if (!copy || !types ||
		array_room(&fbt->modules, &fbt->module_capacity, fbt->module_count,
			sizeof(*fbt->modules))) {
		if (!is_kernel)
			btf_free(types);
		free(copy);
		return -ENOMEM;
	}
	adding->module = (uint16_t)fbt->module_count;
	fbt->modules[fbt->module_count++] =
		(struct fbt_module){.name = copy, .types = types, .is_kernel = is_kernel};
	return btf_each(types, BTF_KIND_FUNC, "", add_function, adding);
}

static bool has_module(const struct kernel_fbt *fbt, const char *name)
{
	for (size_t i = 0; i < fbt->module_count; i++)
		if (!strcmp(fbt->modules[i].name, name))
			return true;
	return false;
}

/* Adds the modules that are described and have not been added yet. */
static int add_modules(struct fbt_adding *adding, struct btf *kernel)
{
	DIR *folder = opendir(TYPES_FOLDER);
	const struct dirent *entry;
	char path[sizeof(TYPES_FOLDER) + sizeof(entry->d_name) + 1];
	int result = 0;

	while (folder && !result && (entry = readdir(folder))) {
		if (*entry->d_name == '.' || !strcmp(entry->d_name, "vmlinux") ||
			has_module(adding->fbt, entry->d_name) ||
			!is_asked(adding, entry->d_name, NULL, NULL))
			continue;
		snprintf(path, sizeof(path), "%s/%s", TYPES_FOLDER, entry->d_name);
		result = add_module(adding, entry->d_name, btf_new_module(path, kernel), false);
	}
	if (folder)
		closedir(folder);
	return result;
}

static int offer(void *context, uint32_t number, const char *name)
{
	struct fbt_adding *adding = context;

	(void)number;
	suggestion_offer(&adding->meant, name);
	return 0;
}

static bool has_function(const struct d_probe_set *set, const char *function)
{
	for (size_t i = 0; i < set->count; i++)
		if (!strcmp(set->probes[i].provider, "fbt") &&
			!strcmp(set->probes[i].function, function))
			return true;
	return false;
}

/* Adds the function's probes of any name in those of the modules that were added first. */
static int add_function_of(struct fbt_adding *adding, const char *function, size_t modules)
{
	const struct d_asked meant = {
		.provider = "fbt", .module = "", .function = function, .name = ""};
	struct kernel_fbt *fbt = adding->fbt;
	int result = 0;

	adding->asked = &meant;
	adding->asked_count = 1;
	for (size_t i = 0; i < modules && !result; i++) {
		adding->module = (uint16_t)i;
		result = btf_each(
			fbt->modules[i].types, BTF_KIND_FUNC, function, add_function, adding);
	}
	adding->asked_count = 0;
	return result;
}

/* Adds the function's probes of any name and in any module. */
static int add_elsewhere(struct fbt_adding *adding, const struct d_asked *asked, struct btf *kernel)
{
	const struct d_asked anywhere = {
		.provider = "fbt", .module = "", .function = asked->function, .name = ""};
	size_t added = adding->fbt->module_count;
	int result = 0;

	adding->asked = &anywhere;
	adding->asked_count = 1;
	if (!has_module(adding->fbt, "vmlinux"))
		result = add_module(adding, "vmlinux", kernel, true);
	if (!result)
		result = add_modules(adding, kernel);
	adding->asked_count = 0;
	return result ? result : add_function_of(adding, asked->function, added);
}

/* If a description that names a function matches nothing: adds the function's probes of other names
 * and in other modules or, if the function does not exist, those of the one with the most similar
 * name, so that they can be suggested. */
static int add_meant(struct fbt_adding *adding, const struct d_asked *asked, struct btf *kernel)
{
	struct kernel_fbt *fbt = adding->fbt;
	int result;

	if (!*asked->function || pattern_is_glob(asked->function) ||
		!kernel_provider_is_asked(asked, "fbt") ||
		has_function(adding->set, asked->function))
		return 0;
	result = add_elsewhere(adding, asked, kernel);
	if (result || has_function(adding->set, asked->function))
		return result;
	suggestion_init(&adding->meant, asked->function);
	btf_each(kernel, BTF_KIND_FUNC, "", offer, adding);
	for (size_t i = 0; i < fbt->module_count; i++)
		if (!fbt->modules[i].is_kernel)
			btf_each(fbt->modules[i].types, BTF_KIND_FUNC, "", offer, adding);
	return adding->meant.best ? add_function_of(adding, adding->meant.best, fbt->module_count)
				  : 0;
}

/*
 * Adds the probes that are asked for, except those that according to tracefs cannot be attached to.
 * For a function that does not exist, adds those of the function with the most similar name. If the
 * kernel refuses programs at functions, the probes say so.
 */
static int fbt_add(const struct kernel_provider *provider,
	const struct kernel_provider_request *request, void **own)
{
	struct kernel_fbt *fbt = calloc(1, sizeof(*fbt));
	struct fbt_adding adding = {.fbt = fbt,
		.set = request->set,
		.asked = request->asked,
		.asked_count = request->asked_count,
		.tag = request->tag};
	int result = 0;

	(void)provider;
	*own = fbt;
	if (!fbt)
		return -ENOMEM;
	read_attachable(fbt);
	if (is_asked(&adding, "vmlinux", NULL, NULL))
		result = add_module(&adding, "vmlinux", request->btf, true);
	if (!result)
		result = add_modules(&adding, request->btf);
	for (size_t i = 0; i < request->asked_count && !result; i++)
		result = add_meant(&adding, &request->asked[i], request->btf);
	return result;
}

/* ---- sites ---- */

/* Returns how many of the program's 8-byte argument slots an argument of this type takes. */
static uint32_t count_slots(struct btf *types, uint32_t type)
{
	struct btf_view view;

	if (!btf_get(types, btf_resolve(types, type), &view) || view.kind == BTF_KIND_PTR)
		return 1;
	return view.size ? (view.size + SLOT - 1) / SLOT : 1;
}

static struct kernel_operand operand_of(struct btf *types, uint32_t type, uint32_t slot)
{
	struct kernel_operand operand = kernel_sdt_argument(types, type, slot);
	struct btf_view view;

	if (!btf_get(types, btf_resolve(types, type), &view) ||
		(view.kind != BTF_KIND_INT && view.kind != BTF_KIND_ENUM))
		operand.kind = KERNEL_OPERAND_POINTER;
	return operand;
}

/* Finds the arguments, or at return the value, whose slot follows those of the arguments. */
static uint8_t find_operands(struct btf *types, const struct btf_view *prototype, bool is_return,
	struct kernel_operand *operands)
{
	struct btf_field field;
	uint32_t slot = 0;

	for (uint32_t i = 0; btf_field(types, prototype, i, &field); i++) {
		if (!is_return && i < KERNEL_ARGUMENTS_MAX)
			operands[i] = operand_of(types, field.type, slot);
		slot += count_slots(types, field.type);
	}
	if (!is_return)
		return (uint8_t)count_arguments(prototype);
	if (!returns_value(types, prototype))
		return 0;
	operands[0] = (struct kernel_operand){
		.kind = KERNEL_OPERAND_CONSTANT, .index = KERNEL_NO_REGISTER, .size = 8};
	operands[1] = operand_of(types, prototype->target, slot);
	return RETURN_ARGUMENTS;
}

static int fbt_sites(const struct kernel_provider *provider,
	const struct kernel_provider_probe *wanted, void *own, struct kernel_site *sites)
{
	struct kernel_fbt *fbt = own;
	const struct fbt_probe *probe = &fbt->probes[wanted->number];
	struct fbt_module *module = &fbt->modules[probe->module];
	struct kernel_operand *operands =
		arena_get(wanted->arena, KERNEL_ARGUMENTS_MAX * sizeof(*operands));
	struct bpf_function *function = arena_get(wanted->arena, sizeof(*function));
	struct btf_view prototype;

	(void)provider;
	if (!operands || !function)
		return -ENOMEM;
	if (!find_prototype(module->types, probe->function, &prototype) || open_module(module))
		return 0;
	*function = (struct bpf_function){.number = probe->function,
		.module = module->descriptor,
		.is_return = probe->is_return};
	sites[0] = (struct kernel_site){.probe = wanted->probe,
		.is_machine = true,
		.function = function,
		.tracepoint = "",
		.argument_count =
			find_operands(module->types, &prototype, probe->is_return, operands),
		.arguments = operands};
	return 1;
}

const struct kernel_provider kernel_provider_fbt = {.name = "fbt",
	.functions_max = ENABLED_MAX,
	.add = fbt_add,
	.sites = fbt_sites,
	.close = fbt_close};
