import { z } from "zod";
import { hideAddress, type ChannelKind } from "../kind.ts";
import { hookUrl, post } from "./post.ts";

const schema = z.strictObject({
  webhookUrl: hookUrl("The incoming webhook's URL. Treat it like a password."),
});

/** A Slack incoming webhook. */
export const slack: ChannelKind<z.infer<typeof schema>> = {
  channel: "slack",
  label: "Slack",
  schema,
  masks: { webhookUrl: hideAddress },
  mostPerMinute: 50,
  async send({ webhookUrl }, { title, content }, ports) {
    const body = JSON.stringify({ text: `*${plain(title)}*\n${plain(content)}` });
    return await post(ports, webhookUrl, { body });
  },
};

/** Escapes the three control characters of Slack's markup, and replaces `*`, which would end the bold title. */
function plain(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll("*", "∗");
}
