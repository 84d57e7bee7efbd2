import { defineEntity, p } from "@mikro-orm/core";

/** PTR records of one reverse zone that must follow a change set of another zone. Deleted once they do. */
export const ReverseFollowSchema = defineEntity({
  name: "ReverseFollow",
  tableName: "reverse_follows",
  properties: {
    id: p.uuid().primary(),
    /** The change set that is followed. */
    changeSetId: p.uuid(),
    /** The reverse zone. */
    domainId: p.uuid(),
    actorId: p.uuid(),
    /** The addresses, see `FollowItem`. */
    items: p.json().$type<unknown>(),
    /** Failed attempts. */
    attempts: p.integer(),
    /** When the job tries next. */
    nextAt: p.datetime(),
    createdAt: p.datetime(),
  },
});
