/*
 * interpreter.c: the loop over instructions.
 *
 * The C variables ip, sp and locals belong to the top frame; SAVE() writes them back before
 * anything that looks at the thread from outside: calls, errors, safepoints. Guest
 * calls push a frame and continue in the same loop. Safepoints are at calls and backward
 * jumps; the world may stop and the collector may run only there.
 *
 * An instruction that finds the heap full is restarted after a full collection, so it must
 * not change anything before its allocation.
 */
#include "interpreter.h"
#include "census.h"
#include "collector.h"
#include "definition.h"
#include "exception.h"
#include "frame.h"
#include "heap.h"
#include "loader.h"
#include "world.h"

#include <errno.h>
#include <math.h>

#define TIME_SLICE 20000
#define UNLIKELY(condition) __builtin_expect(!!(condition), 0)

/* Stops or collects if necessary. Returns false if the program has ended. */
static bool safepoint(struct capability *cap)
{
	struct vm *vm = cap->vm;

	atomic_store(&cap->interrupt, false);
	pthread_mutex_lock(&vm->lock);
	world_park(cap);
	pthread_mutex_unlock(&vm->lock);
	if (!vm->ending && (cap->collect_full || cap->collect_young))
		collector_collect(cap, cap->collect_full);
	if (!vm->ending && (cap->asks_census || vmtap_census_wanted()))
		census_take(cap);
	if (!vm->ending && (cap->asks_dump || vmtap_dump_wanted()))
		sampling_dump(cap);
	return !vm->ending;
}

/* Collects because the heap is full. Returns false if it still is, or if the program has ended. */
static bool make_room(struct capability *cap)
{
	struct vm *vm = cap->vm;

	collector_request(cap, true, &vm->cause_memory);
	if (!safepoint(cap))
		return false;
	/* Do not keep collecting for the last few bytes. */
	return vm->used <= vm->options.heap - vm->options.heap / 64;
}

static void wrong_count(struct thread *thread, const struct method *method, int count)
{
	int least = method->kind == METHOD_GUEST ? (int)method->code->parameters : method->least;

	exception_raise(thread, thread->vm->class_argument_error, "%s takes %d argument%s, not %d",
		method->name.text, least, least == 1 ? "" : "s", count);
}

static void frame_error(struct thread *thread, int error)
{
	struct vm *vm = thread->vm;

	if (error == -E2BIG)
		exception_raise(thread, vm->class_stack_error, "calls nested too deeply");
	else
		exception_raise(thread, vm->class_memory_error, "no memory for a stack");
}

static value floor_divide(int64_t left, int64_t right)
{
	int64_t quotient = left / right;

	return value_int(quotient - (left % right != 0 && (left < 0) != (right < 0)));
}

static value floor_modulo(int64_t left, int64_t right)
{
	int64_t rest = left % right;

	return value_int(rest && (rest < 0) != (right < 0) ? rest + right : rest);
}

static double double_modulo(double left, double right)
{
	double rest = fmod(left, right);

	return rest != 0 && (rest < 0) != (right < 0) ? rest + right : rest;
}

/* NULL: no room. */
static struct string *concatenate(struct thread *thread, const value *pieces, uint32_t count)
{
	struct string *result;
	size_t length = 0;

	for (uint32_t i = 0; i < count; i++)
		length += ((struct string *)value_to_object(pieces[i]))->length;
	result = string_new(thread->cap, thread_place(thread), NULL, length);
	length = 0;
	for (uint32_t i = 0; result && i < count; i++) {
		struct string *piece = value_to_object(pieces[i]);

		memcpy(result->text + length, piece->text, piece->length);
		length += piece->length;
	}
	return result;
}

static struct array *make_array(struct thread *thread, const value *items, uint32_t count)
{
	struct array *array = array_new(thread->cap, thread_place(thread), count);

	if (!array)
		return NULL;
	for (uint32_t i = 0; i < count; i++)
		atomic_init(&array->body->items[i], items[i]);
	atomic_store_explicit(&array->length, count, memory_order_release);
	return array;
}

static struct hash *make_hash(struct thread *thread, const value *pairs, uint32_t count)
{
	struct hash *hash = hash_new(thread->cap, thread_place(thread), count);

	for (uint32_t i = 0; hash && i < count; i++) {
		if (hash_set(thread->cap, hash, pairs[2 * i], pairs[2 * i + 1]))
			return NULL;
	}
	return hash;
}

static struct function *make_function(
	struct thread *thread, struct code *code, struct function *outer, const value *locals)
{
	struct function *function = function_new(thread, code, locals[0], code->capture_count);

	for (uint32_t i = 0; function && i < code->capture_count; i++) {
		const struct capture *capture = &code->captures[i];

		function->cells[i] = capture->local ? value_to_object(locals[capture->index])
						    : outer->cells[capture->index];
	}
	return function;
}

static bool is_kind(value v, enum kind kind)
{
	return value_is_object(v) && ((struct object *)value_to_object(v))->kind == kind;
}

enum run_result interpreter_run(struct capability *cap, struct thread *thread)
{
	static const void *const labels[] = {
#define X(name) &&do_##name,
		OPERATIONS(X)
#undef X
	};
	struct vm *const vm = cap->vm;
	struct frame *frame;
	struct code *code;
	const instruction *ip;
	instruction word = 0;
	value *locals;
	value *sp;
	/* How much had been allocated when an instruction last found the heap full. */
	uint64_t full_at = UINT64_MAX;
	bool collected = false;
	struct call_site *site;
	struct lookup *lookup;
	struct method *method;
	enum frame_kind frame_kind;
	enum native_status status;
	value result;
	int count;
	int error;

#define OPERAND (word >> 8)
#define SAVE() (frame->ip = ip, thread->top = (uint32_t)(sp - thread->stack))
#define LOAD()                                                                                     \
	(frame = thread_frame(thread), code = frame->code, ip = frame->ip,                         \
		locals = thread->stack + frame->base, sp = thread->stack + thread->top)
#define NEXT()                                                                                     \
	do {                                                                                       \
		word = *ip++;                                                                      \
		goto *labels[word & 0xff];                                                         \
	} while (0)
#define PUSH(pushed)                                                                               \
	do {                                                                                       \
		value pushed_ = (pushed);                                                          \
		*sp++ = pushed_;                                                                   \
		NEXT();                                                                            \
	} while (0)
#define POLL()                                                                                     \
	do {                                                                                       \
		if (UNLIKELY(--cap->budget < 0 ||                                                  \
			    atomic_load_explicit(&cap->interrupt, memory_order_relaxed)))          \
			goto poll;                                                                 \
	} while (0)
#define RAISE(class, ...)                                                                          \
	do {                                                                                       \
		SAVE();                                                                            \
		exception_raise(thread, vm->class, __VA_ARGS__);                                   \
		goto unwind;                                                                       \
	} while (0)

	if (thread->pending) {
		LOAD();
		method = thread->pending;
		count = thread->pending_count;
		thread->pending = NULL;
		scheduler_unpark(cap, thread);
		if (thread->deadlocked) {
			thread->deadlocked = false;
			exception_raise(thread, vm->class_thread_error,
				"deadlock: every thread waits for another");
			EVENT_BY(cap, NATIVE_RETURN, frame_tell_native_return(cap, thread, method));
			goto unwind;
		}
		thread->resumed = true;
		goto native_again;
	}
	LOAD();
	NEXT();

poll:
	SAVE();
	if (atomic_load_explicit(&cap->interrupt, memory_order_relaxed) && !safepoint(cap))
		return RUN_ENDED;
	sampling_poll(cap, thread);
	if (cap->budget < 0) {
		cap->budget = TIME_SLICE;
		if (vmtap_sample_unit() == VMTAP_SAMPLE_OWN)
			EVENT(cap, SAMPLE, cap->number, thread->number, (uint64_t)TIME_SLICE);
		if (scheduler_others(cap))
			return RUN_YIELDED;
	}
	NEXT();

unwind:
	if (!exception_unwind(cap, thread))
		return RUN_FAILED;
	LOAD();
	NEXT();

memory:
	/* The current instruction has found the heap full. */
	ip--;
	SAVE();
	if (full_at != cap->allocated) {
		/* Only once: if nothing has been allocated since, this is the second try. */
		full_at = cap->allocated;
		if (make_room(cap))
			NEXT();
		if (vm->ending)
			return RUN_ENDED;
	}
	full_at = UINT64_MAX;
	ip++;
	RAISE(class_memory_error, "the heap is full");

do_NIL:
	PUSH(VALUE_NIL);
do_TRUE:
	PUSH(VALUE_TRUE);
do_FALSE:
	PUSH(VALUE_FALSE);
do_CONSTANT:
	PUSH(code->constants[OPERAND]);
do_SELF:
	PUSH(locals[0]);
do_POP:
	sp--;
	NEXT();
do_DUP:
	PUSH(sp[-1]);
do_DUP2:
	sp[0] = sp[-2];
	sp[1] = sp[-1];
	sp += 2;
	NEXT();
do_GET_LOCAL:
	PUSH(locals[OPERAND]);
do_SET_LOCAL:
	locals[OPERAND] = sp[-1];
	NEXT();
do_NEW_CELL : {
	struct cell *cell;

	SAVE();
	cell = cell_new(thread, locals[OPERAND]);
	if (!cell)
		goto memory;
	locals[OPERAND] = value_object(cell);
	NEXT();
}
do_GET_CELL:
	PUSH(slot_load(&((struct cell *)value_to_object(locals[OPERAND]))->content));
do_SET_CELL : {
	struct cell *cell = value_to_object(locals[OPERAND]);

	slot_store(&cell->content, sp[-1]);
	heap_barrier(cap, &cell->object, sp[-1]);
	NEXT();
}
do_GET_CAPTURED:
	PUSH(slot_load(&frame->function->cells[OPERAND]->content));
do_SET_CAPTURED : {
	struct cell *cell = frame->function->cells[OPERAND];

	slot_store(&cell->content, sp[-1]);
	heap_barrier(cap, &cell->object, sp[-1]);
	NEXT();
}
do_GET_FIELD : {
	struct instance *self = value_to_object(locals[0]);

	PUSH(slot_load(&self->fields[code->field_slots[OPERAND]]));
}
do_SET_FIELD : {
	struct instance *self = value_to_object(locals[0]);

	slot_store(&self->fields[code->field_slots[OPERAND]], sp[-1]);
	heap_barrier(cap, &self->object, sp[-1]);
	NEXT();
}
do_GET_GLOBAL : {
	struct global *global = code->globals[OPERAND];

	result = slot_load(&global->content);
	if (UNLIKELY(result == VALUE_UNDEFINED)) {
		if (global->name->text[0] != '$')
			RAISE(class_name_error, "%.100s is not defined", global->name->text);
		result = VALUE_NIL;
	}
	PUSH(result);
}
do_SET_GLOBAL:
	slot_store(&code->globals[OPERAND]->content, sp[-1]);
	NEXT();

	/* Arithmetic: numbers are handled here, other operands by a method. */
#define ARITHMETIC(int_case, double_expression)                                                    \
	do {                                                                                       \
		value left = sp[-2];                                                               \
		value right = sp[-1];                                                              \
		if (value_is_int(left) && value_is_int(right)) {                                   \
			int64_t x = value_to_int(left);                                            \
			int64_t y = value_to_int(right);                                           \
			int_case                                                                   \
		}                                                                                  \
		if (value_is_number(left) && value_is_number(right)) {                             \
			double x = value_number(left);                                             \
			double y = value_number(right);                                            \
			sp--;                                                                      \
			sp[-1] = double_expression;                                                \
			NEXT();                                                                    \
		}                                                                                  \
		site = &code->sites[OPERAND];                                                      \
		goto call;                                                                         \
	} while (0)
#define INT_RESULT(number)                                                                         \
	int64_t z;                                                                                 \
	if (UNLIKELY((number) || !value_fits_int(z)))                                              \
		RAISE(class_range_error, "integer overflow");                                      \
	sp--;                                                                                      \
	sp[-1] = value_int(z);                                                                     \
	NEXT();
#define COMPARE(operator)                                                                          \
	ARITHMETIC(                                                                                \
		{                                                                                  \
			sp--;                                                                      \
			sp[-1] = value_bool(x operator y);                                         \
			NEXT();                                                                    \
		},                                                                                 \
		value_bool(x operator y))

do_ADD:
	ARITHMETIC({INT_RESULT(__builtin_add_overflow(x, y, &z))}, value_double(x + y));
do_SUBTRACT:
	ARITHMETIC({INT_RESULT(__builtin_sub_overflow(x, y, &z))}, value_double(x - y));
do_MULTIPLY:
	ARITHMETIC({INT_RESULT(__builtin_mul_overflow(x, y, &z))}, value_double(x * y));
do_DIVIDE:
	ARITHMETIC(
		{
			if (!y)
				RAISE(class_division_error, "division by zero");
			sp--;
			sp[-1] = floor_divide(x, y);
			NEXT();
		},
		value_double(x / y));
do_MODULO:
	ARITHMETIC(
		{
			if (!y)
				RAISE(class_division_error, "division by zero");
			sp--;
			sp[-1] = floor_modulo(x, y);
			NEXT();
		},
		value_double(double_modulo(x, y)));
do_LESS:
	COMPARE(<);
do_LESS_EQUAL:
	COMPARE(<=);
do_GREATER:
	COMPARE(>);
do_GREATER_EQUAL:
	COMPARE(>=);

	/* Quick code: anything but two integers goes on in the plain code. */
#define INTEGERS(body)                                                                             \
	do {                                                                                       \
		if (UNLIKELY(!value_is_int(sp[-2]) || !value_is_int(sp[-1])))                      \
			goto deoptimize;                                                           \
		int64_t x = value_to_int(sp[-2]);                                                  \
		int64_t y = value_to_int(sp[-1]);                                                  \
		body                                                                               \
	} while (0)
do_ADD_INT:
	INTEGERS({INT_RESULT(__builtin_add_overflow(x, y, &z))});
do_SUBTRACT_INT:
	INTEGERS({INT_RESULT(__builtin_sub_overflow(x, y, &z))});
do_LESS_INT:
	INTEGERS({
		sp--;
		sp[-1] = value_bool(x < y);
		NEXT();
	});
deoptimize:
	ip--;
	SAVE();
	code_cache_give_up(cap, frame);
	ip = frame->ip;
	NEXT();

do_EQUAL:
	if (is_kind(sp[-2], KIND_INSTANCE)) {
		site = &code->sites[OPERAND];
		goto call;
	}
	sp--;
	sp[-1] = value_bool(value_equal(sp[-1], sp[0]));
	NEXT();
do_INDEX:
	if (is_kind(sp[-2], KIND_ARRAY) && value_is_int(sp[-1])) {
		struct array *array = value_to_object(sp[-2]);
		int64_t index = value_to_int(sp[-1]);

		if (index < 0)
			index += (int64_t)atomic_load(&array->length);
		result = index < 0 ? VALUE_UNDEFINED : array_get(array, (size_t)index);
		sp--;
		sp[-1] = result == VALUE_UNDEFINED ? VALUE_NIL : result;
		NEXT();
	}
	site = &code->sites[OPERAND];
	goto call;
do_SET_INDEX:
	if (is_kind(sp[-3], KIND_ARRAY) && value_is_int(sp[-2])) {
		struct array *array = value_to_object(sp[-3]);
		int64_t index = value_to_int(sp[-2]);

		if (index < 0)
			index += (int64_t)atomic_load(&array->length);
		if (index < 0 || array_set(cap, array, (size_t)index, sp[-1]))
			RAISE(class_index_error, "index %lld is outside the array",
				(long long)value_to_int(sp[-2]));
		sp[-3] = sp[-1];
		sp -= 2;
		NEXT();
	}
	site = &code->sites[OPERAND];
	goto call;
do_NOT:
	sp[-1] = value_bool(!value_is_true(sp[-1]));
	NEXT();

do_JUMP:
	ip = frame->start + OPERAND;
	NEXT();
do_LOOP:
	ip = frame->start + OPERAND;
	POLL();
	NEXT();
do_JUMP_FALSE:
	if (!value_is_true(*--sp))
		ip = frame->start + OPERAND;
	NEXT();
do_AND:
	if (!value_is_true(sp[-1]))
		ip = frame->start + OPERAND;
	else
		sp--;
	NEXT();
do_OR:
	if (value_is_true(sp[-1]))
		ip = frame->start + OPERAND;
	else
		sp--;
	NEXT();

do_ARRAY : {
	struct array *array;

	SAVE();
	array = make_array(thread, sp - OPERAND, OPERAND);
	if (!array)
		goto memory;
	sp -= OPERAND;
	PUSH(value_object(array));
}
do_HASH : {
	struct hash *hash;

	SAVE();
	hash = make_hash(thread, sp - 2 * OPERAND, OPERAND);
	if (!hash)
		goto memory;
	sp -= 2 * OPERAND;
	PUSH(value_object(hash));
}
do_CONCATENATE : {
	struct string *string;

	SAVE();
	for (uint32_t i = 1; i <= OPERAND; i++) {
		if (!is_kind(sp[-(int64_t)i], KIND_STRING))
			RAISE(class_type_error, "to_s has returned no string");
	}
	string = concatenate(thread, sp - OPERAND, OPERAND);
	if (!string)
		goto memory;
	sp -= OPERAND;
	PUSH(value_object(string));
}
do_FUNCTION : {
	struct function *function;

	SAVE();
	function = make_function(thread, code->codes[OPERAND], frame->function, locals);
	if (!function)
		goto memory;
	PUSH(value_object(function));
}

do_RANGE:
	if (!value_is_int(sp[-1]) || !value_is_int(sp[-2]))
		RAISE(class_type_error, "the ends of a range must be integers");
	locals[OPERAND] = sp[-2];
	locals[OPERAND + 1] = sp[-1];
	sp -= 2;
	NEXT();
do_RANGE_NEXT : {
	int64_t number = value_to_int(locals[OPERAND]);

	if (number > value_to_int(locals[OPERAND + 1])) {
		ip = frame->start + *ip;
		NEXT();
	}
	ip++;
	*sp++ = locals[OPERAND];
	/* The largest integer cannot be incremented: lower the limit to end the range. */
	if (number == VALUE_INT_MAX)
		locals[OPERAND + 1] = value_int(VALUE_INT_MIN);
	else
		locals[OPERAND] = value_int(number + 1);
	NEXT();
}
do_EACH:
	if (is_kind(sp[-1], KIND_HASH)) {
		struct array *keys;

		SAVE();
		keys = hash_list(cap, thread_place(thread), value_to_object(sp[-1]), true);
		if (!keys)
			goto memory;
		sp[-1] = value_object(keys);
	} else if (!is_kind(sp[-1], KIND_ARRAY)) {
		RAISE(class_type_error, "for needs an array, a hash or a range, not %s",
			class_of(vm, sp[-1])->name.text);
	}
	locals[OPERAND] = sp[-1];
	locals[OPERAND + 1] = value_int(0);
	sp--;
	NEXT();
do_EACH_NEXT:
	result = array_get(
		value_to_object(locals[OPERAND]), (size_t)value_to_int(locals[OPERAND + 1]));
	if (result == VALUE_UNDEFINED) {
		ip = frame->start + *ip;
		NEXT();
	}
	ip++;
	locals[OPERAND + 1] = value_int(value_to_int(locals[OPERAND + 1]) + 1);
	PUSH(result);

do_SUPER:
	site = &code->sites[OPERAND];
	count = site->count;
	lookup = atomic_load_explicit(&site->cache, memory_order_acquire);
	if (UNLIKELY(!lookup)) {
		if (code->owner->super)
			lookup = vm_lookup(vm, code->owner->super, site->selector);
		if (!lookup)
			RAISE(class_name_error, "no method %.100s above class %.100s",
				site->selector->text, code->owner->name.text);
		atomic_store_explicit(&site->cache, lookup, memory_order_release);
	}
	goto invoke;
do_CALL:
	site = &code->sites[OPERAND];
call:
	count = site->count;
	lookup = atomic_load_explicit(&site->cache, memory_order_acquire);
	{
		struct class *class = class_of(vm, sp[-count - 1]);

		if (UNLIKELY(!lookup || lookup->class != class)) {
			lookup = vm_lookup(vm, class, site->selector);
			if (!lookup)
				RAISE(class_name_error, "no method %.100s for %.100s",
					site->selector->text, class->name.text);
			atomic_store_explicit(&site->cache, lookup, memory_order_release);
		}
	}
invoke:
	method = lookup->method;
	frame_kind = FRAME_METHOD;
	SAVE();
	switch (method->kind) {
	case METHOD_GUEST:
		break;
	case METHOD_NATIVE:
		goto native;
	case METHOD_CALL: {
		struct function *function = value_to_object(sp[-count - 1]);

		if (count != (int)function->code->parameters)
			RAISE(class_argument_error, "the function takes %d argument%s, not %d",
				(int)function->code->parameters,
				function->code->parameters == 1 ? "" : "s", count);
		error = thread_push_frame(thread, function->code, function, NULL, FRAME_FUNCTION,
			thread->top - (uint32_t)count - 1);
		if (error) {
			frame_error(thread, error);
			goto unwind;
		}
		thread->stack[thread_frame(thread)->base] = function->self;
		goto entered;
	}
	case METHOD_NEW: {
		struct class *class = value_to_object(sp[-count - 1]);
		struct instance *instance;

		if (class->instance_kind != KIND_INSTANCE || class->meta)
			RAISE(class_type_error, "%.100s.new is not possible", class->name.text);
		lookup = atomic_load_explicit(&class->init, memory_order_acquire);
		if (UNLIKELY(!lookup)) {
			/* Object defines init, so a look-up always finds one. */
			lookup = vm_lookup(vm, class, vm->symbol_init);
			if (!lookup)
				RAISE(class_memory_error, "no memory to find init");
			atomic_store_explicit(&class->init, lookup, memory_order_release);
		}
		method = lookup->method;
		if (method->kind == METHOD_GUEST && count != (int)method->code->parameters) {
			wrong_count(thread, method, count);
			goto unwind;
		}
		instance = instance_new(thread, class);
		if (!instance)
			goto memory;
		sp[-count - 1] = value_object(instance);
		frame_kind = FRAME_NEW;
		if (method->kind != METHOD_GUEST)
			goto native;
		break;
	}
	}
	/* A method of the guest language. */
	if (UNLIKELY(count != (int)method->code->parameters)) {
		wrong_count(thread, method, count);
		goto unwind;
	}
	if (UNLIKELY(code_cache_is_hot(method->code)))
		code_cache_quicken(cap, thread, method);
	error = thread_push_frame(
		thread, method->code, NULL, method, frame_kind, thread->top - (uint32_t)count - 1);
	if (UNLIKELY(error)) {
		frame_error(thread, error);
		goto unwind;
	}
	EVENT_BY(cap, METHOD_ENTRY, frame_tell_method_entry(cap, thread));
entered:
	frame = thread_frame(thread);
	code = frame->code;
	ip = frame->start;
	locals = thread->stack + frame->base;
	sp = locals + code->locals;
	POLL();
	NEXT();

native:
	if (UNLIKELY(count < method->least || (method->most >= 0 && count > method->most))) {
		wrong_count(thread, method, count);
		goto unwind;
	}
	EVENT_BY(cap, NATIVE_ENTRY, frame_tell_native_entry(cap, thread, method));
	collected = false;
native_again:
	status = method->native(thread, sp - count - 1, count, &result);
	thread->resumed = false;
	if (status == NATIVE_BLOCK) {
		thread->pending = method;
		thread->pending_count = count;
		return RUN_BLOCKED;
	}
	if (status == NATIVE_MEMORY) {
		if (!collected) {
			collected = true;
			/* If the program ends meanwhile, this call must still return. */
			thread->pending = method;
			make_room(cap);
			if (vm->ending)
				return RUN_ENDED;
			thread->pending = NULL;
			goto native_again;
		}
		status = exception_raise(thread, vm->class_memory_error, "the heap is full");
	}
	if (status == NATIVE_LOAD) {
		uint32_t base = thread->top - (uint32_t)count - 1;

		thread->stack[base] = VALUE_NIL;
		error = thread_push_frame(
			thread, thread->load_code, NULL, method, thread->load_kind, base);
		if (!error) {
			thread_frame(thread)->wanted = thread->load_wanted;
			thread->load_wanted = NULL;
			goto entered;
		}
		loader_abandon(thread);
		frame_error(thread, error);
		status = NATIVE_RAISE;
	}
	EVENT_BY(cap, NATIVE_RETURN, frame_tell_native_return(cap, thread, method));
	if (status == NATIVE_RAISE)
		goto unwind;
	if (status == NATIVE_EXIT) {
		while (thread->frame_count)
			thread_pop_frame(cap, thread, true);
		return RUN_EXIT;
	}
	sp -= count;
	sp[-1] = result;
	if (status == NATIVE_YIELD) {
		SAVE();
		if (scheduler_others(cap))
			return RUN_YIELDED;
	}
	POLL();
	NEXT();

do_RETURN : {
	uint32_t base = frame->base;

	result = sp[-1];
	SAVE();
	if (frame->kind == FRAME_NEW)
		result = locals[0];
	else if (frame->kind == FRAME_REQUIRE || frame->kind == FRAME_LOAD)
		result = VALUE_TRUE;
	thread_pop_frame(cap, thread, false);
	if (!thread->frame_count) {
		slot_store(&thread->result, result);
		heap_barrier(cap, &thread->object, result);
		thread->top = 0;
		return RUN_FINISHED;
	}
	thread->top = base;
	LOAD();
	PUSH(result);
}

do_RAISE:
	SAVE();
	exception_throw(thread, *--sp);
	goto unwind;
do_RERAISE:
	thread->exception = *--sp;
	SAVE();
	goto unwind;
do_MATCH:
	if (!is_kind(sp[-1], KIND_CLASS))
		RAISE(class_type_error, "rescue needs a class, not %.100s",
			class_of(vm, sp[-1])->name.text);
	sp--;
	sp[-1] = value_bool(class_inherits(class_of(vm, sp[-1]), value_to_object(sp[0])));
	NEXT();
do_CAUGHT:
	SAVE();
	EVENT(cap, RESCUE, &class_of(vm, locals[OPERAND])->name, thread_file(thread, 0),
		thread_line(thread, 0), thread->number);
	NEXT();

do_CLASS:
	SAVE();
	if (!definition_class(thread, &code->classes[OPERAND], &sp[-1]))
		goto unwind;
	NEXT();
do_ROOT_CLASS:
	PUSH(value_object(vm->class_object));
do_METHOD:
do_STATIC_METHOD:
	SAVE();
	if (!definition_method(thread, value_to_object(sp[-1]), code->codes[OPERAND],
		    (word & 0xff) == OPERATION_STATIC_METHOD))
		goto unwind;
	if (vm->ending)
		return RUN_ENDED;
	POLL();
	NEXT();
}
