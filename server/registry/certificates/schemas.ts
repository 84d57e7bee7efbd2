import { z } from "zod";
import { id, line, shownId, timestamp } from "../../api/schemas.ts";
import { tlsModes } from "../../database/tables/registrations.ts";
import { mostHosts } from "./check-job.ts";
import { problems } from "./read.ts";

export const tlsHostsInput = z.strictObject({ id: id("The domain's id.") });

const mode = z.enum(tlsModes, "This must be off, listed or all.").meta({
  description:
    "`off`: no host is watched. `listed`: those in `hosts`. `all`: also each host with A, AAAA or CNAME records that answers on port 443, " +
    "at most 1,000 by name, without wildcards.",
  example: "all",
});

export const setTlsHostsInput = z.strictObject({
  id: id("The domain's id."),
  mode,
  hosts: z
    .array(
      z.strictObject({
        host: line(1024).meta({
          description:
            "Host: relative to the domain or fully qualified; `@` for the domain itself. It must belong to the domain.",
          example: "mail",
        }),
        port: z
          .int("This must be a whole number.")
          .min(1, "This must be from 1 to 65535.")
          .max(65_535, "This must be from 1 to 65535.")
          .default(443)
          .meta({
            description:
              "Port. Default: 443. Public hosts are contacted on ports that are common for TLS only; `EGRESS_ALLOW` allows all.",
            example: 25,
          }),
        starttls: z.enum(["smtp"], "This must be smtp or null.").nullable().default(null).meta({
          description: "`smtp`: uses STARTTLS, as mail servers do on ports 25 and 587. Default: null, TLS at once.",
          example: "smtp",
        }),
      }),
      "This must be a list of hosts.",
    )
    .max(mostHosts, "A domain can list at most 1,000 hosts.")
    .optional()
    .meta({ description: "Replaces the listed hosts, at most 1,000. Default: unchanged." }),
});

export const tlsHosts = z
  .object({
    domainId: shownId("The domain."),
    mode,
    hosts: z
      .array(
        z
          .object({
            host: z.string().meta({ description: "Host, relative to the domain.", example: "mail" }),
            port: z.int().meta({ description: "Port.", example: 25 }),
            starttls: z
              .enum(["smtp"])
              .nullable()
              .meta({ description: "How TLS begins; null: at once.", example: "smtp" }),
            listed: z.boolean().meta({ description: "Whether it is listed; else it was found.", example: true }),
            notAfter: timestamp("Until when the certificate is valid; null if unknown.").nullable(),
            endsSoon: z.boolean().meta({
              description:
                "Whether a certificate that was valid should have been renewed: it ends within 14 days, and is in the last third of its lifetime.",
              example: false,
            }),
            issuer: z.string().nullable().meta({
              description: "Who issued it; null if unknown.",
              example: "Let's Encrypt, R11",
            }),
            problem: z
              .enum(problems)
              .nullable()
              .meta({
                description:
                  "What is wrong. `expired`, `not_yet_valid`, `other_names`, `untrusted`: the certificate is not valid. `no_tls`: the host answers, but shows " +
                  "none. `unreachable`: it could not be contacted, and the rest is what it showed before. Null: nothing, or not checked yet.",
                example: null,
              }),
            error: z.string().nullable().meta({
              description: "What is wrong and what to do; null if nothing is.",
              example: null,
            }),
            checkedAt: timestamp("When it was last checked; null: not yet.").nullable(),
          })
          .meta({ id: "TlsHost", description: "A host, and the certificate that it showed last." }),
      )
      .meta({ description: "The hosts that you may see, by name and port." }),
    leftOut: z.int().meta({
      description: "Hosts that mode `all` leaves out, because the zone has more than 1,000.",
      example: 0,
    }),
  })
  .meta({ id: "TlsHosts", description: "Hosts of a domain whose certificates are watched." });
