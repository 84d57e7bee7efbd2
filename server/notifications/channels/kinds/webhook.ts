import { Webhook } from "standardwebhooks";
import { z } from "zod";
import { hide, type ChannelKind } from "../kind.ts";
import { hookUrl, post } from "./post.ts";

const schema = z.strictObject({
  url: hookUrl("The receiver's URL. Administrators can see it, so do not put a secret in it."),
  secret: z
    .string("This is required.")
    .refine(
      (text) => keyOf(text) !== null,
      "This must be whsec_ followed by 24 to 64 bytes in base64, or 24 to 64 characters.",
    )
    .meta({
      description:
        "The signing key: `whsec_` followed by 24 to 64 bytes in base64 (`openssl rand -base64 32`), or 24 to 64 characters used literally.",
      example: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
    }),
});

/** Sends an HTTP request signed according to Standard Webhooks 1.0. */
export const webhook: ChannelKind<z.infer<typeof schema>> = {
  channel: "webhook",
  label: "Webhook",
  schema,
  masks: { secret: hide },
  mostPerMinute: null,
  async send({ url, secret }, { id, event, createdAt, title, content, level, metadata }, ports) {
    const key = keyOf(secret);
    if (!key) return { ok: false, reason: "The secret is not a valid key." };
    const at = ports.now();
    const timestamp = createdAt.toISOString();
    const body = JSON.stringify({ type: event, timestamp, data: { id, title, content, level, metadata } });
    const messageId = `msg_${id}`;
    return await post(ports, url, {
      body,
      headers: {
        "webhook-id": messageId,
        "webhook-timestamp": String(Math.floor(at.getTime() / 1_000)),
        "webhook-signature": new Webhook(key, { format: "raw" }).sign(messageId, at, body),
      },
    });
  },
};

function keyOf(secret: string): Uint8Array | null {
  const encoded = secret.startsWith("whsec_") ? secret.slice(6) : null;
  if (encoded !== null && !/^[A-Za-z0-9+/]+={0,2}$/.test(encoded)) return null;
  const key = Buffer.from(encoded ?? secret, encoded === null ? "utf8" : "base64");
  return key.length >= 24 && key.length <= 64 ? new Uint8Array(key) : null;
}
