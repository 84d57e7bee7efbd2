import { afterAll, beforeAll, expect, test } from "vitest";
import { Mailer, mailOf } from "../../../server/notifications/mail/outbox.ts";
import { createLog } from "../../../server/platform/log.ts";
import { startMailServer, type MailServer } from "../../support/servers/mail-server.ts";

let server: MailServer;
const lines: string[] = [];
const log = createLog("trace", { write: (line: string) => void lines.push(line) });

beforeAll(async () => {
  server = await startMailServer();
});

afterAll(() => server.stop());

function mailer(url: string | undefined): Mailer {
  return new Mailer({ smtpUrl: url, from: "Zonewright <dns@example.org>", log });
}

test("a letter has the same content as text and HTML, and markup in it is escaped", () => {
  const { text, html } = mailOf({
    to: "ada@example.com",
    subject: "Hello",
    paragraphs: [`<script>alert("1")</script> & more`],
    link: { label: "Go <there>", href: `https://dns.example.org/?a=1&b="2"` },
  });
  expect(text).toContain(`<script>alert("1")</script> & more`);
  expect(html).toContain("&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt; &amp; more");
  expect(html).toContain(`<a href="https://dns.example.org/?a=1&amp;b=&quot;2&quot;">Go &lt;there&gt;</a>`);
  expect(html).not.toContain("<script>");
});

test("lines of a letter are lines in HTML, too", () => {
  const { text, html } = mailOf({ to: "ada@example.com", subject: "Hello", paragraphs: ["+ www A\n− old <A>"] });
  expect(text).toContain("+ www A\n− old <A>");
  expect(html).toContain("+ www A<br>\n− old &lt;A&gt;");
});

test("line breaks in a subject add no header", async () => {
  const subject = "Expiring\r\nBcc: evil@example.net";
  const mail = mailOf({ to: "crlf@example.com", subject, paragraphs: ["Text."] });
  expect(await mailer(server.url).send(mail)).toBe(true);
  const received = await server.next("crlf@example.com");
  expect(received.subject).not.toMatch(/[\r\n]/);
  expect(server.mails.filter(({ to }) => to.includes("evil"))).toEqual([]);
});

test.each([451, 550])("a mail that the server refuses with %i is logged without the address", async (status) => {
  lines.length = 0;
  server.refuseWith(status);
  const sent = await mailer(server.url).send(
    mailOf({ to: "refused@example.com", subject: "Hi", paragraphs: ["Text."] }),
  );
  server.refuseWith(null);
  expect(sent).toBe(false);
  expect(lines.join("")).toContain(`EMESSAGE ${status}`);
  expect(lines.join("")).not.toContain("refused@example.com");
});

test("an unreachable mail server is logged without its password", async () => {
  lines.length = 0;
  const url = "smtp://user:geheim-und-lang@127.0.0.1:1";
  const mail = mailOf({ to: "away@example.com", subject: "Hi", paragraphs: ["Text."] });
  expect(await mailer(url).send(mail)).toBe(false);
  expect(lines.join("")).toMatch(/sending a mail failed/);
  expect(lines.join("")).not.toMatch(/geheim|away@example/);
});

test("without SMTP_URL nothing is sent", async () => {
  const none = mailer(undefined);
  expect(none.configured).toBe(false);
  expect(await none.send(mailOf({ to: "a@example.com", subject: "Hi", paragraphs: [] }))).toBe(false);
});
