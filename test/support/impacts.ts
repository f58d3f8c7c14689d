/** Builders of decisions about a child of any type, for tests of their impact. */

import type { ChildType } from '../../shared/kinds/child-type.ts';
import { apiVersionOf, type Json, type JsonObject } from '../../shared/kubernetes.ts';
import type { Decision } from '../../shared/plan/decision/decision.ts';

export const lock = { uid: 'u', resourceVersion: '1' };

export const about = (type: ChildType) => ({
  type,
  child: { apiVersion: apiVersionOf(type), kind: type.kind, name: 'a' },
  namespace: 'n',
});

export const creationOf = (type: ChildType, fields: JsonObject = {}): Decision => ({
  ...about(type),
  verb: 'create',
  fields,
  existed: false,
});

export const deletionOf = (type: ChildType): Decision => ({ ...about(type), verb: 'delete', lock });

interface Update {
  /** Maps each path to its old and its new value. */
  readonly fields: Readonly<Record<string, readonly [Json | undefined, Json | undefined]>>;
  readonly desired?: JsonObject;
}

export const updateOf = (type: ChildType, { fields, desired = {} }: Update): Decision => ({
  ...about(type),
  verb: 'update',
  lock,
  fields: desired,
  differences: Object.entries(fields).map(([path, [from, to]]) => ({
    path,
    from,
    to,
    writer: undefined,
  })),
});
