/**
 * Reading SFrame sections, versions 1 to 3: sections, functions (FDE), rows (FRE), and the rules
 * they mean.
 *
 * <p>Units, errors and threads are as {@link stackweave.unwind} says.
 */
package stackweave.unwind.sframe;
