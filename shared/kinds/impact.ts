import { valueAt } from '../json.ts';
import type { Json, JsonObject } from '../kubernetes.ts';

/**
 * All of them, the gravest first.
 *
 * - `data-loss`: data may be lost
 * - `interrupt`: traffic, or work that runs, stops
 * - `recreate`: all pods end before new ones start
 * - `restart`: pods are replaced
 * - `open`: requests are admitted that were refused, or have a new way in
 * - `close`: requests are refused that were admitted
 * - `reroute`: requests are answered by others, or in another way
 * - `unknown`: the type does not say
 */
export const impacts = [
  'data-loss',
  'interrupt',
  'recreate',
  'restart',
  'open',
  'close',
  'reroute',
  'unknown',
] as const;

/** What a change does to what depends on the object: one of `impacts`. */
export type Impact = (typeof impacts)[number];

/** A change of a child, as its type judges it. */
export interface ChildChange {
  readonly verb: 'create' | 'update' | 'delete';
  /** Of an update, what changes; an absent value is undefined, and values of Secrets are masked. */
  readonly fields: readonly ChangedField[];
  /** What will be applied; empty for a deletion. */
  readonly wanted: JsonObject;
}

/** One field of an update. */
export interface ChangedField {
  /** `spec.template.spec.containers[name="web"].image` */
  readonly path: string;
  readonly from: Json | undefined;
  readonly to: Json | undefined;
}

/** Judges what a change does; `Impact` says what the words mean. */
export type JudgeImpact = (change: ChildChange) => readonly Impact[];

/** Whether anything changes at, in or around one of these paths. */
export const touches = (fields: readonly ChangedField[], ...paths: readonly string[]): boolean =>
  fields.some(({ path }) => paths.some((one) => isWithin(path, one) || isWithin(one, path)));

/** Whether a path is another one, or leads to something in it. */
export const isWithin = (path: string, outer: string): boolean =>
  path === outer || path.startsWith(`${outer}.`) || path.startsWith(`${outer}[`);

/** Of a type whose changes and deletion nothing that runs depends on. */
export const harmless: JudgeImpact = () => [];

/** Of a workload: a new template replaces its pods, by the strategy that `strategy` names. */
export const impactOfWorkload =
  (strategy: 'strategy' | 'updateStrategy'): JudgeImpact =>
  ({ verb, fields, wanted }) => {
    if (verb !== 'update') return verb === 'delete' ? ['interrupt'] : [];
    if (fields.some(({ path, to }) => path === 'spec.replicas' && to === 0)) return ['interrupt'];
    const way = valueAt(wanted, 'spec', strategy, 'type');
    const isHeld = valueAt(wanted, 'spec', 'paused') === true || way === 'OnDelete';
    if (isHeld || !touches(fields, 'spec.template')) return [];
    return [way === 'Recreate' ? 'recreate' : 'restart'];
  };
