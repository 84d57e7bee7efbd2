import { spawn } from "node:child_process";
import { expect, test } from "vitest";
import { builtCli, useCli } from "../support/cli.ts";
import { adminPassword, useZonewright } from "../support/zonewright.ts";

const zw = useZonewright();
const cli = useCli(zw);

/** A question of the program, and what is typed then. */
type Typed = readonly [question: string, keys: string];

/** Runs the command line on a terminal of its own, whose size nobody has set. @returns what the terminal shows, without control sequences */
async function onTerminal(
  args: readonly string[],
  typed: readonly Typed[],
): Promise<{ shown: string; exitCode: number }> {
  const line = [process.execPath, await builtCli(), ...args].map((word) => `'${word}'`).join(" ");
  const env = { ...process.env, ZONEWRIGHT_URL: zw.url, ZONEWRIGHT_TOKEN: cli.token, NO_COLOR: "1", TERM: "xterm" };
  const child = spawn("script", ["-qefc", line, "/dev/null"], { env, stdio: ["pipe", "pipe", "inherit"] });
  const waiting = [...typed];
  let shown = "";
  let read = 0;
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    // oxlint-disable-next-line no-control-regex -- what a terminal interprets
    shown += text.replaceAll(/\u001b\[[0-9;]*[A-Za-z]|\r/g, "");
    const [question, keys = ""] = waiting[0] ?? [];
    const at = question === undefined ? -1 : shown.indexOf(question, read);
    if (at < 0) return;
    read = at + (question ?? "").length;
    waiting.shift();
    child.stdin.write(keys);
  });
  const exitCode = await new Promise<number>((resolve) => child.once("close", (code) => resolve(code ?? 255)));
  child.stdin.destroy();
  return { shown, exitCode };
}

test("a terminal whose size is unknown gets a table, questions are answered by keys, and Ctrl-C in one changes nothing", async () => {
  await zw.admin.post("/api/domains", { name: "terminal.example" });
  await cli.must(["records", "add", "terminal.example", "www", "A", "192.0.2.1"]);
  const table = "name   ttl  type  value\nwww   3600  A     192.0.2.1\n";
  expect(await onTerminal(["records", "terminal.example"], [])).toEqual({ shown: table, exitCode: 0 });
  const remove = ["records", "rm", "terminal.example", "www"];
  const interrupted = await onTerminal(remove, [["Apply? [y/N] ", "\u0003"]]);
  expect(interrupted).toMatchObject({
    exitCode: 130,
    shown: expect.stringMatching(/Stopped\. Nothing was changed\.\n$/) as string,
  });
  const unsure = await onTerminal(remove, [
    ["Apply? [y/N] ", "maybe\r"],
    ["Apply? [y/N] ", "n\r"],
  ]);
  expect(unsure).toMatchObject({ exitCode: 1, shown: expect.stringMatching(/Nothing was changed\.\n$/) as string });
  expect((await onTerminal(["records", "terminal.example"], [])).shown).toBe(table);
  const removed = await onTerminal(remove, [["Apply? [y/N] ", "y\r"]]);
  expect(removed).toMatchObject({ exitCode: 0, shown: expect.stringContaining("Applied as revision 2.\n") as string });
});

test("a password is not shown as it is typed", async () => {
  const { shown, exitCode } = await onTerminal(
    ["tokens"],
    [
      ["Username: ", "admin\r"],
      ["Password: ", `${adminPassword}\r`],
    ],
  );
  expect({ exitCode, shown }).toEqual({ exitCode: 0, shown: expect.stringContaining("Tests") as string });
  expect(shown).toContain("Username: admin\n");
  expect(shown).not.toContain(adminPassword.slice(0, 7));
});
