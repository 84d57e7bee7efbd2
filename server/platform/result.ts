/** The outcome of a pure check: the canonical value, or a message that says what to change. */
export type Result<T> = { ok: true; value: T } | { ok: false; message: string };

export function ok<T>(value: T): Result<T> {
  return { ok: true, value };
}

export function refuse(message: string): { ok: false; message: string } {
  return { ok: false, message };
}
