import { AppError } from "../../platform/errors.ts";
import { endpoints, type Endpoint } from "./calls.ts";

/** An endpoint, and the variable parts of the path that it was found by. */
interface Match {
  endpoint: Endpoint;
  path: Record<string, string>;
}

const known = endpoints.map((endpoint) => ({ endpoint, segments: segmentsOf(endpoint.path) }));

function segmentsOf(path: string): string[] {
  return path.split("/").filter((segment) => segment !== "");
}

/**
 * Finds the endpoint of a request. HEAD counts as GET.
 * @param allow receives the methods of a path that does not take this one
 * @throws AppError NOT_FOUND, METHOD_NOT_ALLOWED, BAD_REQUEST for a malformed path
 */
export function matchEndpoint(given: string, path: string, allow: (methods: readonly string[]) => void): Match {
  const method = given === "HEAD" ? "GET" : given;
  const segments = segmentsOf(path).map(decoded);
  const matches = known.flatMap(({ endpoint, segments: pattern }) => {
    const parts = partsIn(pattern, segments);
    return parts ? [{ endpoint, path: parts }] : [];
  });
  const match = matches.find(({ endpoint }) => endpoint.method === method);
  if (match) return match;
  if (matches.length === 0)
    throw new AppError("NOT_FOUND", "Not Found. Zonewright has no such part of PowerDNS's API.");
  allow(matches.map(({ endpoint }) => endpoint.method));
  throw new AppError("METHOD_NOT_ALLOWED", "Method Not Allowed");
}

function partsIn(pattern: readonly string[], segments: readonly string[]): Record<string, string> | null {
  if (pattern.length !== segments.length) return null;
  const parts: Record<string, string> = {};
  for (const [index, expected] of pattern.entries()) {
    const segment = segments[index] ?? "";
    if (expected.startsWith(":")) parts[expected.slice(1)] = segment;
    else if (expected !== segment) return null;
  }
  return parts;
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    throw new AppError("BAD_REQUEST", "The URL is malformed. Check its percent-encoding.");
  }
}
