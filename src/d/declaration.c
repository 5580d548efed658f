/*
 * declaration.c: type names, variable declarations, typedef, constants by inline.
 *
 * What D can declare beyond this (structs, enumerations, arrays of memory, translators,
 * providers, inlines that compute) is refused by name.
 */
#include "d/lexer.h"
#include "d/parser.h"

#include <string.h>

struct specifiers {
	const struct d_type *type;
	struct d_type_words words;
	enum d_token_kind storage; /* 0: none */
	struct d_place place;      /* of the first word */
	bool any_word, tag;
};

bool d_begins_type(const struct d_token *token)
{
	switch (token->kind) {
	case D_TOKEN_TYPE:
	case D_TOKEN_CHAR:
	case D_TOKEN_CONST:
	case D_TOKEN_DOUBLE:
	case D_TOKEN_ENUM:
	case D_TOKEN_FLOAT:
	case D_TOKEN_INT:
	case D_TOKEN_LONG:
	case D_TOKEN_RESTRICT:
	case D_TOKEN_SHORT:
	case D_TOKEN_SIGNED:
	case D_TOKEN_STRING_TYPE:
	case D_TOKEN_STRUCT:
	case D_TOKEN_UNION:
	case D_TOKEN_UNSIGNED:
	case D_TOKEN_VOID:
	case D_TOKEN_VOLATILE:
		return true;
	default:
		return false;
	}
}

static bool is_storage(enum d_token_kind kind)
{
	return kind == D_TOKEN_AUTO || kind == D_TOKEN_REGISTER || kind == D_TOKEN_STATIC ||
	       kind == D_TOKEN_EXTERN || kind == D_TOKEN_TYPEDEF || kind == D_TOKEN_SELF ||
	       kind == D_TOKEN_THIS;
}

/* struct tag: as an incomplete type, which can only be pointed to. */
static int parse_tag(struct d_compiler *compiler, struct specifiers *specifiers)
{
	static const char *const what[] = {
		"a struct definition", "a union definition", "an enum definition"};
	enum d_token_kind kind = compiler->token.kind;
	unsigned which = kind == D_TOKEN_STRUCT ? 0 : kind == D_TOKEN_UNION ? 1 : 2;
	struct d_name *name;

	if (d_lexer_next(compiler))
		return -1;
	if (compiler->token.kind == D_TOKEN_LEFT_BRACE)
		return d_fail_unsupported(compiler, &compiler->token.place, what[which]);
	if (compiler->token.kind != D_TOKEN_NAME)
		return d_fail_syntax(compiler, &compiler->token.place, "a tag");
	name = compiler->token.name;
	if (d_lexer_next(compiler))
		return -1;
	if (compiler->token.kind == D_TOKEN_LEFT_BRACE)
		return d_fail_unsupported(compiler, &compiler->token.place, what[which]);
	specifiers->type = d_types_tag(&compiler->types,
		which == 0   ? D_TYPE_STRUCT
		: which == 1 ? D_TYPE_UNION
			     : D_TYPE_ENUM,
		name);
	specifiers->tag = true;
	return specifiers->type ? 0 : d_fail_memory(compiler);
}

static unsigned bases(const struct d_type_words *words)
{
	return words->chars + words->ints + words->floats + words->doubles + words->voids +
	       words->strings;
}

/* The combination of words so far must be one that C allows; which rule it breaks. */
static int check_words(struct d_compiler *compiler, const struct specifiers *specifiers,
	const struct d_place *place)
{
	const struct d_type_words *words = &specifiers->words;
	bool sign = words->signeds || words->unsigneds;
	bool named = specifiers->type;

	if ((named && bases(words)) || bases(words) > 1)
		return d_fail(compiler, place, "D_DECL_COMBO", "invalid type combination");
	if (words->chars && (words->shorts || words->longs))
		return d_fail(compiler, place, "D_DECL_CHARATTR",
			"short and long may not be used with char type");
	if (words->voids && (words->shorts || words->longs || sign))
		return d_fail(compiler, place, "D_DECL_VOIDATTR",
			"attributes may not be used with void type");
	if (sign && (named || words->strings || words->floats || words->doubles))
		return d_fail(compiler, place, "D_DECL_SIGNINT",
			"signed and unsigned may only be used with integer type");
	if ((words->shorts || words->longs) && (named || words->strings))
		return d_fail(compiler, place, "D_DECL_LONGINT",
			"long and long long may only be used with integer or floating-point type");
	return 0;
}

static int parse_specifiers(
	struct d_compiler *compiler, struct specifiers *specifiers, bool storage_allowed)
{
	struct d_token token;
	bool named;

	memset(specifiers, 0, sizeof(*specifiers));
	specifiers->place = compiler->token.place;
	for (;;) {
		token = compiler->token;
		if (is_storage(token.kind)) {
			if (!storage_allowed)
				return d_fail(compiler, &token.place, "D_DECL_PARMCLASS",
					"a storage class may not be used here");
			if (specifiers->storage)
				return d_fail(compiler, &token.place, "D_DECL_CLASS",
					"only one storage class allowed in a declaration");
			specifiers->storage = token.kind;
		} else if (!d_begins_type(&token)) {
			break;
		} else if (token.kind == D_TOKEN_TYPE || token.kind == D_TOKEN_STRUCT ||
			   token.kind == D_TOKEN_UNION || token.kind == D_TOKEN_ENUM) {
			named = specifiers->type || specifiers->words.ints;
			if (named || bases(&specifiers->words))
				return d_fail(compiler, &token.place, "D_DECL_COMBO",
					"invalid type combination");
			specifiers->any_word = true;
			specifiers->type = token.type;
			if (token.kind != D_TOKEN_TYPE) {
				if (parse_tag(compiler, specifiers) ||
					check_words(compiler, specifiers, &token.place))
					return -1;
				continue;
			}
		} else if (d_type_word(&specifiers->words, token.place.start, token.place.length)) {
			specifiers->any_word = true;
		}
		if (check_words(compiler, specifiers, &token.place) || d_lexer_next(compiler))
			return -1;
	}
	if (!specifiers->type)
		specifiers->type = d_types_of_words(&compiler->types, &specifiers->words);
	if (!specifiers->type)
		return d_fail(compiler, &specifiers->place, "D_UNKNOWN",
			"failed to resolve type: Unknown type name");
	return 0;
}

static const struct d_type *parse_stars(struct d_compiler *compiler, const struct d_type *type)
{
	while (compiler->token.kind == D_TOKEN_STAR || compiler->token.kind == D_TOKEN_CONST ||
		compiler->token.kind == D_TOKEN_VOLATILE ||
		compiler->token.kind == D_TOKEN_RESTRICT) {
		if (compiler->token.kind == D_TOKEN_STAR)
			type = d_types_pointer(&compiler->types, type);
		if (!type) {
			d_fail(compiler, &compiler->token.place, "D_SYNTAX",
				"more than %d pointers to pointers", D_POINTER_DEPTH_MAX);
			return NULL;
		}
		if (d_lexer_next(compiler))
			return NULL;
	}
	return type;
}

/* A type without a name: specifiers and stars. */
const struct d_type *d_parse_type_name(struct d_compiler *compiler)
{
	struct specifiers specifiers;
	const struct d_type *type;

	if (parse_specifiers(compiler, &specifiers, false))
		return NULL;
	type = parse_stars(compiler, specifiers.type);
	if (type && (compiler->token.kind == D_TOKEN_LEFT_BRACKET ||
			    compiler->token.kind == D_TOKEN_LEFT_PAREN)) {
		d_fail_unsupported(compiler, &compiler->token.place,
			compiler->token.kind == D_TOKEN_LEFT_PAREN ? "a function type"
								   : "an array type");
		return NULL;
	}
	return type;
}

/* T1, T2 ... ] of an associative array. */
static int parse_keys(
	struct d_compiler *compiler, const struct d_type *keys[D_KEYS_MAX], unsigned *count)
{
	for (*count = 0;;) {
		struct d_place place = compiler->token.place;
		const struct d_type *type;

		if (compiler->token.kind == D_TOKEN_ELLIPSIS)
			return d_fail(compiler, &place, "D_DECL_PROTO_VARARGS",
				"an associative array may not have a variable number of keys");
		if (!d_begins_type(&compiler->token))
			return d_fail_syntax(compiler, &place, "a type");
		type = d_parse_type_name(compiler);
		if (!type)
			return -1;
		if (!d_type_is_scalar(type) && !d_type_is_string(type))
			return d_fail(compiler, &place, "D_DECL_PROTO_TYPE",
				"key #%u of an associative array has a type that no value has",
				*count + 1);
		if (*count == D_KEYS_MAX)
			return d_fail(compiler, &place, "D_UNKNOWN",
				"Insufficient tuple registers to generate code (at most %d keys)",
				D_KEYS_MAX);
		keys[(*count)++] = type;
		if (compiler->token.kind != D_TOKEN_COMMA)
			return d_expect(compiler, D_TOKEN_RIGHT_BRACKET, ", or ]");
		if (d_lexer_next(compiler))
			return -1;
	}
}

/* T name[3]: checked, and then not supported. */
static int parse_array(struct d_compiler *compiler, const struct d_place *place)
{
	struct d_node *size;

	if (compiler->token.kind == D_TOKEN_RIGHT_BRACKET)
		return d_fail(compiler, place, "D_DECL_ARRNULL",
			"array declaration requires array dimension or tuple signature");
	size = d_parse_expression(compiler);
	if (!size)
		return -1;
	if (size->kind != D_NODE_INTEGER || (int64_t)size->value <= 0)
		return d_fail(compiler, place, "D_DECL_ARRSUB",
			"positive integral constant expression expected as array size");
	if (size->value > UINT32_MAX)
		return d_fail(compiler, place, "D_DECL_ARRBIG", "array dimension is too large");
	return d_fail_unsupported(compiler, place, "an array of fixed size");
}

static bool same_declaration(const struct d_identifier *old, const struct d_type *type,
	const struct d_type *const *keys, unsigned count)
{
	bool same = (old->kind == D_IDENTIFIER_SCALAR || old->kind == D_IDENTIFIER_ARRAY) &&
		    old->key_count == count && d_type_same(old->type, type);

	for (unsigned i = 0; same && i < count; i++)
		same = d_type_same(old->keys[i], keys[i]);
	return same;
}

static int declare(struct d_compiler *compiler, const struct specifiers *specifiers,
	const struct d_type *type, const struct d_token *token, const struct d_type *const *keys,
	unsigned count)
{
	enum d_token_kind storage = specifiers->storage;
	enum d_name_space space = storage == D_TOKEN_SELF   ? D_SPACE_SELF
				  : storage == D_TOKEN_THIS ? D_SPACE_THIS
							    : D_SPACE_GLOBAL;
	struct d_identifier *old = d_symbol_find(compiler, token->name, space);
	const char *name = token->name->bytes;

	if (strchr(name, '`'))
		return d_fail(compiler, &token->place, "D_DECL_SCOPE",
			"D scoping operator may not be used in a declaration of %s", name);
	if (storage == D_TOKEN_TYPEDEF) {
		if (old || token->name->type)
			return d_fail(compiler, &token->place, "D_DECL_IDRED",
				"identifier redeclared: %s", name);
		if (count)
			return d_fail_unsupported(compiler, &token->place, "a typedef of an array");
		return d_types_define(&compiler->types, token->name, type) ? d_fail_memory(compiler)
									   : 0;
	}
	if (storage == D_TOKEN_EXTERN)
		return 0;
	if (count && storage == D_TOKEN_THIS)
		return d_fail(compiler, &token->place, "D_DECL_LOCASSC",
			"cannot declare local associative array: %s", name);
	if (type->kind == D_TYPE_VOID)
		return d_fail(compiler, &token->place, "D_DECL_VOIDOBJ",
			"cannot have void object: %s", name);
	if (type->kind == D_TYPE_FLOAT)
		return d_fail_unsupported(compiler, &token->place, "a floating-point variable");
	if (!d_type_is_scalar(type) && !d_type_is_string(type))
		return d_fail(compiler, &token->place, "D_DECL_INCOMPLETE", "incomplete %s: %s",
			type->name, name);
	if (old && same_declaration(old, type, keys, count))
		return 0;
	if (old || (space == D_SPACE_GLOBAL && token->name->type))
		return d_fail(
			compiler, &token->place, "D_DECL_IDRED", "identifier redeclared: %s", name);
	return d_symbol_variable(compiler, token->name, space, type, keys, count) ? 0 : -1;
}

static int parse_declarator(struct d_compiler *compiler, const struct specifiers *specifiers)
{
	const struct d_type *type = parse_stars(compiler, specifiers->type);
	const struct d_type *keys[D_KEYS_MAX];
	struct d_token token = compiler->token;
	unsigned count = 0;
	struct d_place place;

	if (!type)
		return -1;
	if (token.kind == D_TOKEN_LEFT_PAREN)
		return d_fail_unsupported(compiler, &token.place, "a declarator in parentheses");
	if (token.kind == D_TOKEN_TYPE)
		token.kind = D_TOKEN_NAME;
	if (token.kind != D_TOKEN_NAME)
		return d_fail_syntax(compiler, &token.place, "a name");
	if (d_lexer_next(compiler))
		return -1;
	place = compiler->token.place;
	if (compiler->token.kind == D_TOKEN_LEFT_PAREN)
		return d_fail_unsupported(compiler, &place, "a function declaration");
	if (compiler->token.kind == D_TOKEN_LEFT_BRACKET) {
		if (d_lexer_next(compiler))
			return -1;
		if (!d_begins_type(&compiler->token) && compiler->token.kind != D_TOKEN_ELLIPSIS)
			return parse_array(compiler, &place);
		if (parse_keys(compiler, keys, &count))
			return -1;
	}
	if (compiler->token.kind == D_TOKEN_LEFT_BRACKET)
		return d_fail(compiler, &compiler->token.place, "D_DECL_DYNOBJ",
			"cannot have an array of associative arrays: %s", token.name->bytes);
	if (compiler->token.kind == D_TOKEN_NAME || compiler->token.kind == D_TOKEN_TYPE)
		return d_fail(compiler, &compiler->token.place, "D_DECL_IDENT",
			"old-style declaration or incorrect type specified");
	return declare(compiler, specifiers, type, &token, keys, count);
}

/* inline T name = constant; what computes is not supported. */
static int parse_inline(struct d_compiler *compiler)
{
	struct specifiers specifiers;
	struct d_identifier *identifier;
	const struct d_type *type;
	struct d_token token;
	struct d_node *value;

	if (d_lexer_next(compiler) || parse_specifiers(compiler, &specifiers, true))
		return -1;
	if (specifiers.storage)
		return d_fail(compiler, &specifiers.place, "D_DECL_BADCLASS",
			"specified storage class not appropriate for inline declaration");
	type = parse_stars(compiler, specifiers.type);
	if (!type)
		return -1;
	token = compiler->token;
	if (token.kind != D_TOKEN_NAME)
		return d_fail_syntax(compiler, &token.place, "a name");
	if (d_lexer_next(compiler))
		return -1;
	if (compiler->token.kind == D_TOKEN_LEFT_BRACKET)
		return d_fail_unsupported(compiler, &token.place, "an inline with parameters");
	if (d_symbol_find(compiler, token.name, D_SPACE_GLOBAL))
		return d_fail(compiler, &token.place, "D_DECL_IDRED",
			"inline name is already in use: %s", token.name->bytes);
	if (type->kind == D_TYPE_VOID)
		return d_fail(compiler, &token.place, "D_DECL_VOIDOBJ",
			"cannot declare void inline: %s", token.name->bytes);
	if (d_expect(compiler, D_TOKEN_ASSIGN, "="))
		return -1;
	value = d_parse_assignment(compiler);
	if (!value)
		return -1;
	if (value->kind != D_NODE_INTEGER && value->kind != D_NODE_STRING)
		return d_fail_unsupported(
			compiler, &value->place, "an inline that is not a constant");
	if (value->kind == D_NODE_STRING ? !d_type_is_text(type)
					 : !d_type_is_integer(type) && !d_node_is_zero(value))
		return d_fail(compiler, &value->place, "D_OP_INCOMPAT",
			"inline %s definition uses incompatible types", token.name->bytes);
	identifier = d_symbol_inline(compiler, token.name);
	if (!identifier)
		return -1;
	identifier->value = value->value;
	identifier->type = value->type;
	identifier->text = value->kind == D_NODE_STRING ? value->name : NULL;
	return 0;
}

int d_parse_declaration(struct d_compiler *compiler)
{
	struct specifiers specifiers;
	struct d_token first = compiler->token;
	int result;

	if (first.kind == D_TOKEN_TRANSLATOR || first.kind == D_TOKEN_PROVIDER)
		return d_fail_unsupported(compiler, &first.place,
			first.kind == D_TOKEN_TRANSLATOR ? "translator" : "a provider definition");
	if (first.kind == D_TOKEN_INLINE) {
		result = parse_inline(compiler);
	} else {
		result = parse_specifiers(compiler, &specifiers, true);
		if (!result && (specifiers.storage == D_TOKEN_AUTO ||
				       specifiers.storage == D_TOKEN_REGISTER ||
				       specifiers.storage == D_TOKEN_STATIC))
			return d_fail(compiler, &first.place, "D_DECL_BADCLASS",
				"specified storage class not appropriate in D");
		if (!result && compiler->token.kind == D_TOKEN_SEMICOLON && !specifiers.tag)
			return d_fail(
				compiler, &first.place, "D_DECL_USELESS", "useless declaration");
		while (!result && compiler->token.kind != D_TOKEN_SEMICOLON) {
			result = parse_declarator(compiler, &specifiers);
			if (result || compiler->token.kind != D_TOKEN_COMMA)
				break;
			result = d_lexer_next(compiler);
			if (!result && compiler->token.kind == D_TOKEN_SEMICOLON)
				return d_fail_syntax(compiler, &compiler->token.place, "a name");
		}
	}
	if (result)
		return result;
	compiler->lexer.mode = D_MODE_OUTER;
	return d_expect(compiler, D_TOKEN_SEMICOLON, "; or ,");
}
