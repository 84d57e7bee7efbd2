import { presentedRecords } from "../support/records/presentation.ts";
import { startZonewright } from "../support/zonewright.ts";
import { addZone, manualConfig } from "../support/zones.ts";
import { powerdnsKey, PowerdnsClient } from "../dns-service/update-clients/powerdns-api/client.ts";
import { powerdnsSuite, zone, type PowerdnsUnderTest } from "./powerdns/suite.ts";

/** A Zonewright that answers PowerDNS's API on a port of its own. Its export stands in for what a name server would serve. */
async function startFace(): Promise<PowerdnsUnderTest> {
  const zw = await startZonewright({ env: { PDNS_LISTEN: "127.0.0.1:0" } });
  const url = zw.powerdnsUrl ?? "";
  await addZone(zw, { name: zone, providerConfigId: await manualConfig(zw) });
  const apiKey = await powerdnsKey(zw.admin);
  const client = new PowerdnsClient(url, apiKey, "/api/v1/servers/localhost");
  const transfer = async (zone: string) => {
    const { body } = await client.get(`/zones/${zone}./export`, { accept: "text/plain" });
    return presentedRecords(body);
  };
  return {
    url,
    apiKey,
    async call(method, path, body) {
      const { status, body: answer } = await client.send(method, path, body);
      if (status >= 300) throw new Error(`The face answers ${status} to ${method} ${path}: ${JSON.stringify(answer)}`);
      return answer === "" ? null : answer;
    },
    transfer,
    async lookUp(name, type) {
      const { body } = await client.get("/zones");
      const found = body
        .map((one: { name: string }) => one.name.slice(0, -1))
        .find((one: string) => name.endsWith(one));
      const records = await transfer(found);
      return records.filter((one) => one.name === `${name}.` && [type, "CNAME"].includes(one.type));
    },
    stop: () => zw.stop(),
  };
}

powerdnsSuite(startFace, false);
