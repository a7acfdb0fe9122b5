/** From recordings to rows: which files are read, what their rows are, whose they are. */
package stackweave.fleet.ingest;
