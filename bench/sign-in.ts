import type { Figure } from "./support/report.ts";
import { interleaved, timed } from "./support/measure.ts";
import type { Environment } from "./support/environment.ts";

const tries = 200;
/** Under the limit of wrong passwords for an account. */
const triesPerAccount = 4;

/** Whether the time of a refusal tells if there is such a user: known and unknown names in turn, each with a wrong password. */
export async function measureSignIn({ client }: Environment): Promise<Figure[]> {
  const accounts = Array.from({ length: tries / triesPerAccount }, (_, index) => `timed-${index}`);
  for (const username of accounts)
    await client.post("/api/users", { username, password: `the password of ${username}`, role: "member" });
  // Each from an address of its own, so that the limit of an address does not end it.
  const guess = async (username: string, address: string) => {
    const body = { username, password: "a wrong password" };
    const { status } = await client.post("/api/auth/login", body, { "x-forwarded-for": address });
    if (status !== 401) throw new Error(`A wrong password was answered with ${status}.`);
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
