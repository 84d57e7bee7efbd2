import express, { type Request, type RequestHandler, type Response } from "express";

/** Error message for other encodings. */
export const notUtf8 = "Send the body as UTF-8, plain or compressed with gzip, deflate or br.";

const readers = new Map<number, RequestHandler>();

/**
 * Reads the bytes of a body, decompressed if necessary. The limit applies to the decompressed size.
 * @throws errors of Express's body parser, see `bodyError` and `isTooLarge`
 */
export async function readBytes(req: Request, res: Response, limit: number): Promise<Buffer> {
  let reader = readers.get(limit);
  if (!reader) {
    reader = express.raw({ limit, type: () => true });
    readers.set(limit, reader);
  }
  const read = reader;
  await new Promise<void>((resolve, reject) => {
    void read(req, res, (error?: unknown) => {
      if (error === undefined) resolve();
      else reject(error);
    });
  });
  const body: unknown = req.body;
  return Buffer.isBuffer(body) ? body : Buffer.alloc(0);
}

/** Returns whether a body exceeded its limit. */
export function isTooLarge(error: unknown): boolean {
  return error instanceof Error && "type" in error && error.type === "entity.too.large";
}
