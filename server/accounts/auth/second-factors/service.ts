import type { Audit } from "../../../notifications/audit/audit.ts";
import type { EntityManager } from "../../../database/database.ts";
import { AppError, badField, notFound } from "../../../platform/errors.ts";
import type { Guesses } from "../../../api/limits/guesses.ts";
import type { Caller } from "../../../access/caller.ts";
import type { Confirmation } from "../confirmation/service.ts";
import { refuseLastWayIn, type WaysIn } from "../ways-in.ts";
import { lockOwnAccount, ownAccount, verifiedAddress } from "../../users/account.ts";
import type { EmailCodes } from "./email-codes.ts";
import { methodsSetUp, type Method } from "./methods.ts";
import type { Passkeys } from "./passkeys.ts";
import { readSixDigits } from "./checks.ts";
import type { RecoveryCodes } from "./recovery-codes.ts";
import type { PasskeyRegistration } from "./relying-party.ts";
import type { Totp } from "./totp.ts";

export interface SecondFactorParts {
  totp: Totp;
  emailCodes: EmailCodes;
  passkeys: Passkeys;
  recoveryCodes: RecoveryCodes;
  confirmation: Confirmation;
  guesses: Guesses;
  audit: Audit;
  waysIn: WaysIn;
}

/** Sets up, lists and removes a user's own second factors. */
export class SecondFactors {
  readonly #parts: SecondFactorParts;

  constructor(parts: SecondFactorParts) {
    this.#parts = parts;
  }

  async overview(em: EntityManager, { userId }: Pick<Caller, "userId">) {
    const methods = await methodsSetUp(em, userId);
    return {
      totp: methods.includes("totp"),
      email: methods.includes("email"),
      passkeys: await this.#parts.passkeys.list(em, userId),
      recoveryCodesLeft: await this.#parts.recoveryCodes.left(em, userId),
    };
  }

  async setUpTotp(em: EntityManager, { userId, username }: Caller) {
    return await this.#parts.totp.setUp(em, { id: userId, username });
  }

  /** @throws AppError BAD_REQUEST if the code does not match the pending secret, CONFLICT if no secret is pending */
  async enableTotp(em: EntityManager, caller: Caller, code: string): Promise<{ recoveryCodes: string[] }> {
    const { totp, guesses, recoveryCodes } = this.#parts;
    const digits = readSixDigits(code);
    await totp.requireWaiting(em, caller.userId);
    const guess = { secret: "code", account: caller.userId, device: caller.sessionId, from: caller } as const;
    const codes = await guesses.check(guess, () =>
      em.transactional(async (tx) => {
        await lockOwnAccount(tx, caller);
        if (!(await totp.enable(tx, caller.userId, digits))) return null;
        await this.#record(tx, caller, "two_factor.enable", "totp");
        return await recoveryCodes.replace(tx, caller.userId);
      }),
    );
    if (!codes) {
      throw badField(["code"], "This code is wrong. Check your device's clock, then try the next code.");
    }
    return { recoveryCodes: codes };
  }

  async disableTotp(em: EntityManager, caller: Caller, currentPassword: string | undefined): Promise<void> {
    await this.#disable(em, caller, currentPassword, "totp", "There is no authenticator app to remove.");
  }

  /** @returns recovery codes if the user had none */
  async enableEmail(em: EntityManager, caller: Caller, currentPassword: string | undefined) {
    const { confirmation, emailCodes } = this.#parts;
    await confirmation.requireOrPassword(em, caller, currentPassword);
    return await em.transactional(async (tx) => {
      await lockOwnAccount(tx, caller);
      const user = await ownAccount(tx, caller.userId);
      const email = verifiedAddress(user);
      if (emailCodes.configured && email === null && typeof user.email === "string")
        throw new AppError(
          "CONFLICT",
          "Your email address is not verified. Open the link that was mailed to it first.",
        );
      if (!(await emailCodes.enable(tx, { id: user.id, email })))
        throw new AppError("CONFLICT", "Codes by email are already set up.");
      await this.#record(tx, caller, "two_factor.enable", "email");
      return { recoveryCodes: await this.#firstRecoveryCodes(tx, caller.userId) };
    });
  }

  async disableEmail(em: EntityManager, caller: Caller, currentPassword: string | undefined): Promise<void> {
    await this.#disable(em, caller, currentPassword, "email", "Codes by email are not set up.");
  }

  async passkeyCreationOptions(em: EntityManager, { userId }: Caller) {
    const { id, username, displayName } = await ownAccount(em, userId);
    return await this.#parts.passkeys.creationOptions(em, { id, username, displayName: displayName ?? null });
  }

  /** Adds a passkey. @returns the passkey, and recovery codes if the user had none */
  async createPasskey(em: EntityManager, caller: Caller, input: { name: string; credential: PasskeyRegistration }) {
    const { passkeys, audit, waysIn } = this.#parts;
    const { name, credential } = input;
    const challenge = await passkeys.takeRegistration(em, caller.userId, credential);
    return await em.transactional(async (tx) => {
      await lockOwnAccount(tx, caller);
      const passkey = await passkeys.add(tx, caller.userId, { name, credential, challenge });
      const after = { method: "passkey", name };
      const target = { targetType: "passkey", targetId: passkey.id };
      await audit.record(tx, caller, { action: "two_factor.enable", ...target, after });
      await waysIn.changed(tx, caller, caller.userId, { event: "security.factor_added", method: "passkey", name });
      return { ...passkey, recoveryCodes: await this.#firstRecoveryCodes(tx, caller.userId) };
    });
  }

  /** @throws AppError NOT_FOUND, also for another user's passkey, CONFLICT if it is the last way to sign in */
  async deletePasskey(em: EntityManager, caller: Caller, input: { id: string; currentPassword?: string | undefined }) {
    const { confirmation, passkeys, audit, waysIn } = this.#parts;
    await confirmation.requireOrPassword(em, caller, input.currentPassword);
    await em.transactional(async (tx) => {
      await lockOwnAccount(tx, caller);
      const removed = await passkeys.remove(tx, caller.userId, input.id);
      if (!removed) throw notFound("passkey");
      await refuseLastWayIn(tx, caller.userId);
      const before = { method: "passkey", name: removed.name };
      const target = { targetType: "passkey", targetId: input.id };
      await audit.record(tx, caller, { action: "two_factor.disable", ...target, before });
      const change = { event: "security.factor_removed", method: "passkey", name: removed.name } as const;
      await waysIn.changed(tx, caller, caller.userId, change);
      await this.#dropUselessCodes(tx, caller.userId);
    });
  }

  /** Replaces the remaining recovery codes with ten new ones. @throws AppError CONFLICT without a second factor */
  async createRecoveryCodes(em: EntityManager, caller: Caller, currentPassword: string | undefined) {
    const { confirmation, recoveryCodes, audit, waysIn } = this.#parts;
    await confirmation.requireOrPassword(em, caller, currentPassword);
    return await em.transactional(async (tx) => {
      await lockOwnAccount(tx, caller);
      if ((await methodsSetUp(tx, caller.userId)).length === 0)
        throw new AppError("CONFLICT", "Set up a second factor first. It comes with recovery codes.");
      const codes = await recoveryCodes.replace(tx, caller.userId);
      const target = { targetType: "user", targetId: caller.userId };
      await audit.record(tx, caller, { action: "two_factor.recovery_codes", ...target });
      await waysIn.changed(tx, caller, caller.userId, { event: "security.recovery_codes_replaced" });
      return { recoveryCodes: codes };
    });
  }

  async #disable(
    em: EntityManager,
    caller: Caller,
    currentPassword: string | undefined,
    method: "totp" | "email",
    nothing: string,
  ): Promise<void> {
    const { confirmation, totp, emailCodes } = this.#parts;
    await confirmation.requireOrPassword(em, caller, currentPassword);
    await em.transactional(async (tx) => {
      await lockOwnAccount(tx, caller);
      const removed = await (method === "totp" ? totp : emailCodes).remove(tx, caller.userId);
      if (!removed) throw new AppError("CONFLICT", nothing);
      await this.#record(tx, caller, "two_factor.disable", method);
      await this.#dropUselessCodes(tx, caller.userId);
    });
  }

  /** Returns recovery codes for users who lose their only factor; null if they already have codes. */
  async #firstRecoveryCodes(em: EntityManager, userId: string): Promise<string[] | null> {
    const { recoveryCodes } = this.#parts;
    return (await recoveryCodes.left(em, userId)) === 0 ? await recoveryCodes.replace(em, userId) : null;
  }

  /** Deletes the recovery codes of a user without a second factor: old codes must not apply to factors added later. */
  async #dropUselessCodes(em: EntityManager, userId: string): Promise<void> {
    if ((await methodsSetUp(em, userId)).length === 0) await this.#parts.recoveryCodes.removeAll(em, userId);
  }

  async #record(
    em: EntityManager,
    caller: Caller,
    action: "two_factor.enable" | "two_factor.disable",
    method: Method,
  ): Promise<void> {
    const event = { action, targetType: "user", targetId: caller.userId };
    const state = action === "two_factor.enable" ? { after: { method } } : { before: { method } };
    await this.#parts.audit.record(em, caller, { ...event, ...state });
    const change = action === "two_factor.enable" ? "security.factor_added" : "security.factor_removed";
    await this.#parts.waysIn.changed(em, caller, caller.userId, { event: change, method, name: null });
  }
}
