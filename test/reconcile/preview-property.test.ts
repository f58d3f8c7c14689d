import fc from 'fast-check';
import { test } from 'vitest';
import { deployment } from '../../shared/kinds/child-types/apps.ts';
import { service } from '../../shared/kinds/child-types/core.ts';
import { play } from '../properties/play.ts';
import { effort, testTimeoutMs } from '../properties/runs.ts';
import { type Step, scripts } from '../properties/script.ts';
import { isDeleting, look } from './desired.ts';
import { kinds, namespaceType, type Place } from './engine.ts';
import { compare } from './preview-comparison.ts';
import { useEngine } from './use-engine.ts';

const engine = useEngine();

test(
  'apply and a resync send exactly the requests of a plan',
  () =>
    fc.assert(
      fc.asyncProperty(
        scripts,
        fc.constantFrom('apply' as const, 'resync' as const),
        (steps, how) => inPlace(steps, (place) => compare({ engine, place, kinds, how })),
      ),
      effort(60),
    ),
  testTimeoutMs,
);

async function inPlace(steps: readonly Step[], act: (place: Place) => Promise<void>) {
  const { controllers, requests } = engine.cluster;
  requests.reset();
  const place = await engine.place();
  try {
    for (const step of steps)
      await (step.do === 'resync' ? place.resync() : play(engine, place, step));
    await controllers.settled();
    controllers.pause();
    await act(place);
  } finally {
    controllers.resume();
    for (const { kind, metadata } of (await look(place.api)).children.filter(isDeleting)) {
      const type = kind === 'Service' ? service : deployment;
      await place.api.patch(type, metadata.name, { metadata: { finalizers: null } });
    }
    await engine.admin.remove(namespaceType, place.namespace);
    await controllers.settled();
  }
}
