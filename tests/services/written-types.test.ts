import { readFile } from "node:fs/promises";
import { join } from "node:path";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { compiledZone } from "../support/name-servers/compilezone.ts";
import { writtenValues } from "../support/records/arbitrary-data.ts";
import { useZonewright } from "../support/zonewright.ts";

const zw = useZonewright();
const sets = 4;

test.each(Object.keys(writtenValues))(
  "BIND reads the %s records that clients write as it reads the values themselves in a file",
  async (recordType) => {
    const config = { folder: `of-${recordType.toLowerCase()}`, checkNames: "off" };
    const made = await zw.admin.post("/api/provider-configs", { kind: "zonefile", name: recordType, config });
    for (let set = 0; set < sets; set++) {
      const zone = `${recordType.toLowerCase()}${set}.example`;
      const { body } = await zw.admin.post("/api/domains", { name: zone, providerConfigId: made.body.id });
      const values = fc.sample(writtenValues[recordType] ?? fc.constant(""), 50);
      const records = values.map((value, index) => ({ recordType, name: `r${index}`, value, ttl: 300 }));
      // A DS belongs beside the NS of a delegation.
      const delegations = records.map(({ name }) => ({ recordType: "NS", name, value: "ns.elsewhere.test", ttl: 300 }));
      if (recordType === "DS") records.push(...delegations);
      const bulk = await zw.admin.post(`/api/domains/${body.id}/records/bulk`, { records, mode: "atomic" });
      expect({ status: bulk.status, succeeded: bulk.body.succeeded, detail: bulk.body.detail }).toEqual({
        status: 200,
        succeeded: records.length,
        detail: undefined,
      });
      const written = await readFile(join(zw.dataDir, "zones", config.folder, `${zone}.zone`), "utf8");
      // A client's host name is absolute: so it is in a file whose origin is the root.
      const head = written.slice(0, written.indexOf("r0 "));
      const lines = records.map(
        (record) => `${record.name}.${zone}. ${record.ttl} IN ${record.recordType} ${record.value}`,
      );
      expect(await compiledZone(zone, written)).toEqual(
        await compiledZone(zone, `${head}\n$ORIGIN .\n${lines.join("\n")}\n`),
      );
    }
  },
);
