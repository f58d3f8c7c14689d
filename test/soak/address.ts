/** The object that an API path addresses, or the collection if it has no name. */
export interface Address {
  /** `deployments.apps`, `services` */
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
  readonly subresource: string;
}

const pattern =
  /^\/(?:api|apis\/([^/]+))\/[^/]+(?:\/namespaces\/([^/]+))?\/([^/]+)(?:\/([^/]+))?(?:\/([^/]+))?$/;

/** Parses a path; returns undefined if it addresses neither an object nor a collection. */
export function addressOf(path: string): Address | undefined {
  const [, group, namespace = '', plural, name = '', subresource = ''] = pattern.exec(path) ?? [];
  if (plural === undefined) return undefined;
  const resource = group === undefined ? plural : `${plural}.${group}`;
  return { resource, namespace, name: decodeURIComponent(name), subresource };
}

/** Formats a key such as `deployments.apps soak-1/shop`. */
export const keyOf = ({ resource, namespace, name }: Omit<Address, 'subresource'>): string =>
  `${resource} ${namespace}/${name}`;
