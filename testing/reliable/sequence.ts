import fc from 'fast-check';
import { isMap } from '../../shared/canonical.ts';
import { isReconcilerConfig, type ReconcilerConfig } from '../../shared/config/define-config.ts';
import type { Kind } from '../../shared/kinds/kind.ts';
import { groupResource, type Json, type JsonObject } from '../../shared/kubernetes.ts';
import type { StatusFor } from '../rehearse.ts';
import {
  editorOf,
  editsOf,
  fieldEditsOf,
  type SpecificationEdit,
  specificationsOf,
} from '../specifications/specifications.ts';
import type { AppliedObject } from '../user.ts';
import { type JudgedKind, resourceOf } from './specification-laws.ts';

/** A disturbance of the run after an edit. */
export type Disturbance =
  /** The process crashes at the n-th request, before or after the request takes effect. */
  | { readonly dies: number; readonly when: 'before' | 'after' }
  /** The next edit is made just before the n-th request of the run, which may then act on the old spec. */
  | { readonly overtaken: number }
  /** Children of one type cannot be listed. The number is the index of the type in `owns`. */
  | { readonly unlisted: number }
  /** The cluster does not serve one child type. The number is the index of the type in `owns`. */
  | { readonly unserved: number }
  /** The n-th patch of the run, and the five after it, get the response 500. */
  | { readonly refused: number }
  /** Another writer, such as a webhook, adds an annotation to every child. */
  | { readonly annotated: true }
  /**
   * Once the runs have settled, one more run reads an older state: the state right after this edit (1), after the edit
   * before it (2), and so on.
   */
  | { readonly behind: number }
  /** An admission webhook changes children. It is removed once runs write nothing more. */
  | { readonly admits: Admitted }
  /** An admission webhook refuses one child type for some runs. The number is the index in `owns`. */
  | { readonly denied: number }
  /** The run is started by audit events, not by the schedule. */
  | { readonly delivered: true };

/**
 * The changes that an admission webhook makes: it sets a label and an annotation, adds a container, and prefixes
 * images with a registry. A `fickle` webhook chooses another registry for each request.
 */
export type Admitted = 'steady' | 'fickle';

/** A sequence of edits: the specs of one resource, and disturbances of the runs in between. */
export interface Sequence {
  readonly specs: readonly JsonObject[];
  /** The disturbance of the run after each spec. The list may be shorter than `specs`. */
  readonly disturbances?: readonly (Disturbance | null)[];
}

export interface EditedSequence extends Sequence {
  readonly edits: readonly SpecificationEdit[];
}

/** A spec and alternative edits of it, whereas the edits of a Sequence follow each other. */
export interface Star {
  readonly first: JsonObject;
  /** Edits of `first`. Each changes one field. */
  readonly others: readonly { readonly edit: SpecificationEdit; readonly spec: JsonObject }[];
}

/** Omits edits that change nothing or are refused. */
export function starsOf(subject: JudgedKind): fc.Arbitrary<Star> {
  const { kind, passedOn } = subject;
  const edited = editorOf(kind);
  const edits = fieldEditsOf(kind, passedOn).map((edit) =>
    fc.array(edit, { maxLength: 2, size: 'max' }),
  );
  return fc.tuple(specificationsOf(kind), fc.tuple(...edits)).map(([first, all]) => ({
    first,
    others: all
      .flat()
      .map((edit) => ({ edit, spec: edited(first, edit) }))
      .filter(({ spec }) => spec !== first && isAccepted(subject, first, spec)),
  }));
}

const isAccepted = (subject: JudgedKind, from: JsonObject, to: JsonObject): boolean =>
  subject.server.accepts(subject.kind, resourceOf(subject, from), to);

/** Generates up to `most` edits. Omits edits that change nothing or that the API server refuses. */
export function sequencesOf(subject: JudgedKind, most: number): fc.Arbitrary<EditedSequence> {
  const { kind, passedOn } = subject;
  const edited = editorOf(kind);
  const edits = fc.array(editsOf(kind, passedOn), { minLength: 0, maxLength: most, size: 'max' });
  const disturbed = fc.array(fc.option(disturbancesOf(kind), { freq: 2 }), { maxLength: most + 1 });
  return fc.tuple(specificationsOf(kind), edits, disturbed).map(([first, all, disturbances]) => {
    const specs = [first];
    const made: SpecificationEdit[] = [];
    for (const edit of all) {
      const last = specs.at(-1) ?? first;
      const next = edited(last, edit);
      if (next === last || !isAccepted(subject, last, next)) continue;
      specs.push(next);
      made.push(edit);
    }
    return { specs, edits: made, disturbances: disturbances.slice(0, specs.length) };
  });
}

const mostRequests = 24;

function disturbancesOf({ owns }: Kind): fc.Arbitrary<Disturbance> {
  const at = fc.integer({ min: 1, max: mostRequests });
  return fc.oneof(
    fc.record({ dies: at, when: fc.constantFrom('before' as const, 'after' as const) }),
    fc.record({ overtaken: at }),
    fc.record({ refused: fc.integer({ min: 1, max: 4 }) }),
    fc.constant({ annotated: true } as const),
    fc.constant({ delivered: true } as const),
    fc.record({ admits: fc.constantFrom<Admitted[]>('steady', 'fickle') }),
    fc.record({ behind: fc.integer({ min: 1, max: 3 }) }),
    ...(owns.length === 0
      ? []
      : (['unlisted', 'unserved', 'denied'] as const).map((how) =>
          fc.integer({ min: 0, max: owns.length - 1 }).map((at) => ({ [how]: at }) as Disturbance),
        )),
  );
}

interface Repetition {
  readonly seed: number;
  readonly seconds: number;
}

export interface Stage {
  readonly config: ReconcilerConfig | { readonly kinds: readonly Kind[] };
  readonly kind: Kind;
  /** An earlier version of the kind, which creates the first children. */
  readonly previous?: Kind | undefined;
  readonly name: string;
  /** Empty for a cluster-scoped kind. */
  readonly namespace: string;
  readonly given: readonly AppliedObject[];
  readonly statusFor?: StatusFor | undefined;
  readonly passedOn: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
}

/** The maximum number of lines of `given` in the printed test. For more, the user has to define a variable. */
const mostGiven = 40;

/**
 * Formats a test for the user to paste into a file. The test repeats one sequence or a whole search. A comment lists
 * the variables that the user has to define, for values that are too long or not JSON.
 */
export function testOf(stage: Stage, title: string, how: Sequence | Repetition): string {
  const { config, kind, previous, given, statusFor, passedOn, environment } = stage;
  const isLong = sourceOf(given as Json).split('\n').length > mostGiven;
  const variables = [
    ...(previous ? ['previous'] : []),
    ...(isLong ? ['given'] : []),
    ...(statusFor ? ['statusFor'] : []),
  ];
  // Puts the variables first, so that `replace` below finds them before the same text in a spec, such as `given: true`.
  const options = {
    ...(isReconcilerConfig(config) ? { kind: groupResource(kind) } : {}),
    ...Object.fromEntries(variables.map((name) => [name, true])),
    ...('specs' in how ? undisturbed(how) : how),
    ...(passedOn.length === 0 ? {} : { passedOn }),
    ...(Object.keys(environment).length === 0 ? {} : { environment }),
    ...(isLong || given.length === 0 ? {} : { given }),
  };
  const source = variables.reduce(
    (text, name) => text.replace(`${name}: true`, name),
    sourceOf(options as Json, '  '),
  );
  const name = kind.kind.charAt(0).toLowerCase() + kind.kind.slice(1);
  const target = isReconcilerConfig(config) ? 'config' : name;
  const named = [...(target === 'config' ? [target] : []), ...variables];
  return [
    `test(${sourceOf(`${kind.kind}: ${title}`)}, async () => {`,
    ...(named.length === 0 ? [] : [`  // Copy from the test that failed: ${named.join(', ')}`]),
    `  await expectReliable(${target}, ${source});`,
    '});',
  ].join('\n');
}

const undisturbed = ({ specs, disturbances = [] }: Sequence): Sequence =>
  disturbances.some((one) => one !== null) ? { specs, disturbances } : { specs };

const longestLine = 80;

function sourceOf(value: Json, indent = ''): string {
  if (typeof value === 'string') return quoted(value);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const items = Array.isArray(value)
    ? value.map((item) => sourceOf(item as Json, `${indent}  `))
    : Object.entries(value).map(
        ([field, inner]) => `${keyOf(field)}: ${sourceOf(inner ?? null, `${indent}  `)}`,
      );
  const [open, close, space] = isMap(value) ? ['{', '}', ' '] : ['[', ']', ''];
  if (items.length === 0) return `${open}${close}`;
  const line = `${open}${space}${items.join(', ')}${space}${close}`;
  if (line.length + indent.length <= longestLine && !line.includes('\n')) return line;
  return [open, ...items.map((item) => `${indent}  ${item},`), `${indent}${close}`].join('\n');
}

const keyOf = (field: string): string => (/^[A-Za-z_$][\w$]*$/.test(field) ? field : quoted(field));

const quoted = (text: string): string =>
  `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
