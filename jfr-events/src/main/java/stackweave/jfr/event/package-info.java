/**
 * The events of a recording, schema versions {@value
 * stackweave.jfr.event.Session#FIRST_SCHEMA_VERSION} and {@value
 * stackweave.jfr.event.Session#SCHEMA_VERSION}; docs/events.md describes them. A sample refers to
 * its innermost frame, a frame to its caller and method, a method to its library. Ids are never
 * reused in a process, and every chunk has the definitions of all ids that its samples reach.
 * Fields are only ever added.
 */
package stackweave.jfr.event;
