import { expect, test } from 'vitest';
import { defaultIdentity } from '../../shared/identity.ts';
import type { Kind } from '../../shared/kinds/kind.ts';
import { previewRun } from '../../shared/preview/preview.ts';
import { Recorder } from '../../shared/recording/recorder.ts';
import { replayDecisions } from '../../shared/recording/replay-decisions.ts';
import { Snapshot } from '../../shared/recording/snapshot.ts';
import { depot, finalizer } from '../support/finalizing-kind.ts';
import { journal } from '../support/keeping-kind.ts';
import type { Place } from './engine.ts';
import { compare } from './preview-comparison.ts';
import { openRecordedPreview, previewOptions } from './recorded-preview.ts';
import { useEngine } from './use-engine.ts';

const engine = useEngine({ controllers: 'paused', install: [depot, journal] });
const kinds = [depot];

const settled = async (): Promise<void> => {
  engine.cluster.controllers.resume();
  await engine.cluster.controllers.settled();
  engine.cluster.controllers.pause();
};

/** Makes every run of a resource from its creation to its removal. */
async function throughLife(kind: Kind, place: Place, run: () => Promise<unknown>): Promise<void> {
  await place.api.create(kind, 'north', { spec: {} });
  for (const what of ['create', 'complete', 'delete', 'clean up']) {
    if (what === 'delete') await place.api.remove(kind, 'north');
    await run();
    await settled();
  }
  expect(await place.api.find(kind, 'north')).toBeUndefined();
}

test.each([
  ['apply', depot],
  ['resync', depot],
  ['apply', journal],
  ['resync', journal],
] as const)(
  '%s sends the requests of the plan, from the finalizer to the clean-up',
  async (how, kind) => {
    const place = await engine.place([kind]);
    await throughLife(kind, place, () => compare({ engine, place, kinds: [kind], how }));
  },
);

test('a plan shows the finalizer that existing resources get once their kind has a clean-up', async () => {
  const place = await engine.place(kinds);
  const { finalize: _, ...plain } = depot;
  await place.api.create(depot, 'north', { spec: {} });
  for (let runs = 0; runs < 3; runs++) {
    await place.resync({ kinds: [plain as Kind] });
    await settled();
  }
  await compare({ engine, place, kinds, how: 'resync' });
  expect((await place.api.get(depot, 'north')).metadata.finalizers).toEqual([finalizer]);
});

test.each([
  ['objects that are deleted', depot],
  ['a child that is kept', journal],
])('a replay of the recording of each run makes the same decisions: %s', async (_, kind) => {
  const kinds = [kind];
  const place = await engine.place(kinds);
  const { namespace } = place;
  const area = { kinds, namespaces: undefined };
  const options = { ...previewOptions, area, rollout: undefined };
  const seen: (string | undefined)[] = [];
  await throughLife(kind, place, async () => {
    const plans = openRecordedPreview(engine);
    const { preview } = await previewRun(plans.begin(), [{ namespace }], options);
    await plans.close();
    const recorder = new Recorder('salt');
    await place.resync({ through: (port) => recorder.through(port) });
    const recorded = {
      at: new Date().toISOString(),
      identity: defaultIdentity,
      salt: 'salt',
      trigger: 'resync' as const,
      reconcileRequests: [{ namespace }],
      snapshot: new Snapshot(recorder.lines.map((line) => JSON.parse(line))),
    };
    const decisions = await replayDecisions(recorded, options);
    expect(decisions.decided.resources).toEqual(preview.resources);
    seen.push(preview.resources[0]?.finalizer);
  });
  expect(seen).toEqual(['add', undefined, undefined, 'remove']);
});
