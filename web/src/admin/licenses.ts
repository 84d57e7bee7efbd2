declare const DELIVERED_LICENSES: readonly [license: string, packages: readonly string[]][];

/** The packages that are delivered with Zonewright, by license. The build fills them in; they load only where they are shown. */
export const licenses = DELIVERED_LICENSES;
