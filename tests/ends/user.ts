import { sql } from "kysely";
import { expect } from "vitest";
import { queries } from "../../server/database/database.ts";
import { assign, idOf } from "../accounts/assignments/assigned.ts";
import { entries } from "../notifications/audit/trail.ts";
import { approve, creating, readRequest, requested } from "../zones/change-requests/requested.ts";
import type { RestClient } from "../support/rest-client.ts";
import { codeAt } from "../support/second-factors/authenticator-app.ts";
import { memberPassword, type Zonewright } from "../support/zonewright.ts";
import { manualZone, Zone } from "../support/zones.ts";
import { deleted, tokenOf, type Proofs } from "./proof.ts";

let count = 0;

/** What happens to each thing of a user who is deleted. */
export function ofUser(zw: Zonewright): Proofs {
  const someone = async () => {
    count += 1;
    const username = `leaves-${count}`;
    const client = await zw.member(username);
    const id = await idOf(client);
    return { id, username, client, leave: () => deleted(zw.admin, `/api/users/${id}`) };
  };
  /** A member who may write to a zone. */
  const writer = async () => {
    const person = await someone();
    const zone = await manualZone(zw);
    await assign(zw, person.client, zone.id, "*");
    return { ...person, zone, own: new Zone(zw, zone, person.client) };
  };
  return {
    "domains they own": {
      columns: ["domains.owner_id"],
      async prove() {
        const { id } = await someone();
        const zone = await manualZone(zw);
        const owned = queries(zw.services.database.fork()).updateTable("domains").set({ owner_id: id });
        await owned.where("id", "=", zone.id).execute();
        expect((await zw.admin.delete(`/api/users/${id}`)).status).toBe(409);
        const admin = await idOf(zw.admin);
        await deleted(zw.admin, `/api/users/${id}?reassignTo=${admin}`);
        expect((await zone.detail()).ownerId).toBe(admin);
      },
    },
    sessions: {
      columns: ["sessions.user_id", "sign_in_challenges.user_id", "password_resets.user_id"],
      async prove() {
        const { client, leave } = await someone();
        await leave();
        expect((await client.get("/api/auth/me")).status).toBe(401);
      },
    },
    "personal tokens": {
      columns: ["personal_tokens.user_id", "cli_codes.user_id", "device_sign_ins.user_id"],
      async prove() {
        const { client, leave } = await someone();
        const { program } = await tokenOf(client, ["domains:read"]);
        expect((await program.get("/api/domains")).status).toBe(200);
        await leave();
        expect((await program.get("/api/domains")).status).toBe(401);
      },
    },
    "calendar feeds": {
      columns: ["calendar_feeds.user_id"],
      async prove() {
        const { client, leave } = await someone();
        const { body } = await client.post("/api/auth/me/feeds", { name: "Renewals" });
        const fetched = () => zw.nobody.get(`/api/calendar/${body.token}.ics`);
        expect((await fetched()).status).toBe(200);
        await leave();
        expect((await fetched()).status).toBe(404);
      },
    },
    "pinned zones, saved searches and columns": {
      columns: ["user_preferences.user_id"],
      async prove() {
        const { id, client, leave } = await someone();
        expect((await client.put("/api/auth/me/preferences", { pinnedZones: ["left.example"] })).status).toBe(200);
        const rows = () =>
          queries(zw.services.database.fork())
            .selectFrom("user_preferences")
            .select("user_id")
            .where("user_id", "=", id);
        expect(await rows().execute()).toHaveLength(1);
        await leave();
        expect(await rows().execute()).toEqual([]);
      },
    },
    "TSIG keys": {
      columns: ["tsig_keys.user_id"],
      async prove() {
        const { client, zone, leave } = await writer();
        const { body } = await client.post("/api/auth/me/tsig-keys", { domainId: zone.id });
        const { tsigKeyCredentials } = zw.services;
        expect(await tsigKeyCredentials.named(body.keyName)).not.toBeNull();
        await leave();
        expect(await tsigKeyCredentials.named(body.keyName)).toBeNull();
      },
    },
    "passkeys, authenticator app, recovery codes": {
      columns: [
        "passkeys.user_id",
        "passkey_challenges.user_id",
        "totp_factors.user_id",
        "recovery_codes.user_id",
        "email_factors.user_id",
        "email_verifications.user_id",
      ],
      async prove() {
        const { id, username, client, leave } = await someone();
        const { body: setup } = await client.post("/api/2fa/totp/setup");
        const enabled = await client.post("/api/2fa/totp/enable", { code: codeAt(setup.secret, new Date()) });
        expect(enabled.status).toBe(200);
        await leave();
        expect((await zw.admin.get(`/api/users/${id}/access`)).status).toBe(404);
        const again = await zw.member(username);
        expect((await again.get("/api/2fa")).body).toMatchObject({ totp: false });
        expect((await zw.nobody.post("/api/auth/login", { username, password: memberPassword })).status).toBe(200);
      },
    },
    "external identities": {
      columns: [
        "group_roles.user_id",
        "identity_bindings.user_id",
        "identity_flows.user_id",
        "identity_tickets.user_id",
      ],
      async prove() {
        const { id, leave } = await someone();
        const database = queries(zw.services.database.fork());
        await sql`
          insert into identity_bindings (id, provider_id, issuer, subject, user_id, created_at)
          values (gen_random_uuid(), 'google', 'https://issuer.example', ${id}::text, ${id}::uuid, now())
        `.execute(database);
        await leave();
        const left = await sql`select 1 from identity_bindings where subject = ${id}::text`.execute(database);
        expect(left.rows).toEqual([]);
      },
    },
    assignments: {
      columns: ["assignments.user_id"],
      async prove() {
        const { zone, leave } = await writer();
        await leave();
        expect((await zw.admin.get(`/api/assignments?domainId=${zone.id}`)).body.assignments).toEqual([]);
      },
    },
    "requests for access": {
      columns: ["assignment_requests.user_id"],
      async prove() {
        const { id, client, leave } = await someone();
        const zone = await manualZone(zw);
        const asked = { domainName: zone.name, subdomainPattern: "www", access: "read" };
        expect((await client.post("/api/assignments/requests", asked)).status).toBe(201);
        await leave();
        const { body } = await zw.admin.get("/api/assignments/requests?limit=100");
        expect(body.requests.filter((request: { userId: string }) => request.userId === id)).toEqual([]);
      },
    },
    "records that name them as the contact": {
      async prove() {
        const { id, zone, leave } = await writer();
        const record = await zone.add("A", "www", "192.0.2.1");
        await zone.update(record.id, { ownerId: id });
        await zone.update(record.id, { ttl: 60 });
        const { revision } = await zone.detail();
        await leave();
        expect(await zone.records()).toMatchObject([{ id: record.id, ttl: 60, ownerId: null }]);
        expect(await zone.records(`&at=${revision - 1}`)).toMatchObject([{ id: record.id, ownerId: null }]);
        const [entry] = await entries(zw.admin, { targetId: id, action: "user.delete" });
        expect(entry?.after).toMatchObject({ recordsLeft: 1 });
      },
    },
    "open change requests": {
      columns: ["change_requests.author_id"],
      async prove() {
        const { client, zone, leave } = await writer();
        const made = await requested(client, zone, creating("www"));
        await leave();
        expect(await readRequest(zw.admin, made)).toMatchObject({ state: "withdrawn", author: null });
      },
    },
    approvals: {
      columns: ["change_request_reviews.user_id"],
      async prove() {
        const { client, zone } = await writer();
        const reviewer = await someone();
        await promote(zw.admin, reviewer.id, "admin");
        const made = await requested(client, zone, creating("www"));
        expect((await approve(reviewer.client, made)).status).toBe(200);
        await promote(zw.admin, reviewer.id, "member");
        await reviewer.leave();
        expect((await readRequest(client, made)).state).toBe("open");
      },
    },
    "comments on change requests": {
      columns: ["change_request_comments.user_id"],
      async prove() {
        const { client, zone } = await writer();
        const other = await someone();
        await assign(zw, other.client, zone.id, "*", "read");
        const { id } = await requested(client, zone, creating("www"));
        const comments = `/api/change-requests/${id}/comments`;
        expect((await other.client.post(comments, { text: "Is it in use?" })).status).toBe(201);
        await other.leave();
        expect((await client.get(comments)).body.comments).toMatchObject([{ text: "Is it in use?", user: null }]);
      },
    },
    "history and audit trail": {
      columns: ["batches.user_id", "deliveries.user_id"],
      async prove() {
        const { id, zone, own, leave } = await writer();
        await own.add("A", "www", "192.0.2.1");
        await leave();
        expect((await zone.history())[0]).toMatchObject({ actorId: id });
        const [entry] = await entries(zw.admin, { targetId: zone.id, action: "records.edit" });
        expect(entry).toMatchObject({ actorId: id });
      },
    },
  };
}

async function promote(admin: RestClient, id: string, role: string): Promise<void> {
  expect((await admin.put(`/api/users/${id}`, { role })).status).toBe(200);
}
