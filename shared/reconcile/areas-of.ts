import type { Kind } from '../kinds/define-kind.ts';
import type { Area } from './area.ts';
import type { View } from './view.ts';

/** More resources of one kind than this in one namespace, or namespaces, are read in one list. */
const most = 8;

/**
 * The areas in which these resources are read again, never wider than those they were found in.
 *
 * Guarantees: at most eight areas for each kind, or as many as the run began with.
 */
export const areasOf = (views: readonly View[], found: readonly Area[]): readonly Area[] =>
  [...Map.groupBy(views, ({ kind }) => kind)].flatMap(([kind, own]) => ofKind(kind, own, found));

function ofKind(kind: Kind, views: readonly View[], found: readonly Area[]): readonly Area[] {
  const kinds = [kind];
  const places = Map.groupBy(views, ({ resource }) => resource.namespace);
  if (places.size > most)
    return found.filter((area) => area.kinds.includes(kind)).map((area) => ({ ...area, kinds }));
  const named = views.length <= most;
  return [...places].flatMap(([namespace, own]): Area[] =>
    named
      ? own.map(({ resource: { name } }) => ({ kinds, namespaces: [namespace], name }))
      : [{ kinds, namespaces: [namespace], name: undefined }],
  );
}
