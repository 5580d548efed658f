/* parse_inline.c: see parse_inline.h. A definition is checked when it is read, as in DTrace. */
#include "d/parse_inline.h"

#include <string.h>

#include "d/check.h"
#include "d/check_translator.h"
#include "d/lex.h"
#include "d/parse_declarator.h"
#include "d/resolve_ahead.h"
#include "d/resolve_attribute.h"

int d_inline_parameter(const struct d_compiler *compiler, const struct d_name *name)
{
	const struct d_holes *holes = compiler->holes;

	for (unsigned i = 0; holes && i < holes->count; i++) {
		if (holes->names[i] == name)
			return (int)i;
	}
	return -1;
}

struct d_node *d_inline_hole(
	struct d_compiler *compiler, const struct d_name *name, const struct d_place *place)
{
	int number = d_inline_parameter(compiler, name);
	struct d_node *node = number < 0 ? NULL : d_node_new(compiler, D_NODE_HOLE, place);

	if (node) {
		node->argument = (uint8_t)number;
		node->type = compiler->holes->types[number];
	}
	return node;
}

/* Whether the checked expression is compatible with the inline's declared type. */
static bool is_compatible(const struct d_type *type, const struct d_node *value)
{
	const struct d_node *translated = d_translated(value);

	if (translated)
		return d_type_same(type, translated->written);
	if (value->kind == D_NODE_STRING)
		return d_type_is_text(type);
	return d_check_passes(type, value) ||
		(value->type->kind != D_TYPE_DYNAMIC && d_type_same(type, value->type));
}

/* The inline has the attributes of what it uses, unless a pragma sets them. */
static void set_attributes(const struct d_compiler *compiler, struct d_identifier *identifier)
{
	identifier->stability = stability_least(compiler->attributes, stability_stable);
	d_attribute_claim(identifier);
}

static int check_value(struct d_compiler *compiler, struct d_node *value, const struct d_type *type,
	struct d_name *name)
{
	struct d_identifier *identifier = name->identifiers[D_SPACE_GLOBAL];

	compiler->attributes = stability_greatest;
	if (d_check(compiler, value))
		return -1;
	if (!is_compatible(type, value))
		return d_fail(compiler, &value->place, "D_OP_INCOMPAT",
			"inline %s definition uses incompatible types", name->bytes);
	/* If the check had to wait, the inline already exists. */
	while (identifier && identifier->tree != value)
		identifier = identifier->other;
	if (identifier)
		set_attributes(compiler, identifier);
	return 0;
}

/* Whether it is checked only where it is used: see is_checked_later() in parse_translator.c. */
static bool is_about_kernel(
	const struct d_compiler *compiler, const struct d_declarator *declarator)
{
	bool result = false;

	for (unsigned i = 0; i < declarator->key_count && compiler->library_is_own; i++)
		result |= d_type_is_pointer(declarator->keys[i]) &&
			d_type_is_incomplete(
				d_type_resolve(d_type_resolve(declarator->keys[i])->target));
	return result;
}

/* "= expression", parsed and checked as a part of the definition; the tree is kept. */
static struct d_node *parse_value(struct d_compiler *compiler, const struct d_holes *holes,
	const struct d_declarator *declarator)
{
	struct d_node *value = NULL;

	compiler->holes = holes;
	if (!d_expect(compiler, D_TOKEN_ASSIGN, "=")) {
		compiler->keep = true;
		value = d_parse_assignment(compiler);
		compiler->attributes = stability_greatest;
		if (value && !is_about_kernel(compiler, declarator) &&
			d_ahead_define(compiler, check_value, value, declarator->type,
				declarator->name.name))
			value = NULL;
		compiler->keep = false;
	}
	compiler->holes = NULL;
	return value;
}

int d_parse_inline(struct d_compiler *compiler)
{
	struct d_specifiers specifiers;
	struct d_declarator declarator;
	struct d_identifier *identifier;
	struct d_holes holes = {0};
	const struct d_token *token;
	struct d_node *value;

	if (d_parse_specifiers(compiler, &specifiers, true))
		return -1;
	if (specifiers.storage)
		return d_fail(compiler, &specifiers.place, "D_DECL_BADCLASS",
			"specified storage class not appropriate for inline declaration");
	if (d_parse_declarator(compiler, specifiers.type, D_DECLARATOR_INLINE, &declarator))
		return -1;
	token = &declarator.name;
	if (strchr(token->name->bytes, '`'))
		return d_fail(compiler, &token->place, "D_DECL_SCOPE",
			"D scoping operator may not be used in a declaration of %s",
			token->name->bytes);
	if (d_symbol_find(compiler, token->name, D_SPACE_GLOBAL))
		return d_fail(compiler, &token->place, "D_DECL_IDRED",
			"inline name is already in use: %s", token->name->bytes);
	if (declarator.type->kind == D_TYPE_VOID)
		return d_fail(compiler, &token->place, "D_DECL_VOIDOBJ",
			"cannot declare void inline: %s", token->name->bytes);
	if (d_type_is_incomplete(declarator.type))
		return d_fail(compiler, &token->place, "D_DECL_INCOMPLETE",
			"incomplete struct/union/enum %s: %s", declarator.type->name,
			token->name->bytes);
	if (d_type_is_unsized(declarator.type) && declarator.brackets.line)
		return d_fail_unsized(compiler, &declarator.brackets);
	if (declarator.type->kind == D_TYPE_ARRAY)
		return d_fail(compiler, &token->place, "D_DECL_ARRNULL",
			"inline declaration requires tuple signature: %s", token->name->bytes);
	holes.count = declarator.key_count;
	memcpy(holes.names, declarator.key_names, sizeof(holes.names));
	memcpy(holes.types, declarator.keys, sizeof(holes.types));
	value = parse_value(compiler, &holes, &declarator);
	if (!value)
		return -1;
	identifier = d_symbol_inline(compiler, token->name);
	if (!identifier ||
		d_ahead_declare(compiler, token->name, D_SPACE_GLOBAL, &token->place, identifier))
		return -1;
	compiler->defines = true;
	set_attributes(compiler, identifier);
	/* A literal remains a literal, with its own type. */
	if (!holes.count && value->kind == D_NODE_INTEGER) {
		identifier->value = value->value;
		identifier->type = value->type;
	} else if (!holes.count && value->kind == D_NODE_STRING) {
		identifier->text = value->name;
		identifier->type = value->type;
	} else {
		identifier->tree = value;
		identifier->type = declarator.type;
		return d_symbol_keys(compiler, identifier, holes.types, holes.count);
	}
	return 0;
}
