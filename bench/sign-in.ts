import type { Figure } from "./support/report.ts";
import { median, timings } from "./support/measure.ts";
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
  const known: number[] = [];
  const unknown: number[] = [];
  for (let round = 0; round < tries; round++) {
    const name = accounts[round % accounts.length] ?? "";
    known.push(...(await timings(1, () => guess(name, `198.18.0.${round}`))));
    unknown.push(...(await timings(1, () => guess(`no-${name}`, `198.18.1.${round}`))));
  }
  return [
    {
      what: `wrong password, median of ${tries}: unknown user`,
      measured: `${median(unknown).toFixed(2)} ms`,
      baseline: `${median(known).toFixed(2)} ms for a known one`,
      ratio: median(unknown) / median(known),
      goal: { least: 0.95, most: 1.05 },
    },
  ];
}
