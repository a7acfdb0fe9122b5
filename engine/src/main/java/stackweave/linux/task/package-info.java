/** What the kernel says about single threads: what they wait for, and for how long. */
package stackweave.linux.task;
