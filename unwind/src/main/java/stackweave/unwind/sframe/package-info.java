/**
 * Reading SFrame sections, versions 1 to 3: sections, functions (FDE), rows (FRE), and the rules
 * they mean.
 */
package stackweave.unwind.sframe;
