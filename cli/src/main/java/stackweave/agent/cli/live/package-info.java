/**
 * Recordings of a running JVM, one after the other, as files of this process: for commands that
 * show or send what a JVM does now.
 */
package stackweave.agent.cli.live;
