import type { TRPCLink } from "@trpc/client";
import { observable, type Unsubscribable } from "@trpc/server/observable";
import { userIdOf } from "./access-token.ts";
import type { AppRouter, RouterInputs, RouterOutputs } from "./app-router.ts";
import { untilAborted } from "./authorized-request.ts";
import { isZonewrightError, type ClientError, type ZonewrightError } from "./errors.ts";
import type { SessionKeeper } from "./session.ts";

type Credential = NonNullable<RouterInputs["auth"]["confirm"]["credential"]>;

/**
 * What {@link ClientHelpers.confirm} takes: the password, with a code where the account has a second factor; or what the browser's authenticator answered
 * to the options of `auth.confirmOptions`, for which no password is needed.
 */
export type ConfirmationProof =
  | { password: string; method?: undefined; code?: undefined; credential?: undefined }
  | { password: string; method: "totp" | "recovery"; code: string; credential?: undefined }
  | { password?: string | undefined; method: "passkey"; credential: Credential; code?: undefined };

/** What {@link ClientOptions.onReauthentication} is given. */
export interface ReauthenticationRequest {
  /** The refusal, REAUTHENTICATION_REQUIRED, of the first call that waits for the confirmation. */
  error: ZonewrightError;
  /** The same as {@link ClientHelpers.confirm}. After a wrong proof, which it throws, it may be called again. */
  confirm: (proof: ConfirmationProof) => Promise<RouterOutputs["auth"]["confirm"]>;
}

/** Has somebody confirm the session; whatever it returns is waited for. */
export type OnReauthentication = (request: ReauthenticationRequest) => unknown;

/** How things stood when a call was sent. */
interface Moment {
  signIn: number;
  confirmations: number;
  prompts: number;
}

/** Decides whether a call that was refused for want of a confirmation may be repeated, and has one made: one for all calls that wait. */
export class Reauthentication {
  readonly #session: SessionKeeper;
  readonly #ask: (error: ZonewrightError) => Promise<unknown>;
  #confirmations = 0;
  /** How many prompts have ended, answered or not. */
  #prompts = 0;
  #prompt: Promise<void> | null = null;

  constructor(session: SessionKeeper, ask: (error: ZonewrightError) => Promise<unknown>) {
    this.#session = session;
    this.#ask = ask;
  }

  get moment(): Moment {
    return { signIn: this.#session.signIn, confirmations: this.#confirmations, prompts: this.#prompts };
  }

  /** To be called when the session was confirmed. */
  confirmed(): void {
    this.#confirmations += 1;
  }

  /** @param sent when the call was sent. @returns whether whoever was signed in then has proved that they still are there */
  async answered(sent: Moment, error: ZonewrightError): Promise<boolean> {
    if (sent.signIn !== this.#session.signIn) return false;
    const user = userIdOf(this.#session.session?.accessToken);
    // A prompt that ended while the call was under way was the call's as well.
    if (!this.#provedSince(sent) && sent.prompts === this.#prompts) await (this.#prompt ??= this.#prompted(error));
    const sameUser =
      sent.signIn === this.#session.signIn || (user !== null && user === userIdOf(this.#session.session?.accessToken));
    return this.#provedSince(sent) && sameUser;
  }

  /** A new sign-in proves as much as a confirmation. */
  #provedSince(sent: Moment): boolean {
    return sent.confirmations !== this.#confirmations || sent.signIn !== this.#session.signIn;
  }

  /** Never fails: what was thrown is the prompt's business, and the call fails with its own error. */
  async #prompted(refusal: ZonewrightError): Promise<void> {
    await this.#ask(refusal).catch(() => undefined);
    this.#prompts += 1;
    this.#prompt = null;
  }
}

/** Repeats a call once after the session was confirmed for it. */
export function reauthenticationLink(reauthentication: Reauthentication): TRPCLink<AppRouter> {
  return () =>
    ({ op, next }) =>
      observable((observer) => {
        let inner: Unsubscribable | null = null;
        let left = false;
        const send = (repeated: boolean) => {
          const sent = reauthentication.moment;
          inner = next(op).subscribe({
            next: (value) => {
              if (op.path === "auth.confirm") reauthentication.confirmed();
              observer.next(value);
            },
            complete: () => observer.complete(),
            error: (refusal) => {
              if (repeated || !isRefusal(refusal)) observer.error(refusal);
              else void goOn(sent, refusal);
            },
          });
        };
        const goOn = async (sent: Moment, refusal: ClientError) => {
          try {
            const answered = await untilAborted(reauthentication.answered(sent, refusal), op.signal);
            if (left) return;
            if (answered) send(true);
            else observer.error(refusal);
          } catch (aborted) {
            observer.error(aborted as ClientError);
          }
        };
        send(false);
        return () => {
          left = true;
          inner?.unsubscribe();
        };
      });
}

function isRefusal(error: unknown): error is ClientError {
  return isZonewrightError(error) && error.code === "REAUTHENTICATION_REQUIRED";
}
