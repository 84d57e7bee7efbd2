import { startBind } from "../../tests/support/name-servers/bind.ts";
import { freePorts } from "../../tests/support/programs.ts";
import { startEnvironment, zoneFile } from "../support/environment.ts";
import type { Figure } from "../support/report.ts";
import { measureCatalog } from "./catalog.ts";
import { measurePropagation, servedZone } from "./propagation.ts";
import { measureSoaQueries } from "./queries.ts";
import { large, measureTransfer, measureDifferences, measureTransferMemory, medium, small } from "./transfers.ts";
import { addZone, configure, keyText } from "./zones.ts";

/** Measures the hidden primary beside BIND as a primary of the same zones, with one worker thread, in the same run. */
export async function measurePrimary(): Promise<Figure[]> {
  const zones = [large, medium, small];
  const records = new Map(zones.map((zone) => [zone.name, zone.records]));
  const bind = await startBind([...records.keys()], { contentOf: (zone) => zoneFile(zone, records.get(zone) ?? 0) });
  const [port = 0] = await freePorts(1);
  const environment = await startEnvironment({ DNS_LISTEN: `127.0.0.1:${port}` });
  try {
    const configId = await configure(environment, "By key", { tsigKeys: keyText(bind.key) });
    const largeId = await addZone(environment, configId, large.name, large.records);
    const transferred = await measureTransfer(port, bind);
    await addZone(environment, configId, medium.name, medium.records);
    const smallId = await addZone(environment, configId, small.name, small.records);
    return [
      ...transferred,
      ...(await measureTransferMemory(environment, bind.key)),
      await measureDifferences(environment, { port, key: bind.key, largeId, smallId }),
      ...(await measurePropagation(environment, port)),
      ...(await measureCatalog(environment, port)),
      await measureSoaQueries({ port, zone: servedZone }, { port: bind.port, zone: small.name }),
    ];
  } finally {
    await environment.stop();
    await bind.stop();
  }
}
