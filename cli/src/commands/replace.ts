import type { Command } from "commander";
import type { RouterOutputs } from "@zonewright/client";
import { changeInput, command, group, ttlOf, withChanges, withJson, type ChangeOptions } from "../command.ts";
import { connect } from "../credentials.ts";
import { exitCodes, Failure } from "../failure.ts";
import { domainsIn, followed, started, type Job, type JobDomain } from "../jobs.ts";
import { changesOf, printPlan, sizeOf } from "../plans.ts";
import { confirmed, counted, note, print, printJson } from "../terminal.ts";
import { domainNamed } from "../zones.ts";

type ReplacementPlan = RouterOutputs["replacements"]["plan"];

export function replace(): Command {
  return group("replace", "Replace a value in many domains", [values(), show(), stop(), undo()], "values");
}

interface ReplaceOptions extends ChangeOptions {
  ttl?: string;
  tag?: string;
  domain?: string[];
}

function values(): Command {
  return withChanges(
    command("values <type> <value> <new>", "Replace a value in many domains", {
      more: "Shows what changes in each domain, asks, and then changes domain by domain. An MX may leave out the priority: each record keeps its own.",
      examples: [
        ["replace A 192.0.2.1 192.0.2.7", "Move a server to another address, wherever it is named."],
        [
          "replace MX mail.example.com mx.example.net --tag customers --dry-run",
          "See what another mail server changes.",
        ],
        ["replace A 192.0.2.1 192.0.2.7 --domain example.com --yes", "Replace it in one domain, without a question."],
      ],
    }),
  )
    .option("--ttl <ttl>", "the new TTL: seconds, or 5m, 1h, 1d, 1w, or automatic (default: each keeps its own)")
    .option("--tag <tag>", "only domains with this tag")
    .option("--domain <domain...>", "only these domains")
    .action(async (type: string, value: string, newValue: string, options: ReplaceOptions) => {
      const client = await connect();
      const { ttl, tag, domain: names, json, yes, dryRun } = options;
      const domainIds: string[] = [];
      for (const name of names ?? []) domainIds.push((await domainNamed(client, name)).id);
      const input = {
        recordType: type.toUpperCase(),
        value,
        newValue,
        ...(ttl === undefined ? {} : ttl === "automatic" ? { automaticTtl: true } : { newTtl: ttlOf(ttl) }),
        ...(tag === undefined ? {} : { tag }),
        ...(domainIds.length === 0 ? {} : { domainIds }),
      };
      const plan = await client.replacements.plan.mutate(input);
      if (!json) printDomains(plan);
      const changed = plan.domains.filter(({ error }) => error === null);
      const size = changed.reduce((sum, domain) => sum + sizeOf(domain), 0);
      if (size === 0 || dryRun) {
        if (json) printJson(reportOf(plan, null));
        else if (plan.domains.length === 0) print("No domain that you may change has this value.");
        else if (size === 0) print("Nothing to change.");
        if (size > 0) process.exitCode = exitCodes.pending;
        return;
      }
      const about = `This changes ${counted(size, "record")} in ${counted(changed.length, "domain")}.`;
      if (!yes && !(await confirmed(`${about} Apply?`, about))) throw new Failure("Nothing was changed.");
      const { jobId } = await started(
        client.replacements.applyPlan.mutate({ ...input, planHash: plan.planHash, ...changeInput(options) }),
      );
      const job = await followed(client, jobId);
      if (json) printJson(reportOf(plan, job));
      else printJob(job, await domainsIn(client, jobId, ["failed"]));
    });
}

function printDomains({ domains, warnings }: ReplacementPlan): void {
  for (const domain of domains) {
    printPlan(domain.domainName, domain);
    if (domain.error !== null) note(`${domain.domainName} stays as it is: ${domain.error}`);
  }
  for (const warning of warnings) note(`Warning: ${warning}`);
}

function reportOf({ domains, warnings }: ReplacementPlan, job: Job | null) {
  return {
    domains: domains.map((domain) => ({
      domain: domain.domainName,
      changes: changesOf(domain),
      warnings: domain.warnings,
      error: domain.error,
    })),
    warnings,
    job,
  };
}

/** Prints how a job stands. The exit code says whether a domain failed. */
function printJob({ jobId, state, progress: counts, reason }: Omit<Job, "domains">, failures: JobDomain[]): void {
  const { done, failed, skipped, waiting, running } = counts;
  const parts = Object.entries({ changed: done, failed, skipped, waiting, running }).flatMap(([what, count]) =>
    count === 0 ? [] : [`${count} ${what}`],
  );
  print(`${state}: ${parts.join(", ") || "no domains"}`);
  if (reason !== null) note(reason);
  for (const { domainName, error } of failures) if (error !== null) note(`${domainName}: ${error}`);
  if (failed > 0) process.exitCode = exitCodes.error;
  if (done > 0) note(`To undo it: zonewright replace undo ${jobId}`);
}

function show(): Command {
  return withJson(
    command("show <job>", "Show the progress of a job", {
      more: "Also shows jobs of `portfolio import`.",
      examples: [["replace show 01a1fb0f-6204-7000-abd4-276e976be8b7", "Show what was changed, and what failed."]],
    }),
  ).action(async (jobId: string, { json }: { json?: true }) => {
    const client = await connect();
    const job = await client.replacements.get.query({ jobId, limit: 100 });
    if (json) printJson(job);
    else printJob(job, await domainsIn(client, jobId, ["failed"]));
  });
}

function stop(): Command {
  return withJson(
    command("stop <job>", "Stop a job", {
      more: "Changed domains stay changed. Also stops jobs of `portfolio import`.",
      examples: [["replace stop 01a1fb0f-6204-7000-abd4-276e976be8b7", "Begin no further domain."]],
    }),
  ).action(async (jobId: string, { json }: { json?: true }) => {
    const client = await connect();
    const job = await client.replacements.stop.mutate({ jobId });
    if (json) printJson(job);
    else printJob({ ...job, total: 0, page: 1, limit: 1 }, []);
  });
}

function undo(): Command {
  return withChanges(
    command("undo <job>", "Undo a job", {
      more: "Reverts every change of it, also of `portfolio import`. A domain that was changed since is left alone and listed.",
      examples: [["replace undo 01a1fb0f-6204-7000-abd4-276e976be8b7 --yes", "Undo it without a question."]],
    }),
  ).action(async (jobId: string, options: ChangeOptions) => {
    const client = await connect();
    const made = await client.replacements.get.query({ jobId, limit: 100 });
    const about = `This undoes the changes of ${counted(made.progress.done, "domain")}.`;
    if (options.dryRun) {
      if (options.json) printJson(made);
      else print(about);
      if (made.progress.done > 0) process.exitCode = exitCodes.pending;
      return;
    }
    if (!options.yes && !(await confirmed(`${about} Go on?`, about))) throw new Failure("Nothing was changed.");
    const taking = await started(client.replacements.revert.mutate({ jobId, ...changeInput(options) }));
    const job = await followed(client, taking.jobId);
    if (options.json) printJson(job);
    else printJob(job, await domainsIn(client, taking.jobId, ["failed"]));
  });
}
