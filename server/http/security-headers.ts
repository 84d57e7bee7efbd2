import type { RequestHandler } from "express";
import helmet from "helmet";

const hstsSeconds = 31_536_000;

/**
 * Sets security headers on every response: no resources, no framing. The documentation page has its own policy. HSTS is sent only if
 * SITE_URL is https, because otherwise the site would become unreachable.
 */
export function securityHeaders(siteUrl: string): RequestHandler {
  return helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        "default-src": ["'none'"],
        "base-uri": ["'none'"],
        "form-action": ["'none'"],
        "frame-ancestors": ["'none'"],
      },
    },
    strictTransportSecurity: siteUrl.startsWith("https:") && { maxAge: hstsSeconds, includeSubDomains: false },
    xFrameOptions: { action: "deny" },
    // Obsolete headers, which would only add to every response.
    originAgentCluster: false,
    xDnsPrefetchControl: false,
    xDownloadOptions: false,
    xPermittedCrossDomainPolicies: false,
    xXssProtection: false,
  });
}
