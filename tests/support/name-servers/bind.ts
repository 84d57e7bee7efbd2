import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { binary } from "../binaries.ts";
import { freePorts, mustRun, startProgram } from "../programs.ts";
import {
  emptyZone,
  freshKey,
  serverFolder,
  untilResigned,
  untilSigned,
  updateServer,
  type ServerKey,
  type SigningServer,
  type UpdateServer,
} from "./update-server.ts";

interface BindOptions {
  algorithm?: ServerKey["algorithm"];
  /** The initial content of each zone. */
  contentOf?: (zone: string) => string;
  /** Absolute names that may not be updated. */
  forbidden?: readonly string[];
}

/** Starts BIND with dynamic zones. */
export async function startBind(zones: readonly string[], options: BindOptions = {}): Promise<UpdateServer> {
  return (await start(zones, options, null)).server;
}

/**
 * Starts BIND with dynamic zones that it signs (`dnssec-policy default`).
 * @param inline whether it keeps the signed zone apart from the one that is updated, and signs a moment later.
 */
export async function startSigningBind(
  zones: readonly string[],
  { inline, ...options }: BindOptions & { inline: boolean },
): Promise<SigningServer> {
  const { server, control } = await start(zones, options, inline);
  for (const zone of zones) await untilSigned(server, zone);
  return {
    ...server,
    resign: (zone) => untilResigned(server, zone, () => mustRun(binary("rndc"), [...control, "sign", zone])),
  };
}

async function start(
  zones: readonly string[],
  options: BindOptions,
  inline: boolean | null,
): Promise<{ server: UpdateServer; control: string[] }> {
  const { algorithm, contentOf = emptyZone, forbidden = [] } = options;
  const folder = await serverFolder("bind");
  const [port = 0, controlPort = 0] = await freePorts(2);
  const key = freshKey(algorithm);
  const controlKey = join(folder, "control.key");
  for (const zone of zones) await writeFile(join(folder, `${zone}.zone`), contentOf(zone));
  await writeFile(controlKey, keyStatement(key), { mode: 0o600 });
  const configuration = join(folder, "named.conf");
  const text = configurationOf({ folder, port, controlPort, key, zones, forbidden, inline });
  await writeFile(configuration, text, { mode: 0o600 });
  const program = await startProgram(binary("named"), ["-g", "-n", "1", "-c", configuration], / running$/m);
  return {
    server: updateServer({ port, key, folder, program }, zones),
    control: ["-s", "127.0.0.1", "-p", String(controlPort), "-k", controlKey],
  };
}

function keyStatement({ name, algorithm, secret }: ServerKey): string {
  return `key "${name}" { algorithm ${algorithm}; secret "${secret}"; };`;
}

function configurationOf(parts: {
  folder: string;
  port: number;
  controlPort: number;
  key: ServerKey;
  zones: readonly string[];
  forbidden: readonly string[];
  inline: boolean | null;
}): string {
  const { folder, port, controlPort, key, zones, forbidden, inline } = parts;
  const signing =
    inline === null
      ? ""
      : `dnssec-policy default;\n  inline-signing ${inline ? "yes" : "no"};\n  key-directory "${folder}";`;
  const denials = forbidden.map((name) => `deny "${key.name}" name ${name} ANY; `).join("");
  const blocks = zones.map(
    (zone) => `
zone "${zone}" {
  type primary;
  file "${join(folder, zone)}.zone";
  update-policy { ${denials}grant "${key.name}" zonesub ANY; };
  allow-transfer { key "${key.name}"; };
  ${signing}
};`,
  );
  return `
${keyStatement(key)}
${optionsOf(folder, port)}controls { inet 127.0.0.1 port ${controlPort} allow { 127.0.0.1; } keys { "${key.name}"; }; };
${blocks.join("\n")}
`;
}

function optionsOf(folder: string, port: number): string {
  return `
options {
  directory "${folder}";
  pid-file none;
  session-keyfile none;
  listen-on port ${port} { 127.0.0.1; };
  listen-on-v6 { none; };
  recursion no;
  notify no;
  dnssec-validation no;
  empty-zones-enable no;
};
`;
}

/** Starts BIND with two views of each zone, `internal` and `external`, which the key of a request chooses. */
export async function startBindViews(
  zones: readonly string[],
): Promise<{ internal: UpdateServer; external: UpdateServer }> {
  const folder = await serverFolder("bind-views");
  const [port = 0] = await freePorts(1);
  const views = ["internal", "external"].map((view) => ({ view, key: { ...freshKey(), name: `${view}.key` } }));
  for (const { view } of views)
    for (const zone of zones) await writeFile(join(folder, `${zone}.${view}`), emptyZone(zone));
  const blocks = views.map(
    ({ view, key }) => `
view "${view}" {
  match-clients { key "${key.name}"; };
${zones
  .map(
    (zone) => `
  zone "${zone}" {
    type primary;
    file "${join(folder, `${zone}.${view}`)}";
    update-policy { grant "${key.name}" zonesub ANY; };
    allow-transfer { key "${key.name}"; };
  };`,
  )
  .join("\n")}
};`,
  );
  const configuration = join(folder, "named.conf");
  const text = `${views.map(({ key }) => keyStatement(key)).join("\n")}\n${optionsOf(folder, port)}${blocks.join("\n")}\n`;
  await writeFile(configuration, text, { mode: 0o600 });
  const program = await startProgram(binary("named"), ["-g", "-n", "1", "-c", configuration], / running$/m);
  const [internal, external] = views.map(({ key }) => updateServer({ port, key, folder, program }, zones));
  if (!internal || !external) throw new Error("BIND has two views.");
  return { internal, external };
}
