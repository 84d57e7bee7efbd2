import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Command } from "commander";
import { isZonewrightError, type Client, type Domain } from "@zonewright/client";
import { changeInput, command, withChanges, type ChangeOptions } from "../command.ts";
import { connect } from "../credentials.ts";
import { exitCodes, explain, Failure } from "../failure.ts";
import {
  carryOut,
  changesOf,
  inputOf,
  planFileFor,
  planFor,
  requested,
  sizeOf,
  type Changes,
  type JsonChange,
  type PlannedChange,
} from "../plans.ts";
import { confirmed, interactive, note } from "../terminal.ts";
import { domainNamed, fullName } from "../zones.ts";

export function edit(): Command {
  return withChanges(
    command("edit <domain>", "Edit a domain's records as a zone file", {
      more: "Opens $VISUAL or $EDITOR, shows what changes, and asks before it applies exactly that. What others change meanwhile stays. A file with an error can be edited again. For the domain's owner and administrators; with --request, also for members who may write or propose.",
      examples: [
        ["records edit example.com", "Edit the zone in your editor."],
        ["records edit example.com --message 'Tidy up'", "Say why, for the history."],
      ],
    }),
    { request: true },
  ).action(async (name: string, options: ChangeOptions) => {
    if (!interactive)
      throw new Failure("`records edit` needs a terminal. Use `zonewright import` for a file that you have.");
    const client = await connect();
    const zone = await domainNamed(client, name);
    const { revision } = await client.domains.get.query({ id: zone.id });
    const { zonefile: before } = await client.records.exportZonefile.query({ id: zone.id });
    await refuseInVain(client, { id: zone.id, before }, options);
    const folder = await mkdtemp(join(tmpdir(), "zonewright-"));
    const file = join(folder, `${fullName(zone)}.zone`.replaceAll("/", "_"));
    await writeFile(file, before, { mode: 0o600 });
    let isDone = false;
    try {
      isDone = await editUntilDone(client, { zone, revision, file, before }, options);
    } finally {
      if (isDone || (await readFile(file, "utf8")) === before) await rm(folder, { recursive: true });
      else note(`Your edits are in ${file}.`);
    }
  });
}

/** Refuses before the editor opens what would be refused after it. @throws ZonewrightError */
async function refuseInVain(
  client: Client,
  { id, before }: { id: string; before: string },
  options: ChangeOptions,
): Promise<void> {
  await planFileFor(client, { id, zonefile: before, mode: "replace" }, options);
  if (options.request !== undefined || options.dryRun) return;
  // A token may compare without the permission to write. Without changes, the call is refused in any case, but for this first.
  await client.records.plan.mutate({ id, changes: [] }).catch((error: unknown) => {
    if (!isZonewrightError(error) || error.code !== "BAD_REQUEST") throw error;
  });
}

interface Edited {
  zone: Domain;
  /** The zone's revision when it was opened. */
  revision: number;
  file: string;
  /** The file as it was opened first. */
  before: string;
}

/** @returns whether the edits are of no more use */
async function editUntilDone(client: Client, edited: Edited, options: ChangeOptions): Promise<boolean> {
  const { file, before } = edited;
  for (;;) {
    await openEditor(file);
    const zonefile = await readFile(file, "utf8");
    if (zonefile === before) {
      note("Nothing was changed.");
      return true;
    }
    try {
      return await apply(client, edited, zonefile, options);
    } catch (error) {
      if (!isZonewrightError(error)) throw error;
      note((await explain(error)).text);
      if (!(await confirmed("Edit it again?", ""))) {
        process.exitCode = exitCodes.error;
        return false;
      }
    }
  }
}

async function apply(
  client: Client,
  { zone, revision: opened, before }: Edited,
  zonefile: string,
  options: ChangeOptions,
): Promise<boolean> {
  const { id } = zone;
  const domain = fullName(zone);
  const input = { id, zonefile, mode: "replace" as const };
  const unlock = options.unlock ? { unlock: true } : {};
  const compared = (text: string) => planFileFor(client, { ...input, zonefile: text, ...unlock }, options);
  const revision = async () => (await client.domains.get.query({ id })).revision;
  let planned: Changes & { planHash: string } = await compared(zonefile);
  let apply: PlannedChange["apply"] = async () =>
    await client.records.importZonefile.mutate({ ...input, planHash: planned.planHash, ...changeInput(options) });
  try {
    if ((await revision()) !== opened) {
      const changes = inputOf(editedOnly(planned, await compared(before)));
      if (changes.length === 0) {
        note("Nothing was changed.");
        return true;
      }
      note(
        `${domain} has changed since you opened it (\`zonewright history ${domain}\`). That stays: only your changes are made.`,
      );
      planned = await planFor(client, { id, changes, ...unlock }, options);
      apply = async () => {
        const write = { id, changes, planHash: planned.planHash, ...changeInput(options) };
        return await client.records.applyPlan.mutate(write);
      };
    }
    const applied = await carryOut({
      domain,
      plan: planned,
      options,
      alwaysAsk: true,
      apply: () => apply(),
      request: (title) => requested(client, { id, changes: inputOf(planned) }, title, options),
    });
    return applied || sizeOf(planned) === 0 || options.request !== undefined;
  } catch (error) {
    // A no keeps the edits.
    if (!(error instanceof Failure) || error.exitCode !== exitCodes.error) throw error;
    note(error.message);
    process.exitCode = exitCodes.error;
    return false;
  }
}

/**
 * Returns what the user edited, without what others changed meanwhile.
 * @param edited makes the zone of now the edited file
 * @param back makes it the file as it was opened: takes back what others changed
 * @throws Failure if both changed the same name and type
 */
function editedOnly(edited: Changes, back: Changes): Changes {
  const others = new Set(keysOf(back));
  const isEdited = (change: Partial<Changes>) =>
    !keysOf({ creates: [], updates: [], deletes: [], ...change }).every((key) => others.has(key));
  const own = {
    creates: edited.creates.filter((one) => isEdited({ creates: [one] })),
    updates: edited.updates.filter((one) => isEdited({ updates: [one] })),
    deletes: edited.deletes.filter((one) => isEdited({ deletes: [one] })),
  };
  const taken = new Set(changesOf(back).flatMap(placesOf));
  const both = [...new Set(changesOf(own).flatMap(placesOf))].filter((place) => taken.has(place));
  if (both.length === 0) return own;
  throw new Failure(
    `You and somebody else changed ${both.slice(0, 5).join(", ")}. Nothing was changed. Open the zone again and repeat your edits.`,
  );
}

function keysOf(plan: Changes): string[] {
  return changesOf(plan).map((change) => JSON.stringify(change));
}

function placesOf({ before, after }: JsonChange): string[] {
  return [before, after].flatMap((record) => (record ? [`${record.name} ${record.recordType}`] : []));
}

const ignore = () => undefined;

/** Runs the user's editor and waits for its end. Its setting may have arguments, as everywhere. */
async function openEditor(file: string): Promise<void> {
  const windows = process.platform === "win32";
  const editor = process.env["VISUAL"] || process.env["EDITOR"] || (windows ? "notepad" : "vi");
  // A key of the editor may send these to all programs of the terminal: Ctrl-G in Emacs, Ctrl-C in ed. They are for the editor.
  const signals = windows ? (["SIGINT"] as const) : (["SIGINT", "SIGQUIT"] as const);
  for (const signal of signals) process.on(signal, ignore);
  const child = windows
    ? spawn(`${editor} "${file}"`, { stdio: "inherit", shell: true })
    : spawn("/bin/sh", ["-c", `${editor} "$1"`, "sh", file], { stdio: "inherit" });
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", resolve);
  }).finally(() => {
    for (const signal of signals) process.off(signal, ignore);
  });
  if (code !== 0)
    throw new Failure(`${editor} ended with ${code ?? "a signal"}. Nothing was changed; set EDITOR to another editor.`);
}
