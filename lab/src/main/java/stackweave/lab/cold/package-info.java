/** What sampling costs on real applications, from their start on, beside another profiler. */
package stackweave.lab.cold;
