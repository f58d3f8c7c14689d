import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { defaultIdentity } from '../../shared/identity.ts';
import type { Kind } from '../../shared/kinds/kind.ts';
import { type PreviewOptions, previewRun } from '../../shared/reconcile/preview.ts';
import { decide } from '../../shared/recording/decide.ts';
import { decideWhole } from '../../shared/recording/decide-whole.ts';
import { decisionLines } from '../../shared/recording/decision-lines.ts';
import { openRecorder } from '../../shared/recording/recorder.ts';
import { snapshotOf } from '../../shared/recording/replayed-cluster.ts';
import { play } from '../properties/play.ts';
import { effort, patience } from '../properties/runs.ts';
import { type Step, scripts } from '../properties/script.ts';
import { familyScripts } from '../properties/script-of-families.ts';
import { type Engine, kinds, openEngine, type Place } from '../reconcile/engine.ts';
import { openRecordedPreview, previewOptions } from '../reconcile/recorded-preview.ts';
import { kindsFor } from '../support/config.ts';

let engine: Engine;
beforeAll(async () => {
  engine = await openEngine();
});
afterAll(() => engine.stop());

const families = kindsFor({ authUrl: 'https://auth.example.com/check', ingressClass: 'nginx' });

/** The second: Secrets, generated data, Ingresses, objects that are only read by name. */
const worlds = [
  { kinds, scripts, cases: 60 },
  { kinds: families, scripts: familyScripts, cases: 60 },
];

test.each(worlds)(
  'the decisions of a recorded run are those of a plan before it, and are made again from its text: $kinds.length kinds',
  ({ kinds, scripts, cases }) =>
    fc.assert(
      fc.asyncProperty(scripts, (steps) => compare(kinds, steps)),
      effort(cases),
    ),
  patience,
);

async function compare(kinds: readonly Kind[], steps: readonly Step[]): Promise<void> {
  const { controllers } = engine.cluster;
  const place = await engine.place(kinds);
  try {
    for (const step of steps) await (step.do === 'tick' ? place.tick() : play(engine, place, step));
    await controllers.settled();
    controllers.pause();
    const options = {
      ...previewOptions,
      area: { kinds, namespaces: undefined },
      rollout: undefined,
    };
    const planned = await planOf(place, options);
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
    const reading = {
      at,
      identity: defaultIdentity,
      salt: 'salt',
      scope: { namespace: place.namespace },
    };
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

async function planOf({ namespace }: Place, options: PreviewOptions) {
  const plans = openRecordedPreview(engine);
  try {
    return (await previewRun(plans.begin(), { namespace }, options)).preview;
  } finally {
    await plans.close();
  }
}
