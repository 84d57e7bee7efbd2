/**
 * How long a test waits for something that must happen, and how often it looks. It goes on at once when it has happened; the limit only ends
 * what hangs, and lets the check's own message be read. Nothing may be concluded from its length.
 */
export const patience = { timeout: 100_000, interval: 20 };
