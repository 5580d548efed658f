/*
 * change.h: tells the VM that guards have opened or closed (vmtap_on_change()). The server itself
 * changes the stream's halves of the words. The kernel changes its halves without a notification,
 * so the server reads all words every look_ms. The registry's lock guards all of this; the VM's
 * function runs without it.
 */
#ifndef VMTAP_SHIM_EXTRA_CHANGE_H
#define VMTAP_SHIM_EXTRA_CHANGE_H

/* Called by the server. 1 is written to the eventfd when there may be something to do. */
void change_attach(int wake);
void change_detach(void);

/*
 * Looks if the stream has changed guards since the last call, or if it is time, and calls the VM's
 * function if a guard is not as it was. Returns the milliseconds until the next look, or -1 if
 * there is nothing to look for.
 */
int change_turn(void);

/* Call in the child of fork() with the registry locked: the registration remains. */
void change_fork_child(void);

#endif
