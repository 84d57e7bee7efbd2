/** The longest header that is decoded: a name, a colon and a token. */
const longestHeader = 1_024;

/** Returns the password of Basic authentication (RFC 7617); null if the header has another form. */
export function basicPassword(authorization: string | undefined): string | null {
  if (authorization === undefined || authorization.length > longestHeader) return null;
  const [, encoded] = /^Basic +([A-Za-z0-9+/]+={0,2})$/i.exec(authorization) ?? [];
  if (encoded === undefined) return null;
  const text = Buffer.from(encoded, "base64").toString("utf8");
  const colon = text.indexOf(":");
  return colon < 0 ? null : text.slice(colon + 1);
}
