import { z } from "zod";
import { EgressError, retryAfterSeconds } from "../../../platform/net/egress-error.ts";
import { hidden, type Outcome, type Ports } from "../kind.ts";

const deadlineMilliseconds = 15_000;
const mostBytes = 65_536;
const longestWaitSeconds = 24 * 3_600;

/** Schema for a webhook URL. Whether the address is allowed is checked on each request. */
export function hookUrl(description: string) {
  return z
    .string({ error: ({ input }) => (input === undefined ? "This is required." : "This must be text.") })
    .max(2_000, "This must have at most 2000 characters.")
    .refine(
      (text) => /^https?:\/\/\S+$/.test(text) && URL.canParse(text),
      "This must be a URL such as https://hooks.example.com/abc.",
    )
    .refine(
      (text) => !URL.canParse(text) || new URL(text).username === "",
      "Remove the username and password from the URL.",
    )
    .refine((text) => !text.endsWith(`/${hidden}`), "Enter the full URL, not the masked one.")
    .meta({ description, example: "https://hooks.example.com/abc" });
}

/** Posts JSON. @param read determines the outcome from the response body, for receivers whose status alone is not conclusive */
export async function post(
  { egress, now }: Ports,
  url: string,
  { body, headers = {} }: { body: string; headers?: Record<string, string> },
  read: (answer: unknown) => Outcome = () => ({ ok: true }),
): Promise<Outcome> {
  try {
    const answer = await egress.guardedFetch(url, {
      reach: "public",
      method: "POST",
      headers: { "content-type": "application/json; charset=utf-8", ...headers },
      body,
      deadlineMilliseconds,
      maxBytes: mostBytes,
    });
    const { status } = answer;
    if (status < 200 || status > 299) {
      const seconds = retryAfterSeconds(answer.headers, now());
      return {
        ok: false,
        reason: `The receiver returned status ${status}.`,
        gone: status === 410,
        ...(seconds === null ? {} : { waitSeconds: Math.min(Math.ceil(seconds), longestWaitSeconds) }),
      };
    }
    return read(readable(await answer.text()));
  } catch (error) {
    // The message names the host but never the path or query, which may contain a secret.
    if (error instanceof EgressError) return { ok: false, reason: error.message };
    throw error;
  }
}

function readable(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
