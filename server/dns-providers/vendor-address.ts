import { z } from "zod";

/** The address of a vendor's API in a configuration: the vendor's own unless another is given. */
export function vendorAddress(own: string) {
  return z
    .string()
    .max(500)
    .refine(isOrigin, `Give the address of the API without a path, such as ${own}, or leave it out.`)
    .default(own);
}

function isOrigin(text: string): boolean {
  const url = URL.parse(text);
  return (
    url !== null &&
    ["http:", "https:"].includes(url.protocol) &&
    url.pathname === "/" &&
    [url.username, url.password, url.search, url.hash].every((part) => part === "")
  );
}
