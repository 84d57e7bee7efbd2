/**
 * How long a test waits for something that must happen, and how often it looks. It goes on at once when it has happened; the limit only ends
 * what hangs, and lets the check's own message be read. Nothing may be concluded from its length.
 */
export const patience = { timeout: 100_000, interval: 20 };

/** Repeats a change of a zone for as long as others keep it busy. After twelve seconds the service refuses a change that waits, and nothing was done. */
export async function untilDone<Outcome>(
  change: () => Promise<Outcome>,
  isBusy: (outcome: Outcome) => boolean,
): Promise<Outcome> {
  for (;;) {
    const outcome = await change();
    if (!isBusy(outcome)) return outcome;
  }
}

/** Whether the service refused a call because it is busy. */
export const isBusyAnswer = ({ status }: { status: number }): boolean => status === 503;
/** Whether an update was refused because the zone is busy: SERVFAIL. */
export const isBusyRcode = (rcode: number): boolean => rcode === 2;
