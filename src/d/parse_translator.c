/*
 * parse_translator.c: see parse_translator.h. A definition is checked when it is read, as in
 * DTrace; but see is_checked_later().
 */
#include "d/parse_translator.h"

#include "d/check.h"
#include "d/check_translator.h"
#include "d/hint.h"
#include "d/lex.h"
#include "d/parse_declarator.h"
#include "d/parse_inline.h"
#include "d/resolve_ahead.h"

static int check_value(struct d_compiler *compiler, struct d_node *tree, const struct d_type *type,
	struct d_name *name)
{
	if (d_check(compiler, tree))
		return -1;
	if (d_check_passes(type, tree) || d_type_same(type, tree->type))
		return 0;
	return d_fail(compiler, &tree->place, "D_XLATE_INCOMPAT",
		"translator member %s definition uses incompatible types", name->bytes);
}

/*
 * Whether a definition is checked only where it is used: one of vmtap's own over a struct of the
 * kernel, which would otherwise be looked up for every script, and which not every kernel
 * describes.
 */
static bool is_checked_later(const struct d_compiler *compiler, const struct d_type *input)
{
	return compiler->library_is_own && d_type_is_pointer(input) &&
		d_type_is_incomplete(d_type_resolve(d_type_resolve(input)->target));
}

/* "IDENT = expression ;" with the holes set. */
static int parse_member(struct d_compiler *compiler, struct d_translator *translator)
{
	struct d_token token = compiler->token;
	const struct d_member *declared;
	struct d_translator_member *member, **last = &translator->members;
	struct d_node *tree;
	char hint[D_HINT_MAX];

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
			"translator member %s is not a member of %s%s", token.name->bytes,
			translator->output->name,
			d_hint_member(translator->output, token.name->bytes, hint));
	if (!is_checked_later(compiler, translator->input) &&
		d_ahead_define(compiler, check_value, tree, declared->type, token.name))
		return -1;
	for (; *last; last = &(*last)->next) {
		if ((*last)->name == token.name)
			return 0; /* the first definition counts */
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
	translator->script = compiler->script;
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
		if (d_translator_is(other, translator->output, translator->input))
			return d_fail(compiler, &place, "D_XLATE_REDECL",
				"translator from this type to %s has already been declared",
				translator->output->name ? translator->output->name : "a pointer");
	}
	if (!d_type_is_struct(translator->output) || d_type_is_incomplete(translator->output))
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
