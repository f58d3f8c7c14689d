import type { Subject } from '../errors/errors.ts';
import type { KubeObject } from '../objects/object.ts';
import { groupVersionOf, type Served } from '../resources/resource.ts';
import { read, type Stored } from '../storage/stored.ts';

/** What a request is about: a resource in a version, a namespace, an object, a subresource. */
export interface Target {
  readonly served: Served;
  readonly namespace: string;
  readonly name: string;
  readonly subresource: string;
}

/** Who writes, and how. */
export interface Writer {
  readonly manager: string;
  readonly dryRun: boolean;
  readonly fieldValidation: 'Strict' | 'Warn' | 'Ignore';
  readonly warn: (text: string) => void;
}

export const subjectOf = ({ served, name }: Target): Subject => ({
  group: served.resource.group,
  plural: served.resource.plural,
  name,
});

export const kindSubjectOf = (
  { served }: Target,
  name: string | undefined,
): { group: string; kind: string; name: string | undefined } => ({
  // Events of either group are validated as one kind, which has no group.
  group: served.resource.kind === 'Event' && !served.resource.custom ? '' : served.resource.group,
  kind: served.resource.kind,
  name,
});

/** A private copy of a stored object in the version of the target. */
export const readIn = (served: Served, stored: Stored): KubeObject => {
  const { resource, version } = served;
  const object = read(stored, groupVersionOf(served), resource.kind);
  return version.conversion ? version.conversion.fromStored(object) : object;
};
