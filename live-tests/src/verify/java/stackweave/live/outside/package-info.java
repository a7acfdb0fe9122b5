/** Tests of what is sampled from outside, by another process. */
package stackweave.live.outside;
