/* translator.c: see translator.h. */
#include "d/translator.h"

#include <stdio.h>
#include <string.h>

#include "d/check.h"
#include "d/generate.h"
#include "d/lex.h"
#include "d/parse_declarator.h"
#include "d/parse_inline.h"

struct member {
	struct member *next;
	const struct d_name *name;
	const struct d_type *type;
	const struct d_node *tree;
};

struct d_translator {
	struct d_translator *next;
	const struct d_type *output, *input; /* as written */
	struct member *members;
};

static bool is_struct(const struct d_type *type)
{
	type = d_type_resolve(type);
	return type->kind == D_TYPE_STRUCT || type->kind == D_TYPE_UNION;
}

/* A type by its name; no two typedefs are the same one. */
static bool is_exactly(const struct d_type *one, const struct d_type *other)
{
	if (one->name && other->name)
		return !strcmp(one->name, other->name) && d_type_same(one, other);
	return !one->name && !other->name && d_type_same(one, other);
}

const struct d_translator *d_translator_find(
	struct d_compiler *compiler, const struct d_type *output, const struct d_type *input)
{
	const struct d_node value = {.kind = D_NODE_NAME, .type = input};

	for (unsigned pass = 0; pass < 3; pass++) {
		for (const struct d_translator *translator = compiler->translators; translator;
			translator = translator->next) {
			if (!d_type_same(translator->output, output))
				continue;
			if (pass == 0               ? is_exactly(translator->input, input)
					: pass == 1 ? d_type_same(translator->input, input)
						    : d_check_passes(translator->input, &value))
				return translator;
		}
	}
	return NULL;
}

/* "IDENT = expression ;" with the holes set. */
static int parse_member(struct d_compiler *compiler, struct d_translator *translator)
{
	struct d_token token = compiler->token;
	const struct d_member *declared;
	struct member *member, **last = &translator->members;
	struct d_node *tree;

	if (token.kind != D_TOKEN_NAME && token.kind != D_TOKEN_TYPE)
		return d_fail_syntax(compiler, &token.place, "a member's name or }");
	if (d_lexer_next(compiler) || d_expect(compiler, D_TOKEN_ASSIGN, "="))
		return -1;
	tree = d_parse_assignment(compiler);
	if (!tree || d_expect(compiler, D_TOKEN_SEMICOLON, ";"))
		return -1;
	declared = d_type_member(translator->output, token.name);
	if (!declared)
		return d_fail(compiler, &token.place, "D_XLATE_MEMB",
			"translator member %s is not a member of %s", token.name->bytes,
			translator->output->name);
	if (d_check(compiler, tree))
		return -1;
	if (!d_check_passes(declared->type, tree) && !d_type_same(declared->type, tree->type))
		return d_fail(compiler, &tree->place, "D_XLATE_INCOMPAT",
			"translator member %s definition uses incompatible types",
			token.name->bytes);
	for (; *last; last = &(*last)->next) {
		if ((*last)->name == token.name)
			return 0; /* the first one counts */
	}
	member = d_get(compiler, sizeof(*member));
	if (!member)
		return -1;
	member->name = token.name;
	member->type = declared->type;
	member->tree = tree;
	*last = member;
	return 0;
}

static int parse_definition(struct d_compiler *compiler)
{
	struct d_translator *translator = d_get(compiler, sizeof(*translator));
	struct d_specifiers specifiers;
	struct d_declarator input;
	struct d_holes holes = {.count = 1};
	struct d_place place;
	unsigned count = 0;

	if (!translator || d_lexer_next(compiler))
		return -1;
	place = compiler->token.place;
	translator->output = d_parse_type_name(compiler);
	if (!translator->output || d_expect(compiler, D_TOKEN_LESS, "<") ||
		d_parse_specifiers(compiler, &specifiers, false) ||
		d_parse_declarator(compiler, specifiers.type, D_DECLARATOR_NAMED, &input) ||
		d_expect(compiler, D_TOKEN_GREATER, ">"))
		return -1;
	translator->input = input.type;
	for (const struct d_translator *other = compiler->translators; other; other = other->next) {
		if (++count == D_DEFINITIONS_MAX)
			return d_fail(compiler, &place, "D_UNKNOWN", "more than %d translators",
				D_DEFINITIONS_MAX);
		if (is_exactly(other->output, translator->output) &&
			is_exactly(other->input, translator->input))
			return d_fail(compiler, &place, "D_XLATE_REDECL",
				"translator from this type to %s has already been declared",
				translator->output->name ? translator->output->name : "a pointer");
	}
	if (!is_struct(translator->output) || d_type_is_incomplete(translator->output))
		return d_fail(compiler, &place, "D_XLATE_SOU",
			"translator output type must be a complete struct or union");
	holes.names[0] = input.name.name;
	holes.types[0] = input.type;
	compiler->holes = &holes;
	if (d_expect(compiler, D_TOKEN_LEFT_BRACE, "{"))
		return -1;
	while (compiler->token.kind != D_TOKEN_RIGHT_BRACE) {
		if (parse_member(compiler, translator))
			return -1;
	}
	translator->next = compiler->translators;
	compiler->translators = translator;
	compiler->defines = true;
	return d_lexer_next(compiler);
}

int d_parse_translator(struct d_compiler *compiler)
{
	int result;

	compiler->keep = true;
	result = parse_definition(compiler);
	compiler->keep = false;
	compiler->holes = NULL;
	if (result)
		return -1;
	compiler->lexer.mode = D_MODE_OUTER;
	return d_expect(compiler, D_TOKEN_SEMICOLON, ";");
}

struct d_node *d_parse_xlate(struct d_compiler *compiler, const struct d_place *place)
{
	struct d_node *node = d_node_new(compiler, D_NODE_XLATE, place);

	if (!node || d_expect(compiler, D_TOKEN_LESS, "<"))
		return NULL;
	node->written = d_parse_type_name(compiler);
	if (!node->written || d_expect(compiler, D_TOKEN_GREATER, ">") ||
		d_expect(compiler, D_TOKEN_LEFT_PAREN, "("))
		return NULL;
	node->left = d_parse_expression(compiler);
	if (!node->left || d_expect(compiler, D_TOKEN_RIGHT_PAREN, ")"))
		return NULL;
	return d_node_finish(compiler, node);
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

/* "curpsinfo->pr_addr", for what it may need of a source; NULL: no memory. */
static const char *member_text(struct d_compiler *compiler, const struct d_node *node)
{
	const struct d_identifier *inlined =
		node->left->kind == D_NODE_EXPANSION ? node->left->identifier : NULL;
	const char *owner = inlined ? inlined->name->bytes : "xlate< >( )";
	const char *suffix = inlined && inlined->key_count ? "[ ]" : "";
	size_t size = strlen(owner) + strlen(suffix) + node->name->length + 3;
	char *text = d_get(compiler, size);

	if (text)
		snprintf(text, size, "%s%s%s%s", owner, suffix, node->arrow ? "->" : ".",
			node->name->bytes);
	return text;
}

/* xlate< >( ).NAME for one member, checked, as an expansion of the translator's expression. */
static struct d_node *translated_member(
	struct d_compiler *compiler, struct d_node *translated, const struct member *member)
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
	if (!is_struct(translated->written))
		return 0;
	for (const struct member *member = translated->translator->members; member;
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

int d_generate_translation(
	struct d_compiler *compiler, struct d_code *code, const struct d_node *node)
{
	uint32_t size = d_types_size(&compiler->types, node->type);
	struct d_node place = {.kind = D_NODE_MEMBER, .place = node->place};
	int base = d_emit_register(compiler, code, &node->place), value, address;

	if (base < 0 || d_emit_integer(compiler, code, (unsigned)base, size) ||
		d_emit(compiler, code, D_OP_CALL, (unsigned)base, (unsigned)base, 1,
			D_SUBROUTINE_BLOCK))
		return -1;
	for (const struct d_node *member = node->right; member; member = member->next) {
		place.member = d_type_member(node->type, member->name);
		place.type = place.member->type;
		value = d_type_is_memory(place.type)
			? d_generate_address(compiler, code, member, false)
			: d_generate_as(compiler, code, member, place.type);
		if (value < 0 ||
			(place.member->bits &&
				d_emit_cut_place(compiler, code, &place, (unsigned)value)))
			return -1;
		address = d_emit_offset(
			compiler, code, (unsigned)base, place.member->offset, &node->place);
		if (address < 0 ||
			d_emit_write_place(
				compiler, code, &place, (unsigned)value, (unsigned)address))
			return -1;
		d_emit_finish(code, (unsigned)base);
	}
	return base;
}

int d_translate_member(
	struct d_compiler *compiler, struct d_node *node, const struct d_node *translated)
{
	const struct d_member *declared;
	const struct member *member;
	const struct d_type *output = translated->written;
	const char *requirer;

	if (node->arrow != d_type_is_pointer(output))
		return d_fail(compiler, &node->place, node->arrow ? "D_OP_PTR" : "D_OP_SOU",
			"operator %s cannot be applied to what xlate makes: use %s",
			node->arrow ? "->" : ".", node->arrow ? "." : "->");
	if (node->arrow)
		output = output->target;
	declared = d_type_member(output, node->name);
	if (!declared)
		return d_fail(compiler, &node->place, "D_TYPE_MEMBER", "%s is not a member of %s",
			node->name->bytes, output->name);
	for (member = translated->translator->members; member; member = member->next) {
		if (member->name != node->name)
			continue;
		requirer = member_text(compiler, node);
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
