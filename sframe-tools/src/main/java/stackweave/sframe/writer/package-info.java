/** Writing SFrame sections, from rows of any table. */
package stackweave.sframe.writer;
