import { createHmac } from "node:crypto";
import { z } from "zod";
import { hidden, hide, hideAddress, type ChannelKind, type ChannelMessage, type Outcome } from "../kind.ts";
import { hookUrl, post } from "./post.ts";

const schema = z.strictObject({
  webhookUrl: hookUrl("The robot's address, which is as good as a password."),
  secret: z
    .string("This must be text.")
    .max(200, "This must have at most 200 characters.")
    .refine((text) => text !== hidden, "Enter the secret itself.")
    .optional()
    .meta({
      description: "The robot's signing secret; left out where it checks by keyword or address instead.",
      example: "SEC0123456789abcdef",
    }),
});

type Config = z.infer<typeof schema>;

/** What a robot's answer says: HTTP 200 alone is no success. What it repeats of our secrets is not told. */
function verdict(config: Config, code: unknown, message: unknown): Outcome {
  if (code === 0) return { ok: true };
  const said =
    typeof message === "string" ? `: ${discreet(message, config).replaceAll(/\s+/g, " ").slice(0, 200)}` : "";
  return { ok: false, reason: `The robot refused it (${typeof code === "number" ? code : "no code"})${said}.` };
}

/** Below this, a part of an address is no secret but a word. */
const shortestSecret = 10;

function discreet(text: string, { webhookUrl, secret = "" }: Config): string {
  const { pathname, searchParams } = new URL(webhookUrl);
  return [secret, ...pathname.split("/"), ...searchParams.values()]
    .filter(({ length }) => length >= shortestSecret)
    .reduce((told, part) => told.replaceAll(part, hidden), text);
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
  async send(config, message, ports) {
    const { webhookUrl, secret } = config;
    const url = new URL(webhookUrl);
    if (secret !== undefined && secret !== "") {
      const timestamp = ports.now().getTime();
      url.searchParams.set("timestamp", String(timestamp));
      url.searchParams.set("sign", dingtalkSignature(secret, timestamp));
    }
    const body = JSON.stringify({ msgtype: "text", text: { content: textOf(message) } });
    return await post(ports, url.href, { body }, (answer) =>
      verdict(config, field(answer, "errcode"), field(answer, "errmsg")),
    );
  },
};

export const feishu: ChannelKind<Config> = {
  channel: "feishu",
  label: "Feishu",
  schema,
  masks: { webhookUrl: hideAddress, secret: hide },
  mostPerMinute: 90,
  async send(config, message, ports) {
    const { webhookUrl, secret } = config;
    const timestamp = Math.floor(ports.now().getTime() / 1_000);
    const signed =
      secret === undefined || secret === ""
        ? {}
        : { timestamp: String(timestamp), sign: feishuSignature(secret, timestamp) };
    // A rich text's parts are taken as they are; in a plain text `<at …>` would mention people.
    const paragraphs = [[{ tag: "text", text: message.content }]];
    const content = { post: { en_us: { title: `[Zonewright] ${message.title}`, content: paragraphs } } };
    const body = JSON.stringify({ ...signed, msg_type: "post", content });
    return await post(ports, webhookUrl, { body }, (answer) =>
      verdict(config, field(answer, "code"), field(answer, "msg")),
    );
  },
};
