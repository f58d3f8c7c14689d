import { randomUUID } from 'node:crypto';
import { childrenProblems, keyOfChild } from '../../infra/check/check-children.ts';
import type { Server } from '../../infra/check/dry-run-server.ts';
import { canonicalJson, isMap } from '../../shared/canonical.ts';
import { messageOf } from '../../shared/cluster/cluster-errors.ts';
import { type Child, titleOfChild } from '../../shared/kinds/child.ts';
import type { IsPast, Kind } from '../../shared/kinds/kind.ts';
import type { FindObject, Resource } from '../../shared/kinds/reads.ts';
import { structuralSchema } from '../../shared/kinds/schema/structural-schema.ts';
import { withDefaults } from '../../shared/kinds/schema/walk.ts';
import type { Json, JsonObject } from '../../shared/kubernetes.ts';
import { maxDesired } from '../../shared/plan/observed/applied.ts';
import { type Found, keyOfReference } from '../../shared/plan/observed/world.ts';
import { desiredChildrenOf, plainChild } from '../desired-children.ts';
import { Breach, breach, type Law, laws } from '../law.ts';
import { passesOn, withoutPassedOn } from '../specifications/specifications.ts';
import type { AppliedObject } from '../user.ts';
import { missingValues, problemsByLaw, repeatsString } from './children-laws.ts';
import { selectorsOf, variantsOf } from './read-variants.ts';

export interface JudgedKind {
  readonly kind: Kind;
  readonly name: string;
  /** Empty if the kind is cluster-scoped. */
  readonly namespace: string;
  /** `Foo default/shop` */
  readonly what: string;
  /** Objects that the kind may read, such as those of other operators. */
  readonly given: readonly AppliedObject[];
  readonly passedOn: readonly string[];
  readonly server: Server;
  /** Children that the server has accepted already. */
  readonly accepted: Set<string>;
}

export interface Produced {
  /** The spec with the defaults of the schema. */
  readonly spec: JsonObject;
  /** The desired children if none of the objects that the kind reads exist; empty if the kind refuses the spec. */
  readonly children: readonly Child[];
  readonly refused?: true;
  /** Everything that the spec decides, such as children, clean-up and status, as one text to compare. */
  readonly effect: string;
}

/**
 * Requires that a spec keeps the laws that can be checked without a cluster. Returns undefined if the API server
 * refuses the resource, or if a law is broken only because of the fields in `passedOn`.
 */
export function judgeSpecification(subject: JudgedKind, given: JsonObject): Produced | undefined {
  try {
    return desiredBy(subject, given);
  } catch (error) {
    const { passedOn } = subject;
    if (!(error instanceof Breach && passesOn(passedOn, given))) throw error;
    if (desiredBy(subject, withoutPassedOn(passedOn, given)) !== undefined) return undefined;
    throw new Breach(error.law, `${error.message}\n  ${noExcuse}`);
  }
}

const noExcuse =
  '(`passedOn` is ignored, because the API server refuses the spec if these fields are omitted: list only fields that can be omitted together)';

function desiredBy(subject: JudgedKind, given: JsonObject): Produced | undefined {
  const { kind, server, what } = subject;
  const resource = resourceOf(subject, given);
  if (server.ofResource(kind, resource).length > 0) return undefined;
  const inputs = variantsOf(subject, resource).map((reads): Input => ({ resource, reads }));
  const desired = inputs.flatMap((input) => atTimes(input, (one) => judged(subject, one)));
  const [first] = desired;
  if (first === undefined) throw new Error(`${what}: variantsOf returned nothing`);
  const { finalize } = kind;
  const last = finalize
    ? inputs.flatMap((input) => atTimes({ ...input, finalize }, (one) => childrenOf(subject, one)))
    : [];
  const all = [...desired, ...last];
  const seen = all.map((one) =>
    'invalid' in one ? 'refused' : one.children.map((child) => plainChild(child) ?? null),
  );
  const effect = canonicalJson([
    ...seen,
    all.map((one) => ('times' in one ? one.times : [])),
    ...statusOf(kind, resource),
    ...selectorsOf(kind, resource),
  ]);
  const result = 'invalid' in first ? { children: [], refused: true as const } : first;
  return { spec: resource.spec, effect, ...result };
}

type Returned = ReturnType<typeof childrenOf>;

/** Calls `of` for a time before all others, then for up to `maxTimes` times that the kind asks about. */
function atTimes(input: Input, of: (input: Input) => Returned): readonly Returned[] {
  const returned: Returned[] = [];
  const times = new Set([Number.NEGATIVE_INFINITY]);
  for (const now of times) {
    const one = of({ ...input, now });
    returned.push(one);
    const asked = 'times' in one ? one.times : [];
    for (const time of asked) if (times.size <= maxTimes) times.add(time);
  }
  return returned;
}

const maxTimes = 6;

const isPastAt =
  (now = Number.NEGATIVE_INFINITY): IsPast =>
  (time) =>
    new Date(time).getTime() <= now;

function judged(subject: JudgedKind, input: Input): Returned {
  const { kind, what } = subject;
  const { resource, reads, now } = input;
  const found = childrenOf(subject, input);
  if ('invalid' in found) return found;
  const { children } = found;
  requireBounded(children, what);
  const twice = repeated(children);
  if (twice !== undefined) return refusedTwice(twice, resource.spec, what);
  desiredChildrenOf(kind, resource, { reads, isPast: isPastAt(now) });
  requireUnordered(subject, input, children);
  requireNoMemory(subject, input, children);
  requireSound(subject, resource, children);
  return found;
}

interface Input {
  readonly resource: Resource<JsonObject>;
  readonly reads: ReadonlyMap<string, Found>;
  /** The kind's `finalize`. If it is set, it is called in place of `children`. */
  readonly finalize?: Kind['desired'];
  /** The time for `isPast`, in ms since the epoch; if absent, it is before all other times. */
  readonly now?: number;
}

export function resourceOf(
  { kind, name, namespace }: JudgedKind,
  given: JsonObject,
): Resource<JsonObject> {
  const schema = structuralSchema(kind.schema.spec, kind.kind);
  const spec = withDefaults(schema, structuredClone(given)) as JsonObject;
  return { name, namespace, uid: 'uid-of-the-resource', createdAt: '2026-01-01T00:00:00Z', spec };
}

const timeLimitMs = 1000;

function childrenOf(
  { kind, what }: JudgedKind,
  { resource, reads, finalize, now }: Input,
):
  | { readonly children: readonly Child[]; readonly times: readonly number[] }
  | { readonly invalid: string } {
  const name = finalize ? 'finalize' : 'children';
  const began = performance.now();
  try {
    const times: number[] = [];
    const isPastNow = isPastAt(now);
    const find: FindObject = (reference) => {
      const one = reads.get(keyOfReference(reference));
      return one !== undefined && 'object' in one ? one.object : undefined;
    };
    const isPast: IsPast = (time) => {
      times.push(Date.parse(new Date(time).toISOString()));
      return isPastNow(time);
    };
    const found = (finalize ?? kind.desired)(structuredClone(resource), find, isPast);
    const took = performance.now() - began;
    if (took > timeLimitMs)
      throw breach(laws.bounded, what, [`${name}() takes ${Math.round(took)} ms`]);
    return 'invalid' in found ? found : { children: found, times };
  } catch (error) {
    if (error instanceof Error && error.name === 'AssertionError') throw error;
    throw breach(laws.total, what, [`${name}() throws: ${messageOf(error)}`]);
  }
}

function requireBounded(children: readonly Child[], what: string): void {
  if (children.length > maxDesired)
    throw breach(laws.bounded, what, [
      `${children.length} children are returned, such as ${titleOfChild(children[0] as Child)}; limit them with maximum or maxItems in the schema`,
    ]);
}

const repeated = (children: readonly Child[]): Child | undefined => {
  const keys = children.map(keyOfChild);
  return children.find((_, at) => keys.indexOf(keys[at] ?? '') < at);
};

/** Blames the spec for a child returned twice if a list in the spec repeats a string; otherwise throws. */
function refusedTwice(twice: Child, spec: JsonObject, what: string): { readonly invalid: string } {
  const title = titleOfChild(twice);
  if (repeatsString(spec)) return { invalid: `${title} is returned twice` };
  throw breach(laws.named, what, [
    `${title} is returned twice, although no list in the spec contains a string twice; give each child a name of its own`,
  ]);
}

/** Requires only that `children` does not throw, is fast enough, and returns few enough children. */
export function requireFewChildren(subject: JudgedKind, given: JsonObject): void {
  const resource = resourceOf(subject, given);
  if (subject.server.ofResource(subject.kind, resource).length > 0) return;
  const found = childrenOf(subject, { resource, reads: new Map() });
  if ('children' in found) requireBounded(found.children, subject.what);
}

function reversed(value: Json): Json {
  if (Array.isArray(value)) return value.map(reversed);
  if (!isMap(value)) return value;
  const entries = Object.entries(value).map(([name, inner]) => [name, reversed(inner ?? null)]);
  return Object.fromEntries(entries.toReversed());
}

const textOf = (child: Child): string => canonicalJson(plainChild(child));

function requireUnordered(subject: JudgedKind, input: Input, children: readonly Child[]): void {
  const spec = reversed(input.resource.spec) as JsonObject;
  const again = childrenOf(subject, { ...input, resource: { ...input.resource, spec } });
  const found = 'invalid' in again ? [] : again.children;
  const strings = found.map(textOf);
  const at = children.findIndex((child, index) => textOf(child) !== strings[index]);
  if (at >= 0)
    throw breach(laws.unordered, subject.what, [
      `${titleOfChild(children[at] as Child)} differs if the fields of the spec are in another order; sort them, as canonicalJson does`,
    ]);
}

/**
 * Requires that a resource with another name and uid has the same children, apart from name, uid and digests.
 * This finds kinds that keep state between calls, because such state is usually keyed by name or uid. Skips
 * kinds that read objects, and names with a dot or of more than 33 characters.
 */
function requireNoMemory(subject: JudgedKind, input: Input, children: readonly Child[]): void {
  const { resource } = input;
  const { name } = resource;
  const uid = randomUUID();
  const other = `z${uid.replaceAll('-', '')}`.slice(0, Math.max(name.length, 8));
  if (subject.kind.refersTo.length > 0 || /[^a-z0-9-]/.test(name) || name.length > other.length)
    return;
  const again = childrenOf(subject, { ...input, resource: { ...resource, name: other, uid } });
  const found = 'invalid' in again ? [] : again.children;
  const [known, fresh] = [children, found].map((list) =>
    list.map((child) =>
      (JSON.stringify(plainChild(child)) ?? '')
        .replaceAll(other, name)
        .replaceAll(resource.uid, uid)
        .replaceAll(/[0-9a-f]{10,}/g, ''),
    ),
  );
  if (found.length === 0 || known === undefined || fresh === undefined) return;
  const at = known.findIndex((text, index) => text !== fresh[index]);
  if (at >= 0)
    throw breach(laws.pure, subject.what, [
      `${titleOfChild(children[at] as Child)} is different for another resource with the same spec, and not only in its names; keep no state between calls`,
    ]);
}

function requireSound(
  { kind, server, what, accepted }: JudgedKind,
  resource: Resource<JsonObject>,
  children: readonly Child[],
): void {
  const require = (law: Law, seen: readonly string[]): void => {
    if (seen.length > 0) throw breach(law, what, seen);
  };
  require(laws.printed, children.flatMap((child) => missingValues(child, resource.spec)));
  require(laws.applied, childrenProblems(kind, children));
  const texts = children.map((child) => [textOf(child), child] as const);
  const untried = new Map(texts.filter(([text]) => !accepted.has(text)));
  require(laws.applied, server.ofChildren(kind, resource, [...untried.values()]));
  for (const text of untried.keys()) accepted.add(text);
  for (const [law, seen] of problemsByLaw(children, resource.spec)) require(law, seen);
}

/** Later than `createdAt` (`resourceOf`), but finite: a kind may loop until `isPast` returns false. */
const aYearLater = Date.parse('2027-01-01T00:00:00Z');

function statusOf(kind: Kind, { spec, ...resource }: Resource<JsonObject>): readonly Json[] {
  const found = { ...resource, spec, children: [], finder: () => () => undefined };
  return (['Ready', 'Stalled'] as const).flatMap((state) =>
    [undefined, aYearLater].map(
      (now) => kind.ownStatus({ ...found, state, isPast: isPastAt(now) }) as unknown as Json,
    ),
  );
}
