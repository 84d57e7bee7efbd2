import { prerequisite as pre, update } from "../../support/name-servers/update-client.ts";

type Build = ReturnType<typeof update.add>;

/** A form of update, at a name of its own. */
export interface Form {
  what: string;
  /** The name's records before it, as `ttl type value`. */
  before: readonly string[];
  prerequisites?: (name: string) => readonly Build[];
  updates: (name: string) => readonly Build[];
  /** 0 when left out. */
  rcode?: number;
  /** The name's records after it. Left out: those before it. */
  after?: readonly string[];
}

const [nxDomain, yxDomain, yxRrset, nxRrset] = [3, 6, 7, 8];
const two = ["300 A 192.0.2.1", "300 A 192.0.2.2"];
const mixed = [...two, "300 TXT kept"];
const alias = ["300 CNAME a.example.net"];

/** The prerequisites of RFC 2136 §2.4 and the updates of §2.5, with the rules of §3.4. */
export const forms: readonly Form[] = [
  {
    what: "adds a record at a name that must be unused",
    before: [],
    prerequisites: (name) => [pre.nameUnused(name)],
    updates: (name) => [update.add(name, "A", "192.0.2.7")],
    after: ["300 A 192.0.2.7"],
  },
  {
    what: "is refused at a name that must be unused, and is not",
    before: mixed,
    prerequisites: (name) => [pre.nameUnused(name)],
    updates: (name) => [update.deleteName(name)],
    rcode: yxDomain,
  },
  {
    what: "deletes an RRset of a name that must be in use",
    before: mixed,
    prerequisites: (name) => [pre.nameInUse(name)],
    updates: (name) => [update.deleteRrset(name, "A")],
    after: ["300 TXT kept"],
  },
  {
    what: "is refused at a name that must be in use, and is not",
    before: [],
    prerequisites: (name) => [pre.nameInUse(name)],
    updates: (name) => [update.add(name, "A", "192.0.2.7")],
    rcode: nxDomain,
  },
  {
    what: "deletes a name whose RRset must have these records",
    before: mixed,
    prerequisites: (name) => [pre.rrsetHas(name, "A", "192.0.2.2"), pre.rrsetHas(name, "A", "192.0.2.1")],
    updates: (name) => [update.deleteName(name)],
    after: [],
  },
  {
    what: "is refused where an RRset must have one record, and has two",
    before: two,
    prerequisites: (name) => [pre.rrsetHas(name, "A", "192.0.2.1")],
    updates: (name) => [update.deleteRrset(name, "A")],
    rcode: nxRrset,
  },
  {
    what: "is refused where an RRset must exist, and does not",
    before: two,
    prerequisites: (name) => [pre.rrsetExists(name, "AAAA")],
    updates: (name) => [update.deleteRrset(name, "A")],
    rcode: nxRrset,
  },
  {
    what: "is refused where an RRset must not exist, and does",
    before: two,
    prerequisites: (name) => [pre.rrsetAbsent(name, "A")],
    updates: (name) => [update.deleteRrset(name, "A")],
    rcode: yxRrset,
  },
  {
    what: "deletes one record of an RRset",
    before: mixed,
    updates: (name) => [update.deleteRecord(name, "A", "192.0.2.1")],
    after: ["300 A 192.0.2.2", "300 TXT kept"],
  },
  {
    what: "replaces a CNAME",
    before: alias,
    updates: (name) => [update.add(name, "CNAME", "b.example.net", 600)],
    after: ["600 CNAME b.example.net"],
  },
  {
    what: "replaces addresses with a CNAME",
    before: two,
    updates: (name) => [update.deleteRrset(name, "A"), update.add(name, "CNAME", "b.example.net")],
    after: ["300 CNAME b.example.net"],
  },
  {
    what: "adds a record beside a CNAME, which is ignored",
    before: alias,
    updates: (name) => [update.add(name, "A", "192.0.2.7")],
  },
  {
    what: "gives an RRset another TTL",
    before: two,
    updates: (name) => [update.add(name, "A", "192.0.2.1", 900)],
    after: ["900 A 192.0.2.1", "900 A 192.0.2.2"],
  },
  {
    what: "adds what exists and deletes what does not",
    before: two,
    updates: (name) => [update.add(name, "A", "192.0.2.2"), update.deleteRrset(name, "AAAA")],
  },
  {
    what: "deletes the NS records of the apex, which is ignored",
    before: [],
    updates: () => [update.deleteRrset("@", "NS"), update.deleteRrset("@", "SOA")],
  },
];
