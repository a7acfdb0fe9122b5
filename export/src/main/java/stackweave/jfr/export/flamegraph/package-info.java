/** Flame graphs as HTML pages; the resources beside it are the page's parts. */
package stackweave.jfr.export.flamegraph;
