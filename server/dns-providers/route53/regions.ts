/**
 * The API's addresses by partition, with the region in whose name calls are signed (AWS General Reference, "Amazon Route 53 endpoints and
 * quotas", and the endpoint rules of AWS's own package). Elsewhere, as behind a proxy, it is that of the usual partition.
 */
const regions: Readonly<Record<string, string>> = {
  "route53.amazonaws.com.cn": "cn-northwest-1",
  "route53.us-gov.amazonaws.com": "us-gov-west-1",
  "route53.amazonaws.eu": "eusc-de-east-1",
  "route53.c2s.ic.gov": "us-iso-east-1",
  "route53.sc2s.sgov.gov": "us-isob-east-1",
  "route53.cloud.adc-e.uk": "eu-isoe-west-1",
  "route53.csp.hci.ic.gov": "us-isof-south-1",
};

/** Returns the region in whose name calls to an API address are signed. */
export function regionOf(endpoint: string): string {
  return regions[new URL(endpoint).hostname] ?? "us-east-1";
}
