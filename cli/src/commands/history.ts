import type { Command } from "commander";
import type { Client, Domain, RouterOutputs } from "@zonewright/client";
import { changeInput, command, group, wholeNumber, withChanges, withJson, type ChangeOptions } from "../command.ts";
import { connect } from "../credentials.ts";
import { Failure } from "../failure.ts";
import { carryOut, changesOf, filePlan, printPlan, type Changes } from "../plans.ts";
import { note, printFields, printJson, printTable, type Column } from "../terminal.ts";
import { domainNamed, fullName, instant } from "../zones.ts";

export type ChangeSet = RouterOutputs["records"]["history"]["entries"][number];

export function history(): Command {
  return group("history", "List, show and undo changes", [list(), show(), undo()], "list");
}

/** Returns who made a change, as lists show it. */
export function authorOf({ actor, tsigKey, actorId }: Pick<ChangeSet, "actor" | "tsigKey" | "actorId">): string {
  const person = actor ?? (actorId === null ? "the service" : "a deleted user");
  return tsigKey === null ? person : `${person} (key ${tsigKey})`;
}

const columns: readonly Column<ChangeSet>[] = [
  { title: "revision", cell: ({ revision }) => String(revision ?? "–"), alignRight: true },
  { title: "when (UTC)", cell: ({ createdAt }) => instant(createdAt) },
  { title: "who", cell: authorOf },
  { title: "how", cell: ({ kind, state }) => (state === "applied" ? kind : `${kind}, ${state}`) },
  { title: "changes", cell: ({ creates, updates, deletes }) => `+${creates} ~${updates} -${deletes}` },
  { title: "why", cell: ({ message }) => message ?? "" },
];

function list(): Command {
  return withJson(
    command("list <domain>", "List the changes of a domain", {
      examples: [
        ["history example.com", "List the newest 20, with who made them and why."],
        ["history list example.com --limit 100 --json", "Print up to 100 for programs."],
      ],
    }),
  )
    .option("--limit <number>", "how many, at most 100", "20")
    .action(async (name: string, { limit, json }: { limit: string; json?: true }) => {
      const client = await connect();
      const { id } = await domainNamed(client, name);
      const page = await client.records.history.query({ id, limit: wholeNumber(limit, "--limit") });
      if (json) printJson({ entries: page.entries, total: page.total });
      else printTable(page.entries, columns, "There are no changes yet.");
    });
}

/** Returns the change that made a revision. @throws Failure if none did */
async function changeOf(client: Client, zone: Domain, given: string): Promise<ChangeSet> {
  const revision = wholeNumber(given, "The revision");
  for await (const one of client.each(client.records.history, { id: zone.id })) {
    if (one.revision === revision) return one;
    if (one.revision !== null && one.revision < revision) break;
  }
  throw new Failure(
    `No change of ${fullName(zone)} made revision ${revision}. \`zonewright history ${fullName(zone)}\` lists them.`,
  );
}

function show(): Command {
  return withJson(
    command("show <domain> <revision>", "Show a change", {
      examples: [["history show example.com 12", "See each record before and after."]],
    }),
  ).action(async (name: string, revision: string, { json }: { json?: true }) => {
    const client = await connect();
    const zone = await domainNamed(client, name);
    const found = await changeOf(client, zone, revision);
    const changes = recorded(found);
    if (json) {
      printJson({ ...found, changes: changesOf(changes) });
      return;
    }
    printFields([
      ["revision", String(found.revision)],
      ["when", `${instant(found.createdAt)} UTC`],
      ["who", authorOf(found)],
      ["how", `${found.kind}, ${found.state}`],
      ...(found.message === null ? [] : [["why", found.message] as const]),
    ]);
    printPlan(fullName(zone), changes);
    for (const { recordType, name: host, error } of found.failures) note(`Refused: ${host} ${recordType}: ${error}`);
    noteCut(found);
  });
}

/** Says so if a change set has more changes than are listed. */
export function noteCut({ changes, creates, updates, deletes }: ChangeSet): void {
  const all = creates + updates + deletes;
  if (all > changes.length) note(`These are the first ${changes.length} of ${all} changes.`);
}

/** The recorded changes of a change set, as a plan has them. */
export function recorded({ changes }: Pick<ChangeSet, "changes">): Changes {
  return {
    creates: changes.flatMap(({ before, after }) => (before === null && after ? [after] : [])),
    updates: changes.flatMap(({ recordId: id, before, after }) =>
      before && after ? [{ id, before, after, changes: {} }] : [],
    ),
    deletes: changes.flatMap(({ recordId: id, before, after }) =>
      before && after === null ? [{ id, ...before }] : [],
    ),
  };
}

function undo(): Command {
  return withChanges(
    command("undo <domain> <revision>", "Undo a change by a new one", {
      more: "Deletes what it created and restores what it changed or deleted. Refused if its records were changed since.",
      examples: [
        ["history undo example.com 12", "Show what undoing that change does, and do it."],
        ["history undo example.com 12 --yes --message 'Wrong address'", "Undo it without a question."],
      ],
    }),
  ).action(async (name: string, revision: string, options: ChangeOptions) => {
    const client = await connect();
    const zone = await domainNamed(client, name);
    const { id: changeSetId } = await changeOf(client, zone, revision);
    const input = { id: zone.id, changeSetId, ...(options.unlock ? { unlock: true } : {}) };
    const { plan, planHash } = await client.records.revert.mutate({ ...input, dryRun: true });
    if (plan === null || planHash === null) throw new Failure("The server returned no plan. Upgrade it.");
    await carryOut({
      domain: fullName(zone),
      plan: filePlan({ plan, warnings: plan.warnings }),
      options,
      apply: async () => await client.records.revert.mutate({ ...input, planHash, ...changeInput(options) }),
    });
  });
}
