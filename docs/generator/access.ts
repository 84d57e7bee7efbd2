import { readFile } from "node:fs/promises";
import { appRouter } from "../../client-sdk/app-router.ts";

/** Who may make a call, as in docs/rights.md. */
export interface Access {
  who: string;
  token: string;
  whose: string;
  /** What the call needs beyond a sign-in; – for nothing. */
  confirmed: string;
  /** The tRPC name: `domains.list`. */
  procedure: string;
  kind: "query" | "mutation" | "subscription";
}

const kinds = appRouter._def.procedures as unknown as Record<string, { _def: { type: Access["kind"] } } | undefined>;

/** The rows of docs/rights.md, keyed by `GET /api/domains/{id}`. */
export async function accessByCall(): Promise<ReadonlyMap<string, Access>> {
  const text = await readFile(new URL("../rights.md", import.meta.url), "utf8");
  const lines = [...text.matchAll(/^\| *([A-Z]+) (\/\S+) *\|(.*)\|$/gm)];
  return new Map(
    lines.map(([, method = "", path = "", rest = ""]) => {
      const [procedure = "", who = "", token = "", whose = "", confirmed = "–"] = rest
        .split("|")
        .map((cell) => cell.trim());
      const kind = kinds[procedure]?._def.type;
      if (!kind) throw new Error(`docs/rights.md names an unknown procedure: ${procedure}`);
      return [`${method} ${path.replaceAll(/:(\w+)/g, "{$1}")}`, { who, token, whose, confirmed, procedure, kind }];
    }),
  );
}
