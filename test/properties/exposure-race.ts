import { ingress } from '../../shared/kinds/child-types/networking.ts';
import type { Kind } from '../../shared/kinds/kind.ts';
import { leaks, listOf, observe } from '../reconcile/admission.ts';
import type { Around } from '../reconcile/calls.ts';
import type { Api } from '../scenarios/api.ts';
import { kindsFor } from '../support/config.ts';
import type { Endpoints } from '../support/router.ts';
import type { Testbed } from './testbed.ts';
import { type Actors, playTimeline, quiet } from './timeline.ts';
import type { Choose } from './turns.ts';

const settings = { authUrl: 'https://auth.example.com/check', ingressClass: 'nginx' };
export const containerApp = kindsFor(settings).find(({ kind }) => kind === 'ContainerApp') as Kind;

/** A reconciled ContainerApp, and the lists that its owner writes while two runs work. */
export interface Course {
  readonly start: Endpoints;
  readonly edits: readonly Endpoints[];
}

export interface Leak {
  /** Names the call, and the request that it admits. */
  readonly what: string;
  /** True if another writer changed the resource or an Ingress of it since the run looked last. */
  readonly isStale: boolean;
}

export interface Passage {
  readonly story: string;
  /** Lists requests that are newly admitted with fewer scopes than any list so far requires. */
  readonly leaks: readonly Leak[];
  /** Lists requests that are not routed as the last list says, after a run that has read this list. */
  readonly left: readonly string[];
}

const name = 'shop';
const specOf = (endpoints: Endpoints) => ({
  spec: { image: 'nginx', endpoints: listOf(endpoints) },
});
const nameOf = (list: Endpoints, at: number): string => `edit ${at}: ${JSON.stringify(list)}`;

/** Plays two runs and the owner, call by call in the order of `choose`, and lists leaks after each call. */
export async function raceOverExposure(
  testbed: Testbed,
  { start, edits }: Course,
  choose: Choose,
): Promise<Passage> {
  const ground = await testbed.open();
  const { api, run } = ground;
  const found: Leak[] = [];
  const lists = [start];
  const edit = (list: Endpoints) => async (client: Api) => {
    lists.push(list);
    return client.patch(containerApp, name, specOf(list));
  };
  const actors: Actors = {
    testbed,
    ground,
    actions: {
      create: (client) => client.create(containerApp, name, specOf(start)),
      ...Object.fromEntries(edits.map((list, at) => [nameOf(list, at), edit(list)])),
    },
    takesNoTurn: (what) => /^(list (?!containerapps|ingresses)|create Event)/.test(what),
    ...watching(api, lists, found),
  };
  const timeline = { ...quiet, before: ['create', 'run'], meanwhile: edits.map(nameOf) };
  const { story, turns } = await playTimeline(actors, timeline, choose);
  const last = turns.findLastIndex(({ actor }) => actor === 'somebody');
  const isUnseen = ['first', 'second'].every(
    (one) => turns.findIndex(({ actor }) => actor === one) < last,
  );
  if (isUnseen) await run();
  const left = leftOf(await api.list(ingress), edits.at(-1) ?? start);
  await ground.close();
  return { story, leaks: found, left };
}

/** Records, after each write of an Ingress, which requests leak, and if the writer had seen the last change. */
function watching(
  api: Api,
  lists: readonly Endpoints[],
  found: Leak[],
): Pick<Actors, 'watch' | 'others'> {
  let clock = 0;
  // A leak from an earlier write is reported once.
  let open = new Set<string>();
  let changed: { readonly at: number; readonly by: unknown } = { at: 0, by: undefined };
  return {
    watch: () => {
      const me = {};
      let seen = 0;
      let isStale = false;
      const watch: Around = async (what, call) => {
        const now = ++clock;
        if (/^list ingresses/.test(what)) {
          seen = now;
          isStale = false;
        }
        isStale ||= changed.by !== me && changed.at > seen;
        const response = await call();
        if (!/^(apply|patch|remove) Ingress/.test(what)) return response;
        changed = { at: now, by: me };
        const bad = leaks(await api.list(ingress), lists);
        const anew = bad.filter((one) => !open.has(requestOf(one)));
        open = new Set(bad.map(requestOf));
        found.push(...anew.map((one) => ({ what: `${what}: ${one}`, isStale })));
        return response;
      };
      return watch;
    },
    async others(_, call) {
      changed = { at: ++clock, by: undefined };
      return call();
    },
  };
}

/** Returns the request of a leak. */
const requestOf = (leak: string): string => leak.split(' ')[0] ?? '';

function leftOf(live: Parameters<typeof leaks>[0], list: Endpoints): readonly string[] {
  const groups = new Set(Object.values(list).map((scopes) => [...scopes].toSorted().join()));
  const paths = live.flatMap((one) => observe(one).paths);
  return [
    ...leaks(live, [list]),
    ...(live.length === groups.size ? [] : [`${live.length} Ingresses, ${groups.size} groups`]),
    ...(paths.length === Object.keys(list).length ? [] : [`${paths.length} paths`]),
  ];
}
