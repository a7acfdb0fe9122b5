/** What a recording says of where CPU time went, and of what changed, in sentences and tables. */
package stackweave.jfr.export.report;
