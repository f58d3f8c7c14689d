import fc from 'fast-check';
import { expect, test } from 'vitest';
import { openOfflineServer } from '../../infra/check/offline-server.ts';
import type { Cluster } from '../../shared/cluster/cluster.ts';
import { defaultIdentity } from '../../shared/identity.ts';
import type { Kind } from '../../shared/kinds/kind.ts';
import type { JsonObject, KubeObject, ManagedFieldsEntry } from '../../shared/kubernetes.ts';
import type { Action, PlannedResource } from '../../shared/preview/planned-resource.ts';
import { type PreviewOptions, previewRun } from '../../shared/preview/preview.ts';
import { Recorder } from '../../shared/recording/recorder.ts';
import { replayDecisions } from '../../shared/recording/replay-decisions.ts';
import { Snapshot } from '../../shared/recording/snapshot.ts';
import { nested } from '../properties/hostile-objects.ts';
import { play } from '../properties/play.ts';
import { effort, testTimeoutMs } from '../properties/runs.ts';
import { type Step, scripts } from '../properties/script.ts';
import { familyScripts } from '../properties/script-of-families.ts';
import { kinds, type Place } from '../reconcile/engine.ts';
import { openRecordedPreview, previewOptions } from '../reconcile/recorded-preview.ts';
import { useEngine } from '../reconcile/use-engine.ts';
import { kindsFor } from '../support/config.ts';

const engine = useEngine();
const askServer = openOfflineServer(defaultIdentity.name);

const families = kindsFor({ authUrl: 'https://auth.example.com/check', ingressClass: 'nginx' });

/** The second covers Secrets, generated data, Ingresses, and objects that are read by name only. */
const worlds = [
  { kinds, scripts, cases: 60 },
  { kinds: families, scripts: familyScripts, cases: 60 },
];

/** Does nothing during the run, edits before one of its updates, or nests children too deeply. */
const troubles = fc.oneof(
  fc.constant({}),
  fc.record({ edited: fc.nat({ max: 3 }) }),
  fc.constant({ isDeep: true }),
);
type Trouble = { readonly edited?: number; readonly isDeep?: boolean };

test.each(worlds)(
  'a replay of a recorded run makes the decisions of a plan before it: $kinds.length kinds',
  ({ kinds, scripts, cases }) =>
    fc.assert(
      fc.asyncProperty(scripts, troubles, (steps, trouble) => compare(kinds, steps, trouble)),
      effort(cases),
    ),
  testTimeoutMs,
);

test.each<[string, Step]>([
  ['tested by a dry run', { do: 'edit website', name: 'w', edit: { imageTag: 'b' } }],
  ['not tested by a dry run', { do: 'disturb', at: 0, kind: 'Deployment', by: 'scaled' }],
])(
  'a replay decides on a write that met a conflict with the object as it was read, if the run had %s it',
  async (_, step) => {
    const before: readonly Step[] = [
      { do: 'website', name: 'w', imageTag: 'a' },
      { do: 'resync' },
      { do: 'settle' },
      { do: 'resync' },
    ];
    await compare(kinds, [...before, step], { edited: 0 });
  },
);

async function compare(kinds: readonly Kind[], steps: readonly Step[], trouble: Trouble) {
  const { controllers } = engine.cluster;
  const place = await engine.place(kinds);
  try {
    for (const step of steps)
      await (step.do === 'resync' ? place.resync() : play(engine, place, step));
    await controllers.settled();
    controllers.pause();
    const area = { kinds, namespaces: undefined };
    const options = { ...previewOptions, area, rollout: undefined, askServer };
    const planned = await planOf(place, options, trouble);
    const recorder = await recordResync(place, trouble);
    const reading = {
      at: new Date().toISOString(),
      identity: defaultIdentity,
      salt: 'salt',
      trigger: 'resync' as const,
      reconcileRequests: [{ namespace: place.namespace }],
    };
    const snapshot = new Snapshot(recorder.lines.map((line) => JSON.parse(line)));
    const { decided, unanswered } = await replayDecisions({ ...reading, snapshot }, options);
    expect(comparable(decided.resources)).toBe(comparable(planned.resources));
    expect(unanswered).toEqual([]);
  } finally {
    controllers.resume();
  }
}

/**
 * Omits what depends on the records of Secrets, which are unusable without the salts that a recording masks: where
 * a Secret is updated, the origin, the reasons of Events, and whether the status is written.
 */
const comparable = (resources: readonly PlannedResource[] = []): string =>
  JSON.stringify(resources.map((one) => (one.actions.some(isSecretUpdate) ? unsalted(one) : one)));

const isSecretUpdate = ({ verb, child }: Action): boolean =>
  verb === 'update' && child.kind === 'Secret';

const unsalted = ({ actions, events, status: _, commit: __, ...rest }: PlannedResource) => ({
  ...rest,
  actions: actions.map((action) => (isSecretUpdate(action) ? { ...action, origin: '' } : action)),
  events: events.map(({ message }) => message),
});

async function recordResync(place: Place, { edited, isDeep }: Trouble) {
  const recorder = new Recorder('salt');
  await place.resync({
    through(port) {
      const troubled = isDeep ? deep(port) : port;
      return recorder.through(edited === undefined ? troubled : editing(troubled, place, edited));
    },
  });
  return recorder;
}

async function planOf({ namespace }: Place, options: PreviewOptions, { isDeep }: Trouble) {
  const plans = openRecordedPreview(engine);
  try {
    const run = plans.begin();
    const cluster = isDeep ? deep(run.cluster) : run.cluster;
    return (await previewRun({ ...run, cluster }, [{ namespace }], options)).preview;
  } finally {
    await plans.close();
  }
}

/**
 * Nests fields of ours in children deeper than a run reads, and deeper than `JSON.stringify` can write;
 * a Secret stays as it is, because its values are strings.
 */
const deep = (cluster: Cluster): Cluster => {
  const hostile = (live: KubeObject): KubeObject =>
    live.metadata.ownerReferences === undefined || live.kind === 'Secret'
      ? live
      : { ...live, ...tooDeep(live) };
  return {
    ...cluster,
    withTimeout: (ms) => deep(cluster.withTimeout(ms)),
    list: (type, selection, each) => cluster.list(type, selection, (live) => each(hostile(live))),
    async get(type, key) {
      const live = await cluster.get(type, key);
      return live && hostile(live);
    },
  };
};

const levels = nested(9_000) as JsonObject;

const tooDeep = ({ metadata }: KubeObject) => ({
  spec: levels,
  metadata: {
    ...metadata,
    managedFields: metadata.managedFields?.map((one) => ({
      ...one,
      fieldsV1: { 'f:spec': one.manager === defaultIdentity.name ? nested(9_000, 'f:f:a') : {} },
    })) as readonly ManagedFieldsEntry[],
  },
});

/** Edits a child as another writer, just before the n-th update of the run. */
function editing(cluster: Cluster, { api }: Place, left: number): Cluster {
  const counted = { left };
  const through = (port: Cluster): Cluster => ({
    ...port,
    withTimeout: (ms) => through(port.withTimeout(ms)),
    async apply(type, manifest, as) {
      const { name, uid } = manifest.metadata;
      const isUpdate = uid !== undefined && as.subresource === undefined && !as.dryRun;
      if (isUpdate && counted.left-- === 0)
        await api.patch(type, name, { metadata: { labels: { edited: 'meanwhile' } } });
      return port.apply(type, manifest, as);
    },
  });
  return through(cluster);
}
