import { type Child, type ChildName, issuerOf, titleOfChild } from '../../kinds/child.ts';
import { generatedKeys, rotationText } from '../../kinds/references/generated-data.ts';
import { includesType, type JsonObject, keyOf } from '../../kubernetes.ts';
import { listed } from '../../printable.ts';
import type { ObservedChild } from '../observed/observed.ts';
import {
  childLabels,
  type FailedRequest,
  isOrphan,
  isOwn,
  latestRecord,
  refOf,
  type World,
} from '../observed/world.ts';

export interface DataCase {
  readonly child: Child;
  readonly world: World;
  readonly observed: ObservedChild | undefined;
  readonly desired: readonly Child[];
}

/**
 * Returns the keys to generate, or why data is not generated: an object that uses it exists already, or an object could
 * not be read. Returns no keys if a rotation replaces all data.
 */
export function missingData(one: DataCase): readonly string[] | FailedRequest {
  const { child, world, observed } = one;
  const keys = missingKeys(child, observed);
  const isOurs = observed !== undefined && isOwn(world.resource, observed);
  if (isOurs && isRotationDue(one)) return [];
  if (keys.length === 0) return isOurs && isUnusable(child, observed) ? unusable(child) : [];
  const usedBy = child.generated?.usedBy ?? [];
  for (const holder of [child, ...usedBy]) {
    const unread = world.unread.get(keyOfName(holder));
    if (unread !== undefined)
      return { ...unread, message: `${titleOfChild(holder)} cannot be read: ${unread.message}` };
  }
  const holders = usedBy.filter(
    (holder) => world.children.has(keyOfName(holder)) || isCompleted(world, holder),
  );
  const own = holders.filter((holder) => reliesOnData(one, holder));
  if (own.length > 0) return dataMissing(one, own, keys);
  return holders[0] === undefined ? keys : inTheWay(child, holders[0]);
}

/**
 * Reports whether the data must be replaced: `rotation` or the desired certificate has changed, the certificate is due
 * for renewal or not valid yet, or its authority has changed or will change in this run.
 */
export function isRotationDue(one: DataCase): boolean {
  const { child, observed } = one;
  const text = child.generated && rotationText(child.generated);
  if (text === undefined || observed === undefined) return false;
  const { rotation, renewAt, validFrom } = observed.facts;
  const { now = Number.NaN } = one.world;
  const isOutOfTime = Date.parse(String(renewAt)) <= now || Date.parse(String(validFrom)) > now;
  return rotation !== text || isOutOfTime || isSignedByOther(one, observed.facts);
}

function isSignedByOther({ child, desired, world }: DataCase, { authority }: JsonObject): boolean {
  const issuer = issuerOf(child);
  const key = issuer && keyOfName(issuer);
  const signer = desired.find((one) => keyOfName(one) === key);
  // Only a self-signed certificate, which has no issuer, is an authority.
  if (key === undefined || signer === undefined || issuerOf(signer) !== undefined) return false;
  const observed = world.children.get(key);
  if (missingKeys(signer, observed).length > 0) return true;
  // Assumes that an authority to be adopted keeps its data. If not, the next pass replaces its certificates.
  const isOurs = observed !== undefined && isOwn(world.resource, observed);
  if (isOurs && isRotationDue({ child: signer, desired, world, observed })) return true;
  // A recording has no values of Secrets, so a replay does not know the authorities.
  const known = observed?.facts.authority;
  return authority !== undefined && known !== undefined && authority !== known;
}

/** Returns the objects to read before data is generated: the Secret, then those in `usedBy`. */
export const holdersOf = (child: Child, { children }: World): readonly ChildName[] =>
  child.generated === undefined || missingKeys(child, children.get(keyOfName(child))).length === 0
    ? []
    : [child, ...child.generated.usedBy];

const keyOfName = (name: ChildName): string => keyOf(refOf(name));

/** Reports whether a step is recorded as complete. Its effects depend on the data, even if its Job is gone. */
const isCompleted = (world: World, step: ChildName): boolean =>
  latestRecord(world, refOf(step))?.complete === true;

/** If one key of a key pair or certificate is missing, all its keys count as missing. */
export function missingKeys(
  { generated }: Child,
  observed: ObservedChild | undefined,
): readonly string[] {
  if (generated === undefined) return [];
  const found = (observed?.facts.keys ?? []) as readonly string[];
  const keys = generatedKeys(generated);
  const missing = keys.filter((key) => !found.includes(key));
  return generated.keys === undefined && missing.length > 0 ? keys : missing;
}

/** Reports whether a part of a key pair or certificate is unreadable or belongs to another key. */
function isUnusable({ generated = { usedBy: [] } }: Child, { facts }: ObservedChild): boolean {
  const { keyPair, certificate } = generated;
  const found = facts.publicKeys as Readonly<Record<string, string>> | undefined;
  if (found === undefined || (keyPair ?? certificate) === undefined) return false;
  const [one, other] = keyPair ? [keyPair.privateKey, keyPair.publicKey] : ['tls.key', 'tls.crt'];
  const isPair = found[one] !== undefined && found[one] === found[other];
  return !isPair || (keyPair === undefined && found['ca.crt'] === undefined);
}

const unusable = (child: Child): FailedRequest => ({
  reason: 'CredentialsLost',
  message: `${titleOfChild(child)}: the values of ${generatedKeys(child.generated ?? {}).join(', ')} cannot be parsed or do not belong together: restore them, or empty one of them to have all generated again`,
  transient: false,
});

/**
 * Reports whether an object uses the generated data. Takes this for granted if its type is not in `owns`, as for a
 * volume claim. An object of a type in `owns` uses the data only if it is a child, even without its owner reference.
 */
function reliesOnData({ world }: DataCase, holder: ChildName): boolean {
  const observed = world.children.get(keyOfName(holder));
  if (observed === undefined || !includesType(world.kind.owns, holder.type)) return true;
  return isOwn(world.resource, observed) || isOrphan(world, observed);
}

function dataMissing(
  { world, child, observed }: DataCase,
  holders: readonly ChildName[],
  keys: readonly string[],
): FailedRequest {
  const { kind, resource, children } = world;
  const title = titleOfChild(child);
  const lost = keys.join(', ');
  const state = observed === undefined ? 'does not exist' : `has no ${lost}`;
  const labels = Object.entries(childLabels(world)).map(([label, value]) => `${label}=${value}`);
  const isThere = observed !== undefined && isOwn(resource, observed);
  const restore = isThere
    ? `restore its ${lost}, or change the \`rotation\`, if the kind has one, to have all its values generated again`
    : `restore the Secret with its ${lost} and the labels ${labels.join(', ')}`;
  const isLive = (holder: ChildName): boolean => children.has(keyOfName(holder));
  const users = holders.map(
    (one) => `${titleOfChild(one)}${isLive(one) ? '' : ' (a completed step)'}`,
  );
  const owner = `${kind.kind} ${resource.name}`;
  const areLive = holders.every(isLive);
  // Names the Secret first: if it is deleted first, runs do not recreate the deleted objects in `usedBy`.
  const unneeded = [
    ...(isThere ? [title] : []),
    ...(areLive ? [] : [owner]),
    ...holders.filter(isLive).map(titleOfChild),
  ];
  const again = areLive ? '' : `, and create ${owner} again`;
  return {
    reason: 'CredentialsLost',
    message: `${title} ${state}, and the lost data is still used by ${listed(users, 10)}, so no new data is generated: ${restore}; or, if the data is no longer needed, delete ${listed(unneeded, 11)}${again}`,
    transient: false,
  };
}

const inTheWay = (child: Child, holder: ChildName): FailedRequest => ({
  reason: 'HeldByOther',
  message: `${titleOfChild(child)} waits: ${titleOfChild(holder)} already exists and is not managed by this resource`,
  transient: true,
});
