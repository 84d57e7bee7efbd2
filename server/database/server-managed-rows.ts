import { sql, type SqlBool } from "kysely";
import { managedAnywhere, managedAtApex, signatureOverSoa } from "../dns/zone-file/type-names.ts";

/** `isServerManaged` as a condition on `record_type` and `name`. */
export const serverManagedRows = sql<SqlBool>`(
  record_type in (${sql.join(managedAnywhere.map((type) => sql.lit(type)))})
  or (name = '@' and record_type in (${sql.join(managedAtApex.map((type) => sql.lit(type)))}))
)`;

/** What `soa_signed` of a domain stores: whether its live records include a signature over the SOA. */
export const hasSignatureOverSoa = sql<boolean>`exists (
  select 1 from records signature
  where signature.domain_id = domains.id and signature.until is null and signature.status = 'active'
    and signature.record_type = 'RRSIG' and signature.name = '@' and signature.value ~* ${sql.lit(signatureOverSoa)}
)`;
