import type { Kind } from '../kinds/define-kind.ts';
import { groupResource } from '../kubernetes.ts';
import type { Scope } from '../scope.ts';

/** The part of a cluster that a run looks at. */
export interface Area {
  readonly kinds: readonly Kind[];
  /** Undefined: the whole cluster, one list per resource; else one per namespace. */
  readonly namespaces: readonly string[] | undefined;
  readonly name: string | undefined;
}

/** What a Scope selects of the configured area; no kinds where it selects nothing. */
export function areaOf({ kind: word, namespace, name }: Scope, all: Omit<Area, 'name'>): Area {
  const kinds = all.kinds.filter((kind) => word === undefined || isNamed(kind, word));
  if (namespace === undefined) return { kinds, namespaces: all.namespaces, name };
  const allowed = all.namespaces?.includes(namespace) ?? true;
  return { kinds: allowed ? kinds : [], namespaces: [namespace], name };
}

/** Whether `word` names the kind: `Foo`, `foos`, `foos.example.com` or a short name. */
export const isNamed = (kind: Kind, word: string): boolean =>
  [kind.kind, kind.plural, groupResource(kind), ...kind.shortNames].some(
    (name) => name.toLowerCase() === word.toLowerCase(),
  );
