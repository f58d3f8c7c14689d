import type { Kind } from '../kinds/define-kind.ts';
import type { Area } from './area.ts';
import type { LiveWorld } from './state.ts';

/** More resources of one kind than this in one namespace, or namespaces, are read in one list. */
const most = 8;

/**
 * The areas in which these resources are read again, never wider than those they were found in.
 *
 * Guarantees: at most eight areas for each kind, or as many as the run began with.
 */
export const areasOf = (worlds: readonly LiveWorld[], found: readonly Area[]): readonly Area[] =>
  [...Map.groupBy(worlds, ({ kind }) => kind)].flatMap(([kind, own]) => ofKind(kind, own, found));

function ofKind(kind: Kind, worlds: readonly LiveWorld[], found: readonly Area[]): readonly Area[] {
  const kinds = [kind];
  const places = Map.groupBy(worlds, ({ resource }) => resource.namespace);
  if (places.size > most)
    return found.filter((area) => area.kinds.includes(kind)).map((area) => ({ ...area, kinds }));
  const named = worlds.length <= most;
  return [...places].flatMap(([namespace, own]): Area[] =>
    named
      ? own.map(({ resource: { name } }) => ({ kinds, namespaces: [namespace], name }))
      : [{ kinds, namespaces: [namespace], name: undefined }],
  );
}
