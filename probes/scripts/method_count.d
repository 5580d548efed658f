/*
 * method_count.d: how often each method is called
 *
 *     $ vmtap trace method_count --lossless -c 'toy richards.toy'
 *     CLASS                            METHOD                                  CALLS
 *     IdleTask                         init                                        4
 *     ...
 *     Task                             wait                                    92992
 *     HandlerTask                      work                                    93008
 *     Task                             id                                      93008
 *     Packet                           id=                                    102292
 *     DeviceTask                       work                                   111536
 *     Packet                           link=                                  133492
 *     Task                             priority                               139028
 *     Packet                           datum                                  155640
 *     Packet                           link                                   182728
 *     Task                             link                                   200444
 *     Task                             run                                    263160
 *     Task                             blocked                                426416
 *
 * Counts the guest's methods from the start until ^C or the program's end. Methods
 * written in C are not counted. The methods that are called most come last.
 */
#pragma D option quiet

vm$target:::method-entry
{
	@calls[copyinstr(arg0), copyinstr(arg1)] = count();
}

END
{
	printf("%-32s %-32s %12s\n", "CLASS", "METHOD", "CALLS");
	printa("%-32s %-32s %@12d\n", @calls);
}
