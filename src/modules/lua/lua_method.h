/*
 * lua_method.h: the names of functions. Lua's functions have none, so a function is known by its
 * definition (file and lines, or the C function), and is given the name of the field of a loaded
 * module that holds it, or else the name by which it is called first.
 */
#ifndef VMTAP_MODULES_LUA_METHOD_H
#define VMTAP_MODULES_LUA_METHOD_H

#include "modules/lua/lua_state.h"

/* The method of the frame at this level of L, whose stack has room for ten values. Changes in ar
 * what lua_getinfo() gives for "Sn". Never NULL. */
struct method *method_of(struct traced_state *state, lua_State *L, lua_Debug *ar, int level);

/* The same for a Lua function of which ar has "S"; only reads. NULL: it is not known yet. */
struct method *method_known(const struct traced_state *state, const lua_Debug *ar);

/* Knows it, with the name that ar has. ar has "Sn". */
void method_guess(struct traced_state *state, const lua_Debug *ar);

/* The name of the file that a source names. */
struct vmtap_name *method_file(const lua_Debug *ar);

/* The class of a value: its metatable's __name, or its type. */
struct vmtap_name *method_class_of(lua_State *L, int index);

void method_free_all(struct traced_state *state);

#endif
