package stackweave.jfr.event;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.Period;
import jdk.jfr.StackTrace;

/** Never committed: JFR calls the hook of this type after a chunk has begun. */
@Name("stackweave.ChunkBegin")
@Label("Chunk Begin")
@Category("Stackweave")
@Description("Never written; disabling it costs samples at the edges of chunks")
@StackTrace(false)
@Period("beginChunk")
public final class ChunkBegin extends Event {}
