import type { Egress } from "../../../platform/net/egress.ts";
import { EgressError } from "../../../platform/net/egress-error.ts";
import { IdentityProviderError, tellable } from "./provider.ts";

export interface VendorRequest {
  method?: "GET" | "POST";
  headers?: Readonly<Record<string, string>>;
  body?: string;
  /** Secrets in the request, which messages must not quote. */
  secrets: readonly (string | null)[];
}

export type VendorObject = Readonly<Record<string, unknown>>;

/** A response; `body` is its JSON value, or null for other content. */
export interface VendorAnswer {
  status: number;
  body: unknown;
  /** The request's secrets. */
  secrets: readonly (string | null)[];
}

const deadlineMilliseconds = 10_000;
const maxBytes = 262_144;

/** Calls a provider through the egress guard. Its host may be internal, because an administrator configured it. @throws IdentityProviderError */
export async function askVendor(
  egress: Egress,
  url: string,
  { secrets, ...request }: VendorRequest,
): Promise<VendorAnswer> {
  const headers = { accept: "application/json", ...request.headers };
  try {
    const response = await egress.guardedFetch(url, {
      reach: "inside",
      deadlineMilliseconds,
      maxBytes,
      ...request,
      headers,
    });
    return { status: response.status, body: await response.json().catch(() => null), secrets };
  } catch (error) {
    if (error instanceof EgressError) throw new IdentityProviderError(error.message, { cause: error });
    throw error;
  }
}

/** Returns the JSON object of a successful response. @throws IdentityProviderError for other statuses and bodies */
export function goodObject(answer: VendorAnswer, what: string): VendorObject {
  const { status } = answer;
  if (status !== 200) throw new IdentityProviderError(`${what} returned status ${status}${reasonIn(answer)}.`);
  return objectOf(answer.body, what);
}

export function objectOf(value: unknown, what: string): VendorObject {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as VendorObject;
  throw new IdentityProviderError(`${what} did not return a JSON object.`);
}

/** Returns a required text field. @throws IdentityProviderError */
export function requiredText(object: VendorObject, field: string, what: string): string {
  const value = optionalText(object, field);
  if (value !== null) return value;
  throw new IdentityProviderError(`${what} did not return ${field}.`);
}

/** Returns an optional text field, or null if it is missing or empty. */
export function optionalText(object: VendorObject, field: string): string | null {
  const value = object[field];
  return typeof value === "string" && value !== "" ? value : null;
}

/** Returns the reason in an error response, in OAuth 2.0 fields (RFC 6749 §5.2) or vendor-specific ones. */
export function reasonIn({ body, secrets }: VendorAnswer): string {
  if (typeof body !== "object" || body === null) return "";
  const { error, error_description: description, code, message, msg } = body as VendorObject;
  const words = [error, code, description, message, msg].filter(
    (word) => (typeof word === "string" && word !== "") || typeof word === "number",
  );
  return words.length === 0 ? "" : ` (${tellable(words.map(String).join(": "), secrets)})`;
}
