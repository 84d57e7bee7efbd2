import type { Command } from "commander";
import type { Client, RouterOutputs } from "@zonewright/client";
import { command, group, withJson } from "../command.ts";
import { connect } from "../credentials.ts";
import { Failure } from "../failure.ts";
import { uninterrupted, changesOf, printPlan } from "../plans.ts";
import { confirmed, counted, note, print, printFields, printJson, printTable, type Column } from "../terminal.ts";
import { domainNamed, every, instant } from "../zones.ts";

type Request = RouterOutputs["changeRequests"]["get"];
type Summary = RouterOutputs["changeRequests"]["list"]["requests"][number];

export function requests(): Command {
  const members = [list(), show(), approve(), reject(), withdraw(), apply(), comment()];
  return group("requests", "List, review and apply change requests", members, "list");
}

const columns: readonly Column<Summary>[] = [
  { title: "request", cell: ({ number }) => String(number), alignRight: true },
  { title: "state", cell: ({ state }) => state },
  { title: "domain", cell: ({ domainName }) => domainName },
  { title: "title", cell: ({ title }) => title },
  { title: "author", cell: ({ author }) => author ?? "a deleted user" },
  { title: "changes", cell: ({ creates, updates, deletes }) => `+${creates} ~${updates} -${deletes}` },
];

interface ListOptions {
  state?: Summary["state"];
  domain?: string;
  mine?: true;
  toReview?: true;
  json?: true;
}

function list(): Command {
  return withJson(
    command("list", "List change requests", {
      examples: [
        ["requests", "List all that you may see, newest first."],
        ["requests list --to-review", "List those that wait for you."],
        ["requests list --domain example.com --state open --json", "Print the open ones of a domain for programs."],
      ],
    }),
  )
    .option("--state <state>", "open, approved, applied, rejected, withdrawn or failed")
    .option("--domain <domain>", "only requests for this domain")
    .option("--mine", "only requests that you made")
    .option("--to-review", "only open requests that you may review")
    .action(async ({ json, domain, ...filters }: ListOptions) => {
      const client = await connect();
      const id = domain === undefined ? {} : { domain: (await domainNamed(client, domain)).id };
      const found = await every(client.each(client.changeRequests.list, { ...filters, ...id }));
      if (json) printJson({ requests: found, total: found.length });
      else printTable(found, columns, "No matching requests.");
    });
}

/** Returns the request of a number, as lists show it, or of an id. @throws Failure if there is none */
async function requestNumbered(client: Client, given: string): Promise<Request> {
  if (/^[0-9a-f]{8}-/i.test(given)) return await client.changeRequests.get.query({ id: given });
  const number = Number(given.replace(/^#/, ""));
  if (!Number.isInteger(number) || number < 1)
    throw new Failure("Name a request by its number, as `zonewright requests` lists it.");
  for await (const one of client.each(client.changeRequests.list, {})) {
    if (one.number === number) return await client.changeRequests.get.query({ id: one.id });
  }
  throw new Failure(
    `There is no request ${number}, or you may not see it. \`zonewright requests\` lists those that you may.`,
  );
}

function show(): Command {
  return withJson(
    command("show <request>", "Show a change request", {
      examples: [["requests show 12", "See what it would change now, and who reviewed it."]],
    }),
  ).action(async (given: string, { json }: { json?: true }) => {
    const client = await connect();
    const request = await requestNumbered(client, given);
    if (json) printJson(reportOf(request));
    else printRequest(request);
  });
}

/** Returns what `--json` prints of a request. @param plan of what it changes; that of before, if a call has closed it */
function reportOf(request: Request, plan = request.plan) {
  return { ...request, changes: plan ? changesOf(plan) : null };
}

function printRequest(request: Request): void {
  const {
    number,
    title,
    state,
    author,
    note: more,
    applyAt,
    problem,
    reason,
    outdated,
    plan,
    registrationPlan,
    reviews,
    domainName,
  } = request;
  printFields([
    ["request", `${number}: ${title}`],
    ["state", state],
    ["author", author ?? "a deleted user"],
    ...(applyAt === null ? [] : [["applied at", `${instant(applyAt)} UTC`] as const]),
    ...reviews.map(
      ({ verdict, user, note: why }) =>
        [verdict, `${user ?? "a deleted user"}${why === null ? "" : `: ${why}`}`] as const,
    ),
  ]);
  if (more) print(more);
  if (plan) printPlan(domainName, plan);
  if (registrationPlan) {
    print(`${domainName}: ${counted(registrationPlan.changes.length, "field")} of the registration to change`);
    for (const { field, before, after } of registrationPlan.changes)
      print(`~ ${field} ${valueOf(before)} → ${valueOf(after)}`);
    for (const warning of registrationPlan.warnings) note(`Warning: ${warning}`);
  }
  if (outdated)
    note(
      "Warning: Things have changed. This request would now do something other than what was asked for or approved.",
    );
  for (const text of [problem, reason]) if (text !== null) note(text);
}

function valueOf(value: string[] | boolean | null): string {
  if (value === null) return "unknown";
  if (typeof value === "boolean") return value ? "on" : "off";
  return value.length === 0 ? "none" : value.join(", ");
}

interface ReviewOptions {
  note?: string;
  yes?: true;
  force?: true;
  json?: true;
}

/** A command that does something with one request, after showing it. */
function verb(
  name: string,
  summary: string,
  example: string,
  act: (client: Client, request: Request, options: ReviewOptions) => Promise<Request>,
): Command {
  const made = withJson(
    command(`${name} <request>`, summary, {
      more: "Shows the request, and asks.",
      examples: [
        [`requests ${name} 12`, example],
        [`requests ${name} 12 --yes`, "The same, without a question."],
      ],
    }),
  ).option("-y, --yes", "do not ask");
  made.action(async (given: string, options: ReviewOptions) => {
    const client = await connect();
    const request = await requestNumbered(client, given);
    if (!options.json) printRequest(request);
    const about = `This would ${name} request ${request.number}.`;
    if (!options.yes && !(await confirmed(`${name.charAt(0).toUpperCase()}${name.slice(1)} it?`, about))) {
      throw new Failure("Nothing was changed.");
    }
    const look = `\`zonewright requests show ${request.number}\` shows its state.`;
    const after = await uninterrupted(act(client, request, options), look);
    if (options.json) printJson(reportOf(after, after.plan ?? request.plan));
    else print(`Request ${after.number} is ${after.state} now.`);
  });
  return made;
}

const noted = ({ note: text }: ReviewOptions) => (text === undefined ? {} : { note: text });

function approve(): Command {
  return verb(
    "approve",
    "Approve a change request",
    "See what it changes, and approve exactly that.",
    async (client, request, options) => {
      const { id, changesHash, problem } = request;
      if (changesHash === null)
        throw new Failure(problem ?? `Request ${request.number} is ${request.state}: there is nothing to approve.`);
      return await client.changeRequests.approve.mutate({ id, changesHash, ...noted(options) });
    },
  ).option("--note <text>", "why; the author is notified of it");
}

function reject(): Command {
  return verb("reject", "Reject a change request", "Reject it.", (client, { id }, options) =>
    client.changeRequests.reject.mutate({ id, ...noted(options) }),
  ).option("--note <text>", "why; the author is notified of it");
}

function withdraw(): Command {
  return verb("withdraw", "Withdraw a change request of yours", "Withdraw it.", (client, { id }) =>
    client.changeRequests.withdraw.mutate({ id }),
  );
}

function apply(): Command {
  return verb(
    "apply",
    "Apply a change request",
    "Apply what it shows, once that is approved.",
    (client, { id, changesHash }, { force }) =>
      client.changeRequests.applyRequest.mutate({
        id,
        ...(changesHash === null ? {} : { changesHash }),
        ...(force ? { force } : {}),
      }),
  ).option("--force", "confirm a change beyond the safety threshold");
}

function comment(): Command {
  return withJson(
    command("comment <request> <text>", "Comment on a change request", {
      examples: [["requests comment 12 'Which server is that?'", "Ask its author something."]],
    }),
  ).action(async (given: string, text: string, { json }: { json?: true }) => {
    const client = await connect();
    const { id, number } = await requestNumbered(client, given);
    const look = "The console shows the comments of the request.";
    const made = await uninterrupted(client.changeRequests.comment.mutate({ id, text }), look);
    if (json) printJson(made);
    else print(`Commented on request ${number}.`);
  });
}
