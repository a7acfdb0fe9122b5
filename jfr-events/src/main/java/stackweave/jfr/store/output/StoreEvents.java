package stackweave.jfr.store.output;

import java.util.ArrayList;
import java.util.List;
import jdk.jfr.Event;
import jdk.jfr.FlightRecorder;
import stackweave.jfr.event.Blocked;
import stackweave.jfr.event.ChunkBegin;
import stackweave.jfr.event.ChunkEnd;
import stackweave.jfr.event.Context;
import stackweave.jfr.event.DefinitionBlock;
import stackweave.jfr.event.EventSample;
import stackweave.jfr.event.NativeAllocation;
import stackweave.jfr.event.NativeMemory;
import stackweave.jfr.event.NativeSample;
import stackweave.jfr.event.SampleRecord;
import stackweave.jfr.event.SamplerStatus;
import stackweave.jfr.event.Session;
import stackweave.jfr.event.SettingsWatch;
import stackweave.jfr.event.StackEvent;
import stackweave.jfr.event.StackSample;
import stackweave.jfr.event.WallSample;
import stackweave.jfr.event.load.LoadEvents;

/** The types of events that a store writes, and those that only have hooks. Stateless. */
public final class StoreEvents {
  private StoreEvents() {}

  private static List<Class<? extends Event>> all() {
    List<Class<? extends Event>> all = new ArrayList<>();
    all.add(Session.class);
    all.add(NativeSample.class);
    for (SampleRecord.Kind kind : SampleRecord.Kind.values()) {
      all.add(of(kind));
    }
    all.add(Context.class);
    all.add(DefinitionBlock.class);
    all.add(SamplerStatus.class);
    all.add(ChunkBegin.class);
    all.add(ChunkEnd.class);
    return all;
  }

  /** Those that have events. */
  public static List<Class<? extends Event>> written() {
    List<Class<? extends Event>> written = all();
    written.removeAll(List.of(NativeSample.class, ChunkBegin.class, ChunkEnd.class));
    return written;
  }

  /** The event that samples of this kind are written as; its class is not initialised. */
  public static Class<? extends StackEvent> of(SampleRecord.Kind kind) {
    return switch (kind) {
      case CPU -> StackSample.class;
      case WALL -> WallSample.class;
      case BLOCKED -> Blocked.class;
      case EVENT -> EventSample.class;
      case MEMORY -> NativeMemory.class;
      case ALLOCATION -> NativeAllocation.class;
    };
  }

  /** A new event for samples of this kind, with no field set. */
  public static StackEvent newSample(SampleRecord.Kind kind) {
    return switch (kind) {
      case CPU -> new StackSample();
      case WALL -> new WallSample();
      case BLOCKED -> new Blocked();
      case EVENT -> new EventSample();
      case MEMORY -> new NativeMemory();
      case ALLOCATION -> new NativeAllocation();
    };
  }

  /** Registers all event types: none may be registered while a commit holds the gate's lock. */
  public static void register() {
    loadWriter();
    for (Class<? extends Event> event : all()) {
      FlightRecorder.register(event);
    }
  }

  /** Unregisters them, and those that were registered to find out whether samples are asked for. */
  public static void unregister() {
    for (Class<? extends Event> event : all()) {
      FlightRecorder.unregister(event);
    }
    FlightRecorder.unregister(SettingsWatch.class);
    LoadEvents.unregister();
  }

  /**
   * Loads what JFR would load while it writes an event: another agent that fails for each class of
   * the JDK makes events of exceptions then, which JFR (JDK 25.0.3) writes into the middle of the
   * one that it is writing, and the recording can't be read.
   */
  private static void loadWriter() {
    try {
      Class.forName("jdk.jfr.internal.Bits", true, null);
    } catch (ClassNotFoundException | LinkageError e) {
      // The JDK's writer needs no such class.
    }
  }
}
