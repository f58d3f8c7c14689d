import type { Random } from '../../chaos/random.ts';
import { at, corrupt, placesOf, remove, set } from './corrupt.ts';
import { metadataOf } from './metadata.ts';
import { make } from './random.ts';
import type { Subject } from './subjects.ts';

export interface Edit {
  readonly place: readonly (string | number)[];
  readonly value: unknown;
}

/** A turn: the object of the request, and the source of random choices. */
export interface Turn {
  readonly subject: Subject;
  readonly name: string;
  readonly path: string;
  readonly random: Random;
}

/** Chooses a manifest at random, with a lock once in `lockedOneIn` times. */
export function manifest(
  { subject, name, random }: Turn,
  lockedOneIn: number,
): Record<string, unknown> {
  const { kind, apiVersion, content } = subject;
  const metadata = metadataOf(name, random, lockedOneIn);
  const whole = { apiVersion, kind, metadata, ...(make(content, random) as object) };
  return spoiled(whole, random);
}

/**
 * Chooses a manifest that turns no Service into an ExternalName: the real server then keeps its internal
 * traffic policy without showing it, so the next write would be a change.
 */
export function manifestWithin(turn: Turn, lockedOneIn: number): Record<string, unknown> {
  const whole = manifest(turn, lockedOneIn);
  const isElsewhere = at(whole, ['spec', 'type']) === 'ExternalName';
  return isElsewhere ? (remove(whole, ['spec', 'type']) as Record<string, unknown>) : whole;
}

export function spoiled(whole: Record<string, unknown>, random: Random): Record<string, unknown> {
  return random.chance(0.15) ? (corrupt(whole, random) as Record<string, unknown>) : whole;
}

/** Removes empty fields that the real server stores for a custom resource without showing them. */
export function withoutEmptyMetadata(body: unknown): unknown {
  const metadata = at(body, ['metadata']);
  if (typeof metadata !== 'object' || metadata === null) return body;
  const kept = Object.entries(metadata)
    .map(([key, value]) => [key, withoutNulls(value)] as const)
    .filter(([, value]) => typeof value !== 'object' || Object.keys(value ?? {}).length > 0);
  return set(body, ['metadata'], Object.fromEntries(kept));
}

function withoutNulls(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([, inner]) => inner !== null));
}

/** The fields that a PUT requires. */
export const bare = ({ subject: { apiVersion, kind }, name }: Turn) => ({
  apiVersion,
  kind,
  metadata: { name },
});

/** Chooses parts of another manifest, to be put into a stored object. */
export function editsFrom(other: unknown, random: Random): Edit[] {
  const places = placesOf(other).filter(
    (place) => place.length > 1 && place.every((key) => typeof key === 'string'),
  );
  if (places.length === 0) return [];
  return Array.from({ length: random.below(4) }, () => {
    const place = random.pick(places);
    return { place, value: random.chance(0.2) ? null : at(other, place) };
  });
}

/** Chooses a patch with parts of another manifest, some of them to be removed. */
export function patchBody(turn: Turn): unknown {
  const { random } = turn;
  const start: unknown = random.chance(0.1)
    ? { metadata: { resourceVersion: '{live.metadata.resourceVersion}' } }
    : {};
  const body = editsFrom(manifestWithin(turn, 6), random).reduce(
    (patch, { place, value }) => set(patch, place, value),
    start,
  );
  return random.chance(0.08) ? corrupt(body, random) : body;
}

/** Adds a directive of strategic merge somewhere. */
export function directed(body: unknown, random: Random): unknown {
  const places = placesOf(body).filter((place) => {
    const value = at(body, place);
    const isList = Array.isArray(value) && value.some((item) => typeof item !== 'object');
    return (
      place.length > 1 &&
      place[0] !== 'metadata' &&
      typeof value === 'object' &&
      value !== null &&
      !isList
    );
  });
  if (places.length === 0) return body;
  const place = random.pick(places);
  const value = at(body, place);
  const directive = { $patch: random.pick(['delete', 'replace']) };
  if (Array.isArray(value)) return set(body, place, [...value, directive]);
  return set(body, [...place, '$patch'], directive.$patch);
}
