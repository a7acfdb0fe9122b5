/** Symbol tables of an image: which function an address belongs to. */
package stackweave.maps.symbols;
