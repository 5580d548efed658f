/*
 * check_symbol.c: see check_symbol.h. Addresses come from /proc/kallsyms, types from the kernel's
 * description of its types. It describes hardly any variables except those of which each processor
 * has a copy, so the types of some well-known ones are listed here.
 */
#include "d/check_symbol.h"

#include <linux/btf.h>
#include <stdio.h>
#include <string.h>

#include "d/check.h"
#include "d/resolve_symbol.h"
#include "d/type_kernel.h"
#include "usdt/elf/btf.h"
#include "usdt/elf/kernel_symbol.h"

#define STRUCT "struct "

enum { PART_MAX = 128 };

/* As the kernel's own headers have declared them for many years. */
static const struct {
	const char *name, *type;
} known[] = {
	{"init_mm", STRUCT "mm_struct"},
	{"init_net", STRUCT "net"},
	{"init_nsproxy", STRUCT "nsproxy"},
	{"init_pid_ns", STRUCT "pid_namespace"},
	{"init_task", STRUCT "task_struct"},
	{"init_user_ns", STRUCT "user_namespace"},
	{"init_uts_ns", STRUCT "uts_namespace"},
	{"jiffies", "unsigned long"},
	{"jiffies_64", "unsigned long"},
	{"loops_per_jiffy", "unsigned long"},
	{"max_low_pfn", "unsigned long"},
	{"max_pfn", "unsigned long"},
	{"nr_cpu_ids", "unsigned int"},
	{"nr_threads", "int"},
	{"panic_timeout", "int"},
	{"pid_max", "int"},
	{"total_forks", "unsigned long"},
};

struct symbol_parts {
	char module[PART_MAX];
	const char *name;
};

bool d_is_symbol(struct d_compiler *compiler, const struct d_node *node)
{
	return node->kind == D_NODE_NAME && strchr(node->name->bytes, '`') &&
		!strstr(node->name->bytes, "``") &&
		!d_symbol_find(compiler, node->name, D_SPACE_GLOBAL);
}

static void split(const struct d_node *node, struct symbol_parts *parts)
{
	const char *name = node->name->bytes, *quote = strchr(name, '`');

	snprintf(parts->module, sizeof(parts->module), "%.*s", (int)(quote - name), name);
	parts->name = quote + 1;
}

/* Why the symbol's address is not known. */
static int fail_address(struct d_compiler *compiler, const struct d_node *node,
	enum kernel_symbol_state state, const struct symbol_parts *parts)
{
	const char *reason = state == KERNEL_SYMBOL_HIDDEN
		? "/proc/kallsyms shows no addresses without the capability CAP_SYSLOG, or if "
		  "kernel.kptr_restrict is 2"
		: state == KERNEL_SYMBOL_NOT_LISTED && !*parts->module
		? "/proc/kallsyms has no such symbol; this kernel lists its functions there, but "
		  "not its variables"
		: "/proc/kallsyms has no such symbol";

	return d_fail(compiler, &node->place, "D_SYM_NOTYPES",
		"no symbolic type information is available for %.200s: %s", node->name->bytes,
		reason);
}

/* Whether each processor has a copy of the variable, by the number of its type. */
static bool is_per_processor(struct btf *kernel, uint32_t variable)
{
	uint32_t section = btf_find(kernel, BTF_KIND_DATASEC, ".data..percpu");
	struct btf_view view;
	struct btf_field field;

	if (!section || !btf_get(kernel, section, &view))
		return false;
	for (uint32_t i = 0; btf_field(kernel, &view, i, &field); i++)
		if (field.type == variable)
			return true;
	return false;
}

/* The type of the table's row; NULL: the script lacks it. */
static const struct d_type *find_known(struct d_compiler *compiler, const char *text)
{
	struct d_types *types = &compiler->types;
	size_t length = strlen(STRUCT);
	struct d_name *tag;

	if (strncmp(text, STRUCT, length) != 0)
		return d_types_find(types, text);
	tag = d_names_get(types->names, text + length, strlen(text + length));
	return tag ? d_types_tag(types, D_TYPE_STRUCT, tag) : NULL;
}

/* The variable's type in *type, NULL if it is not known. -1: it cannot be read at all. */
static int find_type(struct d_compiler *compiler, const struct d_node *node,
	const struct symbol_parts *parts, const struct d_type **type)
{
	struct btf *kernel = compiler->types.kernel;
	uint32_t variable = kernel ? btf_find(kernel, BTF_KIND_VAR, parts->name) : 0;
	struct btf_view view;

	*type = NULL;
	if (variable && is_per_processor(kernel, variable))
		return d_fail(compiler, &node->place, "D_SYM_NOTYPES",
			"%.200s cannot be read: each processor has a copy of this variable, and "
			"the name means none of them",
			node->name->bytes);
	if (variable && btf_get(kernel, variable, &view))
		*type = d_types_kernel(&compiler->types, view.target);
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]) && !*type; i++)
		if (!strcmp(known[i].name, parts->name) &&
			(!*parts->module || !strcmp(parts->module, "vmlinux")))
			*type = find_known(compiler, known[i].type);
	return 0;
}

/* Turns the node of a symbol, or of its address, into one of another kind. */
static void become(struct d_node *node, enum d_node_kind kind, struct d_node *left)
{
	node->kind = kind;
	node->left = left;
	node->right = NULL;
	node->name = NULL;
	node->identifier = NULL;
}

/* Turns a node into the address, cast to a pointer to the type. */
static int become_address(struct d_compiler *compiler, struct d_node *node, uint64_t address,
	const struct d_type *type)
{
	const struct d_type *pointer = d_types_pointer(&compiler->types, type);
	struct d_node *integer =
		d_node_integer(compiler, &node->place, address, compiler->types.type_unsigned_long);

	if (!pointer)
		return d_fail_memory(compiler);
	if (!integer)
		return -1;
	become(node, D_NODE_CAST, integer);
	node->written = pointer;
	return 0;
}

/* The address of the symbol and its type, NULL if that is not known. */
static int find_symbol(struct d_compiler *compiler, const struct d_node *node, uint64_t *address,
	const struct d_type **type)
{
	struct kernel_symbol symbol;
	struct symbol_parts parts;
	enum kernel_symbol_state state;

	split(node, &parts);
	if (find_type(compiler, node, &parts, type))
		return -1;
	state = kernel_symbol_find("/proc/kallsyms", parts.module, parts.name, &symbol);
	if (state != KERNEL_SYMBOL_FOUND)
		return fail_address(compiler, node, state, &parts);
	if (symbol.is_function)
		*type = NULL;
	*address = symbol.address;
	return 0;
}

int d_check_symbol(struct d_compiler *compiler, struct d_node *node)
{
	const char *name = node->name->bytes;
	const struct d_type *type;
	struct d_node *pointer;
	uint64_t address;

	if (find_symbol(compiler, node, &address, &type))
		return -1;
	if (!type)
		return d_fail(compiler, &node->place, "D_SYM_NOTYPES",
			"no symbolic type information is available for %.200s: the kernel "
			"describes the types of hardly any variables; name the type: "
			"*(int *)&%.200s",
			name, name);
	if (d_require(compiler, D_NEED_KERNEL_VARIABLES, name, &node->place) ||
		d_node_remember(compiler, node))
		return -1;
	pointer = d_node_new(compiler, D_NODE_CAST, &node->place);
	if (!pointer || become_address(compiler, pointer, address, type))
		return -1;
	become(node, D_NODE_UNARY, pointer);
	node->operation = D_OPERATOR_DEREFERENCE;
	node->condition = NULL;
	return d_check(compiler, node);
}

int d_check_symbol_address(struct d_compiler *compiler, struct d_node *node)
{
	const struct d_type *type;
	uint64_t address;

	if (find_symbol(compiler, node->left, &address, &type) ||
		d_require(compiler, D_NEED_KERNEL_VARIABLES, node->left->name->bytes,
			&node->left->place) ||
		d_node_remember(compiler, node) ||
		become_address(compiler, node, address, type ? type : compiler->types.type_void))
		return -1;
	return d_check(compiler, node);
}
