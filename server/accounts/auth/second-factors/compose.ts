import type { Audit } from "../../../audit/audit.ts";
import type { Keyring } from "../../../platform/keyring.ts";
import type { Guesses } from "../../../limits/guesses.ts";
import type { Mailer } from "../../../mail/mailer.ts";
import { SecretCipher } from "../../../platform/secret-cipher.ts";
import { Confirmation } from "../confirmation/service.ts";
import type { CurrentPassword } from "../current-password.ts";
import type { WaysIn } from "../ways-in.ts";
import { SecondFactorChecks } from "./checks.ts";
import { EmailCodes } from "./email-codes.ts";
import { PasskeyChallenges } from "./passkey-challenges.ts";
import { Passkeys } from "./passkeys.ts";
import { RecoveryCodes } from "./recovery-codes.ts";
import { RelyingParty } from "./relying-party.ts";
import { SecondFactors } from "./service.ts";
import { SignInChallenges } from "./sign-in-challenges.ts";
import { Totp } from "./totp.ts";
import { TotpSecrets } from "./totp-secrets.ts";

/** Builds the second-factor services: `management` for their owner, `checks` for sign-in, `confirmation` for signed-in users. */
export function composeSecondFactors(parts: {
  siteUrl: string;
  keyring: Keyring;
  mailer: Mailer;
  currentPassword: CurrentPassword;
  guesses: Guesses;
  waysIn: WaysIn;
  audit: Audit;
  now: () => Date;
}) {
  const { siteUrl, keyring, mailer, currentPassword, guesses, waysIn, audit, now } = parts;
  const totpSecrets = new TotpSecrets(new SecretCipher(keyring, "totp-secret"));
  const totp = new Totp(totpSecrets, now);
  const emailCodes = new EmailCodes(keyring, mailer, now);
  const passkeys = new Passkeys(new PasskeyChallenges(now), new RelyingParty(siteUrl), now);
  const recoveryCodes = new RecoveryCodes();
  const challenges = new SignInChallenges(now);
  const shared = { totp, passkeys, recoveryCodes, guesses, audit };
  const confirmation = new Confirmation({ ...shared, currentPassword, now });
  return {
    confirmation,
    totpSecrets,
    management: new SecondFactors({ ...shared, emailCodes, confirmation, waysIn }),
    checks: new SecondFactorChecks({ challenges, totp, emailCodes, passkeys, recoveryCodes }),
  };
}
