import { checkKinds, definedIn } from '../../infra/check/check-kinds.ts';
import { openServer } from '../../infra/check/dry-run-server.ts';
import type { ReconcilerConfig } from '../../shared/config/define-config.ts';
import { present } from '../../shared/json.ts';
import { isKind, type Kind } from '../../shared/kinds/kind.ts';
import { isClusterScoped, type JsonObject } from '../../shared/kubernetes.ts';
import { requireEnvironment, requireManifest, requireOptions, requireThat } from '../arguments.ts';
import { firstDifference } from '../difference.ts';
import { Breach, breach, laws } from '../law.ts';
import { openTestEnvironment, titleIn } from '../open-test-environment.ts';
import type { StatusFor } from '../rehearse.ts';
import type { SpecificationEdit } from '../specifications/specifications.ts';
import { configOf, kindOf } from '../target.ts';
import type { TestEnvironmentOptions } from '../test-environment.ts';
import type { AppliedObject } from '../user.ts';
import { type Counterexample, narrowed, search } from './search.ts';
import {
  type EditedSequence,
  type Sequence,
  type Stage,
  type Star,
  sequencesOf,
  starsOf,
  testOf,
} from './sequence.ts';
import type { JudgedKind } from './specification-laws.ts';
import { requireBounds, requireOwnNames, trialOf } from './trial.ts';
import { playSequence } from './world.ts';

/** Options of `expectReliable`. */
export interface ReliabilityOptions
  extends Pick<TestEnvironmentOptions, 'environment'>,
    Partial<Sequence> {
  /** The kind to test, or its name; required if the configuration has several. */
  readonly kind?: string | Kind;
  /**
   * An earlier version of the kind, which creates the children of the first spec. The tested version must then
   * change these children into its own. Default: only the tested version is used.
   */
  readonly previous?: Kind;
  /**
   * Objects to apply first, such as CRDs of custom children and objects that the kind reads. Resources of other kinds
   * are reconciled before the tested resource is applied.
   */
  readonly given?: readonly AppliedObject[];
  /** The status that the controllers of custom children give them, as for `expectConverged`. */
  readonly statusFor?: StatusFor;
  /**
   * Paths of optional spec fields that the kind passes on to its children, such as `pod.securityContext`, or that only
   * another kind reads. Broken laws are ignored if these fields are the cause. If the API server refuses a child
   * because of them, Stalled must say so.
   */
  readonly passedOn?: readonly string[];
  /** The duration of the search in seconds; default: 20. Shrinking a counterexample takes up to 10 s more. */
  readonly seconds?: number;
  /** The seed of the search; the same seed repeats the search. Default: random. */
  readonly seed?: number;
  /** Called after each trial of a search with the totals so far. */
  readonly onProgress?: (tried: Reliability) => void;
}

const knownOptions: readonly (keyof ReliabilityOptions)[] = [
  'kind',
  'previous',
  'given',
  'statusFor',
  'passedOn',
  'environment',
  'seconds',
  'seed',
  'specs',
  'disturbances',
  'onProgress',
];

/** What a call to `expectReliable` has tried. */
export interface Reliability {
  readonly seed: number;
  /** The number of specs that were checked without a cluster. */
  readonly specs: number;
  /** The number of sequences of edits that were tried on a cluster. The sample's edits do not count. */
  readonly sequences: number;
}

/**
 * Searches for specs, sequences of edits, and disturbances that make a kind break a law.
 *
 * Flow: tries the first sample on an embedded cluster. Then generates specs from the kind's schema and checks their
 * children without a cluster, hundreds of specs a second. Then makes sequences of edits on embedded clusters. With
 * `specs`, tries only these specs.
 * Guarantees: the same seed tries the same values in the same order, as far as the time allows.
 *
 * Rejects with an AssertionError that names the law, the child and the field. After a search, the error also contains a
 * test that repeats the failure.
 */
export async function expectReliable(
  target: Kind | ReconcilerConfig,
  options: ReliabilityOptions = {},
): Promise<Reliability> {
  const { seconds = 20, seed = Math.floor(Math.random() * 2 ** 31) } = checked(options);
  const stage = await stageOf(target, options);
  const server = await openServer(definedIn([stage.kind]));
  const subject: JudgedKind = {
    ...stage,
    server,
    accepted: new Set(),
    what: titleIn(stage.kind, stage.name, { namespace: stage.namespace }),
  };
  try {
    return options.specs === undefined
      ? await searched({ subject, stage, seconds, seed, onProgress: options.onProgress })
      : await repeated(subject, stage, { ...options, specs: options.specs });
  } finally {
    server.stop();
  }
}

function checked(options: ReliabilityOptions): ReliabilityOptions {
  requireOptions(options, knownOptions);
  const { given = [], environment = {}, seconds = 1, seed = 0, specs = [] } = options;
  const { passedOn = [] } = options;
  const arePaths = Array.isArray(passedOn) && passedOn.every((one) => typeof one === 'string');
  requireThat(arePaths, ['passedOn', passedOn], 'a list of paths in the spec');
  requireEnvironment(environment);
  requireThat(Array.isArray(given), ['given', given], 'a list of manifests');
  for (const [at, object] of given.entries()) requireManifest(`given[${at}]`, object);
  requireThat(seconds > 0, ['seconds', seconds], 'a number above 0');
  requireThat(Number.isSafeInteger(seed), ['seed', seed], 'an integer');
  requireThat(Array.isArray(specs), ['specs', specs], 'a list of specs');
  const { previous } = options;
  const isGiven = previous === undefined || isKind(previous);
  requireThat(isGiven, ['previous', previous], 'a kind');
  return options;
}

async function stageOf(
  target: Kind | ReconcilerConfig,
  options: ReliabilityOptions,
): Promise<Stage> {
  const { kind: named, previous, given = [], passedOn = [], environment = {} } = options;
  const config = configOf(target);
  const { env } = await openTestEnvironment(config, { environment });
  const kind = kindOf(env.kinds, named);
  await env.close();
  const [sample] = kind.samples;
  requireThat(sample !== undefined, ['samples', kind.samples], 'a list of at least one sample');
  const namespace = isClusterScoped(kind) ? '' : 'default';
  const place = { name: sample?.name ?? '', namespace };
  const more = present({ previous, statusFor: options.statusFor });
  return { config, kind, ...more, ...place, given, passedOn, environment };
}

interface Search {
  readonly subject: JudgedKind;
  readonly stage: Stage;
  readonly seconds: number;
  readonly seed: number;
  readonly onProgress: ReliabilityOptions['onProgress'];
}

/** The share of the search time, not counting the samples, in which specs are checked without a cluster. */
const specsShare = 0.4;
const mostEdits = 4;

async function searched({ subject, stage, ...given }: Search): Promise<Reliability> {
  const { seconds, seed, onProgress } = given;
  const began = performance.now();
  const passed = (): number => (performance.now() - began) / 1000;
  const during = (share: number) => {
    const end = passed() + share * Math.max(seconds - passed(), 0);
    return { seed, isOver: () => passed() >= end || (share < 1 && trial.isSure()) };
  };
  const trial = trialOf(subject);
  let sequences = 0;
  const tried = (): Reliability => ({ seed, specs: trial.specs(), sequences });
  const judge = (star: Star): void => {
    trial.tryOne(star);
    onProgress?.(tried());
  };
  const play = async (sequence: EditedSequence): Promise<void> => {
    await playSequence(stage, sequence);
    sequences += 1;
    onProgress?.(tried());
  };
  const searchStars = async (): Promise<Counterexample<Star> | undefined> => {
    const star = await search(starsOf(subject), judge, during(specsShare));
    return star && narrowed(star, partsOf(star.value), judge);
  };
  const found: Counterexample<Sequence | Star | undefined> | undefined =
    (await attempt(() => requireSamples(subject, seed))) ??
    (await playSamples(stage)) ??
    (await searchStars()) ??
    (await attempt(trial.requireEffects)) ??
    (await search(sequencesOf(subject, mostEdits), play, during(1)));
  if (found === undefined) return tried();
  const { law, message } = found.breach;
  const again = testOf(stage, law, sequenceOf(found.value) ?? { seed, seconds });
  const when = `Found after ${passed().toFixed(1)} s with seed ${seed}. To reproduce it:`;
  throw new Breach(law, [message, when, again].join('\n\n'));
}

/** Puts each edit into its own Star, because shrinking has no time to remove the edits of many fields one by one. */
const partsOf = ({ first, others }: Star): readonly Star[] => [
  { first, others: [] },
  ...others.map((one) => ({ first, others: [one] })),
];

const sequenceOf = (value: Sequence | Star | undefined): Sequence | undefined =>
  value === undefined || 'specs' in value
    ? value
    : { specs: [value.first, ...value.others.map(({ spec }) => spec)] };

async function attempt(
  act: () => void | Promise<void>,
): Promise<Counterexample<undefined> | undefined> {
  try {
    await act();
    return undefined;
  } catch (error) {
    if (error instanceof Breach) return { value: undefined, breach: error };
    throw error;
  }
}

async function requireSamples(subject: JudgedKind, seed: number): Promise<void> {
  const { kind, what } = subject;
  const { problems } = await checkKinds([kind]);
  if (problems.length > 0) throw breach(laws.sound, what, problems);
  for (const { spec } of kind.samples) requireOwnNames(subject, spec);
  requireBounds(subject, seed);
}

/** Tries the first sample without and with an admission webhook. */
async function playSamples(stage: Stage): Promise<Counterexample<Sequence> | undefined> {
  const specs = stage.kind.samples.slice(0, 1).map(({ spec }) => spec);
  for (const sequence of [{ specs }, { specs, disturbances: [{ admits: 'steady' } as const] }]) {
    const found = await attempt(() => playSequence(stage, sequence));
    if (found !== undefined) return { ...found, value: sequence };
  }
  return undefined;
}

function editBetween(from: JsonObject, to: JsonObject): SpecificationEdit {
  const found = firstDifference(from, to);
  const path = (found?.path ?? '').replaceAll(/\[(\d+)\]/g, '.$1').split('.');
  return { path, ...present({ to: found?.to }) };
}

async function repeated(
  subject: JudgedKind,
  stage: Stage,
  sequence: Sequence,
): Promise<Reliability> {
  const trial = trialOf(subject);
  const [first = {}, ...others] = sequence.specs;
  // Compares each spec with the first spec, as in a Star, and with the previous spec, as in a Sequence.
  for (const [at, spec] of others.entries())
    for (const from of new Set([first, sequence.specs[at] ?? first]))
      trial.tryOne({ first: from, others: [{ edit: editBetween(from, spec), spec }] });
  if (others.length === 0) trial.tryOne({ first, others: [] });
  await playSequence(stage, sequence);
  return { seed: 0, specs: trial.specs(), sequences: 1 };
}
