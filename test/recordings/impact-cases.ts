import { join } from 'node:path';
import { expect, it } from 'vitest';
import { recordingFile } from '../../infra/recordings/place.ts';
import { readRecording } from '../../infra/recordings/recording-file.ts';
import { decideAgain } from '../../infra/recordings/replay.ts';
import type { Impact } from '../../shared/kinds/impact.ts';
import type { Kind } from '../../shared/kinds/kind.ts';
import { groupResource } from '../../shared/kubernetes.ts';
import { eventType } from '../../shared/plan/status/kubernetes-events.ts';
import {
  type PlannedRequest,
  type PlannedResource,
  requestsFor,
} from '../../shared/preview/planned-resource.ts';
import type { WriteLine } from '../../shared/recording/recording.ts';
import type { How, Output } from '../cli/command-runner.ts';
import type { Api } from '../scenarios/api.ts';
import { config } from '../support/config.ts';
import { foretoldWrites } from './foretold-writes.ts';
import { type Shelf, shelf, shelfKind } from './shelf.ts';
import { byResource, type Write } from './writes.ts';

/** A cluster on which the cases run, and the command. */
export interface ImpactGround {
  /** Client of the namespace `default`. */
  readonly api: Api;
  readonly directory: string;
  readonly run: (argv: readonly string[], how?: How) => Promise<Output>;
  /** Returns the writes of a run, with their bodies. */
  readonly writesOf?: (run: () => Promise<unknown>) => Promise<readonly Write[]>;
}

/** A change of code, from one version of a kind to the next. */
export interface Case {
  readonly what: string;
  readonly old: Kind;
  readonly next: Kind;
  /** Effects on the children of three resources: `restart Deployment 3`. */
  readonly effects: readonly string[];
}

interface ShelfCase extends Pick<Case, 'what' | 'effects'> {
  readonly change: Partial<Shelf>;
}

const shelfCases: readonly ShelfCase[] = [
  {
    what: 'another image',
    change: { image: 'web:2' },
    effects: ['restart Deployment 3'],
  },
  {
    what: 'another label of each child',
    change: { labels: { tier: 'front' } },
    effects: ['update ConfigMap 6', 'update Deployment 3', 'update Secret 3', 'update Service 3'],
  },
  {
    what: 'fewer replicas',
    change: { replicas: 1 },
    effects: ['reduce Deployment 3'],
  },
  { what: 'a child that is removed', change: { maps: ['a'] }, effects: ['delete ConfigMap 3'] },
  {
    what: 'a child that is renamed',
    change: { maps: ['a', 'c'] },
    effects: ['create ConfigMap 3', 'delete ConfigMap 3'],
  },
  {
    what: 'an immutable field',
    change: { selector: 'shelf' },
    effects: ['interrupt Deployment 3', 'recreate Deployment 3', 'reroute Service 3'],
  },
  {
    what: 'another key of a Secret',
    change: { secret: { key: 'dHdv' } },
    effects: ['update Secret 3'],
  },
  {
    what: 'another port of a Service',
    change: { port: 8080 },
    effects: ['interrupt Service 3'],
  },
  {
    what: 'an environment variable more',
    change: { env: [...shelf.env, { name: 'LEVEL', value: 'debug' }] },
    effects: ['restart Deployment 3'],
  },
  { what: 'a new child', change: { maps: ['a', 'b', 'c'] }, effects: ['create ConfigMap 3'] },
  {
    what: 'another strategy together with an image',
    change: { strategy: 'Recreate', image: 'web:2' },
    effects: ['recreate Deployment 3'],
  },
  { what: 'nothing', change: {}, effects: [] },
];

export const cases: readonly Case[] = shelfCases.map(({ change, ...one }) => ({
  ...one,
  old: shelfKind(),
  next: shelfKind(change),
}));

const env = { ROLLOUT_BUDGET: 'off' };

/**
 * For each change of code: judges a recording of the version before, then carries the change out, and compares the
 * decisions and the requests, with their bodies if the ground shows them.
 */
export function playImpact(ground: () => ImpactGround, chosen: readonly Case[]): void {
  it.each(chosen)(
    '$what: the impact predicted from a recording equals the requests that are then sent',
    async (one) => {
      const { api, directory, run, writesOf } = ground();
      const prefix = one.old.kind.toLowerCase();
      for (const type of [one.old, ...one.old.owns])
        for (const { metadata } of await api.list(type))
          if (metadata.name.startsWith(prefix)) await api.remove(type, metadata.name);
      for (const at of [1, 2, 3]) await api.create(one.old, `${prefix}-${at}`, { spec: {} });
      const before = join(directory, 'before', 'cluster.jsonl');
      const after = join(directory, 'after.jsonl');
      const old = { kinds: [one.old], env };
      const next = { kinds: [one.next], env };
      // The second run stores what the first one created.
      for (const _ of [1, 2]) expect(await run(['resync'], old)).toMatchObject({ code: 0 });
      await run(['resync', '--record', before], old);

      const { code, out } = await run(['impact', join(directory, 'before'), '-o', 'json'], next);
      expect(code).toBe(0);
      expect(effectsIn(out)).toEqual(one.effects);
      const foretold = await decideAgain(recordingFile(before), {
        reconciler: { ...config, kindsFor: () => next.kinds },
        env,
        isAtOnce: true,
      });
      const unanswered = foretold.unanswered.map(({ takenAs }) => takenAs);
      expect(unanswered).not.toContain('unreadable');

      const record = () => run(['resync', '--record', after], next);
      const sent = await writesOf?.(record);
      if (sent === undefined) await record();
      const { decisions, requests } = readRecording(after);
      const { resources } = foretold.again.desired;
      expect(resources.map(comparable)).toEqual(decisions.decided.resources.map(comparable));
      const writes = requests.filter((line) => line.line === 'write');
      expect(writes.filter(({ error }) => error !== undefined)).toEqual([]);
      const nameOf = kindNames(one.next);
      expect(writes.map((line) => textOfWrite(line, nameOf)).toSorted()).toEqual(
        resources.flatMap(requestsFor).filter(isWrite).map(textOf).toSorted(),
      );
      const offline = await foretoldWrites(before, one.next);
      if (sent !== undefined)
        expect(byResource(sent, offline.known)).toEqual(byResource(offline.writes, offline.known));
      const again = await run(['plan', '-o', 'json'], next);
      expect(JSON.parse(again.out).preview.resources.flatMap(changesOf)).toEqual([]);
    },
  );
}

/** What is left to write; a child that needs a step waits until that is complete. */
const changesOf = ({ actions }: PlannedResource) =>
  actions.filter(({ verb }) => verb !== 'wait').map(({ verb, child }) => [verb, child]);

const effectsIn = (out: string): readonly string[] =>
  JSON.parse(out)
    .effects.map(
      (one: { effect: Impact; kind: string; children: number; clusters: number }) =>
        `${one.effect} ${one.kind} ${one.children}`,
    )
    .toSorted();

/** The masked records of Secrets do not tell the origin of a change, nor the reason of its Event. */
const comparable = ({ actions, events, ...one }: PlannedResource) => ({
  ...one,
  actions: actions.map(({ origin, ...action }) =>
    action.child.kind === 'Secret' ? action : { ...action, origin },
  ),
  events: actions.some(({ child }) => child.kind === 'Secret')
    ? events.map(({ message }) => message)
    : events,
});

const isWrite = ({ verb, dryRun }: PlannedRequest): boolean =>
  verb !== 'get' && verb !== 'list' && !dryRun;

/** Names the kind of a type such as `deployments.apps`. */
const kindNames = (kind: Kind) => {
  const names = new Map([kind, ...kind.owns].map((type) => [groupResource(type), type.kind]));
  return (type: string) => names.get(type);
};

/** `apply Deployment default/shelf-1 by serverless-reconciler` */
const textOf = ({ verb, object, subresource, manager }: PlannedRequest): string =>
  object.startsWith('Event of')
    ? `${verb} Event`
    : [verb, object, subresource, manager].filter((part) => part !== undefined).join(' ');

const textOfWrite = (
  { request, type, namespace, name, ...line }: WriteLine,
  nameOf: (type: string) => string | undefined,
): string =>
  type === groupResource(eventType)
    ? `${request} Event`
    : [request, `${nameOf(type)} ${namespace}/${name}`, line.subresource, line.manager]
        .filter((part) => part !== undefined)
        .join(' ');
