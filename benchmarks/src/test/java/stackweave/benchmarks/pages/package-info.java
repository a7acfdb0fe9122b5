/** Tests of the pages: their links, commands, events, and the picture of the modules. */
package stackweave.benchmarks.pages;
