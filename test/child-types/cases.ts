/** The cases of a child type, in a file for each type, such as `apps/deployment.ts`. */

import { type Child, child } from '../../shared/kinds/child.ts';
import type { ChildType } from '../../shared/kinds/child-type.ts';
import type { Impact } from '../../shared/kinds/impact.ts';
import type { Readiness } from '../../shared/kinds/readiness.ts';
import {
  apiVersionOf,
  type Json,
  type JsonObject,
  type KubeObject,
} from '../../shared/kubernetes.ts';

export interface TypeCases<Body extends object = object> {
  /** A small body with quantities and lists that the API server rewrites, if the type has any. */
  readonly body: Body;
  /** A merge patch that somebody else sends, and the path that it changes. */
  readonly edit: { readonly patch: JsonObject; readonly path: string };
  /** Cases of the type's own `readiness`; other types are ready once they exist. */
  readonly readiness?: Readonly<Record<string, ReadinessCase>>;
  /** Another value for each field that is immutable once `body` is created, by path. */
  readonly fixed?: Readonly<Record<string, Json>>;
  /** False if only a real API server refuses changes of the `fixed` fields, as for a Pod's spec. */
  readonly isRefusedHere?: false;
  readonly impact: {
    readonly created: readonly Impact[];
    readonly deleted: readonly Impact[];
    readonly changes?: Readonly<Record<string, ImpactCase>>;
  };
}

export interface ReadinessCase {
  readonly reason: string;
  /** Fields of the live object; without `metadata` it is that of `liveOf`. */
  readonly live: JsonObject;
  readonly want: Readiness;
}

export interface ImpactCase {
  readonly reason: string;
  /** The changes of an update; a creation has none. */
  readonly fields?: Changes;
  readonly desired?: JsonObject;
  readonly want: readonly Impact[];
}

/** Maps each path to its old and its new value. */
export type Changes = Readonly<Record<string, readonly [Json | undefined, Json | undefined]>>;

/** A type with its cases, and the child of this type that the owners in `owners.ts` desire. */
export interface Subject extends TypeCases {
  readonly type: ChildType;
  readonly desired: Child;
}

export const casesOf = <Body extends object>(
  type: ChildType<Body>,
  cases: TypeCases<NoInfer<Body>>,
): Subject => ({
  ...cases,
  type,
  desired: child(type, { name: 'garden', labels: { tier: 'one' }, body: cases.body }),
});

/** Edits a label, for a type whose body is entirely immutable. */
export const relabelled: TypeCases['edit'] = {
  patch: { metadata: { labels: { tier: 'two' } } },
  path: 'metadata.labels.tier',
};

export const current: Readiness = { state: 'Current' };

export const inProgress = (message: string): Readiness => ({ state: 'InProgress', message });

/** Builds a live object of generation 2. */
export const liveOf = (type: ChildType, fields: JsonObject): KubeObject => ({
  apiVersion: apiVersionOf(type),
  kind: type.kind,
  metadata: {
    name: 'garden',
    namespace: 'default',
    uid: 'u',
    resourceVersion: '1',
    generation: 2,
    creationTimestamp: '2026-11-22T10:00:00Z',
  },
  ...fields,
});

/** Says that the controller has observed generation 2. */
export const seen: JsonObject = { observedGeneration: 2 };
