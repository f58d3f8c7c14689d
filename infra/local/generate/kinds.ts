import type { DiscoveredKind } from '../api-server/kinds/kind.ts';

/** An aggregated discovery document, `/api` or `/apis`. */
export interface DiscoveryDocument {
  readonly items: readonly {
    readonly metadata: { readonly name?: string };
    readonly versions: readonly {
      readonly version: string;
      readonly resources: readonly DiscoveredResource[];
    }[];
  }[];
}

interface DiscoveredResource {
  readonly resource: string;
  readonly responseKind: { readonly kind: string };
  readonly scope: 'Namespaced' | 'Cluster';
  readonly singularResource: string;
  readonly verbs: readonly string[];
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly subresources?: readonly { readonly subresource: string }[];
}

/** Returns the kinds that can be created and listed, in the preferred version of their group. */
export function storedKinds(documents: readonly DiscoveryDocument[]): DiscoveredKind[] {
  return documents
    .flatMap(({ items }) => items)
    .flatMap(({ metadata: { name: group = '' }, versions }) => {
      const { version = '', resources = [] } = versions[0] ?? {};
      return resources.filter(isStored).map((one) => describe(one, group, version));
    });
}

function isStored({ verbs }: DiscoveredResource): boolean {
  return ['create', 'list'].every((verb) => verbs.includes(verb));
}

function describe(one: DiscoveredResource, group: string, version: string): DiscoveredKind {
  return {
    group,
    version,
    kind: one.responseKind.kind,
    plural: one.resource,
    singular: one.singularResource,
    namespaced: one.scope === 'Namespaced',
    shortNames: one.shortNames ?? [],
    categories: one.categories ?? [],
    subresources: (one.subresources ?? []).map(({ subresource }) => subresource),
  };
}
