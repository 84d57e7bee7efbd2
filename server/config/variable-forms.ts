import { isIP } from "node:net";
import { z } from "zod";

/** Returns whether a text is a valid value of Express's "trust proxy": an address, a network, or the name of a range. */
export function isProxy(text: string): boolean {
  if (/^(?:loopback|linklocal|uniquelocal)$/.test(text)) return true;
  const [address = "", bits, ...rest] = text.split("/");
  const family = isIP(address);
  if (family === 0 || rest.length > 0) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128));
}

/** Returns whether a text is an http(s) origin. It must have no path, because the API is always below /api. */
export function isSite(text: string): boolean {
  return (
    /^https?:\/\/[^/\s]+\/?$/.test(text) && URL.canParse(text) && new URL(text).href === `${new URL(text).origin}/`
  );
}

/** Returns a schema for a comma-separated list. @param sentence the message for an invalid item */
export function commaList(fits: (part: string, parts: string[]) => boolean, sentence: string) {
  return z
    .string()
    .default("")
    .transform((text) =>
      text
        .split(",")
        .map((part) => part.trim())
        .filter((part) => part !== ""),
    )
    .refine((parts) => parts.every((part) => fits(part, parts)), sentence);
}

/** Returns a schema for a URL with one of the given protocols, such as `https:`. */
export function url(name: string, protocols: string[], example: string) {
  return z.string().refine((text) => {
    try {
      return protocols.includes(new URL(text).protocol);
    } catch {
      return false;
    }
  }, `${name} must be a URL such as ${example}`);
}

/** Returns a schema for calls per minute. `off` becomes null: unlimited. */
export function perMinute(name: string, fallback: number) {
  return z
    .string()
    .regex(/^(?:off|[1-9]\d{0,6})$/, `${name} must be a number of calls per minute, such as ${fallback}, or off`)
    .transform((text) => (text === "off" ? null : Number(text)))
    .default(fallback);
}

/** Returns a schema for a switch: `on` becomes true. */
export function onOff(name: string, fallback: "on" | "off") {
  return z
    .enum(["on", "off"], `${name} must be on or off`)
    .default(fallback)
    .transform((text) => text === "on");
}
