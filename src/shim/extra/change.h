/*
 * change.h: tells the VM that guards have opened or closed (vmtap_on_change()). The server itself
 * changes the stream's halves of the words. The kernel changes its halves without a notification,
 * so the server reads all words every look_ms. The registry's lock guards all of this; the VM's
 * function runs without it.
 */
#ifndef VMTAP_SHIM_EXTRA_CHANGE_H
#define VMTAP_SHIM_EXTRA_CHANGE_H

/* Called by the server; wake is its eventfd, to which 1 is written when there may be something to
 * do. */
void change_attach(int wake);
void change_detach(void);

/*
 * If the stream has changed guards since the last call, or look_ms have passed, reads all guards
 * and calls the VM's function if any has changed. Returns the milliseconds until the next reading,
 * or -1 if the VM has no such function.
 */
int change_turn(void);

/* Call in the child of fork() with the registry locked: the registration remains. */
void change_fork_child(void);

#endif
