import { createHmac } from "node:crypto";
import { z } from "zod";
import { hide, hideAddress, type ChannelKind, type ChannelMessage, type Outcome } from "../kind.ts";
import { hookUrl, post } from "./post.ts";

const schema = z.strictObject({
  webhookUrl: hookUrl("The robot's address, which is as good as a password."),
  secret: z.string("This must be text.").max(200, "This must have at most 200 characters.").optional().meta({
    description: "The robot's signing secret; left out where it checks by keyword or address instead.",
    example: "SEC0123456789abcdef",
  }),
});

type Config = z.infer<typeof schema>;

/** What a robot's answer says: HTTP 200 alone is no success. */
function verdict(code: unknown, message: unknown): Outcome {
  if (code === 0) return { ok: true };
  const said = typeof message === "string" ? `: ${message.replaceAll(/\s+/g, " ").slice(0, 200)}` : "";
  return { ok: false, reason: `The robot refused it (${typeof code === "number" ? code : "no code"})${said}.` };
}

function field(answer: unknown, name: string): unknown {
  return typeof answer === "object" && answer !== null ? (answer as Record<string, unknown>)[name] : undefined;
}

/** DingTalk: HMAC-SHA256 of time and secret with the secret, milliseconds, in the query. */
export function dingtalkSignature(secret: string, timestamp: number): string {
  return createHmac("sha256", secret).update(`${timestamp}\n${secret}`).digest("base64");
}

/** Feishu: HMAC-SHA256 of nothing with time and secret as the key, seconds, in the body. */
export function feishuSignature(secret: string, timestamp: number): string {
  return createHmac("sha256", `${timestamp}\n${secret}`).update("").digest("base64");
}

/** Robots that check by keyword find the product's name. */
function textOf({ title, content }: ChannelMessage): string {
  return `[Zonewright] ${title}\n${content}`;
}

export const dingtalk: ChannelKind<Config> = {
  channel: "dingtalk",
  label: "DingTalk",
  schema,
  masks: { webhookUrl: hideAddress, secret: hide },
  // Who sends more than 20 is blocked for ten minutes.
  mostPerMinute: 18,
  async send({ webhookUrl, secret }, message, ports) {
    const url = new URL(webhookUrl);
    if (secret !== undefined && secret !== "") {
      const timestamp = ports.now().getTime();
      url.searchParams.set("timestamp", String(timestamp));
      url.searchParams.set("sign", dingtalkSignature(secret, timestamp));
    }
    const body = JSON.stringify({ msgtype: "text", text: { content: textOf(message) } });
    return await post(ports, url.href, { body }, (answer) =>
      verdict(field(answer, "errcode"), field(answer, "errmsg")),
    );
  },
};

export const feishu: ChannelKind<Config> = {
  channel: "feishu",
  label: "Feishu",
  schema,
  masks: { webhookUrl: hideAddress, secret: hide },
  mostPerMinute: 90,
  async send({ webhookUrl, secret }, message, ports) {
    const timestamp = Math.floor(ports.now().getTime() / 1_000);
    const signed =
      secret === undefined || secret === ""
        ? {}
        : { timestamp: String(timestamp), sign: feishuSignature(secret, timestamp) };
    // A rich text's parts are taken as they are; in a plain text `<at …>` would mention people.
    const paragraphs = [[{ tag: "text", text: message.content }]];
    const content = { post: { en_us: { title: `[Zonewright] ${message.title}`, content: paragraphs } } };
    const body = JSON.stringify({ ...signed, msg_type: "post", content });
    return await post(ports, webhookUrl, { body }, (answer) => verdict(field(answer, "code"), field(answer, "msg")));
  },
};
