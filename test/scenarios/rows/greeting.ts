import { expect } from 'vitest';
import { secret, service } from '../../../shared/kinds/child-types/core.ts';
import { saltAnnotation } from '../../../shared/kinds/names.ts';
import { application } from '../../../systems/application.ts';
import {
  child,
  containerOf,
  deploymentOf,
  digestOf,
  editApplication,
  greetingKey,
  newApplication,
  startedApplication,
} from '../applications.ts';
import { base64, dataOf } from '../databases.ts';
import type { Place, Scenarios } from '../place.ts';
import { condition, isReady } from '../resources.ts';

const greetingOf = async (place: Place): Promise<string | undefined> =>
  dataOf(await place.api.get(secret, child.secret))[greetingKey];

/** Lists the reconciler's writes to Secrets and Deployments, in order. */
const orderOf = async (place: Place): Promise<readonly string[]> =>
  (await place.writes())
    .filter(({ resource }) => resource === 'secrets' || resource === 'deployments')
    .map(({ resource, name }) => `${resource} ${name}`);

/** a greeting is in the Secret before the pods roll. */
export const greetings: Scenarios = {
  async 'A-5 a new greeting goes to the Secret, then the pods roll'(place) {
    const before = await startedApplication(place);
    expect(await greetingOf(place)).toBe(base64('World'));
    const begun = (await orderOf(place)).length;
    await editApplication(place, { greeting: 'Mars' });
    expect((await place.resync()).outcomes).toMatchObject({ updated: 2 });
    expect((await orderOf(place)).slice(begun)).toEqual([
      `secrets ${child.secret}`,
      `deployments ${child.deployment}`,
    ]);
    expect(await greetingOf(place)).toBe(base64('Mars'));
    const after = await deploymentOf(place);
    expect(digestOf(after)).not.toBe(digestOf(before));
    expect(containerOf(after)).toEqual(containerOf(before));
    expect(after.metadata.generation).toBeGreaterThan(before.metadata.generation ?? 0);
    await place.converge();
    expect(await isReady(place, application, 'shop')).toBe(true);
    expect(await place.events('shop')).toEqual([]);
  },

  async 'A-5 a Secret whose annotations were removed is repaired once, and then left alone'(place) {
    await startedApplication(place);
    for (const annotations of [null, { [saltAnnotation]: 'theirs-theirs-theirs-1' }]) {
      await place.api.patch(secret, child.secret, { metadata: { annotations } });
      expect((await place.resync()).outcomes).toMatchObject({ updated: 1 });
      expect((await place.resync()).resources).toMatchObject({ reconciled: 0 });
    }
    const messages = (await place.events('shop', 'Repaired')).map(({ message }) => message);
    expect([...new Set(messages)]).toEqual([
      `Secret ${child.secret}: metadata.annotations.${saltAnnotation} (secret changed)`,
    ]);
  },

  async 'A-5 a greeting edited by hand is restored, and so is the digest on the pods'(place) {
    const before = await startedApplication(place);
    await place.api.patch(secret, child.secret, { data: { [greetingKey]: base64('Evil') } });
    await place.converge();
    expect(await greetingOf(place)).toBe(base64('World'));
    expect(digestOf(await deploymentOf(place))).toBe(digestOf(before));
    const messages = (await place.events('shop', 'Repaired')).map(({ message }) => message);
    expect(messages).toEqual([
      `Secret ${child.secret}: data.${greetingKey} (secret changed), changed by kubectl-edit`,
    ]);
  },

  async 'A-5 while the Secret is foreign the Deployment is not written, the Service is'(place) {
    const before = await startedApplication(place);
    await place.api.patch(secret, child.secret, { metadata: { ownerReferences: null } });
    await editApplication(place, { greeting: 'Mars', image: 'greeter:2', amountPods: 2 });
    await place.api.remove(service, child.service);
    const { outcomes, failures } = await place.resync();
    expect(outcomes).toMatchObject({ created: 1, updated: 0, blocked: 1, skipped: 1 });
    expect(failures).toMatchObject([{ reason: 'ErrResourceExists' }]);
    expect((await deploymentOf(place)).spec).toEqual(before.spec);
    expect(await greetingOf(place)).toBe(base64('World'));
    const live = await place.api.get(application, 'shop');
    expect(condition(live, 'Stalled')?.reason).toBe('ErrResourceExists');
    await place.api.remove(secret, child.secret);
    await place.converge();
    expect(await greetingOf(place)).toBe(base64('Mars'));
    const after = await deploymentOf(place);
    expect(digestOf(after)).not.toBe(digestOf(before));
    expect(containerOf(after).image).toBe('greeter:2');
    expect(await isReady(place, application, 'shop')).toBe(true);
  },

  async 'A-5 while the server refuses the Secret the pods do not roll for its greeting'(place) {
    const before = await startedApplication(place);
    await place.api.patch(secret, child.secret, { immutable: true });
    await editApplication(place, { greeting: 'Mars' });
    const { outcomes, failures } = await place.resync();
    expect(outcomes).toMatchObject({ updated: 0, blocked: 1, skipped: 1 });
    expect(failures).toMatchObject([{ reason: 'ImmutableFieldChanged' }]);
    expect((await deploymentOf(place)).spec).toEqual(before.spec);
    await place.api.remove(secret, child.secret);
    await place.converge();
    expect(await greetingOf(place)).toBe(base64('Mars'));
    expect(digestOf(await deploymentOf(place))).not.toBe(digestOf(before));
  },

  async 'A-5 with edits during runs the last greeting is in place everywhere'(place) {
    await newApplication(place);
    const runs: Promise<unknown>[] = [];
    for (const greeting of ['Mars', 'Venus', 'Mars', 'Pluto']) {
      runs.push(place.resync());
      await editApplication(place, { greeting });
      runs.push(place.resync());
    }
    await Promise.all(runs);
    await place.converge();
    expect(await greetingOf(place)).toBe(base64('Pluto'));
    const digest = digestOf(await deploymentOf(place));
    const elsewhere = await place.another();
    await newApplication(elsewhere, 'shop', { greeting: 'Pluto' });
    await elsewhere.converge();
    expect(digestOf(await deploymentOf(elsewhere))).toBe(digest);
    expect(place.complaints()).toEqual([]);
  },

  async 'A-5 an empty greeting and a long one are accepted'(place) {
    await startedApplication(place);
    for (const greeting of ['', 'Grüße, 世界 🌍\n'.repeat(50)]) {
      await editApplication(place, { greeting });
      await place.converge();
      expect((await greetingOf(place)) ?? '').toBe(base64(greeting));
      expect((await place.resync()).resources).toMatchObject({ reconciled: 0 });
    }
  },
};
