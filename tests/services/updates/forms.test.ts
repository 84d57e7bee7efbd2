import { beforeAll, describe, expect, test } from "vitest";
import { rcodes } from "../../../server/dns/wire/messages.ts";
import { newZone } from "../../dns-service/updates/key-clients.ts";
import { update } from "../../support/name-servers/update-client.ts";
import { forms } from "./forms.ts";
import { kinds, usePlaces } from "./places.ts";

/** Every form of update, into a zone at each kind of provider. */

const started = usePlaces();

describe.each(kinds)("a zone of kind %s", (kind) => {
  const name = `forms-${kind}.test`;
  let zone: Awaited<ReturnType<typeof newZone>>;
  beforeAll(async () => {
    zone = await newZone(started.zw, name, {
      providerConfigId: await started.places.configFor(started.zw, kind, name),
    });
    // So that there is something to protect; other kinds have them from the start, or from the vendor.
    if (kind === "zonefile" || kind === "manual")
      await zone.add({ recordType: "NS", name: "@", value: "ns1.example.net", ttl: 300 });
  });

  /** Expects that the provider has what the zone has. Two kinds have no other copy. */
  async function expectSame(): Promise<void> {
    if (kind === "manual" || kind === "primary") return;
    const { status, body } = await started.zw.admin.post(`/api/domains/${zone.id}/sync`, { dryRun: true });
    expect({ status, body }).toMatchObject({ status: 200, body: { created: 0, updated: 0, deleted: 0 } });
  }

  test.each(forms.map((form, index) => [form.what, `f${index}`, form] as const))(
    "an update that %s has its RCODE, and nothing else changes",
    async (_what, host, { before, prerequisites, updates, rcode = 0, after = before }) => {
      for (const line of before) {
        const [ttl, recordType, ...value] = line.split(" ");
        await zone.add({ recordType, name: host, value: value.join(" "), ttl: Number(ttl) });
      }
      const others = (await zone.lines()).filter((line) => !line.startsWith(`${host} `));
      const revision = await zone.revision();
      expect(await zone.client.update(updates(host), prerequisites?.(host))).toBe(rcode);
      expect(await zone.lines()).toEqual([...others, ...after.map((line) => `${host} ${line}`)].toSorted());
      expect(await zone.revision()).toBe(revision + (after === before ? 0 : 1));
      await expectSame();
    },
  );
});

test("an update that BIND refuses for one name is refused, and changes no other", async () => {
  const name = "refused-forms.test";
  const zone = await newZone(started.zw, name, {
    providerConfigId: await started.places.configFor(started.zw, "rfc2136", name),
  });
  const before = await zone.lines();
  const both = [update.add("with", "A", "192.0.2.1"), update.add("refused", "A", "192.0.2.1")];
  expect(await zone.client.update(both)).toBe(rcodes.REFUSED);
  expect(await zone.lines()).toEqual(before);
  const { status, body } = await started.zw.admin.post(`/api/domains/${zone.id}/sync`, { dryRun: true });
  expect({ status, body }).toMatchObject({ status: 200, body: { created: 0, updated: 0, deleted: 0 } });
});
