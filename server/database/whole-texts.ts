import type { PGlite } from "@electric-sql/pglite";

/**
 * Makes the embedded engine give texts back whole. Its reader of answers (`BufferReader` in PGlite 0.5.8) decodes each column with a plain
 * `TextDecoder`, which takes a U+FEFF at the beginning for a byte order mark and drops it, and that decoder cannot be reached from outside.
 * It decodes while a message is carried out, which is synchronous: nothing else decodes meanwhile.
 */
export function keepByteOrderMarks(engine: PGlite): void {
  const carryOut = engine.execProtocolRawSync.bind(engine);
  engine.execProtocolRawSync = (message) => {
    TextDecoder.prototype.decode = decodeWhole;
    try {
      return carryOut(message);
    } finally {
      TextDecoder.prototype.decode = decode;
    }
  };
}

// oxlint-disable-next-line typescript/unbound-method -- it is called on what it was called on
const { decode } = TextDecoder.prototype;
const whole = new TextDecoder("utf-8", { ignoreBOM: true });

function decodeWhole(this: TextDecoder, ...given: Parameters<TextDecoder["decode"]>): string {
  return decode.call(this.encoding === "utf-8" && !this.fatal ? whole : this, ...given);
}
