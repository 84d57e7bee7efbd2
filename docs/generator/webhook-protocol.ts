import { createDocument, type ZodOpenApiOperationObject, type ZodOpenApiParameters } from "zod-openapi";
import { z } from "zod";
import {
  capabilities,
  changeSet,
  newZone,
  outcomes,
  refusal,
  rrsetList,
  staleRefusal,
  zoneList,
} from "../../server/dns-providers/webhook/protocol.ts";
import { domainList, registration, registrationChange } from "../../server/registry/registrars/epp-webhook.ts";

/** The OpenAPI document of the protocol that webhook adapters speak, by the schemas that read their answers. */
export function webhookDocument(): ReturnType<typeof createDocument> {
  return createDocument(
    {
      openapi: "3.1.0",
      info: {
        title: "Zonewright webhook adapter",
        version: "1",
        description:
          "A server that answers these five calls is a DNS provider for Zonewright, with the provider kind `webhook`. Fields that are not described here are ignored.",
        license: { name: "MIT", identifier: "MIT" },
      },
      servers: [{ url: "https://adapter.internal", description: "The address in the provider configuration." }],
      security: [{ token: [] }, { certificate: [] }],
      tags: [{ name: "adapter", description: "The calls of an adapter." }],
      paths: {
        "/": {
          get: operation("getCapabilities", "Show what the adapter can do", {
            description: "Asked before each plan and each change.",
            responses: { 200: json("What the adapter can do.", capabilities) },
          }),
        },
        "/zones": {
          get: operation("listZones", "List the zones", {
            requestParams: { query: z.object({ cursor }) },
            responses: { 200: json("A page of the list.", zoneList) },
          }),
          post: operation("createZone", "Create a zone", {
            description: "Creates the zone without records. A zone that is there already stays as it is.",
            requestBody: { required: true, content: { "application/json": { schema: newZone } } },
            responses: { 200: { description: "The zone is there. The body is ignored." } },
          }),
        },
        "/zones/{zone}/rrsets": {
          get: operation("listRrsets", "List a zone's RRsets", {
            requestParams: { path: z.object({ zone }), query: z.object({ name: owner, cursor }) },
            responses: { 200: json("A page of the list.", rrsetList), 404: json("There is no such zone.", refusal) },
          }),
        },
        "/zones/{zone}/changes": {
          post: operation("changeRrsets", "Change RRsets", {
            description:
              "Makes the changes if every `before` holds. Answer 409 if one does not: it protects edits that others made meanwhile. With `atomic`, make all changes or none. Calls may overlap, also those for one zone: an adapter that reads a zone, edits it and writes it back must take one after the other. A call that Zonewright no longer waits for may go on for 30 seconds, or `timeoutSeconds` of the configuration if that is more. An answer from 500 on, or none, means that the outcome is unknown: the zone is read again.",
            requestParams: { path: z.object({ zone }) },
            requestBody: { required: true, content: { "application/json": { schema: changeSet } } },
            responses: {
              200: json("The outcome of each change.", outcomes),
              404: json("There is no such zone.", refusal),
              409: json("An RRset has changed since `before` was listed. Nothing was changed.", staleRefusal),
            },
          }),
        },
      },
      components: { securitySchemes: schemes("provider configuration") },
    },
    // Answers may have more fields.
    { override: ({ jsonSchema }) => void delete jsonSchema.additionalProperties },
  );
}

/** The OpenAPI document of the protocol that registrar adapters speak, by the schemas that read their answers. */
function registrarDocument(): ReturnType<typeof createDocument> {
  return createDocument(
    {
      openapi: "3.1.0",
      info: {
        title: "Zonewright registrar adapter",
        version: "1",
        description:
          "A server that answers these three calls is a registrar for Zonewright, with the registrar kind `epp-webhook`. Fields that are not described here are ignored.",
        license: { name: "MIT", identifier: "MIT" },
      },
      servers: [{ url: "https://registrar.internal", description: "The address in the registrar configuration." }],
      security: [{ token: [] }, { certificate: [] }],
      tags: [{ name: "adapter", description: "The calls of an adapter." }],
      paths: {
        "/domains": {
          get: operation("listDomains", "List the registered names", {
            requestParams: { query: z.object({ cursor: cursor.meta({ example: "example.com" }) }) },
            responses: { 200: json("A page of the list.", domainList) },
          }),
        },
        "/domains/{name}": {
          get: operation("getRegistration", "Show a registration", {
            requestParams: { path: z.object({ name: registeredName }) },
            responses: { 200: json("The registration.", registration), 404: json("There is no such name.", refusal) },
          }),
        },
        "/domains/{name}/changes": {
          post: operation("changeRegistration", "Change one field of a registration", {
            description:
              "Makes the change if `before` holds, in any order. It may take effect later; until then, the registration shows what was. An answer from 500 on, or none, means that the outcome is unknown.",
            requestParams: { path: z.object({ name: registeredName }) },
            requestBody: { required: true, content: { "application/json": { schema: registrationChange } } },
            responses: {
              200: { description: "The change is made, or will be. The body is ignored." },
              404: json("There is no such name.", refusal),
              409: json("The field is no longer what `before` says. Nothing was changed.", refusal),
            },
          }),
        },
      },
      components: { securitySchemes: schemes("registrar configuration") },
    },
    { override: ({ jsonSchema }) => void delete jsonSchema.additionalProperties },
  );
}

/** The documents by their places in docs, with what is stored there. */
export function protocolDocuments(): readonly (readonly [path: string, text: string])[] {
  return [
    ["providers/webhook.openapi.json", webhookDocument()] as const,
    ["guide/registrar-adapter.openapi.json", registrarDocument()] as const,
  ].map(([path, document]) => [path, `${JSON.stringify(document, null, 2)}\n`]);
}

const schemes = (of: string) => ({
  token: { type: "http", scheme: "bearer", description: `The token of the ${of}.` } as const,
  certificate: {
    // The package does not know this type of OpenAPI 3.1.
    type: "mutualTLS" as "http",
    description: `The client certificate of the ${of}.`,
  },
});
const registeredName = z.string().meta({ description: "The name, percent-encoded.", example: "example.com" });

const cursor = z
  .string()
  .optional()
  .meta({ description: "The `next` of the page before. Left out for the first page.", example: "www A" });
const owner = z.string().optional().meta({
  description:
    "Only the RRsets of this name, relative to the zone, without regard to case. An adapter may ignore it and list all.",
  example: "www",
});
const zone = z.string().meta({ description: "The zone's name, percent-encoded.", example: "example.com" });

const json = (description: string, schema: z.ZodType) => ({ description, content: { "application/json": { schema } } });

function operation(
  operationId: string,
  summary: string,
  parts: Pick<ZodOpenApiOperationObject, "description" | "requestBody" | "responses"> & {
    requestParams?: ZodOpenApiParameters;
  },
): ZodOpenApiOperationObject {
  const { responses, ...rest } = parts;
  return {
    operationId,
    summary,
    tags: ["adapter"],
    ...rest,
    responses: {
      ...responses,
      401: json("The credentials are missing or wrong.", refusal),
      429: {
        ...json("Too many calls. Nothing was changed.", refusal),
        headers: z.object({ "retry-after": z.string().optional().meta({ description: "Seconds to wait." }) }),
      },
      "4XX": json(
        "Refused for another reason, which `message` gives as a sentence for people. Nothing was changed.",
        refusal,
      ),
    },
  };
}
