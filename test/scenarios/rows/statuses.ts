import { expect } from 'vitest';
import { deployment } from '../../../shared/kinds/child-types/apps.ts';
import { suspendAnnotation } from '../../../shared/kinds/names.ts';
import { foo } from '../../../systems/foo.ts';
import { website } from '../../../systems/website.ts';
import { type Live, refusalOf } from '../api.ts';
import type { Scenarios } from '../place.ts';
import { condition, foreignDeployment, newFoo, newSite, rename } from '../resources.ts';

const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);

const record = expect.stringMatching(/^[^.]{8}\.\d+\.[\w-]{12}\.[\w-]{12}$/);
const lastAppliedOf = ({ status }: Live) =>
  (status as { readonly lastApplied: { readonly children: readonly string[] } }).lastApplied;

/** C-8 to C-11 and C-14: what the status says, and when it is written. */
export const status: Scenarios = {
  async 'C-8 the status has generation, children and conditions, and is not rewritten'(place) {
    await newSite(place);
    await place.resync();
    const first = await place.api.get(website, 'shop');
    const waiting = { reason: 'Progressing', observedGeneration: 1, lastTransitionTime: time };
    expect(first.status?.conditions).toMatchObject([
      { type: 'Ready', status: 'False', ...waiting },
      { type: 'Reconciling', status: 'True', ...waiting },
    ]);
    await place.converge();
    const ready = await place.api.get(website, 'shop');
    expect(ready.status).toEqual({
      observedGeneration: 1,
      children: [
        { apiVersion: 'apps/v1', kind: 'Deployment', name: 'shop' },
        { apiVersion: 'v1', kind: 'Service', name: 'shop' },
      ],
      lastApplied: { children: [record, record], comparedAt: time },
      conditions: [
        {
          type: 'Ready',
          status: 'True',
          reason: 'Ready',
          message: 'all children are up to date and ready',
          observedGeneration: 1,
          lastTransitionTime: time,
        },
      ],
    });
    await place.api.patch(website, 'shop', { spec: { imageTag: 'v2' } });
    await place.converge();
    expect(await place.api.get(website, 'shop')).toMatchObject({
      metadata: { generation: 2 },
      status: { observedGeneration: 2 },
    });
    const { resourceVersion } = (await place.api.get(website, 'shop')).metadata;
    await place.resync();
    expect((await place.api.get(website, 'shop')).metadata.resourceVersion).toBe(resourceVersion);
  },

  async 'C-8 an overwritten status is restored'(place) {
    await newFoo(place, 'example', 'chosen');
    await place.converge();
    const before = await place.api.get(foo, 'example');
    const lie = { observedGeneration: 7, availableReplicas: 9, children: [], conditions: [] };
    await place.api.patch(foo, 'example', { status: lie }, { subresource: 'status' });
    await place.converge();
    const after = await place.api.get(foo, 'example');
    const lastApplied = expect.objectContaining({ children: lastAppliedOf(before).children });
    expect({ ...after.status, conditions: [] }).toEqual({
      ...before.status,
      lastApplied,
      conditions: [],
    });
    expect(condition(after, 'Ready')?.status).toBe('True');
    expect(await place.api.list(deployment)).toHaveLength(1);
  },

  async 'C-8 a foreign duplicate of one of our conditions is removed'(place) {
    await newFoo(place, 'example', 'chosen');
    await place.converge();
    const { status } = await place.api.get(foo, 'example');
    const times = { observedGeneration: 1, lastTransitionTime: '2026-01-01T00:00:00Z' };
    const lie = { type: 'Stalled', status: 'True', reason: 'Theirs', message: 'no', ...times };
    const conditions = [lie, ...(status?.conditions ?? [])];
    await place.api.patch(foo, 'example', { status: { conditions } }, { subresource: 'status' });
    await place.resync();
    const after = await place.api.get(foo, 'example');
    expect(after.status?.conditions?.map(({ type }) => type)).toEqual(['Ready']);
    expect((await place.resync()).statusWrites).toBe(0);
  },

  async 'C-8 a condition that another manager holds in part is removed'(place) {
    await newFoo(place, 'example', 'chosen');
    await place.resync();
    const operations = [{ op: 'replace', path: '/metadata/managedFields', value: [{}] }];
    await place.api.patch(foo, 'example', operations, { as: 'json' });
    await rename(place, 'example', 'other');
    await place.resync();
    const waiting = condition(await place.api.get(foo, 'example'), 'Reconciling');
    expect(waiting?.message).toMatch(/^Deployment other: /);
    await place.converge();
    const { status } = await place.api.get(foo, 'example');
    expect(status?.conditions).toMatchObject([{ type: 'Ready', status: 'True' }]);
    expect((await place.resync()).statusWrites).toBe(0);
  },

  async 'C-8 an Event is not repeated while nothing changes, and posted again when it happens again'(
    place,
  ) {
    await newFoo(place, 'example', 'taken');
    await place.api.create(deployment, 'taken', foreignDeployment());
    for (let run = 0; run < 3; run++) await place.resync();
    expect(await place.events('example', 'ErrResourceExists')).toHaveLength(1);
    await place.api.remove(deployment, 'taken');
    await place.converge();
    await place.api.patch(deployment, 'taken', { metadata: { ownerReferences: null } });
    for (let run = 0; run < 3; run++) await place.resync();
    expect(await place.events('example', 'ErrResourceExists')).toHaveLength(2);
  },

  async 'C-8 each repair of the same field posts a new Event'(place) {
    await newFoo(place, 'example', 'chosen', 2);
    await place.converge();
    for (const count of [1, 2]) {
      await place.api.scale(deployment, 'chosen', 5);
      await place.resync();
      await place.resync();
      const repairs = await place.events('example', 'Repaired');
      expect(repairs.map(({ message }) => message)).toEqual(
        Array(count).fill('Deployment chosen: spec.replicas 5 → 2, changed by kubectl'),
      );
    }
  },

  async 'C-9 a spec the schema refuses is refused by the server, naming the field'(place) {
    await newFoo(place, 'example', 'chosen', 2);
    const before = await place.api.get(foo, 'example');
    const refusals: readonly (readonly [string, () => Promise<unknown>])[] = [
      ['spec.replicas', () => place.api.patch(foo, 'example', { spec: { replicas: 11 } })],
      ['spec.replicas', () => place.api.patch(foo, 'example', { spec: { replicas: 0 } })],
      [
        'spec.deploymentName',
        () => place.api.patch(foo, 'example', { spec: { deploymentName: 1 } }),
      ],
      ['spec.nodePort', () => newSite(place, 'shop', { nodePort: 29_999 })],
      ['spec.nodePort', () => newSite(place, 'shop', { nodePort: 32_768 })],
      ['spec', () => place.api.create(website, 'shop', {})],
    ];
    for (const [field, attempt] of refusals) {
      const { code, reason, details, message } = await refusalOf(attempt());
      expect({ code, reason }).toEqual({ code: 422, reason: 'Invalid' });
      expect(details?.causes?.map((cause) => cause.field)).toContain(field);
      expect(message).toContain(field);
    }
    expect(await place.api.get(foo, 'example')).toEqual(before);
  },

  async 'C-10 a refusal by the server is reported, acknowledged, and tried at the next resync'(
    place,
  ) {
    await newFoo(place, 'example', 'Not_A_Name');
    const { failures, outcomes } = await place.resync();
    expect(outcomes).toMatchObject({ failed: 1, created: 0 });
    expect(failures).toMatchObject([
      { key: `foos.example.com ${place.namespace}/example`, reason: 'Invalid' },
    ]);
    const stalled = condition(await place.api.get(foo, 'example'), 'Stalled');
    expect(stalled).toMatchObject({ status: 'True', reason: 'Invalid' });
    expect(stalled?.message).toContain('Not_A_Name');
    expect(await place.events('example')).toMatchObject([{ type: 'Warning', reason: 'Invalid' }]);
    const attempts = (await place.refusals('deployments')).length;
    const versions = await place.versions();
    await place.resync();
    expect((await place.refusals('deployments')).length).toBe(attempts + 1);
    expect(await place.versions()).toEqual(versions);
    expect(await place.events('example')).toHaveLength(1);
    await rename(place, 'example', 'a-name');
    await place.converge();
    expect(condition(await place.api.get(foo, 'example'), 'Ready')?.status).toBe('True');
  },

  async 'C-11 failing resources neither delay nor affect healthy ones'(place) {
    const good = Array.from({ length: 6 }, (_, at) => `good-${at}`);
    await place.api.create(deployment, 'taken', foreignDeployment());
    await newFoo(place, 'a-bad', 'Not_A_Name');
    await newFoo(place, 'b-bad', 'taken');
    await place.api.create(foo, 'c-bad', { spec: {} });
    for (const name of good) await newFoo(place, name, name);
    const { outcomes, failures, resources } = await place.resync();
    expect(resources).toMatchObject({ total: 9, reconciled: 9 });
    expect(outcomes).toMatchObject({ created: 6, failed: 1, blocked: 1 });
    expect(failures.map(({ reason }) => reason).toSorted()).toEqual([
      'ErrResourceExists',
      'Invalid',
    ]);
    await place.converge();
    for (const name of good)
      expect(condition(await place.api.get(foo, name), 'Ready')?.status).toBe('True');
  },

  async 'C-14 nothing is written for a suspended resource until the annotation is removed'(place) {
    await newFoo(place, 'example', 'a', 2);
    await place.converge();
    const before = (await place.api.get(foo, 'example')).status;
    const suspend = (value: string | null) =>
      place.api.patch(foo, 'example', {
        metadata: { annotations: { [suspendAnnotation]: value } },
      });
    await suspend('true');
    await place.api.scale(deployment, 'a', 4);
    await rename(place, 'example', 'b');
    const writes = await place.writes('deployments');
    await place.resync();
    const { status } = await place.api.get(foo, 'example');
    expect(status).toMatchObject({ observedGeneration: 1, children: before?.children });
    expect(status?.conditions?.find(({ type }) => type === 'Suspended')).toMatchObject({
      status: 'True',
      reason: 'Suspended',
    });
    const versions = await place.versions();
    await place.resync();
    await place.api.remove(deployment, 'a');
    await place.resync();
    expect(await place.writes('deployments')).toEqual(writes);
    expect((await place.versions())['Foo example']).toBe(versions['Foo example']);
    await suspend(null);
    await place.converge();
    const resumed = await place.api.get(foo, 'example');
    expect(resumed.status?.conditions).toMatchObject([{ type: 'Ready', status: 'True' }]);
    expect((await place.api.list(deployment)).map(({ metadata }) => metadata.name)).toEqual(['b']);
  },

  async 'C-14 a resource suspended from the start gets no child'(place) {
    const metadata = { annotations: { [suspendAnnotation]: 'true' } };
    await place.api.create(website, 'shop', {
      metadata,
      spec: { imageTag: 'v1', nodePort: place.stage.nodePort() },
    });
    await place.resync();
    await place.resync();
    expect(await place.api.list(deployment)).toEqual([]);
    expect((await place.api.get(website, 'shop')).status?.conditions).toMatchObject([
      { type: 'Ready', status: 'Unknown' },
      { type: 'Suspended', status: 'True' },
    ]);
    expect(await place.writes()).toMatchObject([{ resource: 'websites/status' }]);
  },
};
