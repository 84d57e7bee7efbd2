import type { Figure } from "./support/report.ts";
import { interleaved, timed } from "./support/measure.ts";
import type { Environment } from "./support/environment.ts";

const tries = 200;
/** Below the limit of wrong passwords per account. */
const triesPerAccount = 4;

/** Measures whether the response time reveals that a user exists: known and unknown usernames in turn, with wrong passwords. */
export async function measureSignIn({ client }: Environment): Promise<Figure[]> {
  const accounts = Array.from({ length: tries / triesPerAccount }, (_, index) => `timed-${index}`);
  for (const username of accounts)
    await client.post("/api/users", { username, password: `the password of ${username}`, role: "member" });
  // Each comes from its own address, so that no per-address limit applies.
  const guess = async (username: string, address: string) => {
    const body = { username, password: "a wrong password" };
    const { status } = await client.post("/api/auth/login", body, { "x-forwarded-for": address });
    if (status !== 401) throw new Error(`A wrong password returned ${status}.`);
  };
  const nameOf = (round: number) => accounts[round % accounts.length] ?? "";
  const { ours, baseline, ratio, spread } = await interleaved(
    tries,
    (round) => timed(() => guess(`no-${nameOf(round)}`, `198.18.1.${round}`)),
    (round) => timed(() => guess(nameOf(round), `198.18.0.${round}`)),
    { warmUp: false },
  );
  return [
    {
      what: `wrong password, median of ${tries}: unknown user`,
      measured: `${ours.toFixed(2)} ms`,
      baseline: `${baseline.toFixed(2)} ms for a known user`,
      ratio,
      spread,
      goal: { least: 0.95, most: 1.05 },
    },
  ];
}
