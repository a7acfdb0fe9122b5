package stackweave.agent.feature;

import java.util.ArrayList;
import java.util.List;
import stackweave.agent.message.Notes;

/**
 * All features while samples are taken: opens those that are asked for, and keeps the failure of
 * one from the others. For the drain thread.
 */
public final class Features implements AutoCloseable {
  private final List<Entry> entries = new ArrayList<>();

  /** None runs before {@link #open}. */
  public Features(List<Feature> all) {
    for (Feature feature : all) {
      entries.add(new Entry(feature));
    }
  }

  private static final class Entry {
    private final Feature feature;

    /** Null while the feature is not used. */
    private FeatureSession session;

    /** Why it is not used, or empty. */
    private String whyNot = "";

    Entry(Feature feature) {
      this.feature = feature;
    }

    private void open(FeatureContext context) {
      try {
        session = feature.open(context);
      } catch (FeatureRefusedException e) {
        whyNot = e.getMessage();
      } catch (RuntimeException | Error e) {
        failed(e);
      }
    }

    private void run(boolean isFlush) {
      if (session == null) {
        return;
      }
      try {
        if (isFlush) {
          session.flush();
        } else {
          session.pass();
        }
      } catch (RuntimeException | Error e) {
        close();
        failed(e);
      }
    }

    private void close() {
      FeatureSession ending = session;
      session = null;
      if (ending != null) {
        try {
          ending.close();
        } catch (RuntimeException | Error e) {
          failed(e);
        }
      }
    }

    private void failed(Throwable e) {
      whyNot = feature.failure() + ": this failed in the agent (" + e + ")";
    }
  }

  /** Opens what the request asks for. */
  public void open(FeatureContext context) {
    for (Entry entry : entries) {
      entry.open(context);
    }
  }

  /** How long the drain thread may wait, in ms: {@code most}, or less where one needs it before. */
  public int waitMillis(int most) {
    int wait = most;
    for (Entry entry : entries) {
      if (entry.session != null) {
        wait = Math.min(wait, entry.session.waitMillis());
      }
    }
    return wait;
  }

  /** Lets each do what is due. */
  public void pass() {
    for (Entry entry : entries) {
      entry.run(false);
    }
  }

  /** Lets each write what is known up to now, for a chunk that ends. */
  public void flush() {
    for (Entry entry : entries) {
      entry.run(true);
    }
  }

  /** Notes for users; empty for none. */
  public String note() {
    Notes all = new Notes();
    for (Entry entry : entries) {
      all.add(entry.session == null ? entry.whyNot : entry.session.note());
    }
    return all.toString();
  }

  /** Ends them, the last first. */
  @Override
  public void close() {
    for (int i = entries.size() - 1; i >= 0; i--) {
      entries.get(i).close();
    }
  }
}
