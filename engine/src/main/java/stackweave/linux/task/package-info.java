/** What the kernel tells of single threads: what they wait for, and for how long. */
package stackweave.linux.task;
