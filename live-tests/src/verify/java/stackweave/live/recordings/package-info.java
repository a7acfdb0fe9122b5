/** The command line, and recordings as users make and stream them. */
package stackweave.live.recordings;
