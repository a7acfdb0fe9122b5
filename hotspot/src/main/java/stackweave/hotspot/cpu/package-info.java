/**
 * What HotSpot and unwinding take for granted of a processor, as an interface. There is one package
 * per processor below this one, with the same file names in each; only stackweave.hotspot.HotSpot
 * names them.
 */
package stackweave.hotspot.cpu;
