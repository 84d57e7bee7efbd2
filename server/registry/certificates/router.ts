import { may } from "../../api/procedures.ts";
import { router } from "../../api/trpc.ts";
import { setTlsHostsInput, tlsHosts as tlsHostsSchema, tlsHostsInput } from "./schemas.ts";
import type { TlsHosts } from "./service.ts";

const tag = "Registrations";

export function createTlsHostsRouter({ tlsHosts }: { tlsHosts: TlsHosts }) {
  return router({
    get: may("registrations:read", {
      method: "GET",
      path: "/domains/{id}/tls-hosts",
      operationId: "getTlsHosts",
      tag,
      summary: "Get a domain's watched certificates",
      description: "Returns what each watched host showed at the last check. Hosts are checked once a day.",
    })
      .input(tlsHostsInput)
      .output(tlsHostsSchema)
      .query(({ ctx, input }) => tlsHosts.get(ctx.em, ctx.caller, input.id)),

    set: may("registrations:write", {
      method: "PUT",
      path: "/domains/{id}/tls-hosts",
      operationId: "setTlsHosts",
      costly: true,
      tag,
      summary: "Choose the hosts whose certificates are watched",
      description:
        "For the owner and administrators. The hosts are checked within minutes, then once a day; the same call again checks them anew. Hosts with private addresses are " +
        "not contacted unless `EGRESS_ALLOW` names them.",
      example: { mode: "listed", hosts: [{ host: "www" }, { host: "mail", port: 25, starttls: "smtp" }] },
    })
      .input(setTlsHostsInput)
      .output(tlsHostsSchema)
      .mutation(({ ctx, input }) => tlsHosts.set(ctx.em, ctx.caller, input)),
  });
}
