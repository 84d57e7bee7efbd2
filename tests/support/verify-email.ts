import type { Answer, RestClient } from "./rest-client.ts";
import type { MailServer } from "./servers/mail-server.ts";

/** The token of the link that was mailed to an address next. */
export async function verificationToken(mail: MailServer, address: string): Promise<string> {
  const { subject, text } = await mail.next(address);
  const [, token] = /\/verify-email#token=([\w-]+)/.exec(text) ?? [];
  if (token === undefined) throw new Error(`The mail to ${address} verifies nothing: ${subject}`);
  return token;
}

/** Opens the link that was mailed to an address. */
export async function openVerification(nobody: RestClient, mail: MailServer, address: string): Promise<Answer> {
  return await nobody.post("/api/auth/email/verify", { token: await verificationToken(mail, address) });
}
