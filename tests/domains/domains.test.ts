import { expect, test } from "vitest";
import { useZonewright } from "../support/zonewright.ts";

const zw = useZonewright();

test("a new domain is shown with everything that was said of it", async () => {
  const created = await zw.admin.post("/api/domains", {
    name: "Example.COM.",
    groupName: "Customers",
    tags: ["b", "a", "b"],
  });
  expect(created.status).toBe(201);
  expect(created.body).toMatchObject({
    name: "example.com",
    groupName: "Customers",
    tags: ["b", "a"],
    recordCount: 0,
    status: "active",
  });
  const detail = await zw.admin.get(`/api/domains/${created.body.id}`);
  expect(detail.body).toEqual(created.body);
});
