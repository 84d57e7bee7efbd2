import { defineEntity, p } from "@mikro-orm/core";

/** A process of the service that uses this database. */
export const InstanceSchema = defineEntity({
  name: "Instance",
  tableName: "instances",
  properties: {
    id: p.uuid().primary(),
    host: p.text(),
    version: p.text(),
    /** The version of Node.js. */
    node: p.text(),
    runsJobs: p.boolean(),
    startedAt: p.datetime(),
    /** Updated twice a minute. */
    seenAt: p.datetime(),
  },
});
