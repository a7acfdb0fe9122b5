package stackweave.agent.cpu;

/**
 * A processor's numbers of the system calls in which threads wait, by what they wait for.
 *
 * @param onDescriptor for what their first argument, a descriptor, is
 * @param onSocket on sockets alone
 * @param poll their first argument is an array of struct pollfd, the second its length
 * @param onMany for several descriptors
 * @param sleep for a time
 * @param forChild for a child process
 * @param futex for a word of memory
 * @param onFile on files and directories alone
 * @param forSignal for a signal, with the mask of signals replaced meanwhile
 * @param restarted what the kernel shows of a call that was interrupted and goes on
 */
public record CallsThatWait(
    int[] onDescriptor,
    int[] onSocket,
    int[] poll,
    int[] onMany,
    int[] sleep,
    int[] forChild,
    int[] futex,
    int[] onFile,
    int[] forSignal,
    int[] restarted) {}
