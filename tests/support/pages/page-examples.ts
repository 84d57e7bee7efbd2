import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { page, type Page } from "../markdown.ts";
import { startShellHelpers } from "./helpers.ts";
import { runShell, shellSteps, wrongOutputs, type ShellStep } from "./shell-examples.ts";
import { queries } from "../../../server/database/database.ts";
import { adminPassword, type Zonewright } from "../zonewright.ts";

const root = join(import.meta.dirname, "../../..");

/** The replacement for something on a page: `"apiToken":"the token"`. */
export type InPlace = Readonly<Record<string, string>>;

/** The code of a page's shell blocks that call the API. */
export function apiExamples({ blocks }: Page): string[] {
  return blocks.filter(({ language, code }) => language === "sh" && callsApi(code)).map(({ code }) => code);
}

export function callsApi(code: string): boolean {
  return /(?:^\s*|\$\()(?:curl|call|mira) /m.test(code);
}

/** Runs all examples of a page, from top to bottom in one shell. @returns what is wrong with their outputs */
export async function runPage(zw: Zonewright, path: string, inPlace: InPlace = {}): Promise<string[]> {
  const reported = await page(path);
  const steps = stepsOf(zw, apiExamples(reported), inPlace);
  // Pages continue where "Getting started" signs in, those of the guide where it has imported its zone.
  const isAlone = reported.blocks.some(({ code }) => code.includes("TOKEN=$(curl"));
  const goesOn = isAlone ? 0 : path.startsWith("docs/guide/") ? 2 : 1;
  const before = stepsOf(zw, apiExamples(await page("docs/getting-started.md")).slice(0, goesOn), {});
  const helpers = await startShellHelpers();
  try {
    const all = [...before, { commands: isAlone ? ":" : helpers.functions, reported: null }, ...steps];
    const outputs = await runShell(all, root);
    return wrongOutputs(steps, outputs.slice(before.length + 1));
  } finally {
    await helpers.stop();
  }
}

function stepsOf(zw: Zonewright, examples: readonly string[], inPlace: InPlace): ShellStep[] {
  const given = {
    ...inPlace,
    "http://127.0.0.1:3000": zw.url,
    "the printed password": adminPassword,
    " data/zones/": ` ${zw.dataDir}/zones/`,
  };
  return examples.flatMap((code) =>
    shellSteps(Object.entries(given).reduce((text, [name, value]) => text.replaceAll(name, value), code)),
  );
}

/** Deletes what the examples of a page left, so the next page starts with a new installation. */
export async function cleanUp({ admin, services, dataDir }: Zonewright): Promise<void> {
  await admin.send("DELETE", "/api/2fa/totp", { currentPassword: adminPassword });
  for (const [list, field, path] of kept) {
    const { body } = await admin.get(`/api/${list}`);
    for (const { id } of body[field]) await admin.delete(`/api/${path}/${id}`);
  }
  await admin.delete("/api/notifications");
  // The API cannot remove a user's own address.
  await queries(services.database.fork())
    .updateTable("users")
    .set({ email: null, email_verified_by: null })
    .where("role", "=", "admin")
    .execute();
  const zones = join(dataDir, "zones");
  for (const file of await readdir(zones)) await rm(join(zones, file), { recursive: true });
}

/** Where objects are listed, under which name, and where they are deleted. Built-in objects are refused there and stay. */
const kept = [
  ["domains?limit=100", "domains", "domains"],
  ["provider-configs", "configs", "provider-configs"],
  ["users?role=member&limit=100", "users", "users"],
  ["invitations?limit=100", "invitations", "invitations"],
  ["notifications/configs", "configs", "notifications/configs"],
  ["oauth/providers", "providers", "oauth/providers"],
  ["auth/me/tokens", "tokens", "auth/me/tokens"],
] as const;
