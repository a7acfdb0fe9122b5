/**
 * The events of a recording, of the schema's version {@value
 * stackweave.jfr.event.Session#SCHEMA_VERSION}; docs/events.md describes them. A sample refers to
 * its innermost frame, a frame to its caller and method, a method to its library. Ids are never
 * reused in a process, and every chunk has the definitions of all ids that its samples reach. No
 * field changes its meaning.
 */
package stackweave.jfr.event;
