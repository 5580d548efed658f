/*
 * print() with format=json: structs are objects, with parts that are zero too; arrays are lists,
 * and those of characters strings.
 */
#pragma D option quiet
#pragma D option format=json
#pragma D option scratchsize=8k

enum phase {
	IDLE,
	MARK,
	SWEEP = 5
};

typedef struct pair {
	short low, high;
} pair_t;

struct heap {
	int runs;
	char name[6];
	union {
		uint8_t byte;
		uint64_t word;
	} cause;
	struct {
		void *start;
		uint64_t length;
	} area;
	bool full;
	enum phase now, next;
	int flags : 3;
	unsigned int age : 5;
	double rate;
	string reason;
	pair_t pairs[3];
	char letter;
	int8_t delta;
};

BEGIN
{
	this->heap = (struct heap *)alloca(sizeof (struct heap));
	print(this->heap);
	this->heap->runs = -7;
	this->heap->name[0] = 'e';
	this->heap->name[1] = 'd';
	this->heap->name[3] = 'n';
	this->heap->cause.word = 513;
	this->heap->area.start = (void *)0xffff00001234;
	this->heap->full = 1;
	this->heap->now = SWEEP;
	this->heap->next = (enum phase)3;
	this->heap->flags = -3;
	this->heap->age = 17;
	this->heap->reason = "no \"room\"\n";
	this->heap->pairs[2].high = -1;
	this->heap->letter = '\n';
	this->heap->delta = 'x';
	print(this->heap);
	print(this->heap->pairs);
	print(&this->heap->pairs[2]);
	print(&this->heap->pairs[2].low);
	print(&this->heap->reason);
	print(&this->heap->now);
	print(&this->heap->rate);
	print((char *)this->heap);
	print((void **)&this->heap->area.start);
	exit(0);
}
