import { describe, expect, test } from "vitest";
import type { Answer, RestClient } from "../../support/rest-client.ts";
import { addZone, freshName, manualConfig } from "../../support/zones.ts";
import { useZonewright } from "../../support/zonewright.ts";

const zw = useZonewright();

describe("requests for a domain by name", () => {
  test("approving a name that has come to mean another view is refused, and the administrator sees the view", async () => {
    const providerConfigId = await manualConfig(zw);
    const name = freshName();
    await addZone(zw, { name: `${name}!internal`, providerConfigId });
    const member = await zw.member("views-asker");
    const request = await ask(member, name);
    expect(request).toMatchObject({ domainName: name, domainId: null });
    const { body: list } = await zw.admin.get("/api/assignments/requests?status=pending");
    expect(list.requests.find(({ id }: { id: string }) => id === request.id).domainName).toBe(`${name}!internal`);
    const ofDefault = await ask(member, `${name}!default`);
    await addZone(zw, { name, providerConfigId });
    const refused = await zw.admin.post(`/api/assignments/requests/${request.id}/approve`, {});
    expect(refused).toMatchObject({
      status: 409,
      body: { detail: expect.stringContaining("is no longer the domain that was requested") },
    });
    expect((await member.get("/api/domains")).body.total).toBe(0);
    const approved = await zw.admin.post(`/api/assignments/requests/${ofDefault.id}/approve`, {});
    expect(approved).toMatchObject({ status: 200, body: { domainName: name } });
    expect((await member.get("/api/domains")).body.domains).toMatchObject([{ name, view: "" }]);
  });

  test("approving a name of several views is refused with their names", async () => {
    const providerConfigId = await manualConfig(zw);
    const name = freshName();
    for (const view of ["a", "b"]) await addZone(zw, { name, view, providerConfigId });
    const request = await ask(await zw.member("views-asker-2"), name);
    const refused = await zw.admin.post(`/api/assignments/requests/${request.id}/approve`, {});
    expect(refused).toMatchObject({ status: 409, body: { detail: expect.stringContaining(`${name}!a, ${name}!b`) } });
  });
});

async function ask(member: RestClient, domainName: string): Promise<Answer["body"]> {
  const request = { domainName, subdomainPattern: "*", access: "read", reason: "" };
  return (await member.post("/api/assignments/requests", request)).body;
}
