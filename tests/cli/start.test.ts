import { chmod, mkdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createSecureServer } from "node:https";
import { connect, type AddressInfo, type Server } from "node:net";
import { dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, onTestFinished, test } from "vitest";
import { useCli } from "../support/cli.ts";
import { newAuthority } from "../support/servers/certificates.ts";
import { adminPassword, useZonewright } from "../support/zonewright.ts";

const zw = useZonewright();
const cli = useCli(zw);

/** Without the variables, so that only stored credentials count. */
const unset = { ZONEWRIGHT_URL: "", ZONEWRIGHT_TOKEN: "" };
const credentials = () => join(cli.configFolder, "zonewright/credentials.json");

async function store(content: unknown, mode: number): Promise<void> {
  await mkdir(dirname(credentials()), { recursive: true });
  await writeFile(credentials(), typeof content === "string" ? content : JSON.stringify(content));
  await chmod(credentials(), mode);
}

/** Starts a stand-in for the time of a test. @returns its address */
async function listening(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** The answer of a server that lacks a procedure. */
function missingProcedure(name: string): Response {
  const data = { code: "NOT_FOUND", httpStatus: 404 };
  const error = { json: { message: `No procedure found on path "${name}"`, code: -32_004, data } };
  return Response.json({ error }, { status: 404 });
}

interface Described {
  name: string;
  help: string;
  usual: string | null;
  examples: { line: string }[];
  options: { flags: string }[];
  commands: Described[];
}

/** The commands that do something. */
function leaves(one: Described): Described[] {
  return one.commands.length === 0 ? [one] : one.commands.flatMap(leaves);
}

/** The usual command of a group may be left out. */
function calls(line: string, name: string): boolean {
  return line.startsWith(name) || line.startsWith(name.split(" ").slice(0, -1).join(" "));
}

test("the program prints its version, its commands, and examples of each", async () => {
  const { version } = JSON.parse(await readFile(join(import.meta.dirname, "../../cli/package.json"), "utf8")) as {
    version: string;
  };
  expect(await cli.must(["--version"])).toBe(`${version}\n`);
  const help = await cli.must(["--help"]);
  expect(help).toContain("Exit codes: 0 done, 1 error, 2 changes pending, 3 refused by a safety threshold.");
  expect(await cli.must([])).toBe(help);
  const all = leaves(JSON.parse(await cli.must(["describe"])) as Described);
  expect(all.length).toBeGreaterThan(40);
  const strange = all.filter(
    ({ name, examples }) => examples.length === 0 || !examples.every(({ line }) => calls(line, name)),
  );
  expect(strange.map(({ name }) => name)).toEqual([]);
  expect(await cli.must(["domains", "add", "--help"])).toContain(
    "Examples:\n  zonewright domains add example.com\n      Add a",
  );
  const whole = await cli.must(["domains", "add", "--help"], { columns: 80 });
  expect(await cli.must(["help", "domains", "add"])).toBe(whole);
});

function all(one: Described): Described[] {
  return [one, ...one.commands.flatMap(all)];
}

test.each([40, 60, 80])(
  "the help of every command fits into %i columns, unless a word is longer, and its examples can be copied",
  async (columns) => {
    const described = all(JSON.parse(await cli.must(["describe"], { columns })) as Described);
    expect(described.length).toBeGreaterThan(50);
    // A word is what a shell takes for one: a quoted text must not be broken.
    const word = /^ *(?:'[^']*'|"[^"]*"|[^\s'"])+(?: \\)?$/;
    const long = described.flatMap(({ help }) =>
      help.split("\n").filter((line) => line.length > columns && !word.test(line)),
    );
    expect(long).toEqual([]);
    const lost = described.flatMap(({ help, examples }) => {
      const joined = help.replaceAll(/ \\\n +/g, " ");
      return examples.filter(({ line }) => !joined.includes(`\n  ${line.replaceAll("\n", "\n  ")}\n`));
    });
    expect(lost).toEqual([]);
    const shown = described.find(({ name }) => name === "zonewright records add")?.help;
    expect(await cli.must(["records", "add", "--help"], { columns })).toBe(shown);
  },
);

test("every command takes --json, also those that print nothing else", async () => {
  const all = leaves(JSON.parse(await cli.must(["describe"])) as Described);
  const without = all.filter(({ options }) => !options.some(({ flags }) => flags === "--json"));
  expect(without.map(({ name }) => name)).toEqual([]);
  // Not among them, because no help lists it.
  expect(await cli.must(["describe", "--json"])).toBe(await cli.must(["describe"]));
});

/** The words in code of a table's cell. */
const spans = (cell: string) => [...cell.matchAll(/`([a-z -]+)`/g)].map(([, span = ""]) => span);

test("the guide says what each command prints with --json", async () => {
  const guide = await readFile(join(import.meta.dirname, "../../docs/guide/command-line.md"), "utf8");
  const [, table = ""] = /^\| command \| what `--json` prints \|\n\|.+\n((?:\|.+\n)+)/m.exec(guide) ?? [];
  const program = JSON.parse(await cli.must(["describe"])) as Described;
  const told = new Set<string>();
  for (const row of table.trim().split("\n")) {
    const [commands = "", answers = ""] = row.slice(1).split("|");
    let [group = ""] = /(?<=`)\w+/.exec(commands) ?? [];
    for (const span of [...spans(commands), ...spans(answers)]) told.add(`zonewright ${span}`);
    // Of several commands of a group, only the first says which one.
    for (const span of spans(commands)) {
      if (span.includes(" ")) [group = ""] = span.split(" ");
      told.add(`zonewright ${group} ${span}`);
    }
  }
  for (const { name, usual } of program.commands) if (told.has(name) && usual !== null) told.add(`${name} ${usual}`);
  const all = leaves(program).map(({ name }) => name);
  expect(all.filter((name) => !told.has(name))).toEqual([]);
});

test("a mistyped command or option is answered with what it may mean, and where to look", async () => {
  expect(await cli.run(["domain"])).toEqual({
    exitCode: 1,
    stdout: "",
    stderr: "Unknown command 'domain'. Did you mean domains? See `zonewright --help`.\n",
  });
  expect((await cli.run(["domains", "list", "--jsn"])).stderr).toBe(
    "Unknown option '--jsn'. Did you mean --json? See `zonewright domains list --help`.\n",
  );
  for (const line of [
    ["help", "domain"],
    ["domain", "--help"],
  ])
    expect(await cli.run(line)).toMatchObject({
      exitCode: 1,
      stderr: expect.stringMatching(/^Unknown command 'domain'/),
    });
  expect((await cli.run(["domains", "show"])).stderr).toBe(
    "Missing required argument 'domain'. See `zonewright domains show --help`.\n",
  );
});

test("login stores the address and token for later commands, readable only by the user, and logout deletes them", async () => {
  const login = await cli.run(["login", "--url", `${zw.url}/`, "--token", "-"], {
    env: unset,
    input: `${cli.token}\n`,
  });
  expect(login).toEqual({
    exitCode: 0,
    stdout: "",
    stderr: `Signed in to ${zw.url}. The token is in ${credentials()}.\n`,
  });
  expect((await stat(credentials())).mode & 0o777).toBe(0o600);
  const shown = await cli.json<object>(["whoami"], { env: unset });
  expect(shown).toMatchObject({ url: zw.url, serverVersion: "0.2.0", username: "admin", role: "admin" });
  expect(await cli.must(["whoami"], { env: unset, columns: 80 })).toContain(
    `server          ${zw.url}\n                (`,
  );
  // A variable for another server must not send it the stored token.
  const elsewhere = await cli.run(["domains"], { env: { ...unset, ZONEWRIGHT_URL: "https://dns.example.net" } });
  expect(elsewhere).toMatchObject({ exitCode: 1, stdout: "" });
  expect(elsewhere.stderr).toContain(
    `ZONEWRIGHT_URL is https://dns.example.net, but the stored token is for ${zw.url}.`,
  );
  expect((await cli.run(["logout"], { env: unset })).stderr).toBe(`Deleted ${credentials()}.\n`);
  expect((await cli.run(["logout"], { env: unset })).stderr).toBe("There is no stored token.\n");
  expect((await cli.run(["whoami"], { env: unset })).stderr).toMatch(/^You are not signed in\. Run `zonewright login/);
});

test("login and logout report to programs where the token is, and never the token", async () => {
  const args = ["login", "--url", zw.url, "--token", "-", "--json"];
  const login = await cli.run(args, { env: unset, input: cli.token });
  expect(login).toMatchObject({ exitCode: 0, stderr: "" });
  expect(JSON.parse(login.stdout)).toEqual({ url: zw.url, file: credentials(), expiresAt: null });
  expect(await cli.json(["logout"], { env: unset })).toEqual({ file: credentials(), deleted: true });
  expect(await cli.json(["logout"], { env: unset })).toEqual({ file: credentials(), deleted: false });
});

test("whoami says what a token of the environment may do, and that a stored one is not used", async () => {
  const expiresAt = "2031-12-31T00:00:00.000Z";
  const wish = { name: "Reads", permissions: ["records:read"], hostPattern: "*.lab", recordTypes: ["TXT"], expiresAt };
  const { body: made } = await zw.admin.post("/api/auth/me/tokens", wish);
  const reads = { ZONEWRIGHT_TOKEN: (made as { token: string }).token };
  expect(await cli.json(["whoami"], { env: reads })).toEqual({
    url: zw.url,
    serverVersion: "0.2.0",
    version: "0.2.0",
    username: "admin",
    role: "admin",
    token: { name: "Reads", domainIds: null, hostPattern: "*.lab", recordTypes: ["TXT"] },
    expiresAt,
    tokenFrom: "environment",
    permissions: ["records:read"],
  });
  await store({ url: zw.url, token: cli.token, expiresAt: null }, 0o600);
  const { stdout, stderr } = await cli.run(["whoami"], { env: reads });
  expect(stdout.split("\n").slice(2, -1)).toEqual([
    "user\tadmin (administrator)",
    expect.stringMatching(/^token\tReads, zw_pt_\S{2}… \(ZONEWRIGHT_TOKEN\)$/),
    "narrowed to\thosts *.lab, TXT",
    "token expires\t2031-12-31",
    "permissions\trecords:read",
  ]);
  expect(stderr).toBe(`The stored token in ${credentials()} is not used: ZONEWRIGHT_TOKEN wins over it.\n`);
  expect(await cli.json(["whoami"], { env: unset })).toMatchObject({ tokenFrom: "file" });
  const expired = { ZONEWRIGHT_TOKEN: cli.token.replace(/.{4}$/, "zzzz") };
  expect((await cli.run(["whoami"], { env: expired })).stderr).toMatch(/^ZONEWRIGHT_TOKEN is invalid or has expired\./);
  await rm(credentials());
  const session = await cli.json<object>(["whoami"], { env: { ZONEWRIGHT_TOKEN: zw.admin.token ?? "" } });
  expect(session).toMatchObject({
    username: "admin",
    token: null,
    permissions: expect.arrayContaining(["audit:read"]),
  });
});

/** Answers as the service does, but for the call that older ones lack. */
async function passOn(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { url: path = "", method = "", headers } = request;
  const body = Buffer.concat(await request.toArray());
  const { authorization = "", "content-type": type = "application/json" } = headers;
  const init = { method, headers: { authorization, "content-type": type }, ...(body.length > 0 ? { body } : {}) };
  const isNew = path.startsWith("/trpc/tokens.current");
  const given = isNew ? missingProcedure("tokens.current") : await fetch(zw.url + path, init);
  response.writeHead(given.status, { "content-type": given.headers.get("content-type") ?? "" });
  response.end(await given.text());
}

test("each permission of a token is found, and only it, on a server that tells tokens nothing", async () => {
  const old = createServer((request, response) => void passOn(request, response));
  const url = await listening(old);
  const all = [
    ...["domains", "records", "snapshots", "requests", "assignments", "notifications", "registrations"].flatMap(
      (subject) => [`${subject}:read`, `${subject}:write`],
    ),
    "providers:read",
    "audit:read",
  ];
  for (const rest of [0, 1]) {
    const held = all.filter((_, index) => index % 2 === rest);
    const { body } = await zw.admin.post("/api/auth/me/tokens", { name: "Half", permissions: held });
    const env = { ZONEWRIGHT_URL: url, ZONEWRIGHT_TOKEN: (body as { token: string }).token };
    const { permissions, ...told } = await cli.json<{ permissions: string[] }>(["whoami"], { env });
    expect(told).toMatchObject({ username: null, role: null, token: null });
    expect(permissions.toSorted()).toEqual(held.toSorted());
  }
});

test("a token that others can read is not used, and the message says how to protect it", async () => {
  await store({ url: zw.url, token: cli.token, expiresAt: null }, 0o644);
  expect(await cli.run(["domains"], { env: unset })).toEqual({
    exitCode: 1,
    stdout: "",
    stderr: `${credentials()} has mode 0644, so others can use your token. Run: chmod 600 '${credentials()}'\n`,
  });
});

test("damaged or expired credentials and invalid variables are refused with what to do", async () => {
  await store("{", 0o600);
  expect((await cli.run(["domains"], { env: unset })).stderr).toBe(
    `${credentials()} is damaged. Name the server to sign in again: \`zonewright login --url https://dns.example.com\`.\n`,
  );
  await store({ url: zw.url, token: cli.token, expiresAt: "2026-01-01T00:00:00.000Z" }, 0o600);
  expect((await cli.run(["domains"], { env: unset })).stderr).toBe(
    `The token in ${credentials()} expired on 2026-01-01. Run \`zonewright login\`.\n`,
  );
  const soon = new Date(Date.now() + 86_400_000).toISOString();
  await store({ url: zw.url, token: cli.token, expiresAt: soon }, 0o600);
  const warned = await cli.run(["domains", "--json"], { env: unset, columns: 80 });
  expect(warned.stderr).toBe(`Your token expires on ${soon.slice(0, 10)}. \`zonewright login\` gets a new one.\n`);
  expect(await cli.run(["domains"], { env: unset })).toEqual({ exitCode: 0, stdout: "", stderr: "" });
  expect((await cli.run(["domains"], { env: { ZONEWRIGHT_URL: "dns.example.com" } })).stderr).toBe(
    "ZONEWRIGHT_URL must be the server's address, such as https://dns.example.com.\n",
  );
  expect((await cli.run(["domains"], { env: { ZONEWRIGHT_TOKEN: "two words" } })).stderr).toBe(
    "ZONEWRIGHT_TOKEN contains characters that no token has. Check where it comes from.\n",
  );
});

test("an invalid token, a server that does not answer and one that is not Zonewright each get a sentence of their own", async () => {
  const expired = { ZONEWRIGHT_TOKEN: cli.token.replace(/.{4}$/, "zzzz") };
  expect(await cli.run(["domains"], { env: expired })).toEqual({
    exitCode: 1,
    stdout: "",
    stderr:
      "ZONEWRIGHT_TOKEN is invalid or has expired. Run `zonewright login`, or set ZONEWRIGHT_TOKEN to a valid one.\n",
  });
  const nobody = "http://127.0.0.1:9";
  expect(await cli.run(["domains"], { env: { ZONEWRIGHT_URL: nobody } })).toEqual({
    exitCode: 1,
    stdout: "",
    stderr: `No response from ${nobody}. Check the address and the connection.\n`,
  });
  expect((await cli.run(["login", "--url", nobody, "--token", "x"], { env: unset })).stderr).toBe(
    `No response from ${nobody}. Check the address and the connection.\n`,
  );
  const other = createServer((_request, response) => response.end("<html>"));
  const url = await listening(other);
  expect((await cli.run(["login", "--url", url, "--token", "x"], { env: unset })).stderr).toBe(
    `${url} is not a Zonewright server. Check the address.\n`,
  );
  expect((await cli.run(["domains"], { env: { ZONEWRIGHT_URL: url } })).stderr).toContain(
    `Check that ${url} is a Zonewright server.\n`,
  );
});

/** Makes the program say at its end whether it loaded the library behind `fetch`. */
const sayingWhatIsLoaded = `--import data:text/javascript,${encodeURIComponent(
  'process.on("exit", () => process.stderr.write(String(process.moduleLoadList.some((one) => one.includes("undici")))));',
)}`;

test("calls load no fetch, which costs more than they do", async () => {
  const env = { NODE_OPTIONS: sayingWhatIsLoaded };
  for (const line of ["domains", "whoami"])
    expect(await cli.run([line, "--json"], { env })).toMatchObject({ exitCode: 0, stderr: "false" });
});

test("answers may be compressed, and redirects are followed with the token", async () => {
  const seen: unknown[] = [];
  const moved = createServer(({ url: path = "", headers }, response) => {
    const { authorization = null, "accept-encoding": accepted } = headers;
    if (path === "/version") {
      seen.push(accepted);
      response.writeHead(200, { "content-type": "application/json", "content-encoding": "gzip" });
      response.end(gzipSync('{"name":"zonewright","version":"9.8.7"}'));
    } else if (path.startsWith("/dns/")) {
      seen.push(authorization);
      response.writeHead(403, { "content-type": "application/problem+json" });
      response.end('{"code":"FORBIDDEN","detail":"Not here, either."}');
    } else response.writeHead(307, { location: `/dns${path}` }).end();
  });
  const { stderr } = await cli.run(["whoami"], { env: { ZONEWRIGHT_URL: await listening(moved) } });
  expect({ stderr, seen }).toEqual({ stderr: "Not here, either.\n", seen: ["gzip", `Bearer ${cli.token}`] });
});

test("a redirect that would lose the token or the call is refused, and names the address to use", async () => {
  const seen: string[] = [];
  const right = await listening(
    createServer(({ url: path = "" }, response) => {
      seen.push(path);
      response.writeHead(401).end();
    }),
  );
  const moved = await listening(
    createServer(({ url: path = "" }, response) => void response.writeHead(301, { location: right + path }).end()),
  );
  const stderr = `${moved} redirects to ${right}, and the token is not sent on. If that is the server, use its address instead.\n`;
  expect(await cli.run(["whoami"], { env: { ZONEWRIGHT_URL: moved } })).toEqual({ exitCode: 1, stdout: "", stderr });
  const login = await cli.run(["login", "--url", moved, "--token", "x"], { env: unset });
  expect(login).toEqual({ exitCode: 1, stdout: "", stderr });
  expect(seen).toEqual([]);
  const within = createServer(({ method, url: path = "" }, response) => {
    if (method === "POST") response.writeHead(302, { location: `/dns${path}` }).end();
    else {
      response.writeHead(200, { "content-type": "application/json" });
      response.end('{"name":"zonewright","version":"9.8.7"}');
    }
  });
  const url = await listening(within);
  const added = await cli.run(["domains", "add", "moved.example"], { env: { ZONEWRIGHT_URL: url } });
  expect(added).toMatchObject({ exitCode: 1, stdout: "" });
  expect(added.stderr).toContain(`redirects to ${url}/dns/trpc/domains.create, which loses the call.`);
});

test("an address without TLS gets no token or password before it has answered without a redirect", async () => {
  const seen: unknown[] = [];
  const moved = await listening(
    createServer(({ url: path = "", headers }, response) => {
      seen.push([path, headers.authorization ?? null]);
      response.writeHead(301, { location: `https://dns.example.com${path}` }).end();
    }),
  );
  // Not called loopback, but reaches it.
  const url = moved.replace("127.0.0.1", "0.0.0.0");
  const refusal = `${url} redirects to https://dns.example.com, and the token is not sent on. If that is the server, use its address instead.\n`;
  const warning = `Warning: ${url} is not encrypted, so anyone on the network path can read the token. Use https.\n`;
  const env = { ZONEWRIGHT_URL: url };
  for (const line of [["domains"], ["domains", "add", "moved.example"]])
    expect(await cli.run(line, { env })).toEqual({ exitCode: 1, stdout: "", stderr: warning + refusal });
  await store({ url, token: cli.token, expiresAt: null }, 0o600);
  const typed = { env: unset, columns: 80, input: `admin\n${adminPassword}\n` };
  expect(await cli.run(["tokens"], typed)).toMatchObject({ exitCode: 1, stderr: expect.stringContaining(refusal) });
  const login = await cli.run(["login", "--url", url, "--token", cli.token], { env: unset });
  expect(login).toMatchObject({ exitCode: 1, stderr: warning + refusal });
  expect(new Set(seen)).toEqual(new Set(seen.map(() => ["/version", null])));
});

test("an address without TLS is warned of, unless it is in a private network or was stored by a login, which has warned", async () => {
  const url = zw.url.replace("127.0.0.1", "0.0.0.0");
  const warning = `Warning: ${url} is not encrypted, so anyone on the network path can read the token. Use https.\n`;
  expect(await cli.run(["domains", "--json"], { env: { ZONEWRIGHT_URL: url } })).toMatchObject({
    exitCode: 0,
    stdout: expect.stringMatching(/^\{"domains":/),
    stderr: warning,
  });
  const login = await cli.run(["login", "--url", url, "--token", cli.token], { env: unset });
  expect(login.stderr).toMatch(/^Warning: .+ Use https\.\nSigned in to /);
  expect(await cli.run(["domains"], { env: unset })).toMatchObject({ exitCode: 0, stderr: "" });
  const proxy = createServer((_request, response) => void response.writeHead(502).end());
  proxy.on("connect", (_request, socket) => void socket.end("HTTP/1.1 502 Bad Gateway\r\n\r\n"));
  const proxied = { NODE_USE_ENV_PROXY: "1", HTTP_PROXY: await listening(proxy), NO_PROXY: "" };
  const warned: string[] = [];
  for (const host of ["dns.example.net", "zonewright:3000", "10.0.0.5", "dns.internal"]) {
    const { stderr } = await cli.run(["domains"], { env: { ...proxied, ZONEWRIGHT_URL: `http://${host}` } });
    if (stderr.startsWith("Warning: ")) warned.push(host);
  }
  expect(warned).toEqual(["dns.example.net"]);
});

test("a redirect is followed, or refused, through a proxy of Node's variables, too", async () => {
  const seen: unknown[] = [];
  const moved = createServer(({ url: path = "", headers }, response) => {
    const { pathname } = new URL(path, "http://dns.internal");
    seen.push([pathname, headers.authorization ?? null]);
    const location = pathname === "/version" ? "/dns/version" : `https://dns.example.com${pathname}`;
    if (!pathname.startsWith("/dns/")) response.writeHead(302, { location }).end();
    else response.writeHead(200, { "content-type": "application/json" }).end('{"name":"zonewright","version":"1.2.3"}');
  });
  const { port } = new URL(await listening(moved));
  const proxy = createServer((request, response) => void moved.emit("request", request, response));
  proxy.on("connect", (_request, socket) => {
    const onward = connect(Number(port), "127.0.0.1", () => socket.write("HTTP/1.1 200 OK\r\n\r\n"));
    for (const one of [onward, socket]) one.on("error", () => undefined);
    onward.pipe(socket).pipe(onward);
  });
  const env = { NODE_USE_ENV_PROXY: "1", HTTP_PROXY: await listening(proxy), NO_PROXY: "" };
  const { stderr } = await cli.run(["whoami"], { env: { ...env, ZONEWRIGHT_URL: "http://dns.internal" } });
  expect(stderr).toBe(
    "http://dns.internal redirects to https://dns.example.com, and the token is not sent on. If that is the server, use its address instead.\n",
  );
  expect(seen).toContainEqual(["/dns/version", null]);
});

test("a proxy of Node's variables is used", async () => {
  let used = 0;
  const proxy = createServer((_request, response) => {
    used++;
    response.writeHead(502).end();
  });
  proxy.on("connect", (_request, socket) => {
    used++;
    socket.end("HTTP/1.1 502 Bad Gateway\r\n\r\n");
  });
  const env = { NODE_USE_ENV_PROXY: "1", HTTP_PROXY: await listening(proxy), NO_PROXY: "" };
  expect((await cli.run(["domains"], { env })).exitCode).toBe(1);
  expect(used).toBeGreaterThan(0);
});

test("an https address whose server speaks plain HTTP is named as such", async () => {
  const url = zw.url.replace("http:", "https:");
  const { exitCode, stderr } = await cli.run(["whoami"], { env: { ZONEWRIGHT_URL: url } });
  expect(exitCode).toBe(1);
  expect(stderr).toMatch(/^https:\S+ does not answer with TLS \(\w+\)\. Check the port: .+ speaks plain HTTP\.\n$/);
});

test("a certificate that is not trusted is named with what to set, and trusted then", async () => {
  const authority = await newAuthority("Harbor");
  const { certificate, key } = await authority.sign("127.0.0.1");
  const secure = createSecureServer({ cert: certificate, key }, (_request, response) => {
    response.writeHead(200, { "content-type": "application/json" }).end('{"name":"other"}');
  });
  const url = (await listening(secure)).replace("http:", "https:");
  const file = join(cli.configFolder, "authority.pem");
  await writeFile(file, authority.certificate);
  const untrusted = `The certificate of ${url} is not trusted (…). If your own authority issued it, set NODE_EXTRA_CA_CERTS to its file.\n`;
  const login = ["login", "--url", url, "--token", "x"];
  for (const { stderr } of [
    await cli.run(login, { env: unset }),
    await cli.run(["domains"], { env: { ZONEWRIGHT_URL: url } }),
  ])
    expect(stderr.replace(/\([A-Z_]+\)/, "(…)")).toBe(untrusted);
  const trusting = { ...unset, NODE_EXTRA_CA_CERTS: file };
  expect((await cli.run(login, { env: trusting })).stderr).toBe(
    `${url} is not a Zonewright server. Check the address.\n`,
  );
});

test("the error about a server that is too old for a command names its version", async () => {
  const old = createServer(({ url = "" }, response) => {
    response.setHeader("content-type", "application/json");
    if (url === "/version") response.end('{"name":"zonewright","version":"0.1.0"}');
    else {
      const missing = missingProcedure("domains.list");
      response.statusCode = missing.status;
      void missing.text().then((text) => response.end(text));
    }
  });
  const url = await listening(old);
  const { stderr } = await cli.run(["domains"], { env: { ZONEWRIGHT_URL: url } });
  expect(stderr).toBe(
    `${url} runs Zonewright 0.1.0, which does not offer this call. Upgrade the server, or use the command line of its version.\n`,
  );
});

test("the error about a server that is busy or fails says what to do", async () => {
  const answers = [
    [429, "TOO_MANY_REQUESTS", "Too many requests.", { "retry-after": "60" }],
    [500, "INTERNAL_SERVER_ERROR", "Something went wrong.", {}],
    [403, "FORBIDDEN", "The token lacks the permission domains:read.", {}],
  ] as const;
  let answer: (typeof answers)[number] = answers[0];
  const failing = createServer((_request, response) => {
    const [status, code, detail, headers] = answer;
    response.writeHead(status, { "content-type": "application/problem+json", "x-request-id": "r-1", ...headers });
    const problem = {
      type: "about:blank",
      title: code,
      status,
      detail,
      code,
      message: detail,
      issues: null,
      requestId: "r-1",
    };
    response.end(JSON.stringify(problem));
  });
  const url = await listening(failing);
  const told: string[] = [];
  for (answer of answers) told.push((await cli.run(["domains"], { env: { ZONEWRIGHT_URL: url } })).stderr);
  expect(told).toEqual([
    "Too many requests. Try again in 60 s.\n",
    "Something went wrong. Its log has more under request r-1.\n",
    "The token lacks the permission domains:read.\n",
  ]);
});
