import { valueAt } from '../json.ts';
import type { Json, JsonObject } from '../kubernetes.ts';

/**
 * All impacts, the most severe first.
 *
 * - `data-loss`: data may be lost
 * - `interrupt`: traffic or running work stops
 * - `recreate`: all pods stop before new ones start
 * - `restart`: pods are replaced
 * - `reduce`: fewer pods run, fewer can be added, or fewer are protected from eviction
 * - `open`: requests that were refused are admitted, or there is a new way in, such as an Ingress
 * - `close`: requests that were admitted are refused
 * - `reroute`: requests are served by another backend, or in another way
 * - `unknown`: nothing is known, for example because the type has no `impact`
 */
export const impacts = [
  'data-loss',
  'interrupt',
  'recreate',
  'restart',
  'reduce',
  'open',
  'close',
  'reroute',
  'unknown',
] as const;

/** An effect of a change on whatever depends on the object: one of `impacts`. */
export type Impact = (typeof impacts)[number];

/** A change to a child, for its type to judge. */
export interface ChildChange {
  readonly verb: 'create' | 'update' | 'delete';
  /** The changed fields of an update. An absent value is undefined, and values of Secrets are masked. */
  readonly fields: readonly ChangedField[];
  /** The manifest to be applied; empty for a deletion. */
  readonly desired: JsonObject;
  /** The facts of the live object. */
  readonly facts?: JsonObject | undefined;
}

/** One field of an update. */
export interface ChangedField {
  /** The path of the field, such as `spec.template.spec.containers[name="web"].image`. */
  readonly path: string;
  readonly from: Json | undefined;
  readonly to: Json | undefined;
}

/** Returns the impacts of a change. */
export type JudgeImpact = (change: ChildChange) => readonly Impact[];

/** Reports whether a changed field is at one of these paths, below it or above it. */
export const touches = (fields: readonly ChangedField[], ...paths: readonly string[]): boolean =>
  fields.some(({ path }) => paths.some((other) => isWithin(path, other) || isWithin(other, path)));

export const isWithin = (path: string, outer: string): boolean =>
  path === outer || path.startsWith(`${outer}.`) || path.startsWith(`${outer}[`);

/** An absent field counts as `absent`. */
export const lowers = (
  fields: readonly ChangedField[],
  path: string,
  absent = Number.POSITIVE_INFINITY,
): boolean =>
  fields.some((one) => one.path === path && Number(one.to ?? absent) < Number(one.from ?? absent));

export const harmless: JudgeImpact = () => [];

/** Judges changes of a workload. `strategy` is the field of `spec` that says how pods are replaced. */
export const impactOfWorkload =
  (strategy: 'strategy' | 'updateStrategy'): JudgeImpact =>
  ({ verb, fields, desired }) => {
    if (verb !== 'update') return verb === 'delete' ? ['interrupt'] : [];
    if (fields.some(({ path, to }) => path === 'spec.replicas' && to === 0)) return ['interrupt'];
    const way = valueAt(desired, 'spec', strategy, 'type');
    const reduced = lowers(fields, 'spec.replicas', 1) ? (['reduce'] as const) : [];
    const isHeld = valueAt(desired, 'spec', 'paused') === true || way === 'OnDelete';
    if (isHeld || !touches(fields, 'spec.template')) return reduced;
    return [way === 'Recreate' ? 'recreate' : 'restart', ...reduced];
  };
