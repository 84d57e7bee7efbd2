import { execFileSync, spawn } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { binary } from "../support/binaries.ts";
import { builtCli, useCli } from "../support/cli.ts";
import { adminPassword, useZonewright } from "../support/zonewright.ts";

const zw = useZonewright();
const cli = useCli(zw);

/** A question of the program, and what is typed then. */
type Typed = readonly [question: string, keys: string];

/**
 * Runs the command line on a terminal of its own, whose size nobody has set.
 * @param more what the shell does before and after the command's words
 * @returns what the terminal shows, without control sequences
 */
async function onTerminal(
  args: readonly string[],
  typed: readonly Typed[],
  more: { before?: string; after?: string } = {},
): Promise<{ shown: string; exitCode: number }> {
  const words = [process.execPath, await builtCli(), ...args].map((word) => `'${word}'`).join(" ");
  const line = `${more.before ?? ""} ${words} ${more.after ?? ""}`;
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

test("a bar fits into a terminal of 40 columns, and is not shown where the terminal gets only the answer", async () => {
  const folder = await mkdtemp(join(tmpdir(), "zonewright-bar-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, "bar.example.zone");
  await zw.admin.post("/api/domains", { name: "bar.example" });
  await writeFile(file, "www 300 IN A 192.0.2.1\n");
  const plan = "bar.example: 1 to create\n+ www 300 A 192.0.2.1\n1 of 1 zone would change: 1 to create.\n";
  const none = "[               ] 0 of 1 zones compared";
  const all = "[###############] 1 of 1 zones compared";
  const small = { before: "stty cols 40;" };
  expect(await onTerminal(["plan", file], [], small)).toEqual({ shown: `${none}${all}${plan}`, exitCode: 2 });
  const apart = { ...small, after: `2> '${join(folder, "errors")}'` };
  expect(await onTerminal(["plan", file], [], apart)).toEqual({ shown: plan, exitCode: 2 });
  const json = await onTerminal(["plan", file, "--json"], [], small);
  expect(json).toMatchObject({ shown: expect.stringMatching(/^\{\n/) as string, exitCode: 2 });
});

test("zsh completes a command at the first Tab after the script was installed", async () => {
  const zsh = binary("zsh");
  const folder = join(cli.configFolder, "zsh");
  await mkdir(folder);
  await writeFile(join(folder, "_zonewright"), await cli.must(["completion", "zsh"]));
  const typed = String.raw`
    zmodload zsh/zpty
    zpty shell "$2 -f -i"
    zpty -w shell "fpath=($1 \$fpath); autoload -Uz compinit; compinit -D -u"
    zpty -w shell 'zonewright() { print -r -- "ran[$*]" }; print set up'
    zpty -r shell out '*set up*set up*'
    zpty -w -n shell $'zonewright snap\t\n'
    zpty -r shell out '*ran\[*\]*'
    print -r -- "$out"`;
  expect(execFileSync(zsh, ["-f", "-c", typed, "zsh", folder, zsh], { encoding: "utf8", timeout: 120_000 })).toContain(
    "ran[snapshot]",
  );
});

test("fish completes commands and options", async () => {
  const script = await cli.must(["completion", "fish"]);
  const lines = ["zonewright snap", "zonewright records ad", "zonewright records add example.com --pro"];
  const asked = lines.map((line) => `complete -C '${line}'`).join("\n");
  const found = execFileSync(binary("fish"), ["--no-config", "-c", `${script}\n${asked}`], { encoding: "utf8" });
  expect(
    found
      .trim()
      .split(/\n+/)
      .map((line) => line.split("\t")[0]),
  ).toEqual(["snapshot", "add", "--proxied"]);
});
