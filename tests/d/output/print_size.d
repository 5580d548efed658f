/* Option printsize applies when a value is printed; "..." stands for the rest. */
#pragma D option quiet
#pragma D option printsize=8
#pragma D option scratchsize=8k

struct inner {
	int64_t a;
	struct {
		int64_t b;
		struct {
			int64_t c;
		} y;
	} x;
};

struct outer {
	int one;
	char text[5];
	union {
		uint8_t byte;
		uint64_t word;
	} both;
	struct inner in;
	int numbers[4];
};

BEGIN
{
	this->outer = (struct outer *)alloca(sizeof (struct outer));
	this->outer->one = 1;
	this->outer->text[0] = 't';
	this->outer->text[1] = 'o';
	this->outer->both.word = 65;
	this->outer->in.a = 2;
	this->outer->in.x.b = 3;
	this->outer->in.x.y.c = 4;
	this->outer->numbers[0] = 5;
	this->outer->numbers[1] = 6;
	this->outer->numbers[3] = 7;
	print(this->outer);
	setopt("printsize", "24");
	print(this->outer);
	setopt("printsize", "32");
	print(this->outer);
	setopt("printsize", "40");
	print(this->outer);
	setopt("printsize", "54");
	print(this->outer);
	setopt("printsize", "64");
	print(this->outer);
	setopt("printsize", "2");
	print(this->outer->text);
	print(&this->outer->one);
	setopt("printsize", "0");
	print(this->outer);
	setopt("printsize", "1k");
	print(this->outer);
	exit(0);
}
