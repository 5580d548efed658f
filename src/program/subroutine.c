/* subroutine.c: the table of subroutines; see subroutine.h. */
#include "program/subroutine.h"

/* A constant expression for a string literal, and for no argument at all. */
#define IS_STRING(type) (!__builtin_strcmp("" type, "string"))
#define STRING_BITS(one, two, three, ...)                                                          \
	(IS_STRING(one) | IS_STRING(two) << 1 | IS_STRING(three) << 2)
#define FORM(number, name, function, need, least, most, result, ...)                               \
	{name, least, most, STRING_BITS(__VA_ARGS__, , , ), IS_STRING(result), D_NEED_##need},

const struct d_subroutine_form d_subroutines[D_SUBROUTINES] = {D_SUBROUTINE_ROWS(FORM, FORM)};
