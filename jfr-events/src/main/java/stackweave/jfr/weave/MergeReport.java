package stackweave.jfr.weave;

import java.util.List;

/**
 * The numbers of a finished merge. Immutable.
 *
 * @param jvms how many JVMs the output has chunks of
 * @param chunks how many chunks, without separators
 * @param samples how many samples were woven
 * @param events how many events were made of them: as many, except by weight
 * @param woven how many chunks had woven samples before
 * @param jdkSamples how many of JFR's own samples were left out
 * @param duplicates how many chunks were in several inputs
 * @param notes what a reader should know, one line each
 */
public record MergeReport(
    int jvms,
    int chunks,
    long samples,
    long events,
    int woven,
    long jdkSamples,
    int duplicates,
    List<String> notes) {}
