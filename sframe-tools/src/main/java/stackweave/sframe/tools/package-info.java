/** Listing, text, statistics and check of an SFrame section, as the command line shows them. */
package stackweave.sframe.tools;
