import type { Response } from "express";

/**
 * Sets the JSON content type where tRPC's adapter omits it: an error before the procedure is known is sent as `text/plain`, the default of a
 * Fetch `Response`.
 */
export function declareJson(res: Response): void {
  const setHeader = res.setHeader.bind(res);
  res.setHeader = (name, value) => {
    const plain = name.toLowerCase() === "content-type" && String(value).startsWith("text/plain");
    return setHeader(name, plain ? "application/json" : value);
  };
}
