/** The way out of a recording: a file becomes stacks again. */
package stackweave.jfr.read;
