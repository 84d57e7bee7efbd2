import type { Egress } from "../../net/egress.ts";
import { EgressError } from "../../net/egress-error.ts";
import { tellable } from "../redaction.ts";
import { IdentityProviderError } from "./provider.ts";

export interface VendorRequest {
  method?: "GET" | "POST";
  headers?: Readonly<Record<string, string>>;
  body?: string;
  /** What it holds that no message may quote. */
  secrets: readonly (string | null)[];
}

export type VendorObject = Readonly<Record<string, unknown>>;

/** An answer whose body is a JSON value; null for anything else. */
export interface VendorAnswer {
  status: number;
  body: unknown;
  /** Those of the request. */
  secrets: readonly (string | null)[];
}

const deadlineMilliseconds = 10_000;
const maxBytes = 262_144;

/** Asks a provider, through the guarded door. Its host may be in the own network: an administrator chose it. @throws IdentityProviderError */
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

/** The object within a good answer. @throws IdentityProviderError for any other status and for what is no object */
export function goodObject(answer: VendorAnswer, what: string): VendorObject {
  const { status } = answer;
  if (status !== 200) throw new IdentityProviderError(`${what} answered with status ${status}${reasonIn(answer)}.`);
  return objectOf(answer.body, what);
}

export function objectOf(value: unknown, what: string): VendorObject {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as VendorObject;
  throw new IdentityProviderError(`${what} did not answer with a JSON object.`);
}

/** A field of an answer that has to be there. @throws IdentityProviderError */
export function requiredText(object: VendorObject, field: string, what: string): string {
  const value = optionalText(object, field);
  if (value !== null) return value;
  throw new IdentityProviderError(`${what} did not tell ${field}.`);
}

/** A text that may be missing; empty counts as missing. */
export function optionalText(object: VendorObject, field: string): string | null {
  const value = object[field];
  return typeof value === "string" && value !== "" ? value : null;
}

/** What a refusal says of its reason, in the words of OAuth 2.0 (RFC 6749 §5.2) or of the vendors that have words of their own. */
export function reasonIn({ body, secrets }: VendorAnswer): string {
  if (typeof body !== "object" || body === null) return "";
  const { error, error_description: description, code, message, msg } = body as VendorObject;
  const words = [error, code, description, message, msg].filter(
    (word) => (typeof word === "string" && word !== "") || typeof word === "number",
  );
  return words.length === 0 ? "" : ` (${tellable(words.map(String).join(": "), secrets)})`;
}
