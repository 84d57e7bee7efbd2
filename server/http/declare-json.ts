import type { Response } from "express";

/**
 * Declares tRPC's answers as JSON where its adapter leaves that out: a call that is refused before its procedure is known comes as the plain text
 * that a `Response` of the Fetch standard is by default.
 */
export function declareJson(res: Response): void {
  const setHeader = res.setHeader.bind(res);
  res.setHeader = (name, value) => {
    const plain = name.toLowerCase() === "content-type" && String(value).startsWith("text/plain");
    return setHeader(name, plain ? "application/json" : value);
  };
}
