/* check_translator.c: see check_translator.h. */
#include "d/check_translator.h"

#include <stdio.h>
#include <string.h>

#include "d/check.h"
#include "d/hint.h"
#include "d/parse_translator.h"
#include "d/resolve_inline.h"

/* Compares types by their names: two typedefs are always different. */
static bool is_exactly(const struct d_type *one, const struct d_type *other)
{
	if (one->name && other->name)
		return !strcmp(one->name, other->name) && d_type_same(one, other);
	return !one->name && !other->name && d_type_same(one, other);
}

bool d_translator_is(const struct d_translator *translator, const struct d_type *output,
	const struct d_type *input)
{
	return is_exactly(translator->output, output) && is_exactly(translator->input, input);
}

const struct d_translator *d_translator_find(
	struct d_compiler *compiler, const struct d_type *output, const struct d_type *input)
{
	const struct d_node value = {.kind = D_NODE_NAME, .type = input};

	for (unsigned pass = 0; pass < 3; pass++) {
		for (const struct d_translator *translator = compiler->translators; translator;
			translator = translator->next) {
			if (!d_symbol_is_known(compiler, translator->script) ||
				!d_type_same(translator->output, output))
				continue;
			if (pass == 0               ? is_exactly(translator->input, input)
					: pass == 1 ? d_type_same(translator->input, input)
						    : d_check_passes(translator->input, &value))
				return translator;
		}
	}
	return NULL;
}

const struct d_type *d_translator_output(const struct d_type *type)
{
	return d_type_is_pointer(type) ? d_type_resolve(type)->target : type;
}

int d_check_xlate(struct d_compiler *compiler, struct d_node *node)
{
	const struct d_type *output = d_translator_output(node->written);
	char one[80], other[80];

	if (d_check(compiler, node->left))
		return -1;
	node->translator = d_translator_find(compiler, output, node->left->type);
	if (!node->translator)
		return d_fail(compiler, &node->place, "D_XLATE_NONE",
			"translator for %s to %s is not defined",
			d_type_text(node->left->type, one, sizeof(one)),
			d_type_text(output, other, sizeof(other)));
	node->type = compiler->types.type_dynamic;
	node->lvalue = false;
	return 0;
}

const struct d_node *d_translated(const struct d_node *node)
{
	while (node->kind == D_NODE_EXPANSION)
		node = node->left;
	return node->kind == D_NODE_XLATE ? node : NULL;
}

const struct d_node *d_translated_argument(const struct d_node *translated)
{
	const struct d_node *from = translated->left;

	if (from->kind == D_NODE_CAST)
		from = from->left;
	return from->kind == D_NODE_INDEX && from->native ? from : NULL;
}

/* "curpsinfo->pr_addr", "args[1]->pr_addr": to report what it may need from a source; NULL: no
 * memory. */
static const char *member_text(
	struct d_compiler *compiler, const struct d_node *node, const struct d_node *translated)
{
	const struct d_identifier *inlined =
		node->left->kind == D_NODE_EXPANSION ? node->left->identifier : NULL;
	const struct d_node *argument = inlined ? NULL : d_translated_argument(translated);
	const char *owner = inlined ? inlined->name->bytes : "xlate< >( )";
	const char *suffix = inlined && inlined->key_count ? "[ ]" : "";
	char args[32];
	size_t size;
	char *text;

	if (argument) {
		snprintf(args, sizeof(args), "args[%llu]",
			(unsigned long long)argument->right->value);
		owner = args;
	}
	size = strlen(owner) + strlen(suffix) + node->name->length + 3;
	text = d_get(compiler, size);
	if (text)
		snprintf(text, size, "%s%s%s%s", owner, suffix, node->arrow ? "->" : ".",
			node->name->bytes);
	return text;
}

int d_translate_member(
	struct d_compiler *compiler, struct d_node *node, const struct d_node *translated)
{
	const struct d_member *declared;
	const struct d_translator_member *member;
	const struct d_type *output = translated->written;
	char hint[D_HINT_MAX];
	const char *requirer;

	if (node->arrow != d_type_is_pointer(output))
		return d_fail(compiler, &node->place, node->arrow ? "D_OP_PTR" : "D_OP_SOU",
			"operator %s cannot be applied to what xlate makes: use %s",
			node->arrow ? "->" : ".", node->arrow ? "." : "->");
	if (node->arrow)
		output = output->target;
	declared = d_type_member(output, node->name);
	if (!declared)
		return d_fail(compiler, &node->place, "D_TYPE_MEMBER", "%s is not a member of %s%s",
			node->name->bytes, output->name,
			d_hint_member(output, node->name->bytes, hint));
	for (member = translated->translator->members; member; member = member->next) {
		if (member->name != node->name)
			continue;
		requirer = member_text(compiler, node, translated);
		if (!requirer || d_node_remember(compiler, node) ||
			d_inline_substitute(
				compiler, node, member->tree, member->type, translated->left))
			return -1;
		node->requirer = requirer;
		return 0;
	}
	return d_fail(compiler, &node->place, "D_XLATE_NOCONV",
		"translator does not define conversion for member: %s", node->name->bytes);
}

/* xlate< >( ).NAME for one member, checked, as an expansion of the translator's expression. */
static struct d_node *translated_member(struct d_compiler *compiler, struct d_node *translated,
	const struct d_translator_member *member)
{
	struct d_node *node = d_node_new(compiler, D_NODE_MEMBER, &translated->place);

	if (!node)
		return NULL;
	node->left = translated;
	node->name = (struct d_name *)member->name;
	return d_check(compiler, node) ? NULL : node;
}

int d_translate_whole(struct d_compiler *compiler, struct d_node *node)
{
	struct d_node *translated = node, *list = NULL, **last = &list;

	if (!d_translated(node))
		return 0;
	while (translated->kind == D_NODE_EXPANSION)
		translated = translated->left;
	if (d_node_remember(compiler, translated))
		return -1;
	if (!d_type_is_struct(translated->written))
		return 0;
	for (const struct d_translator_member *member = translated->translator->members; member;
		member = member->next) {
		*last = translated_member(compiler, translated, member);
		if (!*last)
			return -1;
		last = &(*last)->next;
	}
	translated->right = list;
	for (; node != translated; node = node->left)
		node->type = translated->written;
	translated->type = translated->written;
	return d_node_finish(compiler, translated) ? 0 : -1;
}
