import type { RequestHandler } from "express";
import helmet from "helmet";

const hstsSeconds = 31_536_000;

/**
 * What browsers are told of every answer: it is data, it loads nothing, nobody frames it. The documentation page has a policy
 * of its own. TLS is insisted on only where SITE_URL has it: elsewhere nobody could come back to the site.
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
    // For programs that nobody runs any more: each header costs every answer.
    originAgentCluster: false,
    xDnsPrefetchControl: false,
    xDownloadOptions: false,
    xPermittedCrossDomainPolicies: false,
    xXssProtection: false,
  });
}
