import { z } from "zod";
import { id, line, listedRecordType } from "../../../api/schemas.ts";
import { givenAssignment } from "../../assignments/schemas.ts";
import { roles } from "../../../database/tables/users.ts";
import { parseClaimPath } from "./rules.ts";

const groupRole = z.enum(roles, "This must be admin, auditor or member.");

const groupRule = z
  .strictObject({
    group: line(256, 1).meta({ description: "The group, exactly as the provider writes it.", example: "dns-team" }),
    role: groupRole.optional().meta({
      description: "The role of the group's members. The highest role that a user has counts.",
      example: "member",
    }),
    assignment: givenAssignment.optional().meta({ description: "What is assigned to the group's members." }),
  })
  .refine(
    ({ role, assignment }) => role !== undefined || assignment !== undefined,
    "Say a `role`, an `assignment` or both.",
  )
  .meta({ id: "GroupRuleInput", description: "What the members of a group get." });

const groupsClaim = line(512)
  .transform((path, context) => {
    if (path === "") return null;
    const parsed = parseClaimPath(path);
    if (parsed.ok) return path;
    context.addIssue(parsed.message);
    return z.NEVER;
  })
  .nullable()
  .optional()
  .meta({
    description:
      "Path of the claim with the user's groups, in the id_token or the response of the userinfo or user endpoint: names separated by dots, `\\\\.` for a dot in a name. Null or " +
      "empty: groups mean nothing.",
    example: "realm_access.roles",
    override: { type: ["string", "null"], maxLength: 512 },
  });

/** How groups are used, in inputs. */
export const groupFields = {
  groupsClaim,
  groupRules: z
    .array(groupRule)
    .max(200, "There can be at most 200 rules.")
    .optional()
    .meta({
      description:
        "What group members get. Evaluated at each sign-in: grants end when the group does. What no remaining rule gives " +
        "ends immediately; what another rule gives, too, stays until the user's next sign-in, whichever group it came from. " +
        "Of several roles only the highest is stored, so a lower one begins at the next sign-in.",
      example: [{ group: "dns-team", role: "member", assignment: { tag: "production", access: "write" } }],
    }),
  defaultDeny: z.boolean("This must be true or false.").optional().meta({
    description: "True: only users with a group that a rule names may sign in with this provider. Default: false.",
    example: false,
  }),
};

const shownRule = z
  .object({
    group: z.string().meta({ description: "The group.", example: "dns-team" }),
    role: z.enum(roles).nullable().meta({ description: "The role of its members; null: none.", example: null }),
    assignment: z
      .object({
        domainId: id("The domain; null for a group or a tag.").nullable(),
        groupName: z.string().nullable().meta({ description: "Every domain in this group.", example: null }),
        tag: z.string().nullable().meta({ description: "Every domain with this tag.", example: "production" }),
        subdomainPattern: z.string().meta({ description: "Host pattern.", example: "*" }),
        access: z.enum(["read", "propose", "write"]).meta({ description: "What members may do.", example: "write" }),
        recordTypes: z.array(listedRecordType).meta({ description: "The record types; empty: all.", example: [] }),
      })
      .nullable()
      .meta({ description: "What is assigned to its members; null: nothing." }),
  })
  .meta({ id: "GroupRule", description: "What the members of a group get." });

/** How groups are used, in answers. */
export const shownGroupFields = {
  groupsClaim: z.string().nullable().meta({
    description: "Path of the claim with the user's groups; null: groups mean nothing.",
    example: null,
  }),
  groupRules: z.array(shownRule).meta({ description: "What the members of groups get.", example: [] }),
  defaultDeny: z.boolean().meta({
    description: "Whether only users with a group that a rule names may sign in.",
    example: false,
  }),
};

export const testGroupsInput = z.strictObject({
  id: id("The configuration's id."),
  claims: z.record(z.string().max(1_000), z.unknown()).meta({
    description: "Claims about a user, as the provider sends them in the id_token or the userinfo response.",
    example: { sub: "583231", groups: ["dns-team"] },
  }),
  groupsClaim: groupsClaim.meta({ description: "The path to try. Default: the stored one.", example: "groups" }),
  groupRules: groupFields.groupRules.meta({ description: "The rules to try. Default: the stored ones." }),
  defaultDeny: groupFields.defaultDeny.meta({ description: "Default: the stored one." }),
});

export const groupsTest = z
  .object({
    groups: z.array(z.string()).meta({ description: "The groups in the claim, at most 1,000.", example: ["dns-team"] }),
    groupCount: z.int().meta({ description: "How many groups there are.", example: 1 }),
    matchedRules: z.array(z.int()).meta({ description: "Positions of the rules that apply, from 0.", example: [0] }),
    role: z
      .enum(roles)
      .nullable()
      .meta({ description: "The highest role that a rule gives; null: none.", example: null }),
    assignments: z
      .array(shownRule.shape.assignment.unwrap())
      .meta({ description: "What would be assigned to the user." }),
    allowed: z.boolean().meta({ description: "Whether the user may sign in.", example: true }),
    withheld: z.boolean().meta({
      description:
        "Whether the claims say that the user has groups which they do not contain, or contain 20,000 groups or more. Such a sign-in is refused, " +
        "and what the user's groups gave before stays.",
      example: false,
    }),
  })
  .meta({ id: "GroupsTest", description: "What a user with these claims would get." });
