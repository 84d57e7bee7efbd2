import { hostname } from "node:os";
import type { Command } from "commander";
import { isZonewrightError, type Client, type RouterInputs, type RouterOutputs } from "@zonewright/client";
import { command, group, withJson } from "../command.ts";
import { activeCredentials, clientOf } from "../credentials.ts";
import { explain, Failure } from "../failure.ts";
import { ask, confirmed, interactive, note, print, printJson, printTable, type Column } from "../terminal.ts";
import { domainNamed, instant } from "../zones.ts";

type Token = RouterOutputs["tokens"]["list"]["tokens"][number];
type Permission = RouterInputs["tokens"]["create"]["permissions"][number];

export function tokens(): Command {
  return group("tokens", "List, add and remove personal tokens", [list(), add(), remove()], "list");
}

/** Only a sign-in may manage tokens, never a token. */
const signInFirst =
  "Asks for your username and password, because a token may not manage tokens. Without a password (passkey, single sign-on), use the console.";

/** Signs in for one command, and out after it. A token of the environment that belongs to a session needs no sign-in. */
async function signedIn<Result>(work: (client: Client) => Promise<Result>): Promise<Result> {
  const { url, token, tokenFrom } = await activeCredentials();
  // Access tokens are JWTs, which contain dots.
  if (token.split(".").length === 3) return await work(clientOf(url, token, tokenFrom));
  if (!interactive) {
    throw new Failure(
      `Managing tokens needs a sign-in. Run this on a terminal, or set ZONEWRIGHT_TOKEN to an access token.`,
    );
  }
  const client = clientOf(url, null, "The sign-in");
  note(`Sign in to ${url} to manage your tokens. ${withoutPassword(url)}`);
  const username = await ask("Username: ");
  const password = await ask("Password: ", { secret: true });
  const result = await client.signIn({ username, password }).catch((error: unknown) => {
    if (!isZonewrightError(error) || error.code !== "UNAUTHORIZED") throw error;
    throw new Failure(`The username or password is wrong. ${withoutPassword(url)}`);
  });
  if (result.kind === "secondFactorNeeded") await secondFactor(client, result.methods);
  try {
    return await work(client);
  } finally {
    // It must not hide what was done: a token is shown only once.
    await client.signOut().catch(async (error: unknown) => {
      const { text } = await explain(error);
      note(`The sign-out failed, so the sign-in of this command stays valid for up to 24 hours. ${text}`);
    });
  }
}

/** A passkey and an identity provider need a browser, and what a browser approves for the command line is a token. */
function withoutPassword(url: string): string {
  return `If you have no password, manage your tokens in the console: ${url}/account/tokens.`;
}

async function secondFactor(client: Client, methods: readonly string[]): Promise<void> {
  if (!methods.includes("totp") && methods.includes("email")) {
    await client.twoFactor.sendEmailCode.mutate();
    await client.completeSecondFactor({ method: "email", code: await ask("Code from the email: ") });
    return;
  }
  const totp = methods.includes("totp");
  const code = await ask(totp ? "Code of your authenticator app, or a recovery code: " : "Recovery code: ");
  await client.completeSecondFactor({
    method: totp && /^\d{6}$/.test(code.trim()) ? "totp" : "recovery",
    code: code.trim(),
  });
}

const columns: readonly Column<Token>[] = [
  { title: "token", cell: ({ name }) => name },
  { title: "permissions", cell: ({ permissions }) => permissions.join(" ") },
  { title: "narrowed to", cell: narrowing },
  { title: "expires", cell: ({ expiresAt }) => expiresAt?.toISOString().slice(0, 10) ?? "never" },
  { title: "last used (UTC)", cell: ({ lastUsedAt }) => (lastUsedAt === null ? "never" : instant(lastUsedAt)) },
];

function narrowing({ domainIds, hostPattern, recordTypes }: Token): string {
  const parts = [
    domainIds === null ? "" : `${domainIds.length} domains`,
    hostPattern ?? "",
    recordTypes?.join(" ") ?? "",
  ];
  return parts.filter((part) => part !== "").join(", ");
}

function list(): Command {
  return withJson(
    command("list", "List your personal tokens", {
      more: signInFirst,
      examples: [["tokens", "See what each may do, and when it was last used."]],
    }),
  ).action(async ({ json }: { json?: true }) => {
    const { tokens: found } = await signedIn((client) => client.tokens.list.query());
    if (json) printJson({ tokens: found, total: found.length });
    else printTable(found, columns, "You have no personal tokens.");
  });
}

interface AddOptions {
  name: string;
  permission: Permission[];
  expires?: string;
  domain?: string[];
  hosts?: string;
  type?: string[];
  json?: true;
}

function add(): Command {
  return withJson(
    command("add", "Create a personal token", {
      more: `${signInFirst} Prints the token, once.`,
      examples: [
        ["tokens add --name backup --permission domains:read records:read", "Create one that only reads."],
        [
          "tokens add --name acme --permission records:write --domain example.com --hosts '_acme-challenge*' --type TXT --expires 90d",
          "Create one for ACME challenges of one domain, for 90 days.",
        ],
      ],
    }),
  )
    .option("--name <text>", "what it is for", `zonewright on ${hostname()}`)
    .requiredOption("--permission <permission...>", "what it may do, such as records:read")
    .option("--expires <days>", "days until it expires, such as 90d (default: never)")
    .option("--domain <domain...>", "only these domains")
    .option("--hosts <pattern>", "only hosts that match, such as _acme-challenge*")
    .option("--type <type...>", "only records of these types")
    .action(async ({ name, permission, expires, domain, hosts, type, json }: AddOptions) => {
      const expiresAt = expires === undefined ? null : inDays(expires);
      const made = await signedIn(async (client) => {
        const domainIds: string[] = [];
        for (const one of domain ?? []) domainIds.push((await domainNamed(client, one)).id);
        return await client.tokens.create.mutate({
          name,
          permissions: permission,
          expiresAt,
          ...(domainIds.length === 0 ? {} : { domainIds }),
          ...(hosts === undefined ? {} : { hostPattern: hosts }),
          ...(type === undefined ? {} : { recordTypes: type }),
        });
      });
      if (json) printJson(made);
      else {
        print(made.token);
        note("This is shown only once. Store it now.");
      }
    });
}

function inDays(text: string): Date {
  const [, days] = /^(\d{1,4})d?$/.exec(text) ?? [];
  if (days === undefined) throw new Failure("--expires must be a number of days, such as 90d.");
  return new Date(Date.now() + Number(days) * 86_400_000);
}

function remove(): Command {
  return withJson(
    command("rm <token>", "Delete a personal token", {
      more: `${signInFirst} Programs that use it stop working at once.`,
      examples: [["tokens rm backup", "Delete the token of this name, after a question."]],
    }),
  )
    .option("-y, --yes", "do not ask")
    .action(async (given: string, { yes, json }: { yes?: true; json?: true }) => {
      const id = await signedIn(async (client) => {
        const { tokens: found } = await client.tokens.list.query();
        const matching = found.filter((token) => token.id === given || token.name === given);
        const [only, second] = matching;
        if (only === undefined) throw new Failure(`You have no token ${given}. \`zonewright tokens\` lists them.`);
        if (second)
          throw new Failure(
            `Several tokens are called ${given}. Name one by its id: ${matching.map((one) => one.id).join(", ")}.`,
          );
        const about = `This deletes the token ${only.name}.`;
        if (!yes && !(await confirmed(`${about} Go on?`, about))) throw new Failure("Nothing was changed.");
        await client.tokens.delete.mutate({ id: only.id });
        return only.id;
      });
      if (json) printJson({ id, deleted: true });
      else print("Deleted.");
    });
}
