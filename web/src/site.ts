const loopback = new Set(["127.0.0.1", "[::1]"]);

/**
 * Returns the address at which this page should be open instead, or null. Passkeys and cookies belong to one origin: SITE_URL if it is set,
 * and `localhost` rather than `127.0.0.1` otherwise.
 * @param siteUrl SITE_URL; empty if it is not set
 */
export function betterAddress(href: string, siteUrl: string | null | undefined): string | null {
  const here = new URL(href);
  const better = new URL(href);
  if (siteUrl) {
    const site = new URL(siteUrl);
    better.protocol = site.protocol;
    better.host = site.host;
    // `host` keeps the port if the new one has none.
    better.port = site.port;
  } else if (loopback.has(here.hostname)) {
    better.hostname = "localhost";
  }
  return better.origin === here.origin ? null : better.href;
}
