import type { Command } from "commander";
import type { RouterOutputs } from "@zonewright/client";
import { changeInput, command, group, withChanges, withJson, type ChangeOptions } from "../command.ts";
import { connect } from "../credentials.ts";
import { exitCodes } from "../failure.ts";
import { carryOut } from "../plans.ts";
import { note, printJson, printTable, type Column } from "../terminal.ts";
import { domainNamed, fullName } from "../zones.ts";

type Health = RouterOutputs["records"]["health"];
type Fault = Health["faults"][number];
type Mend = Fault["mend"][number];

export function health(): Command {
  return group("health", "Find and mend faults in a domain's records", [check(), mend()], "check");
}

const columns: readonly Column<Fault>[] = [
  { title: "severity", cell: ({ severity }) => severity },
  { title: "name", cell: ({ name }) => name },
  { title: "fault", cell: ({ code }) => code },
  { title: "what is wrong", cell: ({ message }) => message },
];

function check(): Command {
  return withJson(
    command("check <domain>", "List faults in a domain's records", {
      more: "Exits with 2 if it finds something.",
      examples: [
        ["health example.com", "List what is wrong, worst first."],
        ["health check example.com --json", "Print it for programs, with the changes that mend it."],
      ],
    }),
  ).action(async (name: string, { json }: { json?: true }) => {
    const client = await connect();
    const { id } = await domainNamed(client, name);
    const found = await client.records.health.query({ id });
    if (json) printJson(found);
    else printTable(found.faults, columns, `Nothing is wrong in ${found.checked} records.`);
    if (!json && found.total > found.faults.length) note(`${found.total - found.faults.length} more are not listed.`);
    if (found.total > 0) process.exitCode = exitCodes.pending;
  });
}

function mend(): Command {
  return withChanges(
    command("mend <domain>", "Mend faults in a domain's records", {
      more: "Makes the changes that mend faults about which no person has to decide, after a question.",
      examples: [
        ["health mend example.com --dry-run", "See what would change."],
        ["health mend example.com --code spf_duplicate --code ttl_short", "Mend only faults of these kinds."],
      ],
    }),
  )
    .option(
      "--code <code>",
      "only faults of this code; may be repeated",
      (code, codes: string[]) => [...codes, code],
      [],
    )
    .action(async (name: string, options: ChangeOptions & { code: string[] }) => {
      const client = await connect();
      const zone = await domainNamed(client, name);
      const { faults } = await client.records.health.query({ id: zone.id });
      const wanted = faults.filter(({ code }) => options.code.length === 0 || options.code.includes(code));
      const changes = merged(wanted.flatMap((fault) => fault.mend));
      const plan = changes.length === 0 ? nothing : await client.records.plan.mutate({ id: zone.id, changes });
      await carryOut({
        domain: fullName(zone),
        plan,
        options,
        alwaysAsk: true,
        apply: async () => {
          const input = { id: zone.id, changes, planHash: plan.planHash, ...changeInput(options) };
          return (await client.records.applyPlan.mutate(input)).revision;
        },
      });
    });
}

const nothing = { creates: [], updates: [], deletes: [], planHash: "" };

/** Returns one change for each record, of which several faults may have one. */
function merged(all: readonly Mend[]): Mend[] {
  const byRecord = new Map<string, Mend>();
  for (const change of all) {
    const known = byRecord.get(change.recordId);
    if (known?.action === "delete") continue;
    const both =
      known && change.action === "update" ? { ...change, record: { ...known.record, ...change.record } } : change;
    byRecord.set(change.recordId, both);
  }
  return [...byRecord.values()];
}
