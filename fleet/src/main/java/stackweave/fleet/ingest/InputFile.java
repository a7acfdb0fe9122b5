package stackweave.fleet.ingest;

import java.io.Serializable;

/**
 * A file that may be a recording. Immutable.
 *
 * @param number counts the files of a run, from 0
 * @param path with scheme
 * @param size in bytes
 * @param modified time of its last change, in ms since 1970
 */
public record InputFile(int number, String path, long size, long modified)
    implements Serializable {}
