package stackweave.jfr.event;

import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Timespan;

/**
 * The figures of sampling since the previous event of this type, so that those of a recording are
 * sums over its events, also if chunks were thrown away.
 *
 * <p>A new field needs an entry in {@code stackweave.jfr.status.Counter} or {@code Breakdown},
 * which have its texts and how it adds up.
 */
@Name(SamplerStatus.NAME)
@Label("Sampler Status")
@Category("Stackweave")
@Description("How sampling went since the last such event: counts, losses, coverage and cost")
@StackTrace(false)
public final class SamplerStatus extends Event {
  public static final String NAME = "stackweave.SamplerStatus";

  @Label("Engine")
  public String engine;

  @Label("Engine Reason")
  @Description("Why this engine, and why not those before it")
  public String engineReason;

  @Label("Interval")
  @Timespan(Timespan.NANOSECONDS)
  public long interval;

  @Label("Samples Taken")
  public long taken;

  @Label("Samples Written")
  public long written;

  @Label("Samples Lost")
  @Description("Reported lost by the kernel or the engine: no room in the ring buffer")
  public long lost;

  @Label("Samples Dropped")
  @Description(
      "Taken but not written: JFR took too long to change its file, a limit was reached, or the heap"
          + " had no room to decode them")
  public long dropped;

  @Label("Samples Undecodable")
  @Description("Taken but not understood")
  public long undecodable;

  @Label("Samples Thinned Out")
  @Description(
      "Taken but not decoded, to save CPU time; the samples that were kept have more weight")
  public long thinned;

  @Label("Stack Ends")
  @Description("Written samples by the end of their stack: label=count, separated by commas")
  public String ends;

  @Label("CPU Time Used")
  @Description("CPU time that all threads of the process used")
  @Timespan(Timespan.NANOSECONDS)
  public long cpuUsed;

  @Label("CPU Time Covered")
  @Description("CPU time that the samples stand for")
  @Timespan(Timespan.NANOSECONDS)
  public long cpuCovered;

  @Label("Drain CPU Time")
  @Description("CPU time of the agent's own thread")
  @Timespan(Timespan.NANOSECONDS)
  public long drainCpu;

  @Label("Frames")
  @Description("Frames of the stacks that were unwound")
  public long frames;

  @Label("Unwind Time")
  @Description("Wall-clock time of unwinding those stacks, without names and events")
  @Timespan(Timespan.NANOSECONDS)
  public long unwindTime;

  @Label("Splices")
  @Description(
      "Stacks deeper than their copy by what became of the rest, which is read later:"
          + " outcome=count, separated by commas")
  public String splices;

  @Label("Links")
  @Description(
      "Pairs of Java frames whose caller's bytecode was compared with the callee, and what became of"
          + " names in doubt: outcome=count, separated by commas")
  public String links;

  @Label("Note")
  @Description("What the reader of the recording should know, such as why nothing is sampled")
  public String note;

  @Label("CPU Time In Kernel")
  @Description(
      "CPU time in kernel mode that an engine of user mode can't sample, as far as it is known;"
          + " 0 for the other engines, which sample it")
  @Timespan(Timespan.NANOSECONDS)
  public long cpuKernel;

  @Label("Caches Emptied")
  @Description(
      "How often a cache reached its limit and was emptied: cache=count, separated by commas")
  public String resets;

  @Label("Start Delay")
  @Description(
      "Time from a recording's request for samples until samples were taken; 0 while none are")
  @Timespan(Timespan.NANOSECONDS)
  public long startDelay;

  @Label("Foreign Samples")
  @Description("Samples of other processes, such as children before exec; discarded")
  public long foreign;

  @Label("Threads Not Sampled")
  @Description("Threads of the process that can't be sampled at the moment; the note says why")
  public int threadsSkipped;

  @Label("Kernel Memory")
  @Description(
      "Kernel memory that the engine is estimated to use for threads, without ring buffers")
  @DataAmount
  public long kernelMemory;

  @Label("CPU Time Missed")
  @Description(
      "The part of the CPU time used while no samples were taken: before sampling began, while an"
          + " engine was started, while it was switched off or had to wait")
  @Timespan(Timespan.NANOSECONDS)
  public long cpuMissed;

  @Label("Interval Reached")
  @Description(
      "The shortest interval that the engine can reach, if it is longer than the one asked for:"
          + " the tick of the kernel's clock; otherwise 0")
  @Timespan(Timespan.NANOSECONDS)
  public long intervalReached;

  @Label("Labels Unknown")
  @Description(
      "Samples with contextId 0 of threads that use labels, since it can't be told which scope they"
          + " were taken in")
  public long labelUnknown;

  @Label("Samples Not Woven")
  @Description(
      "Written, but not as jdk.ExecutionSample although that is asked for: more than 16 MiB for a"
          + " chunk, or what the note says")
  public long unwoven;

  @Label("Frames Found Otherwise")
  @Description(
      "Frames of written samples that were found in code without unwind tables, by how:"
          + " way=count, separated by commas")
  public String found;

  @Label("Wall Interval")
  @Description("Time between two looks at a waiting thread; 0 where waiting is not sampled")
  @Timespan(Timespan.NANOSECONDS)
  public long wallInterval;

  @Label("Wall Threads Watched")
  @Description("Threads that are looked at while they wait")
  public long wallThreads;

  @Label("Wall Stacks Read")
  @Description("Stacks of waiting threads that were read")
  public long wallCaptured;

  @Label("Wall Stacks Unread")
  @Description("Stacks of waiting threads that could not be read; the note says why")
  public long wallUnread;

  @Label("Wall Samples Written")
  @Description("Samples of waiting threads")
  public long wallWritten;

  @Label("Wall Samples Dropped")
  @Description("Taken of waiting threads but not written, for the same reasons as dropped")
  public long wallDropped;

  @Label("Wall CPU Time")
  @Description("The part of the agent's own CPU time that looking at waiting threads took")
  @Timespan(Timespan.NANOSECONDS)
  public long wallCpu;

  @Label("Blocked Threshold")
  @Description(
      "Shortest time for which a blocked thread gets an event; 0 where blocked threads are not timed")
  @Timespan(Timespan.NANOSECONDS)
  public long blockedThreshold;

  @Label("Blocked Events Written")
  @Description("Events of blocked threads that were over")
  public long blockedWritten;

  @Label("Blocked Unseen")
  @Description(
      "Longer than the threshold, but over before the thread was looked at: no stack, so no event")
  public long blockedUnseen;

  @Label("Blocked Events Dropped")
  @Description("Taken but not written, for the same reasons as dropped")
  public long blockedDropped;

  @Label("Blocked Lost")
  @Description(
      "Threads that were off a CPU when records of switches were lost, or none were taken for a while:"
          + " their time is not known")
  public long blockedLost;

  @Label("Blocked Not Timed")
  @Description("Time in which switches were not recorded, for they or threads were too many")
  @Timespan(Timespan.NANOSECONDS)
  public long blockedPaused;

  @Label("Blocked CPU Time")
  @Description("The part of the agent's own CPU time that timing blocked threads took")
  @Timespan(Timespan.NANOSECONDS)
  public long blockedCpu;

  @Label("Event Interval")
  @Description(
      "Events that one sample stands for, while an event is sampled instead of CPU time; otherwise 0")
  public long eventInterval;

  @Label("Events Counted")
  @Description("Events that the kernel counted in the threads that are sampled")
  public long eventsCounted;

  @Label("Events Covered")
  @Description("Events that the samples taken stand for")
  public long eventsCovered;

  @Label("Native Memory Touched")
  @Description("Native memory that was touched first, by the events of it")
  @DataAmount
  public long memoryTouched;

  @Label("Native Memory Given Back")
  @Description("The part of it that was given back to the system since")
  @DataAmount
  public long memoryGivenBack;

  @Label("Page Faults Lost")
  @Description("Page faults that found no room in the ring buffer: touched memory that is missing")
  public long memoryLost;

  @Label("Pages Not Followed")
  @Description(
      "Recorded pages that can not be looked at later, for they are too many: they count as kept")
  public long memoryUnfollowed;

  @Label("Native Memory Allocated")
  @Description("Native memory that was allocated by malloc, by the events of it")
  @DataAmount
  public long allocated;

  @Label("Native Memory Freed")
  @Description("The part of it that was given back by free since")
  @DataAmount
  public long freed;

  @Label("Allocations Lost")
  @Description(
      "Calls for which the buffer had no room: blocks that are missing, or seem to be live")
  public long allocationsLost;

  @Label("Allocations Not Followed")
  @Description("Recorded blocks that are not followed, for they are too many: they count as live")
  public long allocationsUnfollowed;
}
