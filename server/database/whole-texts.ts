import type { PGlite } from "@electric-sql/pglite";

/**
 * Makes the embedded engine preserve a leading U+FEFF in texts. Its response reader (`BufferReader` in PGlite 0.5.8) decodes columns with a
 * default `TextDecoder`, which drops it as a byte order mark and cannot be replaced from outside. Executing a message is synchronous, so
 * nothing else decodes meanwhile.
 */
export function keepByteOrderMarks(engine: PGlite): void {
  const execute = engine.execProtocolRawSync.bind(engine);
  engine.execProtocolRawSync = (message) => {
    TextDecoder.prototype.decode = decodeWhole;
    try {
      return execute(message);
    } finally {
      TextDecoder.prototype.decode = decode;
    }
  };
}

// oxlint-disable-next-line typescript/unbound-method -- called with the original `this`
const { decode } = TextDecoder.prototype;
const whole = new TextDecoder("utf-8", { ignoreBOM: true });

function decodeWhole(this: TextDecoder, ...given: Parameters<TextDecoder["decode"]>): string {
  return decode.call(this.encoding === "utf-8" && !this.fatal ? whole : this, ...given);
}
