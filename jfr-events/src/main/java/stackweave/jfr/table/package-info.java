/** Hash tables of primitive columns: no boxes, no allocation but when they grow. */
package stackweave.jfr.table;
