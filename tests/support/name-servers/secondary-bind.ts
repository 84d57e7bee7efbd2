import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { binary } from "../binaries.ts";
import { startProgram } from "../programs.ts";
import { startSecondary, type Secondary, type SecondaryOptions } from "./secondary.ts";

/** Starts BIND as a secondary. */
export async function startBindSecondary(options: SecondaryOptions): Promise<Secondary> {
  return await startSecondary("bind", options, async (folder, port) => {
    const configuration = join(folder, "named.conf");
    await writeFile(configuration, bindConfiguration({ ...options, folder, port }), { mode: 0o600 });
    return await startProgram(binary("named"), ["-g", "-n", "1", "-c", configuration], / running$/m);
  });
}

/** Returns the configuration of BIND, as docs/guide/secondaries.md shows it. */
function bindConfiguration(parts: SecondaryOptions & { folder: string; port: number }): string {
  const { folder, port, primaryPort, key, zones = [], catalog = null, bindOptions = "", bindZone = "" } = parts;
  const signed = key ? ` key "${key.name}"` : "";
  const primaries = `{ 127.0.0.1 port ${primaryPort}${signed}; }`;
  const secondaries = [...zones, ...(catalog === null ? [] : [catalog])].map(
    (zone) => `zone "${zone}" {
  type secondary;
  primaries ${primaries};
  file "${join(folder, zone)}.zone";
  ${bindZone}
};`,
  );
  const members =
    catalog === null
      ? ""
      : `  catalog-zones { zone "${catalog}" default-primaries ${primaries} zone-directory "${folder}" min-update-interval 1; };`;
  return `${key ? `key "${key.name}" { algorithm ${key.algorithm}; secret "${key.secret}"; };` : ""}
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
  min-refresh-time 1;
  allow-transfer { 127.0.0.1; };
${members}
${bindOptions}
};
${secondaries.join("\n")}
`;
}
