import { isMap } from '../canonical.ts';
import type { Child } from '../kinds/child.ts';
import { secret } from '../kinds/child-types/core.ts';
import type { Kind } from '../kinds/kind.ts';
import type { FindObject } from '../kinds/reads.ts';
import { isSameType, type Json } from '../kubernetes.ts';
import { maskedText } from './masking.ts';
import { objectKey } from './recording.ts';
import type { Snapshot } from './replayed-cluster.ts';

/**
 * The kinds as they decide on a recording: they receive the digests of Secrets as the run did, and the values that they
 * want in Secrets are remembered by their digests.
 */
export function replayedKinds(
  kinds: readonly Kind[],
  { digests }: Pick<Snapshot, 'digests'>,
  salt: string,
): { readonly kinds: readonly Kind[]; readonly wanted: ReadonlyMap<string, string> } {
  const wanted = new Map<string, string>();
  const asRecorded =
    (find: FindObject): FindObject =>
    (reference) => {
      const found = find(reference);
      if (found === undefined || !isSameType(reference.type, secret)) return found;
      return {
        ...found,
        digest: digests.get(objectKey(reference.type, reference)) ?? found.digest,
      };
    };
  const remember = ({ type, body, annotations = {} }: Child): void => {
    if (!isSameType(type, secret)) return;
    for (const value of [...Object.values(annotations), ...textsIn(body as Json)])
      wanted.set(maskedText(salt, value), value);
  };
  return {
    wanted,
    kinds: kinds.map((kind) => ({
      ...kind,
      desired(resource, find) {
        const children = kind.desired(resource, find && asRecorded(find));
        if (!('invalid' in children)) for (const one of children) remember(one);
        return children;
      },
    })),
  };
}

function textsIn(value: Json | undefined): readonly string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap(textsIn);
  return isMap(value) ? Object.values(value).flatMap(textsIn) : [];
}
