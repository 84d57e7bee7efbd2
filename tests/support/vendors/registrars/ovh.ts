import { createHash } from "node:crypto";
import { startLoopbackVendor, type VendorCall, type VendorReply } from "../loopback-vendor.ts";
import { changesOf, dsOf, json, type Registered, type RegistrarAccount } from "./account.ts";

// As OVHcloud's OpenAPI description shows it (ovhcloud-cli of 2025-10-02), read on 2026-11-29. That the name servers of a name on OVHcloud's own cannot be changed
// is what DNSControl found; the form of errors is that of the simulator of its zones.

const keys = {
  applicationKey: "registrar-app-key",
  applicationSecret: "registrar-application-secret",
  consumerKey: "registrar-consumer-key",
};

/** An account at OVHcloud. */
interface OvhAccount extends RegistrarAccount {
  /** Names whose name servers are OVHcloud's own. */
  hosted: Set<string>;
  /** Names that are deleted when they expire, although they are set to renew themselves. */
  deleted: Set<string>;
  /** The states of keys that have no DS record any longer, by the DS record that they had. */
  ended: Map<string, "removed" | "revoked">;
  /** Paths that the consumer key has no right to. */
  denied: Set<string>;
  /** Names whose new name servers and DS records come into force only by `carryOut`: the API answers with a task. */
  slow: Set<string>;
  /** Ends the tasks. */
  carryOut(): void;
  /** Ends the tasks without a change. @param comment why */
  failTasks(comment?: string): void;
  /** Forgets all tasks. */
  forgetTasks(): void;
  /** Ends the oldest task. */
  carryOutNext(): void;
}

interface Key {
  algorithm: number;
  flags: number;
  publicKey: string;
  tag: number;
}

const says = (status: number, errorCode: string, message: string) =>
  json(status, { class: `Client::${errorCode}`, errorCode, httpCode: `${status}`, message });

/** OVHcloud's API 1.0, for one account. */
export async function startOvh(): Promise<OvhAccount> {
  const domains = new Map<string, Registered>();
  const [hosted, denied, slow] = [new Set<string>(), new Set<string>(), new Set<string>()];
  const [deleted, ended] = [new Set<string>(), new Map<string, "removed" | "revoked">()];
  const tasks: Task[] = [];
  const known = new Map<string, Key>();
  const vendor = await startLoopbackVendor((call) => {
    const { url, method, headers, target, body } = call;
    if (url.pathname === "/1.0/auth/time") return json(200, Math.floor(Date.now() / 1_000));
    if (headers["x-ovh-consumer"] !== keys.consumerKey)
      return says(403, "INVALID_CREDENTIAL", "This credential is not valid");
    const signed = [keys.applicationSecret, keys.consumerKey, method, `http://${headers.host}${target}`, body];
    const signature = createHash("sha1")
      .update([...signed, headers["x-ovh-timestamp"]].join("+"))
      .digest("hex");
    if (headers["x-ovh-signature"] !== `$1$${signature}`) return says(400, "INVALID_SIGNATURE", "Invalid signature");
    if (denied.has(url.pathname)) return says(403, "NOT_GRANTED_CALL", "This call has not been granted");
    return reply(call, { domains, hosted, deleted, ended, slow, tasks, known });
  });
  return {
    ...vendor,
    domains,
    hosted,
    deleted,
    ended,
    denied,
    slow,
    carryOut() {
      for (const task of tasks) finish(task);
    },
    failTasks(comment = "") {
      for (const task of tasks) if (task.status === "todo") Object.assign(task, { status: "error", comment });
    },
    forgetTasks() {
      tasks.splice(0);
    },
    carryOutNext() {
      finish(tasks.find(({ status }) => status === "todo"));
    },
    config: { ...keys, endpoint: `${vendor.url}/1.0` },
    changes: () => changesOf(vendor.calls, ({ method }) => method === "GET"),
  };
}

interface Task {
  status: "todo" | "done" | "error";
  comment: string | null;
  work: () => void;
}

function finish(task: Task | undefined): void {
  if (task?.status !== "todo") return;
  task.status = "done";
  task.work();
}

interface Account extends Pick<OvhAccount, "domains" | "hosted" | "deleted" | "ended" | "slow"> {
  /** By id, from 0. */
  tasks: Task[];
  /** Keys of DS records, by record. */
  known: Map<string, Key>;
}

function reply(call: VendorCall, account: Account): VendorReply {
  const { domains, hosted, deleted, ended, slow, tasks, known } = account;
  const [, , area, name, part = "", id] = call.url.pathname.split("/").map(decodeURIComponent);
  if (area !== "domain") return says(404, "NOT_FOUND", "Got an invalid (or empty) URL");
  if (name === undefined) return json(200, [...domains.keys()]);
  const entry = domains.get(name);
  if (!entry) return says(404, "NOT_FOUND", "This service does not exist");
  const body = call.body === "" ? {} : (JSON.parse(call.body) as Record<string, unknown>);
  const begin = (name: string, kind: string, work: () => void) => {
    const task: Task = { status: "todo", comment: null, work };
    tasks.push(task);
    if (!slow.has(name)) finish(task);
    return json(200, { id: tasks.length - 1, function: kind, status: "todo" });
  };
  switch (`${call.method} ${part}`) {
    case "GET ":
      return json(200, {
        domain: name,
        expirationDate: entry.expires.replace("Z", "+00:00"),
        nameServerType: hosted.has(name) ? "hosted" : "external",
        nameServers: entry.nameServers.map((nameServer, index) => ({ id: index, nameServer, ipv4: null, ipv6: null })),
        transferLockStatus: entry.locked ? "locked" : "unlocking",
        state: "ok",
      });
    case "PUT ":
      if (body["nameServerType"] === "external") hosted.delete(name);
      if (body["transferLockStatus"] !== undefined) entry.locked = body["transferLockStatus"] === "locked";
      return json(200, null);
    case "POST nameServers":
      if (hosted.has(name)) return says(400, "INVALID_ARGUMENT", "The name servers of this domain cannot be changed");
      return begin(name, "DomainDnsUpdate", () => {
        entry.nameServers = (body["nameServers"] as { host: string }[]).map(({ host }) => host);
      });
    case "GET task": {
      const { status, comment } = tasks[Number(id)] ?? {};
      if (!status) return says(404, "NOT_FOUND", "The requested object (id) does not exist");
      return json(200, { id: Number(id), function: "DomainDnsUpdate", status, comment, canRelaunch: false });
    }
    case "GET serviceInfos":
      return json(200, {
        domain: name,
        expiration: entry.expires.slice(0, 10),
        renew: { automatic: entry.autoRenew, deleteAtExpiration: deleted.has(name), forced: false, period: 12 },
        status: "ok",
      });
    case "PUT serviceInfos": {
      const renew = body["renew"] as { automatic: boolean; deleteAtExpiration: boolean; period?: number };
      const { automatic, deleteAtExpiration, period } = renew;
      if (period !== 12) return says(400, "INVALID_ARGUMENT", "The period must be 12");
      if (!deleteAtExpiration) deleted.delete(name);
      entry.autoRenew = automatic;
      return json(200, null);
    }
    case "GET dsRecord": {
      if (id === undefined) return json(200, [...entry.ds.keys()]);
      const ds = entry.ds[Number(id)] ?? "";
      // The tests' own records are of one key.
      const own = { algorithm: 13, flags: 257, publicKey: Buffer.alloc(64, 7).toString("base64") };
      return json(200, {
        id: Number(id),
        status: ended.get(ds) ?? "published",
        tag: Number(ds.split(" ")[0]),
        ...(known.get(ds) ?? own),
      });
    }
    case "POST dsRecord": {
      const sent = body["keys"] as Key[];
      const records = sent.map((key) => {
        const ds = dsOf(name, key.algorithm, key.publicKey);
        known.set(ds, key);
        ended.delete(ds);
        return ds;
      });
      if (records.some((ds, index) => !ds.startsWith(`${sent[index]?.tag} `)))
        return says(400, "INVALID_ARGUMENT", "Invalid tag");
      return begin(name, "DomainDnssecUpdate", () => {
        entry.ds = records;
      });
    }
    default:
      return says(404, "NOT_FOUND", "Got an invalid (or empty) URL");
  }
}
