import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { previewRun } from '../../shared/reconcile/preview.ts';
import { decide } from '../../shared/recording/decide.ts';
import { decideWhole } from '../../shared/recording/decide-whole.ts';
import { decisionLines } from '../../shared/recording/decision-lines.ts';
import { openRecorder } from '../../shared/recording/recorder.ts';
import { snapshotOf } from '../../shared/recording/replayed-cluster.ts';
import { play } from '../properties/play.ts';
import { effort, patience } from '../properties/runs.ts';
import { type Step, scripts } from '../properties/script.ts';
import { type Engine, kinds, openEngine, type Place } from '../reconcile/engine.ts';
import { openRecordedPreview, previewOptions } from '../reconcile/recorded-preview.ts';

let engine: Engine;
beforeAll(async () => {
  engine = await openEngine();
});
afterAll(() => engine.stop());

test(
  'the decisions of a recorded run are those of a plan before it, and are made again from its text',
  () =>
    fc.assert(
      fc.asyncProperty(scripts, (steps) => compare(steps)),
      effort(60),
    ),
  patience,
);

async function compare(steps: readonly Step[]): Promise<void> {
  const { controllers } = engine.cluster;
  const place = await engine.place();
  try {
    for (const step of steps) await (step.do === 'tick' ? place.tick() : play(engine, place, step));
    await controllers.settled();
    controllers.pause();
    const planned = await planOf(place);
    const recorder = openRecorder('salt');
    const at = new Date().toISOString();
    let cluster: Parameters<typeof decideWhole>[1] | undefined;
    await place.tick({
      through(port) {
        cluster = recorder.through(port);
        return cluster;
      },
    });
    if (cluster === undefined) throw new Error('no run');
    const { identity } = openRecordedPreview(engine).begin();
    const reading = { at, identity, salt: 'salt', scope: { namespace: place.namespace } };
    const options = { ...previewOptions, rollout: undefined };
    const decisions = await decideWhole(recorder, cluster, { reading, options });
    expect(JSON.stringify(decisions?.decided.resources)).toBe(JSON.stringify(planned.resources));
    const snapshot = snapshotOf(recorder.lines.map((line) => JSON.parse(line)));
    const again = await decide({ ...reading, snapshot }, options);
    expect(again.unread).toEqual([]);
    expect(decisionLines(again)).toEqual(decisions && decisionLines(decisions));
  } finally {
    controllers.resume();
  }
}

async function planOf({ namespace }: Place) {
  const plans = openRecordedPreview(engine);
  try {
    return (await previewRun(plans.begin(), { namespace }, previewOptions)).preview;
  } finally {
    await plans.close();
  }
}

expect(kinds).toHaveLength(2);
