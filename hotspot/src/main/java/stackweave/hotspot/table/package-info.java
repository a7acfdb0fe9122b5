/** Hash tables with long keys and without boxing, for caches that are asked at every frame. */
package stackweave.hotspot.table;
