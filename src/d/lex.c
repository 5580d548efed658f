/*
 * lex.c: see lex.h. Texts may contain any bytes; nothing is read beyond the end.
 */
#include "d/lex.h"

#include <errno.h>
#include <string.h>

#include "d/parse_inline.h"

static const char *const keywords[D_TOKENS] = {
	[D_TOKEN_AUTO] = "auto",
	[D_TOKEN_CHAR] = "char",
	[D_TOKEN_CONST] = "const",
	[D_TOKEN_DOUBLE] = "double",
	[D_TOKEN_ENUM] = "enum",
	[D_TOKEN_EXTERN] = "extern",
	[D_TOKEN_FLOAT] = "float",
	[D_TOKEN_INLINE] = "inline",
	[D_TOKEN_INT] = "int",
	[D_TOKEN_LONG] = "long",
	[D_TOKEN_PROVIDER] = "provider",
	[D_TOKEN_REGISTER] = "register",
	[D_TOKEN_RESTRICT] = "restrict",
	[D_TOKEN_SELF] = "self",
	[D_TOKEN_SHORT] = "short",
	[D_TOKEN_SIGNED] = "signed",
	[D_TOKEN_STATIC] = "static",
	[D_TOKEN_STRING_TYPE] = "string",
	[D_TOKEN_STRUCT] = "struct",
	[D_TOKEN_THIS] = "this",
	[D_TOKEN_TRANSLATOR] = "translator",
	[D_TOKEN_TYPEDEF] = "typedef",
	[D_TOKEN_UNION] = "union",
	[D_TOKEN_UNSIGNED] = "unsigned",
	[D_TOKEN_VOID] = "void",
	[D_TOKEN_VOLATILE] = "volatile",
	[D_TOKEN_BREAK] = "break",
	[D_TOKEN_CASE] = "case",
	[D_TOKEN_CONTINUE] = "continue",
	[D_TOKEN_COUNTER] = "counter",
	[D_TOKEN_DEFAULT] = "default",
	[D_TOKEN_DO] = "do",
	[D_TOKEN_ELSE] = "else",
	[D_TOKEN_FOR] = "for",
	[D_TOKEN_GOTO] = "goto",
	[D_TOKEN_IF] = "if",
	[D_TOKEN_IMPORT] = "import",
	[D_TOKEN_OFFSETOF] = "offsetof",
	[D_TOKEN_PROBE] = "probe",
	[D_TOKEN_RETURN] = "return",
	[D_TOKEN_SIZEOF] = "sizeof",
	[D_TOKEN_STRINGOF] = "stringof",
	[D_TOKEN_SWITCH] = "switch",
	[D_TOKEN_WHILE] = "while",
	[D_TOKEN_XLATE] = "xlate",
};

static const struct {
	const char text[4];
	enum d_token_kind kind;
} operators[] = {
	{"<<=", D_TOKEN_SHIFT_LEFT_ASSIGN},
	{">>=", D_TOKEN_SHIFT_RIGHT_ASSIGN},
	{"...", D_TOKEN_ELLIPSIS},
	{"<<", D_TOKEN_SHIFT_LEFT},
	{">>", D_TOKEN_SHIFT_RIGHT},
	{"<=", D_TOKEN_LESS_EQUAL},
	{">=", D_TOKEN_GREATER_EQUAL},
	{"==", D_TOKEN_EQUAL},
	{"!=", D_TOKEN_NOT_EQUAL},
	{"&&", D_TOKEN_LOGICAL_AND},
	{"^^", D_TOKEN_LOGICAL_XOR},
	{"||", D_TOKEN_LOGICAL_OR},
	{"++", D_TOKEN_INCREMENT},
	{"--", D_TOKEN_DECREMENT},
	{"->", D_TOKEN_ARROW},
	{"+=", D_TOKEN_ADD_ASSIGN},
	{"-=", D_TOKEN_SUBTRACT_ASSIGN},
	{"*=", D_TOKEN_MULTIPLY_ASSIGN},
	{"/=", D_TOKEN_DIVIDE_ASSIGN},
	{"%=", D_TOKEN_MODULO_ASSIGN},
	{"&=", D_TOKEN_AND_ASSIGN},
	{"^=", D_TOKEN_XOR_ASSIGN},
	{"|=", D_TOKEN_OR_ASSIGN},
	{"{", D_TOKEN_LEFT_BRACE},
	{"}", D_TOKEN_RIGHT_BRACE},
	{"(", D_TOKEN_LEFT_PAREN},
	{")", D_TOKEN_RIGHT_PAREN},
	{"[", D_TOKEN_LEFT_BRACKET},
	{"]", D_TOKEN_RIGHT_BRACKET},
	{";", D_TOKEN_SEMICOLON},
	{",", D_TOKEN_COMMA},
	{".", D_TOKEN_DOT},
	{"?", D_TOKEN_QUESTION},
	{":", D_TOKEN_COLON},
	{"+", D_TOKEN_PLUS},
	{"-", D_TOKEN_MINUS},
	{"*", D_TOKEN_STAR},
	{"/", D_TOKEN_SLASH},
	{"%", D_TOKEN_PERCENT},
	{"<", D_TOKEN_LESS},
	{">", D_TOKEN_GREATER},
	{"&", D_TOKEN_AND},
	{"^", D_TOKEN_XOR},
	{"|", D_TOKEN_OR},
	{"!", D_TOKEN_NOT},
	{"~", D_TOKEN_COMPLEMENT},
	{"=", D_TOKEN_ASSIGN},
};

int d_lexer_keywords(struct d_names *names)
{
	struct d_name *name;

	for (int kind = 0; kind < D_TOKENS; kind++) {
		if (!keywords[kind])
			continue;
		name = d_names_get(names, keywords[kind], strlen(keywords[kind]));
		if (!name)
			return -ENOMEM;
		name->keyword = kind;
	}
	return 0;
}

void d_lexer_start(struct d_compiler *compiler, const char *text, size_t length)
{
	struct d_lexer *lexer = &compiler->lexer;

	memset(lexer, 0, sizeof(*lexer));
	lexer->text = lexer->at = text;
	lexer->end = text + length;
	lexer->line = 1;
	lexer->line_begins = true;
	lexer->mode = D_MODE_OUTER;
}

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '`';
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\v' || c == '\f' || c == '\r';
}

/*
 * Whether c may occur in a probe description; the first character must not be a digit or a
 * backquote.
 */
static bool is_description(char c)
{
	return is_letter(c) || is_digit(c) || (c && strchr("-$:.?*\\[]!", c));
}

static struct d_place place_of(const struct d_lexer *lexer, const char *start, size_t length)
{
	return (struct d_place){.start = start,
		.length = (uint32_t)length,
		.line = lexer->line,
		.file = lexer->file};
}

static void newline(struct d_lexer *lexer)
{
	lexer->line++;
	lexer->line_begins = true;
}

static int skip_comment(struct d_compiler *compiler)
{
	struct d_lexer *lexer = &compiler->lexer;
	struct d_place opened = place_of(lexer, lexer->at, 2), nested;

	for (lexer->at += 2; lexer->at + 1 < lexer->end; lexer->at++) {
		if (lexer->at[0] == '\n') {
			newline(lexer);
		} else if (lexer->at[0] == '*' && lexer->at[1] == '/') {
			lexer->at += 2;
			return 0;
		} else if (lexer->at[0] == '/' && lexer->at[1] == '*') {
			nested = place_of(lexer, lexer->at, 2);
			return d_fail(
				compiler, &nested, "D_SYNTAX", "/* encountered inside a comment");
		}
	}
	return d_fail(compiler, &opened, "D_SYNTAX", "end-of-file encountered before matching */");
}

/* Processes a control line up to its newline. As in DTrace, a missing newline is an error. */
static int skip_control_line(struct d_compiler *compiler)
{
	struct d_lexer *lexer = &compiler->lexer;
	const char *start = lexer->at + 1;
	const char *end = memchr(start, '\n', (size_t)(lexer->end - start));
	struct d_place place = place_of(lexer, lexer->at, 1);
	int result;

	if (!end && (start == lexer->end || *start != '!'))
		return d_fail(compiler, &place, "D_SYNTAX",
			"end-of-file encountered before end of control line");
	if (!end)
		end = lexer->end;
	result = d_control_line(compiler, start, end);
	lexer->at = end;
	return result;
}

/* Skips blanks, comments and control lines, up to the first character of a token. */
static int skip(struct d_compiler *compiler)
{
	struct d_lexer *lexer = &compiler->lexer;
	int result = 0;

	while (!result && lexer->at < lexer->end) {
		char c = *lexer->at;

		if (c == '\n') {
			lexer->at++;
			newline(lexer);
		} else if (is_blank(c)) {
			lexer->at++;
		} else if (c == '\\' && lexer->mode == D_MODE_INNER && lexer->at + 1 < lexer->end &&
			lexer->at[1] == '\n') {
			lexer->at += 2;
			newline(lexer);
			lexer->line_begins = false;
		} else if (c == '/' && lexer->at + 1 < lexer->end && lexer->at[1] == '*') {
			result = skip_comment(compiler);
		} else if (c == '#' && lexer->line_begins) {
			result = skip_control_line(compiler);
		} else {
			break;
		}
	}
	return result;
}

/*
 * In a body, a name that is also a type's name means a variable if what follows it can only follow
 * a variable. From there on it means a variable in the whole script.
 */
static bool variable_follows(const struct d_lexer *lexer, const char *at)
{
	while (at < lexer->end && (is_blank(*at) || *at == '\n'))
		at++;
	if (at == lexer->end)
		return false;
	if (*at == '=')
		return at + 1 == lexer->end || at[1] != '=';
	if (*at == '[' || *at == ';')
		return true;
	if (*at == ',')
		return lexer->open == 0;
	return at + 1 < lexer->end && at[0] == at[1] && (*at == '+' || *at == '-');
}

struct d_name *d_lexer_unscoped(struct d_compiler *compiler, struct d_name *name)
{
	const char *bytes = name->bytes;

	if ((bytes[0] != 'D' && bytes[0] != 'C') || bytes[1] != '`')
		return name;
	return d_names_get(&compiler->names, bytes + 2, name->length - 2);
}

int d_lexer_word(
	struct d_compiler *compiler, const char *bytes, size_t length, struct d_token *token)
{
	struct d_lexer *lexer = &compiler->lexer;
	struct d_name *type_name;

	token->name = d_names_get(&compiler->names, bytes, length);
	type_name = token->name ? d_lexer_unscoped(compiler, token->name) : NULL;
	if (!type_name)
		return d_fail_memory(compiler);
	token->kind = D_TOKEN_NAME;
	token->name->seen = compiler->script + 1;
	if (lexer->member_next)
		return 0;
	if (token->name->keyword) {
		token->kind = (enum d_token_kind)token->name->keyword;
	} else if (!lexer->tag_next && type_name->type &&
		!token->name->identifiers[D_SPACE_GLOBAL] &&
		d_inline_parameter(compiler, token->name) < 0 && !token->name->is_variable) {
		if (!variable_follows(lexer, lexer->at)) {
			token->kind = D_TOKEN_TYPE;
			token->type = type_name->type;
		} else if (!lexer->in_declaration) {
			token->name->is_variable = true;
		}
	}
	return 0;
}

/* A slash: does it close the predicate? DTrace only looks at the next character. */
static bool closes_predicate(const struct d_lexer *lexer)
{
	const char *at = lexer->at + 1;

	while (at < lexer->end && (is_blank(*at) || *at == '\n'))
		at++;
	return at == lexer->end || *at == ';' || *at == '{' || *at == '/';
}

static int punctuation(struct d_compiler *compiler, struct d_token *token)
{
	struct d_lexer *lexer = &compiler->lexer;
	size_t left = (size_t)(lexer->end - lexer->at), length;

	for (size_t i = 0; i < sizeof(operators) / sizeof(operators[0]); i++) {
		if (operators[i].text[0] != *lexer->at)
			continue;
		length = strnlen(operators[i].text, sizeof(operators[i].text));
		if (length > left || memcmp(lexer->at, operators[i].text, length) != 0)
			continue;
		token->kind = operators[i].kind;
		token->place.length = (uint32_t)length;
		lexer->at += length;
		if (token->kind == D_TOKEN_LEFT_PAREN || token->kind == D_TOKEN_LEFT_BRACKET)
			lexer->open++;
		else if ((token->kind == D_TOKEN_RIGHT_PAREN ||
				 token->kind == D_TOKEN_RIGHT_BRACKET) &&
			lexer->open)
			lexer->open--;
		lexer->member_next = token->kind == D_TOKEN_DOT || token->kind == D_TOKEN_ARROW;
		return 0;
	}
	token->place.length = 1;
	return d_fail_syntax(compiler, &token->place, NULL);
}

static int aggregation(struct d_compiler *compiler, struct d_token *token)
{
	struct d_lexer *lexer = &compiler->lexer;
	const char *start = ++lexer->at;

	while (lexer->at < lexer->end && *lexer->at != '`' &&
		(is_letter(*lexer->at) || (lexer->at > start && is_digit(*lexer->at))))
		lexer->at++;
	token->kind = D_TOKEN_AGGREGATION;
	token->place.length = (uint32_t)(lexer->at - start) + 1;
	token->name = lexer->at == start
		? d_names_get(&compiler->names, "_", 1)
		: d_names_get(&compiler->names, start, (size_t)(lexer->at - start));
	return token->name ? 0 : d_fail_memory(compiler);
}

/* Whether a digit starts the name of a module, which ends with a scope operator. */
static bool names_module(const char *at, const char *end)
{
	while (at < end && *at != '`' && (is_letter(*at) || is_digit(*at)))
		at++;
	return at < end && *at == '`';
}

static int inner(struct d_compiler *compiler, struct d_token *token)
{
	struct d_lexer *lexer = &compiler->lexer;
	const char *start = lexer->at, *behind = start;
	bool was_member = lexer->member_next, was_tag = lexer->tag_next;
	int result = 0;

	if (is_digit(*start) && !names_module(start, lexer->end)) {
		behind = d_literal_integer(compiler, start, lexer->end, token);
	} else if (*start == '"') {
		behind = d_literal_string(compiler, start, lexer->end, token);
	} else if (*start == '\'') {
		behind = d_literal_character(compiler, start, lexer->end, token);
	} else if (*start == '$') {
		behind = d_macro_token(compiler, start, lexer->end, token);
	} else if (is_letter(*start) || is_digit(*start)) {
		while (behind < lexer->end && (is_letter(*behind) || is_digit(*behind)))
			behind++;
		token->place.length = (uint32_t)(behind - start);
		lexer->at = behind;
		result = d_lexer_word(compiler, start, (size_t)(behind - start), token);
		lexer->tag_next = token->kind == D_TOKEN_STRUCT || token->kind == D_TOKEN_UNION ||
			token->kind == D_TOKEN_ENUM;
	} else if (*start == '@') {
		result = aggregation(compiler, token);
		behind = lexer->at;
	} else if (*start == '/' && lexer->in_predicate && closes_predicate(lexer)) {
		token->place.length = 1;
		if (lexer->open)
			return d_fail_syntax(compiler, &token->place, "a closing ) or ]");
		token->kind = D_TOKEN_PREDICATE_END;
		behind = start + 1;
	} else {
		result = punctuation(compiler, token);
		behind = lexer->at;
		was_member = false;
	}
	if (!behind)
		return -EINVAL;
	lexer->at = behind;
	if (was_member)
		lexer->member_next = false;
	if (was_tag)
		lexer->tag_next = false;
	if (!token->place.length)
		token->place.length = (uint32_t)(behind - start);
	return result;
}

/*
 * Whether a word of the outer mode starts a declaration: it is a reserved word or a type, alone or
 * directly followed by a star and anything else. It does not where only descriptions are expected,
 * or if it contains a character that only descriptions have.
 */
static bool begins_declaration(struct d_compiler *compiler, const char *start, size_t length)
{
	bool description = !compiler->file || compiler->options.pspec;
	struct d_name *name;
	size_t word = 0;

	for (size_t i = 0; i < length; i++)
		description |= strchr(":-.?!`", start[i]) != NULL;
	while (word < length && (is_letter(start[word]) || is_digit(start[word])))
		word++;
	if (!word || (word < length && start[word] != '*'))
		return false;
	name = d_names_get(&compiler->names, start, word);
	if (!name)
		return false;
	if (name->keyword && (word == length || !description))
		return name->keyword >= D_TOKEN_AUTO && name->keyword <= D_TOKEN_VOLATILE;
	return name->type && !description;
}

static int outer(struct d_compiler *compiler, struct d_token *token)
{
	struct d_lexer *lexer = &compiler->lexer;
	const char *start = lexer->at, *behind = start;
	size_t length;

	if (is_digit(*start)) {
		lexer->at = d_literal_integer(compiler, start, lexer->end, token);
		if (!lexer->at) {
			lexer->at = lexer->end;
			return -EINVAL;
		}
		token->place.length = (uint32_t)(lexer->at - start);
		return 0;
	}
	if (!is_description(*start) || *start == '`')
		return punctuation(compiler, token);
	while (behind < lexer->end && is_description(*behind))
		behind++;
	length = (size_t)(behind - start);
	lexer->in_declaration = begins_declaration(compiler, start, length);
	if (lexer->in_declaration) {
		lexer->mode = D_MODE_INNER;
		return inner(compiler, token);
	}
	token->kind = D_TOKEN_DESCRIPTION;
	token->place.length = (uint32_t)length;
	lexer->at = behind;
	return 0;
}

int d_lexer_next(struct d_compiler *compiler)
{
	struct d_lexer *lexer = &compiler->lexer;
	struct d_token *token = &compiler->token;
	int result;

	if (lexer->has_pending) {
		*token = lexer->pending;
		lexer->has_pending = false;
		return 0;
	}
	memset(token, 0, sizeof(*token));
	result = skip(compiler);
	if (result)
		return result;
	token->place = place_of(lexer, lexer->at, 0);
	if (lexer->at == lexer->end) {
		token->kind = D_TOKEN_END;
		return 0;
	}
	lexer->line_begins = false;
	return lexer->mode == D_MODE_OUTER ? outer(compiler, token) : inner(compiler, token);
}
