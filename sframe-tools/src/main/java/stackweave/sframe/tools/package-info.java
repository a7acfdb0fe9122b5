/** What the command line shows of a section: listing, text, statistics and the check for faults. */
package stackweave.sframe.tools;
