/** Which samples of a recording are read: those of CPU time, of waiting, of some states. */
package stackweave.jfr.read.choice;
