/** What sampled threads worked for, as recordings say it. */
package stackweave.jfr.read.context;
