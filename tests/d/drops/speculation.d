/* Drops because a speculation is full, because none is left, and because one is still in use until
 * the clause ends; the tags show which drop is which.
 * @options -x droptags
 */
#pragma D option quiet
#pragma D option specsize=200
#pragma D option nspec=1

BEGIN { a = speculation(); none = speculation(); also = speculation(); }
BEGIN { speculate(a); trace("this does not fit into two hundred bytes: it is a string that is longer than what is left of them, by far"); }
BEGIN { speculate(a); trace(none + also); }
BEGIN { commit(a); busy = speculation(); }
BEGIN { trace(busy); exit(0); }
