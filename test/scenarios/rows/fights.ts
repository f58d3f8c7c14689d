import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'vitest';
import { deployment } from '../../../shared/kinds/child-types/apps.ts';
import { service } from '../../../shared/kinds/child-types/core.ts';
import type { ResourceType } from '../../../shared/kubernetes.ts';
import type { Report } from '../../../shared/resync/report.ts';
import { foo } from '../../../systems/foo.ts';
import { website } from '../../../systems/website.ts';
import { eventually } from '../eventually.ts';
import type { Place, Scenarios } from '../place.ts';
import { condition, isReady, newFoo, newSite, replicasOf, startedFoo } from '../resources.ts';

/**
 * Laws 12 to 14: runs do not continue fights, wait for their writes, and complete in spite of frequent foreign
 * writes.
 */
export const fights: Scenarios = {
  async 'law 12 a fight is not fed by audit entries, a resync repairs once and names the writer'(
    place,
  ) {
    await startedFoo(place);
    const repairs = async () => (await place.writes('deployments')).length - 1;
    const fight = () =>
      place.api.patch(deployment, 'chosen', { spec: { replicas: 5 } }, { manager: 'fighter' });
    await fight();
    await eventually(async () => expect(await replicasOf(place, 'chosen')).toBe(2));
    // A fight is recognized by the Event that follows the repair.
    await eventually(async () => expect(await place.events('example', 'Repaired')).toHaveLength(1));
    await fight();
    await eventually(async () => {
      const reconciling = condition(await place.api.get(foo, 'example'), 'Reconciling');
      expect(reconciling?.reason).toBe('Contested');
      expect(reconciling?.message).toContain('fighter');
    });
    for (let round = 0; round < 3; round++) {
      await fight();
      await place.api.patch(deployment, 'chosen', { metadata: { labels: { round: `${round}` } } });
    }
    await place.caughtUp();
    expect(await repairs()).toBe(1);
    expect(await replicasOf(place, 'chosen')).toBe(5);
    await place.resync();
    expect(await replicasOf(place, 'chosen')).toBe(2);
    expect(await repairs()).toBe(2);
    await fight();
    await place.caughtUp();
    expect(await repairs()).toBe(2);
    const events = await place.events('example', 'Repaired');
    const messages = events.map(({ message }) => message);
    // The resync knows only the manager; the audit entry knew the user.
    expect(messages.some((message) => message.includes('changed by fighter'))).toBe(true);
    expect(messages.some((message) => / with contract at /.test(message))).toBe(true);
  },

  async 'law 12 a run that settles does not feed a fight'(place) {
    const patient = await place.stage.functions.another('resync', { SETTLE_SECONDS: '4' });
    try {
      await newFoo(place, 'example', 'chosen', 2);
      await place.converge();
      const before = (await place.writes('deployments')).length;
      let fighting = true;
      const fighter = (async () => {
        while (fighting) {
          await place.api.patch(deployment, 'chosen', { spec: { replicas: 5 } });
          await pause(50);
        }
      })();
      await eventually(async () => expect(await replicasOf(place, 'chosen')).toBe(5));
      const report = await place.stage.functions.resync(
        { namespace: place.namespace },
        patient.url,
      );
      fighting = false;
      await fighter;
      expect(report.outcomes).toMatchObject({ updated: 1 });
      expect((await place.writes('deployments')).length - before).toBe(1);
    } finally {
      await patient.stop();
    }
  },

  async 'law 13 a run waits until the children that it wrote are Ready, without a second run'(
    place,
  ) {
    const patient = await place.stage.functions.another('resync', { SETTLE_SECONDS: '20' });
    try {
      await newSite(place);
      await newFoo(place, 'example', 'chosen', 3);
      const { namespace } = place;
      const report = await place.stage.functions.resync({ namespace }, patient.url);
      expect(report.outcomes).toMatchObject({ created: 3 });
      expect(await isReady(place, foo, 'example')).toBe(true);
      expect(await isReady(place, website, 'shop')).toBe(true);
      expect((await place.api.get(foo, 'example')).status?.availableReplicas).toBe(3);
      expect((await place.resync()).resources.reconciled).toBe(0);
    } finally {
      await patient.stop();
    }
  },

  async 'law 14 a child that others keep writing delays only itself'(place) {
    await newSite(place);
    await place.converge();
    await place.api.scale(deployment, 'shop', 9);
    await place.api.remove(service, 'shop');
    const report = await whileWritten(place, deployment, 'shop');
    expect(report.outcomes.created).toBe(1);
    expect(await place.api.find(service, 'shop')).toBeDefined();
    if ((await replicasOf(place, 'shop')) === 9) {
      const ready = condition(await place.api.get(website, 'shop'), 'Ready');
      expect(ready).toMatchObject({ status: 'False', reason: 'Conflict' });
      expect(ready?.message).toContain('chatty');
    }
    await place.converge();
    expect(await replicasOf(place, 'shop')).toBe(2);
  },

  async 'law 14 a resource that others keep writing is reconciled, and reports it'(place) {
    await newSite(place);
    await place.converge();
    await place.api.patch(website, 'shop', { spec: { imageTag: 'v2' } });
    const report = await whileWritten(place, website, 'shop');
    expect(report.failures).toEqual([]);
    const { metadata, status } = await place.api.get(website, 'shop');
    expect(status?.observedGeneration).toBe(metadata.generation);
  },
};

/** Resyncs while an object is annotated as fast as the server responds; returns the report. */
async function whileWritten(place: Place, type: ResourceType, name: string): Promise<Report> {
  let writing = true;
  const write = async (): Promise<void> => {
    for (let at = 0; writing; at++)
      await place.api.patch(type, name, annotated(at), { manager: 'chatty' });
  };
  const writers = [write(), write()];
  const report = await place.resync();
  writing = false;
  await Promise.all(writers);
  return report;
}

const annotated = (at: number) => ({ metadata: { annotations: { at: String(at) } } });
