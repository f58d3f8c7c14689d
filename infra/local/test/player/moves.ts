import type { Random } from '../../chaos/random.ts';
import type { ApiRequest } from '../../client.ts';
import {
  apply,
  del,
  get,
  jsonPatch,
  mergePatch,
  post,
  put,
  strategicPatch,
} from '../contract/requests.ts';
import {
  bare,
  directed,
  type Edit,
  editsFrom,
  manifest,
  manifestWithin,
  patchBody,
  spoiled,
  type Turn,
  withoutEmptyMetadata,
} from './bodies.ts';
import { at, isOfType, type Place, placesOf, thin } from './corrupt.ts';
import { deleteOptions, dryDelete, managers, metadataOf } from './metadata.ts';
import { make } from './random.ts';
import type { Subject } from './subjects.ts';

/**
 * One request about one object. Its strings may contain placeholders: `{ns}`; `{live.…}` and `{first.…}` for
 * the object as last and first read; `{port.…}` for a node port of the game.
 */
export interface Move {
  /** The path of the object that is read after the request. */
  readonly object: string;
  readonly request: ApiRequest;
  /** Sends the object as last read, if there is one, with these fields set; null removes a field. */
  readonly edits?: readonly Edit[];
}

/** Chooses the requests of one game, about few objects of one or two kinds, so that they interfere with each other. */
export function makeMoves(
  random: Random,
  subjects: readonly Subject[],
  count: number,
): readonly Move[] {
  const pick = (): Subject => pickSubject(random, subjects);
  const played = [pick(), ...(random.chance(0.3) ? [pick()] : [])];
  const names = random.chance(0.6) ? ['x'] : ['x', 'y'];
  return Array.from({ length: count }, () => {
    const [subject, name] = [random.pick(played), random.pick(names)];
    const turn = { subject, name, path: `${subject.collection}/${name}`, random };
    return { object: turn.path, ...random.pick(weighted)(turn) };
  });
}

function pickSubject(random: Random, subjects: readonly Subject[]): Subject {
  return random.pick(
    subjects.flatMap((subject) => Array(subject.weight).fill(subject) as Subject[]),
  );
}

type MoveMaker = (turn: Turn) => Omit<Move, 'object'>;

/** Each move appears as often as it is to be chosen. */
const weights: readonly (readonly [number, MoveMaker])[] = [
  [8, create],
  [26, applySome],
  [4, replace],
  [14, edit],
  [12, merge],
  [8, strategic],
  [9, json],
  [7, writeStatus],
  [4, scale],
  [6, remove],
];
const weighted = weights.flatMap(([weight, maker]) => Array(weight).fill(maker) as MoveMaker[]);

/** A dry run shows node ports that do not exist. */
function options({ random, subject }: Turn): Record<string, string> {
  return {
    ...(random.chance(0.9) ? { fieldManager: random.pick(managers) } : {}),
    ...(random.chance(0.06) && subject.kind !== 'Service' ? { dryRun: 'All' } : {}),
    ...(random.chance(0.15)
      ? { fieldValidation: random.pick(['Strict', 'Strict', 'Ignore']) }
      : {}),
  };
}

function create(turn: Turn): Omit<Move, 'object'> {
  const body = manifest(turn, 20);
  return { request: post(turn.subject.collection, body, options(turn)) };
}

function applySome(turn: Turn): Omit<Move, 'object'> {
  const { random, path } = turn;
  const whole = manifestWithin(turn, 4);
  const thinned = random.chance(0.5) ? whole : thin(whole, random);
  const body = turn.subject.isCustom ? withoutEmptyMetadata(thinned) : thinned;
  const force = random.chance(0.5) ? { force: 'true' } : {};
  const manager = { fieldManager: random.pick(managers) };
  return { request: apply(path, body, { ...options(turn), ...manager, ...force }) };
}

function replace(turn: Turn): Omit<Move, 'object'> {
  return { request: put(turn.path, manifest(turn, 2), options(turn)) };
}

/** Sends the object as last read, with parts of another manifest. */
function edit(turn: Turn): Omit<Move, 'object'> {
  const { random, path } = turn;
  const edits = editsFrom(manifestWithin(turn, 4), random);
  return { request: put(path, bare(turn), options(turn)), edits };
}

function merge(turn: Turn): Omit<Move, 'object'> {
  return { request: mergePatch(turn.path, patchBody(turn), options(turn)) };
}

function strategic(turn: Turn): Omit<Move, 'object'> {
  const { random, path } = turn;
  const body = patchBody(turn);
  return {
    request: strategicPatch(
      path,
      random.chance(0.3) ? directed(body, random) : body,
      options(turn),
    ),
  };
}

function json(turn: Turn): Omit<Move, 'object'> {
  const { random, path } = turn;
  const other = manifestWithin(turn, 6);
  const places = [
    ...placesOf(other).filter((place) => !isOfType(place)),
    ['metadata', 'labels', 'a'],
  ];
  const operations = Array.from({ length: 1 + random.below(2) }, () => {
    const place = random.pick(places);
    const pointer = `/${place.map((key) => String(key).replaceAll('~', '~0').replaceAll('/', '~1')).join('/')}`;
    const op = random.pick(['add', 'add', 'replace', 'remove', 'test', 'copy', 'move']);
    if (isUnlike(place)) return { op: 'test', path: pointer, value: '1' };
    if (op === 'remove') return { op, path: pointer };
    if (op === 'copy' || op === 'move') {
      return {
        op,
        from: pointer,
        path: random.pick(['/metadata/labels/a', '/metadata/annotations', pointer]),
      };
    }
    return { op, path: pointer, value: at(other, place) };
  });
  return { request: jsonPatch(path, operations, options(turn)) };
}

/**
 * Reports whether a copy to or from this place would differ without a defect: versions differ between the
 * servers, and the real server tells null data from empty data.
 */
const isUnlike = (place: Place): boolean =>
  place[0] === 'data' || place.includes('resourceVersion') || place.includes('managedFields');

function writeStatus(turn: Turn): Omit<Move, 'object'> {
  const { subject, random, name, path } = turn;
  const { kind, apiVersion, status } = subject;
  if (status === undefined) return merge(turn);
  const metadata = { name, ...(random.chance(0.3) ? metadataOf(name, random, 2) : {}) };
  const body = spoiled({ apiVersion, kind, metadata, ...(make(status, random) as object) }, random);
  const query = options(turn);
  const manager = { fieldManager: random.pick(managers) };
  const force = random.chance(0.5) ? { force: 'true' } : {};
  switch (random.below(4)) {
    case 0:
      return { request: put(`${path}/status`, bare(turn), query), edits: editsFrom(body, random) };
    case 1:
      return { request: mergePatch(`${path}/status`, body, query) };
    case 2:
      return { request: put(`${path}/status`, body, query) };
    default:
      return {
        request: apply(`${path}/status`, withStatus(body), { ...query, ...manager, ...force }),
      };
  }
}

/** The real server stores an applied null status without showing it. */
const withStatus = (body: Record<string, unknown>) =>
  body.status === null ? { ...body, status: {} } : body;

function scale(turn: Turn): Omit<Move, 'object'> {
  const { subject, random, name, path } = turn;
  if (!subject.scalable) return merge(turn);
  const spec = { replicas: random.pick([0, 1, 2, 3, 11, -1]) };
  const { resourceVersion, uid } = metadataOf(name, random, 3);
  const metadata = {
    name,
    ...(resourceVersion ? { resourceVersion } : {}),
    ...(uid ? { uid } : {}),
  };
  const whole = { apiVersion: 'autoscaling/v1', kind: 'Scale', metadata, spec };
  const query = options(turn);
  switch (random.below(3)) {
    case 0:
      return { request: get(`${path}/scale`) };
    case 1:
      return { request: put(`${path}/scale`, whole, query) };
    default:
      return { request: mergePatch(`${path}/scale`, { spec }, query) };
  }
}

function remove({ random, path }: Turn): Omit<Move, 'object'> {
  if (random.chance(0.3)) return { request: del(path) };
  const options = random.chance(0.08) ? dryDelete : deleteOptions;
  return { request: del(path, make(options, random)) };
}
