import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { binary } from "../binaries.ts";
import { freePorts, startProgram } from "../programs.ts";
import { emptyZone, freshKey, serverFolder, updateServer, type ServerKey, type UpdateServer } from "./update-server.ts";

/** Starts BIND with dynamic zones. */
export async function startBind(
  zones: readonly string[],
  options: {
    algorithm?: ServerKey["algorithm"];
    /** What each zone holds at first. */
    contentOf?: (zone: string) => string;
    /** Absolute names that may not be updated. */
    forbidden?: readonly string[];
  } = {},
): Promise<UpdateServer> {
  const { algorithm, contentOf = emptyZone, forbidden = [] } = options;
  const folder = await serverFolder("bind");
  const [port = 0] = await freePorts(1);
  const key = freshKey(algorithm);
  for (const zone of zones) await writeFile(join(folder, `${zone}.zone`), contentOf(zone));
  const configuration = join(folder, "named.conf");
  await writeFile(configuration, configurationOf(folder, port, key, zones, forbidden), { mode: 0o600 });
  const program = await startProgram(binary("named"), ["-g", "-n", "1", "-c", configuration], / running$/m);
  return updateServer({ port, key, folder, program }, zones);
}

function configurationOf(
  folder: string,
  port: number,
  key: ServerKey,
  zones: readonly string[],
  forbidden: readonly string[],
): string {
  const denials = forbidden.map((name) => `deny "${key.name}" name ${name} ANY; `).join("");
  const blocks = zones.map(
    (zone) => `
zone "${zone}" {
  type primary;
  file "${join(folder, zone)}.zone";
  update-policy { ${denials}grant "${key.name}" zonesub ANY; };
  allow-transfer { key "${key.name}"; };
};`,
  );
  return `
key "${key.name}" { algorithm ${key.algorithm}; secret "${key.secret}"; };
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
controls {};
${blocks.join("\n")}
`;
}
