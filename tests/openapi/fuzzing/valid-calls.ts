import type { ApiDocument, FoundOperation } from "../../support/api/api-document.ts";
import { resolve, type JsonSchema } from "../../support/api/json-schema.ts";
import { silentRegistrar, type Ids } from "./furnish.ts";
import type { Json } from "./json-values.ts";

/** A request of one operation, before its address is put together. */
export interface Call {
  path: Record<string, string>;
  query: Record<string, string>;
  body: Json | undefined;
}

/** The document, and what calls may name. */
export interface Furnished {
  document: ApiDocument;
  ids: Ids;
}

/** A value that a schema accepts: its example, else the simplest there is. */
function sample(schema: JsonSchema, furnished: Furnished): Json {
  if (schema.$ref !== undefined) return sample(resolve(schema.$ref, furnished.document), furnished);
  if (schema.example !== undefined) return schema.example as Json;
  if (schema.default !== undefined) return schema.default as Json;
  if (schema.const !== undefined) return schema.const as Json;
  if (schema.enum) return schema.enum[0] as Json;
  if (schema.anyOf?.[0]) return sample(schema.anyOf[0], furnished);
  if (schema.format === "uuid") return furnished.ids.domain;
  if (schema.type === "array") return [sample(schema.items ?? {}, furnished)];
  if (schema.type === "object") {
    return Object.fromEntries(
      Object.entries(schema.properties ?? {}).map(([name, one]) => [name, sample(one, furnished)]),
    );
  }
  if (schema.type === "integer" || schema.type === "number") return schema.minimum ?? 0;
  if (schema.type === "boolean") return false;
  return "text";
}

/** Calls that only plan here. */
const plansAlone = new Set([
  "revertChange",
  "rollbackSnapshot",
  "restoreDomain",
  "syncDomain",
  "pushDomain",
  "importZonefile",
  "importPortfolio",
]);

/** What examples cannot know. */
function fillIn(operationId: string, body: Json | undefined, count: number, ids: Ids): Json | undefined {
  if (typeof body !== "object" || body === null || Array.isArray(body)) return body;
  const record = {
    recordType: "A",
    name: `host-${count}`,
    value: "192.0.2.7",
    ttl: 300,
    proxied: false,
    comment: null,
  };
  const filled = { ...body };
  if (operationId === "createUser") Object.assign(filled, { username: `user-${count}`, email: null });
  if (operationId === "updateUser")
    Object.assign(filled, { username: "fuzz", email: null, role: "member", disabled: false });
  if (operationId === "register")
    Object.assign(filled, { username: `guest-${count}`, email: null, inviteCode: ids.inviteCode });
  if (operationId === "createAssignment") {
    Object.assign(filled, { userId: ids.user, subdomainPattern: `*.of-${count}`, expiresAt: null });
    // One of the three.
    delete filled["groupName"];
    delete filled["tag"];
  }
  if (operationId === "requestAssignment") {
    Object.assign(filled, { subdomainPattern: `*.of-${count}`, host: null });
    // Either of the two.
    delete filled["domainId"];
  }
  // Instead of changes, and only with a registrar that answers.
  if (operationId === "createChangeRequest") delete filled["registration"];
  // Each provider once; disabled ones are not called.
  if (operationId === "createIdentityConfig")
    Object.assign(filled, { providerId: "google", wellKnownUrl: null, enabled: false });
  if (operationId === "updateIdentityConfig") {
    filled["wellKnownUrl"] = null;
    // Of the rules as they are.
    delete filled["groupRulesVersion"];
  }
  // Either of the two.
  if (operationId === "revokeUserAccess") delete filled["ids"];
  if (operationId === "createInvitation") filled["expiresAt"] = null;
  if ("providerConfigId" in filled)
    filled["providerConfigId"] = operationId === "createDomain" ? ids.config : ids.zonefiles;
  // Any other configuration; the plan alone does no harm.
  if (operationId === "createMirror") Object.assign(filled, { providerConfigId: ids.mirrorConfig, dryRun: true });
  if ("force" in filled) filled["force"] = true;
  if (operationId.endsWith("AcmeChallenge")) {
    filled["fqdn"] = "_acme-challenge.fuzz.example";
    // The other form.
    for (const field of ["domain", "token", "keyAuth"]) delete filled[field];
  }
  if (operationId === "createDomain") filled["name"] = `zone-${count}.example`;
  if (operationId === "createProviderConfig")
    Object.assign(filled, { name: `Config ${count}`, kind: "manual", config: {} });
  if (operationId === "createRegistrarConfig") Object.assign(filled, { name: `Account ${count}`, ...silentRegistrar });
  if (operationId === "updateRegistrarConfig") Object.assign(filled, { name: "Fuzz", config: silentRegistrar.config });
  if (operationId === "updateProviderConfig") Object.assign(filled, { name: "Fuzz", config: {} });
  if (operationId.endsWith("reateRecord")) Object.assign(filled, record);
  if (operationId.endsWith("pdateRecord")) Object.assign(filled, { ...record, name: "www" });
  if (operationId === "bulkCreateRecords") filled["records"] = [record, { ...record, value: "192.0.2.8" }];
  if (operationId === "updateDomain")
    Object.assign(filled, {
      reviewRequired: null,
      override: false,
      registrarConfigId: null,
      ownerId: null,
      yearlyCost: 1,
      currency: "EUR",
    });
  if (operationId === "createChangeRequest") filled["applyAt"] = null;
  if ("changes" in filled)
    filled["changes"] = [
      { action: "create", record },
      { action: "update", recordId: ids.record, record: { ttl: 600 } },
    ];
  // These plans can be made again and again.
  if (plansAlone.has(operationId)) {
    filled["dryRun"] = true;
    delete filled["planHash"];
  }
  if (operationId === "restoreDomain") filled["revision"] = 0;
  // Either zones or all of them.
  if (operationId === "importZones") delete filled["all"];
  if (operationId === "createChannel") filled["name"] = `Channel ${count}`;
  if (operationId === "updateChannel") {
    filled["name"] = "Fuzz";
    delete filled["channel"];
  }
  if (operationId === "createTemplate") filled["serviceId"] = `service-${count}`;
  if (operationId === "updateTemplate") filled["serviceId"] = "fuzz";
  if ("expiryRemindDays" in filled) filled["expiryRemindDays"] = [30, 7];
  return filled;
}

/** A call that works, where it can: the `count` keeps names apart. */
export function validCall({ path, operation }: FoundOperation, count: number, furnished: Furnished): Call {
  const { ids } = furnished;
  const own: Record<string, string> = {
    id: ids.domain,
    recordId: ids.record,
    snapshotId: ids.snapshot,
    mirrorId: ids.mirror,
    changeSetId: ids.changeSet,
    jobId: ids.replacement,
    templateId: ids.template,
    providerId: "github",
  };
  if (path.startsWith("/oauth/providers")) own["id"] = ids.identityConfig;
  if (path.startsWith("/provider-configs")) own["id"] = path.endsWith("}") ? ids.config : ids.zonefiles;
  if (path.startsWith("/registrar-configs")) own["id"] = ids.registrarConfig;
  if (path.startsWith("/notifications")) own["id"] = ids.notification;
  if (path.startsWith("/notifications/configs")) own["id"] = ids.channel;
  if (path.startsWith("/users")) own["id"] = ids.user;
  if (path.startsWith("/invitations")) own["id"] = ids.invitation;
  if (path.startsWith("/assignments")) own["id"] = ids.assignment;
  if (path.startsWith("/change-requests")) own["id"] = ids.changeRequest;
  if (path.startsWith("/templates")) own["id"] = ids.template;
  if (path.startsWith("/assignments/") && path.endsWith("/approve")) own["id"] = ids.approvable;
  if (path.startsWith("/assignments/") && path.endsWith("/reject")) own["id"] = ids.rejectable;
  const query: Record<string, string> = {};
  const inPath: Record<string, string> = {};
  const named: Record<string, string> = { findZoneOfName: { name: "www.fuzz.example" } }[operation.operationId] ?? {};
  for (const { name, in: where, schema, example } of operation.parameters ?? []) {
    if (where === "path") inPath[name] = own[name] ?? ids.domain;
    // Each side of a difference is a snapshot or a revision.
    if (operation.operationId === "diffSnapshots" && name.endsWith("Revision")) continue;
    // The trail has no entry of the example's id.
    if (path.startsWith("/audit") && name === "before") continue;
    const snapshot = schema.format === "uuid" ? { from: ids.snapshot, to: ids.laterSnapshot }[name] : undefined;
    if (where === "query")
      query[name] = named[name] ?? snapshot ?? asText((example as Json) ?? sample(schema, furnished));
  }
  const schema = bodySchema(operation);
  return { path: inPath, query, body: fillIn(operation.operationId, schema && sample(schema, furnished), count, ids) };
}

export function bodySchema(operation: FoundOperation["operation"]): JsonSchema | undefined {
  return operation.requestBody?.content["application/json"]?.schema;
}

/** How a value looks in an address. Empty path segments and dots would lead to other routes. */
export function asText(value: Json): string {
  const text = (typeof value === "string" ? value : JSON.stringify(value)).toWellFormed().slice(0, 2_000);
  return /^\.{0,2}$/.test(text) ? "x" : text;
}
