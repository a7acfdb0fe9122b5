/**
 * What HotSpot's code takes for granted of a processor, as an interface. Each processor has a
 * package below this one, whose classes only {@link stackweave.hotspot.HotSpot} names.
 */
package stackweave.hotspot.cpu;
