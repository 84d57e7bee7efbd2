import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { binary } from "../binaries.ts";
import { startProgram } from "../programs.ts";

/** Where a server listens, and its zones: master files by name. `.` is the root. */
interface Settings {
  address: string;
  port: number;
  zones: ReadonlyMap<string, string>;
}

export interface Authoritative {
  stop(): Promise<void>;
}

/**
 * Starts BIND, which only serves zones. It finds no loopback address but 127.0.0.1.
 * @param secondaries zones that it never got from their primary, and answers SERVFAIL for
 */
export async function startBind(settings: Settings & { secondaries?: readonly string[] }): Promise<Authoritative> {
  const { address, port, secondaries = [] } = settings;
  const { folder, files } = await zoneFolder("bind", settings);
  const zones = [
    ...files.map(([zone, file]) => `zone "${zone}" { type primary; file "${file}"; };`),
    ...secondaries.map((zone) => `zone "${zone}" { type secondary; primaries port 9 { 127.0.0.1; }; };`),
  ];
  const configuration = join(folder, "named.conf");
  await writeFile(
    configuration,
    `options {
  directory "${folder}";
  pid-file none;
  session-keyfile none;
  listen-on port ${port} { ${address}; };
  listen-on-v6 { none; };
  allow-query { 127.0.0.0/8; };
  recursion no;
  notify no;
  dnssec-validation no;
  empty-zones-enable no;
};
controls { };
${zones.join("\n")}
`,
  );
  return await running("named", ["-g", "-n", "1", "-c", configuration], / running$/m, folder);
}

export async function startNsd(settings: Settings): Promise<Authoritative> {
  const { folder, files } = await zoneFolder("nsd", settings);
  const configuration = join(folder, "nsd.conf");
  const zones = files.map(([zone, file]) => `zone:\n  name: "${zone}"\n  zonefile: "${file}"`);
  await writeFile(
    configuration,
    `server:
  ip-address: ${settings.address}@${settings.port}
  server-count: 1
  username: ""
  chroot: ""
  zonesdir: "${folder}"
  database: ""
  pidfile: ""
  xfrdfile: ""
  zonelistfile: "${join(folder, "zones.list")}"
  rrl-ratelimit: 0
  rrl-whitelist-ratelimit: 0
remote-control:
  control-enable: no
${zones.join("\n")}
`,
  );
  return await running("nsd", ["-d", "-c", configuration], /nsd started/, folder);
}

async function zoneFolder(name: string, { zones }: Settings): Promise<{ folder: string; files: [string, string][] }> {
  const folder = await mkdtemp(join(tmpdir(), `zonewright-${name}-`));
  await mkdir(join(folder, "zones"));
  const files = await Promise.all(
    [...zones].map(async ([zone, text]): Promise<[string, string]> => {
      const file = join(folder, "zones", zone === "." ? "root" : zone);
      await writeFile(file, text);
      return [zone, file];
    }),
  );
  return { folder, files };
}

async function running(
  program: "named" | "nsd",
  args: string[],
  ready: RegExp,
  folder: string,
): Promise<Authoritative> {
  const server = await startProgram(binary(program), args, ready);
  return {
    async stop() {
      await server.stop("SIGTERM");
      await rm(folder, { recursive: true, force: true });
    },
  };
}
