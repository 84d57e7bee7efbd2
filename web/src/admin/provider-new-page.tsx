import { useSuspenseQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { buttonClass } from "../ui/button.tsx";
import { Page } from "../ui/page.tsx";
import { adminWords } from "../words/admin.ts";
import { AdminOnly } from "./admin-only.tsx";
import { KindChoice } from "./kind-choice.tsx";
import { freeName } from "./provider-fields.ts";
import { ProviderForm } from "./provider-form.tsx";
import { providerConfigs, providerKinds } from "./provider-queries.ts";

const text = adminWords.providers;

/** Connects a provider: its kind, its settings, a test; then its zones. */
export function NewProviderPage() {
  return (
    <AdminOnly>
      <NewProvider />
    </AdminOnly>
  );
}

function NewProvider() {
  const { data: kinds } = useSuspenseQuery(providerKinds);
  const { data: configs } = useSuspenseQuery(providerConfigs);
  const search = useSearch({ from: "/inside/admin/providers/new" });
  const navigate = useNavigate();
  const kind = kinds.find((each) => each.kind === search.kind);
  if (!kind) {
    return (
      <Page title={text.newTitle}>
        <KindChoice kinds={kinds} />
      </Page>
    );
  }
  const taken = configs.map(({ name }) => name);
  return (
    <Page title={text.connect(kind.name)} subtitle={text.kindHints[kind.kind]}>
      <ProviderForm
        key={kind.kind}
        kind={kind}
        config={null}
        initialName={freeName(kind.name, taken)}
        onDone={({ id }) =>
          void (kind.kind === "manual"
            ? navigate({ to: "/admin/providers" })
            : navigate({ to: "/admin/providers/$id/zones", params: { id } }))
        }
      >
        <Link to="/admin/providers/new" search={{}} className={buttonClass("quiet")}>
          {text.otherKind}
        </Link>
      </ProviderForm>
    </Page>
  );
}
