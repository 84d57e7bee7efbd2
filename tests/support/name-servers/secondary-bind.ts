import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { binary } from "../binaries.ts";
import { startProgram } from "../programs.ts";
import { substituted } from "../pages/page-configuration.ts";
import { documentedKey, hostTransfersFrom, inPlaceOfKey, inPlaceOfName, secondaryOn } from "./documented-secondary.ts";
import { startSecondary, type Secondary, type SecondaryOptions } from "./secondary.ts";

/** Starts BIND as a secondary. */
export async function startBindSecondary(options: SecondaryOptions): Promise<Secondary> {
  return await startSecondary("bind", options, async (folder, port) => {
    const configuration = join(folder, "named.conf");
    await writeFile(configuration, await bindConfiguration({ ...options, folder, port }), { mode: 0o600 });
    return await startProgram(binary("named"), ["-g", "-n", "1", "-c", configuration], / running$/m);
  });
}

/** Returns the configuration of BIND: what docs/guide/secondaries.md shows, and the options that a test needs. */
async function bindConfiguration(parts: SecondaryOptions & { folder: string; port: number }): Promise<string> {
  const { folder, port, primaryPort, key, zones = [], catalog = null, bindOptions = "", bindZone = "" } = parts;
  const { transfersFrom } = parts;
  const values = {
    "192.0.2.10": `127.0.0.1 port ${primaryPort}`,
    ...inPlaceOfName(key),
    ...(transfersFrom === undefined ? {} : { [hostTransfersFrom]: transfersFrom }),
  };
  const shown = (text: string) => (key ? text : text.replaceAll(` key "${documentedKey}"`, ""));
  const [keyStatement = "", ownZone = ""] = (await secondaryOn(`key "${documentedKey}" {`)).split("\n\n");
  const zone = transfersFrom === undefined ? ownZone : await secondaryOn("transfer-source");
  const secondaries = zones.map((name) =>
    substituted(shown(zone), { ...values, "example.com": name }).replace(/^\};/m, `  ${bindZone}\n};`),
  );
  const ofCatalog = shown(await secondaryOn("catalog-zones {"));
  const [, catalogOptions = "", catalogZone = ""] =
    catalog === null
      ? []
      : (/^options \{\n([^]*?)^\};\n([^]*)$/m.exec(substituted(ofCatalog, { ...values, "catalog.invalid": catalog })) ??
        []);
  return `${key ? substituted(keyStatement, inPlaceOfKey(key)) : ""}
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
${catalogOptions}
${bindOptions}
};
${secondaries.join("\n")}
${catalogZone}
`;
}
