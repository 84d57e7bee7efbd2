/** Fields that hold secrets. */
const secretField =
  /^(?:accessToken|refreshToken|tempToken|token|pendingToken|pending_token|ticket|code|codeVerifier|deviceCode|secret|\w+Secret|apiKey|password|\w+Password)$/;
/** Codes of findings, such as `change_failed`, which are words and no secrets. */
const words = /^[a-z]+(?:_[a-z]+)+$/;
/** Shorter ones may occur in a log by chance. */
const least = 12;

const secrets = new Set<string>();

/** Remembers the secrets that a client sent or received, which no log may contain. */
export function rememberSecrets(value: unknown): void {
  if (typeof value !== "object" || value === null) return;
  for (const [field, child] of Object.entries(value)) {
    if (typeof child !== "string") rememberSecrets(child);
    else if (secretField.test(field) && child.length >= least && !/^\*+$/.test(child) && !words.test(child))
      secrets.add(child);
  }
}

/** Begins a test file: its services have not seen the secrets of the last file. */
export function forgetSecrets(): void {
  secrets.clear();
}

/** Collects a service's log, and fails if it contains a secret that any client exchanged. */
export class LogWatch {
  readonly #lines: string[] = [];

  write(line: string): void {
    this.#lines.push(line);
  }

  /** @throws Error with the line. */
  mustBeClean(): void {
    for (const line of this.#lines) {
      for (const secret of secrets) {
        if (line.includes(secret)) throw new Error(`The log holds a secret, ${JSON.stringify(secret)}: ${line}`);
      }
    }
  }
}
