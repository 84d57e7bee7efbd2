import type { Audit } from "../../notifications/audit/audit.ts";
import type { Background } from "../../platform/background.ts";
import type { Database, EntityManager } from "../../database/database.ts";
import type { Guesses } from "../../api/limits/guesses.ts";
import type { MailOutbox, Mailer } from "../../notifications/mail/outbox.ts";
import type { Notifications } from "../../notifications/notify.ts";
import { AccessRevocation } from "../users/access/revocation.ts";
import { UserAccess } from "../users/access/service.ts";
import { AdministratorNotices } from "../users/administrator-notices.ts";
import { UserAdministration } from "../users/administration.ts";
import { EmailVerifications } from "../users/email/service.ts";
import { Invitations } from "../users/invitations/service.ts";
import { Profile } from "../users/profile/service.ts";
import { Users } from "../users/service.ts";
import type { TsigSecrets, TsigKeyNames } from "../../access/tsig-keys.ts";
import type { AccessTokens, Authenticator } from "../../access/authenticator.ts";
import { CommandLineSignIn } from "./command-line/service.ts";
import { Confirmation, CurrentPassword } from "./confirmation/service.ts";
import { KnownDevices } from "./known-devices.ts";
import { PasswordResets } from "./password-reset/service.ts";
import { PasswordHasher, type PasswordCost } from "./passwords.ts";
import { PersonalTokens } from "./personal-tokens/service.ts";
import { TsigKeys } from "./tsig-keys/service.ts";
import { Registration } from "./registration.ts";
import { SecondFactorChecks, SignInChallenges } from "./second-factors/checks.ts";
import { SecondFactors } from "./second-factors/service.ts";
import { TotpSecrets, Totp } from "./second-factors/totp.ts";
import { Sessions, OwnSessions } from "./sessions.ts";
import { SignIn, SecondFactorSignIn } from "./sign-in.ts";
import { WaysIn } from "./ways-in.ts";
import { SecretCipher, type Keyring } from "../../platform/secret-cipher.ts";
import { EmailCodes } from "./second-factors/email-codes.ts";
import { PasskeyChallenges, Passkeys } from "./second-factors/passkeys.ts";
import { RecoveryCodes } from "./second-factors/recovery-codes.ts";
import { RelyingParty } from "./second-factors/relying-party.ts";

/** Builds the account services around the authenticator. */
export function composeAccounts(parts: {
  config: { siteUrl: string; tokenPrefix: string; console: boolean };
  keyring: Keyring;
  accessTokens: AccessTokens;
  authenticator: Authenticator;
  tsigSecrets: TsigSecrets;
  tsigKeyNames: TsigKeyNames;
  guesses: Guesses;
  mailer: Mailer;
  mail: MailOutbox;
  notifications: Notifications;
  /** Called as soon as a user turns notifications off. */
  onNotificationsOff: (userId: string) => void;
  background: Background;
  database: Database;
  audit: Audit;
  /** Withdraws the open change requests of a user who is being deleted. Returns how many. */
  withdrawRequests: (tx: EntityManager, userId: string, now: Date) => Promise<number>;
  now: () => Date;
  passwordCost?: PasswordCost | undefined;
}) {
  const { accessTokens, authenticator, guesses, mail, notifications, onNotificationsOff, audit, now } = parts;
  const { siteUrl, tokenPrefix } = parts.config;
  const passwords = new PasswordHasher(parts.passwordCost);
  const sessions = new Sessions(parts.keyring, audit, now, (sessionId) => authenticator.end(sessionId));
  const revocation = new AccessRevocation({ sessions, authenticator, audit, now });
  const administratorNotices = new AdministratorNotices({ notifications, mail });
  const users = new Users({ passwords, administratorNotices, audit, now });
  const invitations = new Invitations(audit, now);
  const currentPassword = new CurrentPassword(passwords, guesses, audit);
  const waysIn = new WaysIn({ notifications, mail });
  const factors = composeSecondFactors({ ...parts, siteUrl, currentPassword, waysIn });
  const { checks: secondFactors, confirmation } = factors;
  const knownDevices = new KnownDevices(parts.keyring, siteUrl, now);
  const signIn = new SignIn({
    passwords,
    accessTokens,
    sessions,
    guesses,
    knownDevices,
    secondFactors,
    audit,
    notifications,
    now,
  });
  const verifications = new EmailVerifications({ mail, audit, siteUrl, now });
  const ownSessions = new OwnSessions(sessions, audit, now);
  const personalTokens = new PersonalTokens({
    prefix: tokenPrefix,
    audit,
    waysIn,
    now,
    onEnd: (tokenHash) => authenticator.endToken(tokenHash),
  });
  const tsigKeys = new TsigKeys({ secrets: parts.tsigSecrets, names: parts.tsigKeyNames, audit, waysIn, now });
  const consoleUrl = parts.config.console ? siteUrl : null;
  return {
    users,
    userAdministration: new UserAdministration({
      users,
      passwords,
      revocation,
      authenticator,
      confirmation,
      waysIn,
      administratorNotices,
      mail,
      audit,
      withdrawRequests: parts.withdrawRequests,
      now,
    }),
    userAccess: new UserAccess({
      sessions: ownSessions,
      tokens: personalTokens,
      keys: tsigKeys,
      secondFactors: factors.management,
      revocation,
      confirmation,
      waysIn,
      audit,
    }),
    invitations,
    profile: new Profile({
      users,
      passwords,
      confirmation,
      waysIn,
      revocation,
      verifications,
      mail,
      audit,
      onNotificationsOff,
      now,
    }),
    emailVerifications: verifications,
    signIn,
    knownDevices,
    registration: new Registration({ users, invitations, verifications, signIn }),
    passwordResets: new PasswordResets({ ...parts, passwords, sessions, waysIn, siteUrl }),
    ownSessions,
    personalTokens,
    tsigKeys,
    commandLineSignIn: new CommandLineSignIn({ personalTokens, guesses, audit, consoleUrl, now }),
    confirmation,
    waysIn,
    revocation,
    administratorNotices,
    secondFactors: factors.management,
    secondFactorChecks: secondFactors,
    secondFactorSignIn: new SecondFactorSignIn({ signIn, checks: secondFactors, guesses, knownDevices, audit }),
    totpSecrets: factors.totpSecrets,
  };
}

/** Builds the second-factor services: `management` for their owner, `checks` for sign-in, `confirmation` for signed-in users. */
function composeSecondFactors(parts: {
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
