import { expect, test } from "vitest";
import { newZone } from "../../dns-service/updates/key-clients.ts";
import { isBusyAnswer, isBusyRcode, untilDone } from "../../support/patience.ts";
import { update } from "../../support/name-servers/update-client.ts";
import { kinds, usePlaces } from "./places.ts";

const started = usePlaces();

test.each(kinds)(
  "20 updates beside 20 edits of the console at the same names of a zone of kind %s lose nothing",
  async (kind) => {
    const name = `beside-${kind}.test`;
    const zone = await newZone(started.zw, name, {
      providerConfigId: await started.places.configFor(started.zw, kind, name),
    });
    const before = await zone.lines();
    const all = Array.from({ length: 20 }, (_, index) => index);
    const edits = all.map((index) => {
      const record = { recordType: "A", name: `both${index % 5}`, value: `192.0.2.${index}`, ttl: 300 };
      return untilDone(() => started.zw.admin.post(zone.path, record), isBusyAnswer);
    });
    const updates = all.map((index) => {
      const added = update.add(`both${index % 5}`, "A", `198.51.100.${index}`);
      return untilDone(() => zone.client.update([added], [], index % 2 === 0 ? "udp" : "tcp"), isBusyRcode);
    });
    expect(new Set(await Promise.all(updates))).toEqual(new Set([0]));
    expect(new Set((await Promise.all(edits)).map(({ status }) => status))).toEqual(new Set([201]));
    const added = all.flatMap((index) => [
      `both${index % 5} 300 A 192.0.2.${index}`,
      `both${index % 5} 300 A 198.51.100.${index}`,
    ]);
    expect(await zone.lines()).toEqual([...before, ...added].toSorted());
    // Two kinds have no other copy.
    if (kind === "manual" || kind === "primary") return;
    const { status, body } = await started.zw.admin.post(`/api/domains/${zone.id}/sync`, { dryRun: true });
    expect({ status, body }).toMatchObject({ status: 200, body: { created: 0, updated: 0, deleted: 0 } });
  },
);
