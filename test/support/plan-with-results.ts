import { type KubeObject, keyOf } from '../../shared/kubernetes.ts';
import type { ContestedWorld } from '../../shared/plan/drift/contest.ts';
import { desiredDigest } from '../../shared/plan/observed/applied.ts';
import { salted } from '../../shared/plan/observed/apply-manifest.ts';
import type { Asked } from '../../shared/plan/observed/world.ts';
import { type Plan, plan } from '../../shared/plan/plan.ts';
import { observeChild } from './observe.ts';
import { appliedByUs } from './worlds.ts';

/** Plans like a run, which asks the server. Returns the plan and the world with the results. */
export function planWithResults(
  world: ContestedWorld,
  live: readonly KubeObject[],
): { readonly planned: Plan; readonly world: ContestedWorld } {
  const asked = new Map<string, Asked>(world.asked);
  for (;;) {
    const withResults = { ...world, asked };
    const planned = plan(withResults);
    const { questions } = { questions: [], ...planned };
    if (questions.length === 0) return { planned, world: withResults };
    for (const { child, fields, lock } of questions) {
      const key = keyOf(child);
      const one = live.find(
        ({ kind, metadata }) => kind === child.kind && metadata.name === child.name,
      );
      if (one === undefined) throw new Error(`${key} is not live`);
      const salt = world.children.get(key)?.salt;
      const sent = salt === undefined ? fields : salted(fields, salt);
      const from = world.resource.namespace;
      asked.set(key, {
        version: `${lock.uid}/${lock.resourceVersion}`,
        desired: desiredDigest(fields, salt),
        after: observeChild(appliedByUs(one, sent), { from }),
      });
    }
  }
}
