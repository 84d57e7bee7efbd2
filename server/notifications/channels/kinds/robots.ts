import { createHmac } from "node:crypto";
import { z } from "zod";
import { hidden, hide, hideAddress, type ChannelKind, type ChannelMessage, type Outcome } from "../kind.ts";
import { hookUrl, post } from "./post.ts";

const schema = z.strictObject({
  webhookUrl: hookUrl("The robot's URL. Treat it like a password."),
  secret: z
    .string("This must be text.")
    .max(200, "This must have at most 200 characters.")
    .refine((text) => text !== hidden, "Enter the full secret, not the masked one.")
    .optional()
    .meta({
      description: "The robot's signing secret. Omit it if the robot checks keywords or addresses instead.",
      example: "SEC0123456789abcdef",
    }),
});

type Config = z.infer<typeof schema>;

/** Returns the outcome from a robot's response body; HTTP 200 alone is not success. Secrets that it echoes are removed. */
function verdict(config: Config, code: unknown, message: unknown): Outcome {
  if (code === 0) return { ok: true };
  const said =
    typeof message === "string" ? `: ${discreet(message, config).replaceAll(/\s+/g, " ").slice(0, 200)}` : "";
  return {
    ok: false,
    reason: `The robot refused the message (${typeof code === "number" ? code : "no code"})${said}.`,
  };
}

/** Shorter URL parts are treated as words, not secrets. */
const shortestSecret = 10;

function discreet(text: string, { webhookUrl, secret = "" }: Config): string {
  const { pathname, searchParams } = new URL(webhookUrl);
  return [secret, ...pathname.split("/"), ...searchParams.values()]
    .filter(({ length }) => length >= shortestSecret)
    .reduce((redacted, part) => redacted.replaceAll(part, hidden), text);
}

function field(answer: unknown, name: string): unknown {
  return typeof answer === "object" && answer !== null ? (answer as Record<string, unknown>)[name] : undefined;
}

/** Returns DingTalk's signature: HMAC-SHA256 of the timestamp (milliseconds) and secret, keyed with the secret. It goes into the query. */
export function dingtalkSignature(secret: string, timestamp: number): string {
  return createHmac("sha256", secret).update(`${timestamp}\n${secret}`).digest("base64");
}

/** Returns Feishu's signature: HMAC-SHA256 of an empty string, keyed with the timestamp (seconds) and secret. It goes into the body. */
export function feishuSignature(secret: string, timestamp: number): string {
  return createHmac("sha256", `${timestamp}\n${secret}`).update("").digest("base64");
}

/** Returns the message text. It contains the product name for robots that require a keyword. */
function textOf({ title, content }: ChannelMessage): string {
  return `[Zonewright] ${title}\n${content}`;
}

export const dingtalk: ChannelKind<Config> = {
  channel: "dingtalk",
  label: "DingTalk",
  schema,
  masks: { webhookUrl: hideAddress, secret: hide },
  // DingTalk blocks senders of more than 20 messages a minute for ten minutes.
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
    // Rich text parts are literal; in plain text, `<at …>` would mention people.
    const paragraphs = [[{ tag: "text", text: message.content }]];
    const content = { post: { en_us: { title: `[Zonewright] ${message.title}`, content: paragraphs } } };
    const body = JSON.stringify({ ...signed, msg_type: "post", content });
    return await post(ports, webhookUrl, { body }, (answer) =>
      verdict(config, field(answer, "code"), field(answer, "msg")),
    );
  },
};
