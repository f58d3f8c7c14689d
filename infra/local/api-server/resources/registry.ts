import type { Resource, Served } from './resource.ts';

/** The served resources: built-in resources, and the resources of definitions. */
export interface Registry {
  readonly find: (group: string, version: string, plural: string) => Served | undefined;
  readonly findKind: (group: string, version: string, kind: string) => Served | undefined;
  readonly resources: () => readonly Resource[];
  readonly add: (resource: Resource) => void;
  readonly remove: (group: string, plural: string) => void;
  /** Incremented by every change, so that derived data can detect that it is stale. */
  readonly generation: () => number;
}

export function createRegistry(builtIn: readonly Resource[]): Registry {
  const byName = new Map(builtIn.map((resource) => [nameOf(resource), resource]));
  let generation = 1;

  const findIn = (resource: Resource | undefined, version: string): Served | undefined => {
    const served = resource?.versions.find(({ name }) => name === version);
    return resource && served ? { resource, version: served } : undefined;
  };

  return {
    find: (group, version, plural) => findIn(byName.get(`${plural}.${group}`), version),
    findKind: (group, version, kind) =>
      findIn(
        [...byName.values()].find((one) => one.group === group && one.kind === kind),
        version,
      ),
    resources: () => [...byName.values()],
    add: (resource) => {
      byName.set(nameOf(resource), resource);
      generation += 1;
    },
    remove: (group, plural) => {
      byName.delete(`${plural}.${group}`);
      generation += 1;
    },
    generation: () => generation,
  };
}

function nameOf({ group, plural }: Resource): string {
  return `${plural}.${group}`;
}
