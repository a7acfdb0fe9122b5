package stackweave.agent.drain;

import java.util.concurrent.CountDownLatch;
import stackweave.agent.drain.limit.Room;
import stackweave.agent.option.Options;
import stackweave.jfr.control.SamplingRequest;

/**
 * The inputs of a drain thread.
 *
 * @param request what the recordings ask for
 * @param options what the agent's options say
 * @param machine what is sampled, and by what
 * @param room whether the application leaves room for sampling
 * @param switchFile whether sampling is switched off
 * @param started counted down when an engine runs, or when it is known why none does
 */
record DrainParts(
    SamplingRequest request,
    Options options,
    Machine machine,
    Room room,
    SwitchFile switchFile,
    CountDownLatch started) {}
