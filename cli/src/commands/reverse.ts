import type { Command } from "commander";
import { isZonewrightError, type Client, type RouterOutputs } from "@zonewright/client";
import { changeInput, command, group, withChanges, withJson, type ChangeOptions } from "../command.ts";
import { connect } from "../credentials.ts";
import { exitCodes, explain, OutcomeUnknown } from "../failure.ts";
import { carryOut, Declined, noneApplied, type ChangeReport } from "../plans.ts";
import { note, print, printJson, printTable, type Column } from "../terminal.ts";

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

/** A reverse zone, and the changes that mend it. */
type Mended = Pick<Report["plan"][number], "domainName" | "changes">;

/** Returns whether the next zone would fail alike. */
function isAboutAll(error: unknown): boolean {
  if (error instanceof OutcomeUnknown) return isAboutAll(error.cause);
  return !isZonewrightError(error) || ["UNAUTHORIZED", "NETWORK_ERROR"].includes(error.code);
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
    const zones = new Map<string, Mended>();
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
    const reports: (ChangeReport & { reasons?: string[] })[] = [];
    let applied = 0;
    let unknown = 0;
    const one = async (id: string, { domainName, changes }: Mended) => {
      const plan = await client.records.plan.mutate({ id, changes });
      const isApplied = await carryOut({
        domain: domainName,
        plan,
        options,
        alwaysAsk: true,
        report: (report) => reports.push(report),
        apply: async () => {
          const input = { id, changes, planHash: plan.planHash, ...changeInput(options) };
          return await client.records.applyPlan.mutate(input);
        },
      });
      if (isApplied) applied++;
    };
    let isFirst = true;
    for (const [id, zone] of zones) {
      try {
        await one(id, zone);
      } catch (error) {
        const isNo = error instanceof Declined;
        const stops = !isNo && isAboutAll(error);
        // Nothing was changed, and nothing else would be.
        if (stops && isFirst && !(error instanceof OutcomeUnknown)) throw error;
        const { text, exitCode } = isNo
          ? { text: "You answered no.", exitCode: exitCodes.error }
          : await explain(error);
        const domain = zone.domainName;
        const why = exitCode === exitCodes.interrupted ? "Stopped." : text;
        note(isNo ? `${domain} was not changed.` : `${domain}: ${why}`);
        reports.push({ domain, changes: [], warnings: [], ...noneApplied, reasons: why.split("\n") });
        process.exitCode = exitCode;
        if (error instanceof OutcomeUnknown) unknown++;
        if (stops) break;
      }
      isFirst = false;
    }
    if (options.json) printJson({ domains: reports });
    else if (zones.size > 1 && !options.dryRun)
      print(`${applied} of ${zones.size} zones changed${unknown > 0 ? `, ${unknown} unknown` : ""}.`);
  });
}
