import type { Command } from "commander";
import type { Client, RouterOutputs } from "@zonewright/client";
import { changeInput, command, group, withChanges, withJson, type ChangeOptions } from "../command.ts";
import { connect } from "../credentials.ts";
import { exitCodes } from "../failure.ts";
import { carryOut, type ChangeReport } from "../plans.ts";
import { note, printJson, printTable, type Column } from "../terminal.ts";

type Report = RouterOutputs["reverse"]["report"];
type Finding = Report["findings"][number];

export function reverseZones(): Command {
  return group("reverse", "Check and mend PTR records", [check(), mend()], "check");
}

const columns: readonly Column<Finding>[] = [
  { title: "problem", cell: ({ problem }) => problem },
  { title: "address", cell: ({ address }) => address },
  { title: "reverse zone", cell: ({ domainName }) => domainName },
  { title: "points to", cell: ({ value }) => value ?? "–" },
  { title: "should point to", cell: ({ expected }) => expected ?? "–" },
];

async function* pages(client: Client): AsyncGenerator<Report> {
  for (let after: string | null = ""; after !== null;) {
    const page: Report = await client.reverse.report.query({ limit: 100, ...(after === "" ? {} : { after }) });
    yield page;
    after = page.next;
  }
}

function check(): Command {
  return withJson(
    command("check", "Report missing and wrong PTR records", {
      more: "Covers the reverse zones and addresses that you may see. Exits with 2 if it finds something.",
      examples: [
        ["reverse", "List what is missing, stale or mismatched."],
        ["reverse check --json", "Print it for programs."],
      ],
    }),
  ).action(async ({ json }: { json?: true }) => {
    const client = await connect();
    const findings: Finding[] = [];
    for await (const page of pages(client)) findings.push(...page.findings);
    if (json) printJson({ findings });
    else printTable(findings, columns, "Every PTR record is right.");
    if (findings.length > 0) process.exitCode = exitCodes.pending;
  });
}

function mend(): Command {
  return withChanges(
    command("mend", "Mend PTR records", {
      more: "Makes the changes that resolve the report, reverse zone by reverse zone, each after a question.",
      examples: [
        ["reverse mend --dry-run", "See what would change."],
        ["reverse mend --yes --message 'Clean up'", "Mend all without a question."],
      ],
    }),
  ).action(async (options: ChangeOptions) => {
    const client = await connect();
    const zones = new Map<string, { domainName: string; changes: Report["plan"][number]["changes"] }>();
    for await (const page of pages(client)) {
      for (const { domainId, domainName, changes } of page.plan) {
        const known = zones.get(domainId)?.changes ?? [];
        zones.set(domainId, { domainName, changes: [...known, ...changes] });
      }
    }
    if (zones.size === 0) {
      if (options.json) printJson({ domains: [] });
      else note("There is nothing that you may fix.");
      return;
    }
    const reports: ChangeReport[] = [];
    for (const [id, { domainName, changes }] of zones) {
      const plan = await client.records.plan.mutate({ id, changes });
      await carryOut({
        domain: domainName,
        plan,
        options,
        alwaysAsk: true,
        report: (one) => reports.push(one),
        apply: async () => {
          const input = { id, changes, planHash: plan.planHash, ...changeInput(options) };
          return (await client.records.applyPlan.mutate(input)).revision;
        },
      });
    }
    if (options.json) printJson({ domains: reports });
  });
}
