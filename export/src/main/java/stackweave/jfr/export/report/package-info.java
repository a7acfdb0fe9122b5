/** Reports on where CPU time went, and on what changed, in sentences and tables. */
package stackweave.jfr.export.report;
