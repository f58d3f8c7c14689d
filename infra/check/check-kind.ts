import { canonicalJson } from '../../shared/canonical.ts';
import { deepFreeze, textAt, valueAt } from '../../shared/json.ts';
import { bodyProblem } from '../../shared/kinds/checks/children.ts';
import { type Child, titleOfChild } from '../../shared/kinds/child.ts';
import { states } from '../../shared/kinds/condition-types.ts';
import type { Findings, Kind } from '../../shared/kinds/kind.ts';
import type { FindObject, Resource } from '../../shared/kinds/reads.ts';
import { mayProvide, unreadSource } from '../../shared/kinds/references/grants.ts';
import { valuesIn } from '../../shared/kinds/references/template.ts';
import { structuralSchema } from '../../shared/kinds/schema/structural-schema.ts';
import { placesIn, unknownField } from '../../shared/kinds/schema/walk.ts';
import type { JsonObject } from '../../shared/kubernetes.ts';
import { findEmpty, sampleResources } from '../generate/samples.ts';
import { childrenProblems, keyOfChild, shortLives, typeName } from './check-children.ts';
import { unmatchedSelections } from './selections.ts';
import { aDayLater } from './shift-clock.ts';

/** Dry runs on an API server. Each returns the refusals, with their locations; empty if all is accepted. */
export interface DryRun {
  readonly ofResource: (kind: Kind, resource: Resource<JsonObject>) => readonly string[];
  readonly ofChildren: (
    kind: Kind,
    resource: Resource<JsonObject>,
    children: readonly Child[],
  ) => readonly string[];
}

const noDryRun: DryRun = { ofResource: () => [], ofChildren: () => [] };

/**
 * Checks a kind's samples and the children that it returns for them. Returns messages with the kind, the
 * location and usually a remedy.
 *
 * Flow: calls `children` for each sample (1) with frozen input, (2) with equal input and the clock a day ahead,
 * (3) with references present, (4) under other names.
 * Caveats: code that no sample reaches is not checked.
 */
export function checkKind(kind: Kind, dryRun: DryRun = noDryRun): readonly string[] {
  const { finalize, ...more } = kind;
  // To check the children of `finalize`, checks a copy of the kind whose `desired` is `finalize`.
  if (finalize !== undefined) {
    const own = checkKind(more, dryRun);
    const last = own.length > 0 ? [] : checkKind({ ...more, desired: finalize }, dryRun);
    return [...own, ...last.map((problem) => `${problem} (in finalize)`)];
  }
  if (kind.samples.length === 0)
    return [
      `${kind.kind}: \`samples\` is empty; add a sample, so that its children can be checked`,
    ];
  const problems = sampleResources(kind).flatMap((sample) => {
    const subject = `${kind.kind}: sample ${sample.name}`;
    const own = sampleProblems(kind, sample, dryRun);
    if (own.length > 0) return own.map((problem) => `${subject}: ${problem}`);
    const existing = kind.refersTo.length === 0 ? [] : problemsOf(existingOf(subject, sample));
    return existing.length > 0 ? existing : renamed(kind, sample, dryRun).flatMap(problemsOf);
  });
  // Omits repetitions: all samples are tried under the same names, so the same problem may be found twice.
  return [...new Set(problems)];

  function problemsOf({ subject, resource, find, remedy }: Case): readonly string[] {
    const result = attempt(kind, resource, find);
    if ('invalid' in result) return [];
    if ('thrown' in result) return [`${subject}: ${result.thrown}`];
    const { name } = resource;
    return desiredProblems(kind, resource, { children: result.children, dryRun }).map(
      (problem) => `${subject}: ${problem.replaceAll(name, shownName(name))}${remedy}`,
    );
  }
}

/** Stops at the first sample with a warning, because later samples would mostly cause the same warning. */
export function kindWarnings(kind: Kind): readonly string[] {
  const finds = [undefined, ...(kind.refersTo.length === 0 ? [] : [findEmpty])];
  for (const sample of sampleResources(kind))
    for (const find of finds) {
      const found = attempt(kind, sample, find);
      const children = 'children' in found ? found.children : [];
      const last = kind.finalize && attempt({ ...kind, desired: kind.finalize }, sample, find);
      const jobs = last !== undefined && 'children' in last ? last.children : [];
      const messages = [...unmatchedSelections(children), ...shortLives([...children, ...jobs])];
      if (messages.length > 0)
        return messages.map((text) => `${kind.kind}: sample ${sample.name}: ${text}`);
    }
  return [];
}

/** Sends dry runs only if `childrenProblems` finds nothing, because the server's messages are less helpful. */
function desiredProblems(
  kind: Kind,
  resource: Resource<JsonObject>,
  { children, dryRun }: { readonly children: readonly Child[]; readonly dryRun: DryRun },
): readonly string[] {
  const problems = [
    ...childrenProblems(kind, children),
    ...unreadSources(kind.references(resource), resource, children),
  ];
  return problems.length > 0 ? problems : dryRun.ofChildren(kind, resource, children);
}

function unreadSources(
  references: ReturnType<Kind['references']>,
  { namespace: own }: Resource<JsonObject>,
  children: readonly Child[],
): readonly string[] {
  if ('invalid' in references) return [];
  return children.flatMap((child) => {
    const { namespace: home = own, templates = {} } = child;
    const unread = valuesIn(templates).find(({ secret: name, namespace = home }) =>
      references.every((one) => !mayProvide(one, { name, namespace })),
    );
    return unread ? [`${titleOfChild(child)}: Secret ${unread.secret} ${unreadSource}`] : [];
  });
}

/** A variant of a sample, for example with a longer name. */
interface Case {
  readonly subject: string;
  readonly resource: Resource<JsonObject>;
  readonly find?: FindObject;
  /** Text to append to a problem: empty, or begins with a semicolon. */
  readonly remedy: string;
}

const existingOf = (subject: string, resource: Resource<JsonObject>): Case => ({
  resource,
  find: findEmpty,
  subject: `${subject}, with empty ConfigMaps and Secrets for its references`,
  remedy: '',
});

/** Returns cases with names that the kind allows but some child types may not. */
function renamed(kind: Kind, sample: Resource<JsonObject>, dryRun: DryRun): readonly Case[] {
  const find = kind.refersTo.length === 0 ? {} : { find: findEmpty };
  const caseOf = (name: string, { shown, rule }: { shown: string; rule: string }): Case => ({
    ...find,
    resource: { ...sample, name },
    subject: `${kind.kind}: resource ${shown}`,
    remedy: `; build the child's names with ${nameFunctions}. Or ${rule}`,
  });
  const isLegal = (name: string): boolean => {
    const resource = { ...sample, name };
    const result = attempt(kind, resource, find.find);
    return !('invalid' in result) && dryRun.ofResource(kind, resource).length === 0;
  };
  const withDots = { shown: `called ${dotted}`, rule: 'refuse dots with a rule on metadata.name' };
  return [
    ...(isLegal(dotted) ? [caseOf(dotted, withDots)] : []),
    ...longestOf(isLegal).map((name) =>
      caseOf(name, {
        shown: `with a name of ${name.length} characters`,
        rule: "limit the length of the resource's name with the rule nameAtMost",
      }),
    ),
  ];
}

const nameFunctions =
  'workloadName (Deployment, Job), statefulSetName, dnsLabel (Service), namespaceName or, for other types, objectName; build container names with containerName, and label values with labelValue';

const dotted = '1.with.dots';

const longName = (length: number): string => `${`a${'-long'.repeat(50)}`.slice(0, length - 2)}er`;
const maxName = 253;
const shownName = (name: string): string =>
  name.length > 40 ? `${name.slice(0, 6)}…${name.slice(-6)}` : name;

/** Returns the longest legal name; nothing if only short names are legal. */
function longestOf(isLegal: (name: string) => boolean): readonly string[] {
  let [legal, length] = [dotted.length, maxName];
  for (let illegal = maxName + 1; illegal - legal > 1; length = (legal + illegal) >> 1) {
    if (isLegal(longName(length))) legal = length;
    else illegal = length;
  }
  return legal > dotted.length ? [longName(legal)] : [];
}

type Attempt =
  | { readonly children: readonly Child[] }
  | { readonly invalid: string }
  | { readonly thrown: string };

function attempt(kind: Kind, resource: Resource<JsonObject>, find?: FindObject): Attempt {
  try {
    const desired = kind.desired(resource, find);
    return 'invalid' in desired ? { invalid: desired.invalid } : { children: desired };
  } catch (error) {
    return { thrown: withoutKind(kind, error) };
  }
}

const withoutKind = ({ kind }: Kind, error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).replaceAll(`${kind}: `, '');

function sampleProblems(
  kind: Kind,
  resource: Resource<JsonObject>,
  dryRun: DryRun,
): readonly string[] {
  const schema = structuralSchema(kind.schema.spec, kind.kind);
  const unknown = unknownField(placesIn(schema, resource.spec, 'spec'));
  if (unknown !== undefined) return [`${unknown} is not in the schema; add it there, or remove it`];
  const first = attempt(kind, deepFreeze(structuredClone(resource)));
  if ('thrown' in first)
    return 'thrown' in attempt(kind, structuredClone(resource))
      ? [first.thrown]
      : [`children() modifies its input (${first.thrown}); change a copy instead`];
  if ('invalid' in first) return [`the kind itself refuses it: ${first.invalid}`];
  const { children } = first;
  const values = children.flatMap((child) => bodyProblem(child) ?? []);
  if (values.length > 0) return values;
  const again = aDayLater(() => attempt(kind, deepFreeze(structuredClone(resource))));
  const changed = differing(children, 'children' in again ? again.children : []);
  const references = [0, 1].map(() => JSON.stringify(kind.references(resource)));
  return [
    ...(references[0] === references[1]
      ? []
      : [
          '`reads` selects different objects when called again; it must not use a clock or random values',
        ]),
    ...(changed === undefined
      ? []
      : [
          `\`children\` returns a different ${changed} when called again; it must not depend on a clock, random values or earlier calls`,
        ]),
    ...dryRun.ofResource(kind, resource),
    ...desiredProblems(kind, resource, { children, dryRun }),
    ...statusProblems(kind, resource),
  ];
}

/** Calls the status functions for each state of a resource. Passes no children, because a run may find none. */
function statusProblems(kind: Kind, resource: Resource<JsonObject>): readonly string[] {
  const none = { children: [], finder: () => () => undefined, isPast: () => false };
  try {
    for (const state of states) {
      const found: Findings = { ...resource, state, ...none };
      const text = () => canonicalJson(kind.ownStatus(found));
      if (text() !== aDayLater(text))
        return [
          'statusOf or conditionsOf returns a different value when called again; it must not depend on a clock or random values',
        ];
    }
    const notes: unknown = kind.notes({ newGeneration: true, completed: true, changes: [] });
    return Array.isArray(notes) && notes.every(isNote)
      ? []
      : ['notes must return a list of { type, reason, message }, and must not be async'];
  } catch (error) {
    return [`while no child exists: ${withoutKind(kind, error)}`];
  }
}

const isNote = (note: unknown): boolean =>
  textAt(note, 'type') !== undefined &&
  textAt(note, 'reason') !== undefined &&
  typeof valueAt(note, 'message') === 'string';

function differing(one: readonly Child[], other: readonly Child[]): string | undefined {
  const strings = other.map(textOf);
  const at = one.findIndex((child, index) => textOf(child) !== strings[index]);
  const found = at < 0 ? other[one.length] : one[at];
  return found && titleOfChild(found);
}

/** Replaces references to other children with keys, because children may form cycles. */
const textOf = ({ type, needs = [], actsOn, generated, ...rest }: Child): string =>
  canonicalJson({
    ...rest,
    type: typeName(type),
    needs: needs.map(keyOfChild),
    actsOn: actsOn && keyOfChild(actsOn),
    generated: generated && { ...generated, usedBy: generated.usedBy.map(keyOfChild) },
  });
