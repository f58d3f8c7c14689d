import { expect } from 'vitest';
import { deployment } from '../../../shared/kinds/child-types/apps.ts';
import { secret, service } from '../../../shared/kinds/child-types/core.ts';
import type { JsonObject, ResourceType } from '../../../shared/kubernetes.ts';
import { application } from '../../../systems/application.ts';
import { refusalOf } from '../api.ts';
import {
  child,
  containerOf,
  deploymentOf,
  digestOf,
  editApplication,
  hashLabel,
  newApplication,
  startedApplication,
} from '../applications.ts';
import type { Place, Scenarios } from '../place.ts';
import { isReady, replicasOf } from '../resources.ts';

const patchContainer = (fields: JsonObject): JsonObject => ({
  spec: { template: { spec: { containers: [{ name: 'shop-microservice', ...fields }] } } },
});

/** Expects each hand edit of the container to be reverted, with a matching hash label. */
async function expectRepaired(place: Place, edits: readonly JsonObject[]): Promise<void> {
  const before = await startedApplication(place);
  for (const fields of edits) {
    const patch = patchContainer(fields);
    await place.api.patch(deployment, child.deployment, patch, { as: 'strategic' });
    expect((await place.resync()).failures).toEqual([]);
    await place.converge();
    const live = await deploymentOf(place);
    expect(containerOf(live)).toEqual(containerOf(before));
    expect(live.metadata.labels).toEqual(before.metadata.labels);
  }
}

/** greeting.ts has A-5. */
export const applications: Scenarios = {
  async 'A-1 a Deployment scaled by hand is scaled back'(place) {
    const before = await startedApplication(place);
    for (const replicas of [5, 0]) {
      await place.api.scale(deployment, child.deployment, replicas);
      expect((await place.resync()).outcomes).toMatchObject({ updated: 1 });
      expect(await replicasOf(place, child.deployment)).toBe(1);
    }
    await place.converge();
    const after = await deploymentOf(place);
    expect(after.spec).toEqual(before.spec);
    expect(after.metadata.labels).toEqual(before.metadata.labels);
  },

  async 'A-1 a Deployment scaled by hand is scaled back although its hash label still matches'(
    place,
  ) {
    const { metadata } = await startedApplication(place);
    const labels = { [hashLabel]: metadata.labels?.[hashLabel] ?? '' };
    await place.api.apply(
      deployment,
      child.deployment,
      { metadata: { labels }, spec: { replicas: 5 } },
      'argocd',
    );
    await place.converge();
    expect(await replicasOf(place, child.deployment)).toBe(1);
  },

  async 'A-2 amountPods changes replicas and hash together; labels of others stay'(place) {
    const before = await startedApplication(place);
    await place.api.patch(deployment, child.deployment, { metadata: { labels: { team: 'blue' } } });
    const writes = await place.writes('deployments');
    await editApplication(place, { amountPods: 3 });
    expect((await place.resync()).outcomes).toMatchObject({ updated: 1, created: 0 });
    expect(await place.writes('deployments')).toHaveLength(writes.length + 1);
    const after = await deploymentOf(place);
    expect(after.spec).toEqual({ ...before.spec, replicas: 3 });
    const { [hashLabel]: hash, ...labels } = after.metadata.labels ?? {};
    const { [hashLabel]: oldHash, ...oldLabels } = before.metadata.labels ?? {};
    expect(labels).toEqual({ ...oldLabels, team: 'blue' });
    expect(hash).toMatch(/^[0-9a-f]{1,63}$/);
    expect(hash).not.toBe(oldHash);
    await place.converge();
    await editApplication(place, { amountPods: 1 });
    await place.converge();
    expect((await deploymentOf(place)).metadata.labels?.[hashLabel]).toBe(oldHash);
  },

  async 'A-2 an Application scaled by its scale subresource changes amountPods, and counts its pods'(
    place,
  ) {
    await startedApplication(place);
    await place.api.scale(application, 'shop', 3);
    await place.converge();
    expect(await replicasOf(place, child.deployment)).toBe(3);
    expect(await place.api.get(application, 'shop')).toMatchObject({
      spec: { amountPods: 3 },
      status: { availableReplicas: 3 },
    });
  },

  async 'A-3 image and version are applied, alone and with amountPods, and the hash follows'(
    place,
  ) {
    await startedApplication(place);
    const hashes = new Set<string | undefined>();
    for (const spec of [
      { image: 'registry.example.com/greeter:2' },
      { version: '2.0.0' },
      { image: 'registry.example.com/greeter:3', amountPods: 2 },
      { version: '3.0.0', image: 'registry.example.com/greeter:4', amountPods: 4 },
    ]) {
      await editApplication(place, spec);
      expect((await place.resync()).outcomes).toMatchObject({ updated: 1 });
      await place.converge();
      const desired = (await place.api.get(application, 'shop')).spec ?? {};
      const live = await deploymentOf(place);
      expect(live.spec).toMatchObject({
        replicas: desired.amountPods,
        template: { metadata: { labels: { 'app.kubernetes.io/version': desired.version } } },
      });
      expect(live.metadata.labels?.['app.kubernetes.io/version']).toBe(desired.version);
      expect(containerOf(live).image).toBe(desired.image);
      hashes.add(live.metadata.labels?.[hashLabel]);
    }
    expect(hashes.size).toBe(4);
    expect(await place.events('shop', 'Repaired')).toEqual([]);
  },

  async 'A-3 an empty version and the longest one are accepted'(place) {
    await startedApplication(place);
    for (const version of ['', 'v'.repeat(63), '1.0.0']) {
      await editApplication(place, { version });
      await place.converge();
      const { labels } = (await deploymentOf(place)).metadata;
      expect(labels).toMatchObject({ 'app.kubernetes.io/version': version });
      expect((await place.resync()).resources).toMatchObject({ reconciled: 0 });
    }
  },

  async 'A-3 image, environment and probes changed by hand are restored'(place) {
    await expectRepaired(place, [
      { image: 'evil:1' },
      { env: [{ name: 'GREETING_MESSAGE', value: 'Evil', valueFrom: null }] },
      { env: [{ $patch: 'delete', name: 'GREETING_MESSAGE' }] },
      {
        livenessProbe: { httpGet: { path: '/', port: 80 }, initialDelaySeconds: 1 },
        readinessProbe: { initialDelaySeconds: 2 },
      },
      { livenessProbe: null },
      { ports: [{ $patch: 'delete', containerPort: 8081 }] },
    ]);
  },

  async 'A-3 a probe with another handler and a variable with another source are restored'(place) {
    const fieldRef = { fieldPath: 'metadata.name' };
    await expectRepaired(place, [
      { readinessProbe: { httpGet: null, exec: { command: ['true'] } } },
      { env: [{ name: 'GREETING_MESSAGE', valueFrom: { secretKeyRef: null, fieldRef } }] },
    ]);
  },

  async 'A-4 the hash label removed or tampered with is restored'(place) {
    const before = await startedApplication(place);
    for (const value of [null, 'tampered', '']) {
      const labels = { [hashLabel]: value };
      await place.api.patch(deployment, child.deployment, { metadata: { labels } });
      expect((await place.resync()).outcomes).toMatchObject({ updated: 1 });
      const after = await deploymentOf(place);
      expect(after.metadata.labels).toEqual(before.metadata.labels);
      expect(after.metadata.generation).toBe(before.metadata.generation);
    }
    const { template } = before.spec as { template: { metadata: { labels: object } } };
    expect(Object.keys(template.metadata.labels)).not.toContain(hashLabel);
  },

  async 'A-8 amountPods may be 0, not -1, and defaults to 1'(place) {
    await place.api.create(application, 'shop', { spec: {} });
    await place.converge();
    const { spec } = await place.api.get(application, 'shop');
    expect(spec).toEqual({
      version: '1.0.0',
      amountPods: 1,
      image: 'docker.io/nheidloff/simple-microservice:latest',
      greeting: 'World',
    });
    expect(await replicasOf(place, child.deployment)).toBe(1);
    await editApplication(place, { amountPods: 0 });
    await place.converge();
    expect(await replicasOf(place, child.deployment)).toBe(0);
    expect(await isReady(place, application, 'shop')).toBe(true);
    const before = await place.api.get(application, 'shop');
    const refused: readonly (readonly [string, JsonObject])[] = [
      ['spec.amountPods', { amountPods: -1 }],
      ['spec.amountPods', { amountPods: 1.5 }],
      ['spec.version', { version: 'not a label' }],
      ['spec.version', { version: 'x'.repeat(64) }],
      ['spec.image', { image: '' }],
      ['spec.greeting', { greeting: 1 }],
    ];
    for (const [field, fields] of refused) {
      const { code, message } = await refusalOf(editApplication(place, fields));
      expect(code).toBe(422);
      expect(message).toContain(field);
    }
    const tooLong = await refusalOf(newApplication(place, 'x'.repeat(40)));
    expect(tooLong.message).toContain('metadata.name must have at most 39 characters');
    expect(await place.api.get(application, 'shop')).toEqual(before);
    expect(await replicasOf(place, child.deployment)).toBe(0);
  },

  async 'A-9 Applications in one namespace get a Service each, and never each other’s pods'(place) {
    const given = ['shop', 'shop-microservice', 'a.b', 'a-b', '1shop', 'x'.repeat(39)];
    for (const name of given) await newApplication(place, name, { greeting: name });
    await place.converge();
    for (const name of given)
      expect([name, await isReady(place, application, name)]).toEqual([name, true]);
    for (const type of [secret, deployment, service])
      expect(await place.api.list(type)).toHaveLength(given.length);
    const selectorsOf = async (type: ResourceType): Promise<readonly string[]> =>
      (await place.api.list(type)).map(({ spec = {} }) => {
        const { matchLabels, ...labels } = spec.selector as JsonObject;
        return JSON.stringify(matchLabels ?? labels);
      });
    const services = await selectorsOf(service);
    expect(new Set(services).size).toBe(given.length);
    expect((await selectorsOf(deployment)).toSorted()).toEqual(services.toSorted());
    expect(new Set((await place.api.list(deployment)).map(digestOf)).size).toBe(given.length);
    expect((await place.resync()).resources).toMatchObject({ reconciled: 0 });
  },
};
