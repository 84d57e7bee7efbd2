import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const thisCheckout = fileURLToPath(new URL("../..", import.meta.url));

/** Returns the arguments that a checkout's `npm start` passes to Node, with the program's absolute path. */
export function startArguments(checkout: string): string[] {
  const { scripts } = JSON.parse(readFileSync(join(checkout, "package.json"), "utf8")) as {
    scripts: { start: string };
  };
  const [, words] = /^(?:exec )?node (.+)$/.exec(scripts.start) ?? [];
  if (words === undefined) throw new Error(`The start script of ${checkout} is "${scripts.start}".`);
  const given = words.split(" ");
  return [...given.slice(0, -1), join(checkout, given.at(-1) ?? "")];
}
