import { execFile } from "node:child_process";
import { mkdir, readFile, realpath, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { clientDependencies } from "../support/packed-client.ts";

const run = promisify(execFile);
const root = join(import.meta.dirname, "../..");

/** Two versions of the package's declarations: folders, from where they are compared. */
export interface Versions {
  before: string;
  after: string;
}

/**
 * Fails to compile where a program written for the one version would not compile with the other: where an input of before is
 * refused now, or an answer of now would have been impossible before. The compiler names one fault of a constant, so each router has its own.
 */
const comparison = ({ before, after }: Versions, exported: string, routers: readonly string[]) => `
import type { inferRouterInputs, inferRouterOutputs } from "@trpc/server";
import type * as Before from "./${before}/index.js";
import type * as After from "./${after}/index.js";
import type { ${exported} } from "./${after}/index.js";

type Takes<Inputs> = { [R in keyof Inputs]: { [P in keyof Inputs[R]]: (input: Inputs[R][P]) => void } };
declare const takes: Takes<inferRouterInputs<After.AppRouter>>;
type Taken = Takes<inferRouterInputs<Before.AppRouter>>;
${routers.map((name) => `export const stillTakes_${name}: Taken["${name}"] = takes["${name}"];`).join("\n")}
/** Lists of values may grow in what programs are given, and notifications by those of new events. Dates are objects, and stay. */
type KnownEvent = inferRouterOutputs<Before.AppRouter>["notifications"]["list"]["notifications"][number]["event"];
type Widened<T> = T extends string
  ? string
  : T extends { event: infer Event; metadata: object; read: boolean }
    ? Event extends KnownEvent ? { [K in keyof T]: Widened<T[K]> } : never
  : T extends Date | ((...given: never[]) => unknown)
    ? T
    : T extends AsyncIterable<infer Item>
      ? AsyncIterable<Widened<Item>>
      : T extends object
        ? { [K in keyof T]: Widened<T[K]> }
        : T;
/** Functions that are handed to the client are given such values, too. */
type Handing<T> = T extends (...given: infer Given) => infer Result
  ? (...given: { [K in keyof Given]: Widened<Given[K]> }) => Result
  : T extends string | Date | URL | AbortSignal ? T : T extends object ? { [K in keyof T]: Handing<T[K]> } : T;
declare const gives: Widened<inferRouterOutputs<After.AppRouter>>;
type Given = Widened<inferRouterOutputs<Before.AppRouter>>;
${routers.map((name) => `export const stillGives_${name}: Given["${name}"] = gives["${name}"];`).join("\n")}

type Kind<Procedure> = Procedure extends { _def: { type: infer Type } } ? Type : never;
type Kinds<Routers> = { [R in keyof Routers]: { [P in keyof Routers[R]]: Kind<Routers[R][P]> } };
declare const kinds: Kinds<After.AppRouter["_def"]["record"]>;
export const stillOfKind: Kinds<Before.AppRouter["_def"]["record"]> = kinds;

type Helper = keyof Before.ClientHelpers;
declare const results: { [M in Helper]: Widened<Awaited<ReturnType<After.ClientHelpers[M]>>> };
export const stillHelps: { [M in Helper]: Widened<Awaited<ReturnType<Before.ClientHelpers[M]>>> } = results;
declare const given: { [M in Helper]: Handing<Parameters<Before.ClientHelpers[M]>> };
export const stillTaken: { [M in Helper]: Handing<Parameters<After.ClientHelpers[M]>> } = given;
declare const options: Handing<Before.ClientOptions>;
export const stillAnOption: Handing<After.ClientOptions> = options;
declare const error: Widened<After.ZonewrightError>;
export const stillAnError: Widened<Before.ZonewrightError> = error;
`;

/**
 * The compiler's errors for each comparison, in order; empty if nothing breaks. Each begins with the name of the constant that breaks, or
 * with `import`. It writes to the folder.
 */
export async function typeBreaks(folder: string, pairs: readonly Versions[]): Promise<string[]> {
  const names = pairs.map((_, index) => `comparison-${index}.ts`);
  const texts: string[] = [];
  for (const [index, versions] of pairs.entries()) {
    const declaration = await readFile(join(folder, versions.before, "index.d.ts"), "utf8");
    const exported = [...declaration.matchAll(/export (?:type )?\{([^}]*)\}/g)].flatMap(
      ([, list = ""]) => list.match(/\w+/g) ?? [],
    );
    const router = await readFile(join(folder, versions.before, "server/router.d.ts"), "utf8");
    const routers = [...router.matchAll(/^ {4}(\w+): import\("@trpc\/server"\)\.TRPCBuiltRouter/gm)].map(
      ([, name = ""]) => name,
    );
    if (routers.length < 20) throw new Error("The routers of the stored declarations were not found.");
    texts.push(comparison(versions, exported.join(", "), routers));
    await writeFile(join(folder, names[index] ?? ""), texts[index] ?? "");
  }
  for (const name of clientDependencies) {
    const link = join(folder, "node_modules", name);
    await mkdir(dirname(link), { recursive: true });
    await symlink(await realpath(join(root, "node_modules", name)), link).catch(() => undefined);
  }
  await writeFile(join(folder, "package.json"), JSON.stringify({ type: "module" }));
  const options = ["--strict", "--noEmit", "--module", "nodenext", "--target", "es2022", "--skipLibCheck"];
  const output = await run(
    join(root, "node_modules/.bin/tsc"),
    [...options, "--singleThreaded", "--pretty", "false", ...names],
    {
      cwd: folder,
      maxBuffer: 64 * 1024 * 1024,
    },
  ).then(
    ({ stdout }) => stdout,
    (error: { stdout: string }) => error.stdout,
  );
  const complaints = output.split(/^(?=\S)/m).filter((text) => text.trim() !== "");
  const strange = complaints.filter((text) => !names.some((name) => text.startsWith(`${name}(`)));
  if (strange.length > 0) throw new Error(`The declarations themselves do not compile: ${strange.join("")}`);
  return names.map((name, index) => {
    const lines = texts[index]?.split("\n") ?? [];
    const own = complaints.filter((text) => text.startsWith(`${name}(`));
    return own
      .map((text) => text.replace(/^[^(]+\((\d+),\d+\)/, (_, line: string) => broken(lines, Number(line))))
      .join("");
  });
}

/** The constant that a line of a comparison declares. */
function broken(lines: readonly string[], line: number): string {
  const text = lines[line - 1] ?? "";
  return /^export const (\w+)/.exec(text)?.[1] ?? /^\w+/.exec(text)?.[0] ?? "";
}
