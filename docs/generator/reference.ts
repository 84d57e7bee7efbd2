import { accessByCall } from "./access.ts";
import { apiDocument } from "./api-document.ts";
import { apiPages, callIndex, type Api } from "./api-pages.ts";
import { configurationPage, errorsPage, eventsPage } from "./list-pages.ts";
import { generatedNote, page } from "./markdown.ts";

/** Every page of the reference, by its path below docs/reference. */
export async function referencePages(): Promise<Map<string, string>> {
  const api = { document: apiDocument(), access: await accessByCall() };
  return new Map([
    ["README.md", indexPage(api)],
    ["configuration.md", configurationPage()],
    ["events.md", eventsPage()],
    ["errors.md", errorsPage()],
    ...[...apiPages(api)].map(([name, text]): [string, string] => [`api/${name}`, text]),
  ]);
}

function indexPage(api: Api): string {
  return page(
    generatedNote,
    "# Reference",
    `- [Configuration](configuration.md): the environment variables.
- [Events](events.md): what users and channels are told of.
- [Errors](errors.md): the codes of error answers, and what to do.
- [Objects](api/objects.md): what answers hold.
- [Who may call what](../rights.md).
- The calls, below.`,
    "The service has the same as an OpenAPI 3.1 document at `/api/openapi.json`, and as a page to try calls on at `/api/docs`.",
    "## Calls",
    api.document.info.description,
    `Examples are for a shell with the service's address and an [access token](api/sign-in-and-account.md#login) or [personal token](api/sign-in-and-account.md#createtoken):

\`\`\`sh
ZONEWRIGHT=http://127.0.0.1:3000
TOKEN=…
\`\`\``,
    "Every call but the redirects of external sign-in (`authorize`, `oauthCallback`, `oidcCallback`) is a tRPC procedure as well, below `/trpc`; the [client](../../client-sdk/README.md) has them with their types.",
    callIndex(api),
  );
}
