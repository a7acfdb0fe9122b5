/** Code that has no unwind information, such as that of other just-in-time compilers. */
package stackweave.live.tableless;
