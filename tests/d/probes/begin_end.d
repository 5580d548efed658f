/* BEGIN before everything, END after everything, in the order of the text. */
#pragma D option quiet

END { printf("end 1\n"); }
BEGIN { printf("begin 1\n"); }
vm$target:::gc-start { printf("event\n"); }
dtrace:::BEGIN { printf("begin 2\n"); }
dtrace:::END { printf("end 2\n"); }
