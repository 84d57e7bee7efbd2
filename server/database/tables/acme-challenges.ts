import { defineEntity, p } from "@mikro-orm/core";

/** A TXT record that an ACME client published and has not cleaned up. */
export const AcmeChallengeSchema = defineEntity({
  name: "AcmeChallenge",
  tableName: "acme_challenges",
  properties: {
    domainId: p.uuid().primary(),
    /** Relative to the domain. */
    name: p.text().primary(),
    value: p.text().primary(),
    createdBy: p.uuid(),
    createdAt: p.datetime(),
  },
});
