/*
 * parse_declarator.c: see parse_declarator.h.
 */
#include "d/parse_declarator.h"

#include <string.h>

#include "d/check.h"
#include "d/hint.h"
#include "d/lex.h"

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

static unsigned bases(const struct d_type_words *words)
{
	return words->chars + words->ints + words->floats + words->doubles + words->voids +
		words->strings;
}

/* Checks that C allows the combination of words so far; an error says which rule it breaks. */
static int check_words(struct d_compiler *compiler, const struct d_specifiers *specifiers,
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

/* "string" after a type's name: DTrace takes it as the name being declared. */
static int fail_string_name(struct d_compiler *compiler, const struct d_specifiers *specifiers)
{
	struct d_place place = compiler->token.place;

	if (specifiers->storage != D_TOKEN_TYPEDEF) {
		if (d_lexer_next(compiler))
			return -1;
		if (compiler->token.kind == D_TOKEN_NAME || compiler->token.kind == D_TOKEN_TYPE)
			return d_fail(compiler, &compiler->token.place, "D_DECL_IDENT",
				"old-style declaration or incorrect type specified");
	}
	return d_fail(compiler, &place, "D_DECL_IDRED", "identifier redeclared: string");
}

int d_parse_specifiers(
	struct d_compiler *compiler, struct d_specifiers *specifiers, bool storage_allowed)
{
	struct d_token token;
	bool named;

	memset(specifiers, 0, sizeof(*specifiers));
	specifiers->place = compiler->token.place;
	for (;;) {
		token = compiler->token;
		if (is_storage(token.kind)) {
			if (!storage_allowed &&
				(token.kind == D_TOKEN_SELF || token.kind == D_TOKEN_THIS))
				return d_fail_syntax(compiler, &token.place, "a type");
			if (!storage_allowed && token.kind != D_TOKEN_REGISTER)
				return d_fail(compiler, &token.place, "D_DECL_PARMCLASS",
					"a storage class may not be used here");
			if (specifiers->storage)
				return d_fail(compiler, &token.place, "D_DECL_CLASS",
					"only one storage class allowed in a declaration");
			specifiers->storage = token.kind;
		} else if (compiler->lexer.included && token.kind == D_TOKEN_INLINE &&
			(specifiers->storage == D_TOKEN_STATIC ||
				specifiers->storage == D_TOKEN_EXTERN)) {
			/* C's inline, where D's is not possible */
		} else if (!d_begins_type(&token)) {
			break;
		} else if (token.kind == D_TOKEN_TYPE || token.kind == D_TOKEN_STRUCT ||
			token.kind == D_TOKEN_UNION || token.kind == D_TOKEN_ENUM) {
			named = specifiers->type || bases(&specifiers->words);
			/*
			 * A word after a type is the declared name, even if it is also a type's
			 * name.
			 */
			if (named && token.kind == D_TOKEN_TYPE)
				break;
			if (named)
				return d_fail(compiler, &token.place, "D_DECL_COMBO",
					"invalid type combination");
			specifiers->type = token.type;
			if (token.kind != D_TOKEN_TYPE) {
				if (d_parse_tag(compiler, specifiers) ||
					check_words(compiler, specifiers, &token.place))
					return -1;
				continue;
			}
		} else if (token.kind == D_TOKEN_STRING_TYPE &&
			(specifiers->type || bases(&specifiers->words))) {
			return fail_string_name(compiler, specifiers);
		} else {
			/* const, volatile and restrict have no meaning in D. */
			d_type_word(&specifiers->words, token.name->bytes, token.name->length);
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

/* A key's type, and its optional name, which only has a meaning for inlines. */
static const struct d_type *parse_key(struct d_compiler *compiler, const struct d_name **name)
{
	struct d_specifiers specifiers;
	struct d_declarator declarator;

	*name = NULL;
	if (d_parse_specifiers(compiler, &specifiers, false) ||
		d_parse_declarator(compiler, specifiers.type, D_DECLARATOR_PARAMETER, &declarator))
		return NULL;
	*name = declarator.name.kind ? declarator.name.name : NULL;
	return declarator.type;
}

/* T1, T2 ... ] of an associative array or an inline. */
static int parse_keys(struct d_compiler *compiler, struct d_declarator *declarator)
{
	unsigned *count = &declarator->key_count;
	const struct d_name *name;

	for (*count = 0;;) {
		struct d_place place = compiler->token.place;
		const struct d_type *type;

		if (compiler->token.kind == D_TOKEN_ELLIPSIS)
			return d_fail(compiler, &place, "D_DECL_PROTO_VARARGS",
				"an associative array may not have a variable number of keys");
		if (!d_begins_type(&compiler->token))
			return d_fail_syntax(compiler, &place, "a type");
		type = parse_key(compiler, &name);
		if (!type)
			return -1;
		for (unsigned i = 0; name && i < *count; i++) {
			if (declarator->key_names[i] == name)
				return d_fail(compiler, &place, "D_DECL_PROTO_FORM",
					"parameter name is already in use: %s", name->bytes);
		}
		if (!d_check_is_key(type))
			return d_fail(compiler, &place, "D_DECL_PROTO_TYPE",
				"key #%u of an associative array has a type that no value has",
				*count + 1);
		if (*count == D_KEYS_MAX)
			return d_fail(compiler, &place, "",
				"Insufficient tuple registers to generate code (at most %d keys)",
				D_KEYS_MAX);
		declarator->key_names[*count] = name;
		declarator->keys[(*count)++] = type;
		if (compiler->token.kind != D_TOKEN_COMMA)
			return d_expect(compiler, D_TOKEN_RIGHT_BRACKET, ", or ]");
		if (d_lexer_next(compiler))
			return -1;
	}
}

/* One step outwards from a name: "is a pointer to", "is an array of", "returns". */
struct derivation {
	enum d_type_kind kind; /* D_TYPE_POINTER, D_TYPE_ARRAY, D_TYPE_FUNCTION */
	uint64_t count;
	struct d_place place;
};

struct derivations {
	struct derivation steps[D_POINTER_DEPTH_MAX];
	unsigned count;
};

static int derive(struct d_compiler *compiler, struct derivations *derivations,
	enum d_type_kind kind, uint64_t count, const struct d_place *place)
{
	if (derivations->count == D_POINTER_DEPTH_MAX)
		return d_fail(compiler, place, "D_SYNTAX",
			"declaration has more than %d pointers, arrays and functions in one",
			D_POINTER_DEPTH_MAX);
	derivations->steps[derivations->count++] =
		(struct derivation){.kind = kind, .count = count, .place = *place};
	return 0;
}

static bool is_qualifier(enum d_token_kind kind)
{
	return kind == D_TOKEN_CONST || kind == D_TOKEN_VOLATILE || kind == D_TOKEN_RESTRICT;
}

int d_fail_unsized(struct d_compiler *compiler, const struct d_place *place)
{
	return d_fail(compiler, place, "D_DECL_ARRNULL",
		"array declaration requires array dimension or tuple signature");
}

/* The size of an array, up to ']', which is consumed. */
static int parse_size(struct d_compiler *compiler, const struct d_place *place, uint64_t *count)
{
	struct d_node *size = d_parse_expression(compiler);

	if (!size)
		return -1;
	if (size->kind != D_NODE_INTEGER && d_check(compiler, size))
		return -1;
	/* In included files [0] (GNU C) is the same as []. */
	if (size->kind != D_NODE_INTEGER || (int64_t)size->value < 0 ||
		(!size->value && !compiler->lexer.included))
		return d_fail(compiler, place, "D_DECL_ARRSUB",
			"positive integral constant expression expected as array size");
	if (size->value > UINT32_MAX)
		return d_fail(compiler, place, "D_DECL_ARRBIG", "array dimension is too large");
	*count = size->value;
	return d_expect(compiler, D_TOKEN_RIGHT_BRACKET, "]");
}

/* [ ... ] after a declarator. */
static int parse_brackets(struct d_compiler *compiler, enum d_declarator_form form,
	struct d_declarator *declarator, struct derivations *derivations)
{
	struct d_place place = compiler->token.place;
	uint64_t count = 0;

	if (d_lexer_next(compiler))
		return -1;
	if (compiler->token.kind == D_TOKEN_RIGHT_BRACKET) {
		enum d_type_kind kind =
			form == D_DECLARATOR_PARAMETER ? D_TYPE_POINTER : D_TYPE_ARRAY;

		declarator->brackets = place;
		return d_lexer_next(compiler) || derive(compiler, derivations, kind, 0, &place) ? -1
												: 0;
	}
	if (!d_begins_type(&compiler->token) && compiler->token.kind != D_TOKEN_ELLIPSIS)
		return parse_size(compiler, &place, &count) ||
				derive(compiler, derivations, D_TYPE_ARRAY, count, &place)
			? -1
			: 0;
	if (!derivations->count && form == D_DECLARATOR_PARAMETER)
		return d_fail(compiler, &place, "D_DECL_PROTO_TYPE",
			"a parameter or a key may not be an associative array");
	if (declarator->key_count)
		return d_fail(compiler, &place, "D_DECL_DYNOBJ",
			"cannot have an associative array of associative arrays");
	if (derivations->count || (form != D_DECLARATOR_NAMED && form != D_DECLARATOR_INLINE))
		return d_fail(compiler, &place, "D_DECL_DYNOBJ",
			"cannot have an array, a pointer or a function of an associative array");
	return parse_keys(compiler, declarator);
}

static int parse_direct(struct d_compiler *compiler, enum d_declarator_form form,
	struct d_declarator *declarator, struct derivations *derivations);

/*
 * Parses from '(': an inner declarator or, where a name is optional, the parameters of a function
 * without a name.
 */
static int parse_parentheses(struct d_compiler *compiler, enum d_declarator_form form,
	struct d_declarator *declarator, struct derivations *derivations)
{
	struct d_place place = compiler->token.place;
	struct d_parameter *parameters;

	if (d_lexer_next(compiler))
		return -1;
	if (form != D_DECLARATOR_NAMED && form != D_DECLARATOR_INLINE &&
		(compiler->token.kind == D_TOKEN_RIGHT_PAREN ||
			compiler->token.kind == D_TOKEN_ELLIPSIS ||
			d_begins_type(&compiler->token)))
		return d_parse_parameters(compiler, &parameters) ||
				derive(compiler, derivations, D_TYPE_FUNCTION, 0, &place)
			? -1
			: 0;
	if (++compiler->nesting > D_NESTING_MAX)
		return d_fail(compiler, &place, "D_SYNTAX", "declaration is nested too deeply");
	if (parse_direct(compiler, form, declarator, derivations))
		return -1;
	compiler->nesting--;
	return d_expect(compiler, D_TOKEN_RIGHT_PAREN, ")");
}

/* Steps are added from the name outwards, so the stars before it come last. */
static int parse_direct(struct d_compiler *compiler, enum d_declarator_form form,
	struct d_declarator *declarator, struct derivations *derivations)
{
	struct d_place place = compiler->token.place;
	struct d_parameter *parameters;
	unsigned stars = 0;

	while (compiler->token.kind == D_TOKEN_STAR || is_qualifier(compiler->token.kind)) {
		stars += compiler->token.kind == D_TOKEN_STAR;
		if (d_lexer_next(compiler))
			return -1;
	}
	if (compiler->token.kind == D_TOKEN_LEFT_PAREN) {
		if (parse_parentheses(compiler, form, declarator, derivations))
			return -1;
	} else if (form != D_DECLARATOR_ABSTRACT &&
		(compiler->token.kind == D_TOKEN_NAME || compiler->token.kind == D_TOKEN_TYPE)) {
		declarator->name = compiler->token;
		declarator->name.kind = D_TOKEN_NAME;
		if (d_lexer_next(compiler))
			return -1;
	} else if (form == D_DECLARATOR_NAMED || form == D_DECLARATOR_INLINE) {
		return d_fail_syntax(compiler, &compiler->token.place, "a name");
	}
	while (compiler->token.kind == D_TOKEN_LEFT_BRACKET ||
		compiler->token.kind == D_TOKEN_LEFT_PAREN) {
		struct d_place after = compiler->token.place;

		if (compiler->token.kind == D_TOKEN_LEFT_BRACKET) {
			if (parse_brackets(compiler, form, declarator, derivations))
				return -1;
		} else if (d_lexer_next(compiler) || d_parse_parameters(compiler, &parameters) ||
			derive(compiler, derivations, D_TYPE_FUNCTION, 0, &after)) {
			return -1;
		}
	}
	for (; stars; stars--) {
		if (derive(compiler, derivations, D_TYPE_POINTER, 0, &place))
			return -1;
	}
	return 0;
}

/* Applies one step to a type; NULL: failed. */
static const struct d_type *apply(struct d_compiler *compiler, const struct derivation *step,
	const struct d_type *type, const char *name)
{
	uint64_t count = step->count;

	if (step->kind == D_TYPE_FUNCTION)
		return compiler->types.type_function;
	if (step->kind == D_TYPE_POINTER) {
		type = d_types_pointer(&compiler->types, type);
		if (!type)
			d_fail(compiler, &step->place, "D_SYNTAX",
				"more than %d pointers to pointers", D_POINTER_DEPTH_MAX);
		return type;
	}
	if (type->kind == D_TYPE_VOID || type->kind == D_TYPE_FUNCTION) {
		d_fail(compiler, &step->place, "D_DECL_VOIDOBJ", "cannot have array of %s: %s",
			type->name, name);
		return NULL;
	}
	if (d_type_is_incomplete(type)) {
		d_fail(compiler, &step->place, "D_DECL_INCOMPLETE", "array of incomplete %s: %s",
			type->name, name);
		return NULL;
	}
	if (d_type_is_unsized(type) && !compiler->lexer.included) {
		d_fail_unsized(compiler, &step->place);
		return NULL;
	}
	if (compiler->is_extern && count <= UINT32_MAX && type->size &&
		count > D_OBJECT_MAX / type->size)
		count = 1; /* no variable is made, and nothing ever has this type */
	type = d_types_array(&compiler->types, type, count);
	if (!type)
		d_fail(compiler, &step->place, "D_DECL_ARRBIG", "array is larger than %d MiB: %s",
			D_OBJECT_MAX >> 20, name);
	return type;
}

int d_parse_declarator(struct d_compiler *compiler, const struct d_type *base,
	enum d_declarator_form form, struct d_declarator *declarator)
{
	struct derivations derivations = {.count = 0};
	char hint[D_HINT_MAX];
	const char *name;

	memset(declarator, 0, sizeof(*declarator));
	if (parse_direct(compiler, form, declarator, &derivations))
		return -1;
	if (declarator->name.kind &&
		(compiler->token.kind == D_TOKEN_NAME || compiler->token.kind == D_TOKEN_TYPE))
		return declarator->name.name->type
			? d_fail(compiler, &declarator->name.place, "D_DECL_COMBO",
				  "invalid type combination")
			: d_fail(compiler, &compiler->token.place, "D_DECL_IDENT",
				  "old-style declaration or incorrect type specified%s",
				  d_hint_type(compiler, declarator->name.name, hint));
	name = declarator->name.kind ? declarator->name.name->bytes : "(no name)";
	while (derivations.count && base)
		base = apply(compiler, &derivations.steps[--derivations.count], base, name);
	declarator->type = base;
	return base ? 0 : -1;
}

/* A type without a name. */
const struct d_type *d_parse_type_name(struct d_compiler *compiler)
{
	struct d_specifiers specifiers;
	struct d_declarator declarator;

	if (d_parse_specifiers(compiler, &specifiers, false) ||
		d_parse_declarator(compiler, specifiers.type, D_DECLARATOR_ABSTRACT, &declarator))
		return NULL;
	return declarator.type;
}

static int parse_parameter(
	struct d_compiler *compiler, struct d_parameter *first, struct d_parameter **result)
{
	struct d_parameter *parameter = d_get(compiler, sizeof(*parameter));
	struct d_place place = compiler->token.place;
	struct d_specifiers specifiers;
	struct d_declarator declarator;

	if (!parameter || d_parse_specifiers(compiler, &specifiers, false) ||
		d_parse_declarator(compiler, specifiers.type, D_DECLARATOR_PARAMETER, &declarator))
		return -1;
	parameter->name = declarator.name;
	parameter->type = declarator.type;
	if (parameter->type->kind == D_TYPE_ARRAY)
		parameter->type = d_types_pointer(&compiler->types, parameter->type->target);
	if (!parameter->type)
		return d_fail_memory(compiler);
	if (parameter->type->kind == D_TYPE_VOID && parameter->name.kind)
		return d_fail(compiler, &parameter->name.place, "D_DECL_PROTO_NAME",
			"void parameter may not have a name: %s", parameter->name.name->bytes);
	for (; parameter->name.kind && first; first = first->next) {
		if (first->name.kind && first->name.name == parameter->name.name)
			return d_fail(compiler, &place, "D_DECL_PROTO_FORM",
				"parameter name is already in use: %s",
				parameter->name.name->bytes);
	}
	*result = parameter;
	return 0;
}

int d_parse_parameters(struct d_compiler *compiler, struct d_parameter **parameters)
{
	struct d_parameter **last = parameters;
	struct d_place place = compiler->token.place;
	bool has_void = false;
	unsigned count = 0;

	*parameters = NULL;
	if (++compiler->nesting > D_NESTING_MAX)
		return d_fail(compiler, &place, "D_SYNTAX", "declaration is nested too deeply");
	while (compiler->token.kind != D_TOKEN_RIGHT_PAREN || count) {
		if (compiler->token.kind == D_TOKEN_ELLIPSIS) {
			if (d_lexer_next(compiler))
				return -1;
			break;
		}
		if (!d_begins_type(&compiler->token) && !is_storage(compiler->token.kind))
			return d_fail_syntax(compiler, &compiler->token.place, "a type");
		if (count == D_PARAMETERS_MAX)
			return d_fail(compiler, &place, "D_UNKNOWN",
				"function has more than %d parameters", D_PARAMETERS_MAX);
		if (parse_parameter(compiler, *parameters, last))
			return -1;
		count++;
		has_void = has_void || (*last)->type->kind == D_TYPE_VOID;
		if (has_void && count > 1)
			return d_fail(compiler, &place, "D_DECL_PROTO_VOID",
				"void must be the only parameter");
		last = &(*last)->next;
		if (compiler->token.kind != D_TOKEN_COMMA)
			break;
		if (d_lexer_next(compiler))
			return -1;
	}
	if (has_void)
		*parameters = NULL;
	compiler->nesting--;
	return d_expect(compiler, D_TOKEN_RIGHT_PAREN, ", or )");
}

unsigned d_parameter_count(const struct d_parameter *parameter)
{
	unsigned count = 0;

	for (; parameter; parameter = parameter->next)
		count++;
	return count;
}

const struct d_parameter *d_parameter_find(
	const struct d_parameter *parameter, const struct d_name *name, unsigned *number)
{
	*number = 0;
	for (; parameter; parameter = parameter->next, (*number)++)
		if (parameter->name.kind && parameter->name.name == name)
			return parameter;
	return NULL;
}
