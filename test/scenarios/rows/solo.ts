import { expect } from 'vitest';
import { deployment } from '../../../shared/kinds/child-types/apps.ts';
import { service } from '../../../shared/kinds/child-types/core.ts';
import { groupResource, type ResourceType } from '../../../shared/kubernetes.ts';
import { foo } from '../../../systems/foo.ts';
import { website } from '../../../systems/website.ts';
import { openApi } from '../api.ts';
import { clusterRoleType, definitionType } from '../definitions.ts';
import { eventually } from '../eventually.ts';
import { letIn } from '../lax-schema.ts';
import type { Place, Scenarios } from '../place.ts';
import { condition, isReady, newFoo, newSite, rename, replicasOf } from '../resources.ts';

/** Removes the reconciler's permission for some verbs on one resource. */
async function takeAway(place: Place, { group, plural }: ResourceType, verbs: readonly string[]) {
  const cluster = openApi(place.stage.admin);
  const role = await cluster.get(clusterRoleType, 'serverless-reconciler');
  const rules = role.rules as readonly {
    readonly apiGroups: readonly string[];
    readonly resources: readonly string[];
    readonly verbs: readonly string[];
  }[];
  const less = rules.map((rule) =>
    rule.apiGroups.includes(group) && rule.resources.includes(plural)
      ? { ...rule, verbs: rule.verbs.filter((verb) => !verbs.includes(verb)) }
      : rule,
  );
  await cluster.patch(clusterRoleType, 'serverless-reconciler', { rules: less });
}

/** Scenarios that affect the whole cluster or stop the functions, so that no other may run at the same time. */
export const solo: Scenarios = {
  async 'doors: a resync of everything responds with the whole report'(place) {
    await newFoo(place, 'example', 'chosen', 2);
    await place.converge();
    const report = await place.stage.functions.resync();
    const traffic = { requests: expect.any(Number), bytes: expect.any(Number) };
    expect(report).toEqual({
      durationMs: expect.any(Number),
      resources: {
        total: expect.any(Number),
        unchanged: expect.any(Number),
        reconciled: expect.any(Number),
      },
      outcomes: {
        created: expect.any(Number),
        updated: expect.any(Number),
        deleted: expect.any(Number),
        skipped: expect.any(Number),
        failed: expect.any(Number),
        blocked: expect.any(Number),
      },
      origins: {
        edit: expect.any(Number),
        drift: expect.any(Number),
        reference: expect.any(Number),
        code: expect.any(Number),
      },
      statusWrites: expect.any(Number),
      requests: expect.objectContaining({
        'deployments.apps': traffic,
        services: traffic,
        'foos.example.com': traffic,
        'websites.kubecon.my.domain': traffic,
      }),
      pruning: 'allowed',
      failures: expect.any(Array),
      moreFailures: expect.any(Number),
      unkept: 0,
      incomplete: [],
      notServed: [],
      undone: [],
      moreUndone: 0,
    });
    const { total, unchanged, reconciled } = report.resources;
    expect(unchanged + reconciled).toBe(total);
    expect(total).toBeGreaterThan(0);
  },

  async 'C-2, C-3 resyncs of everything in one process write nothing, and repair what was changed between them'(
    place,
  ) {
    const { functions } = place.stage;
    await newSite(place);
    await newFoo(place, 'example', 'chosen', 2);
    await place.converge();
    const versions = await place.versions();
    for (let resyncs = 0; resyncs < 3; resyncs++) await functions.resync();
    expect(await place.versions()).toEqual(versions);

    await place.api.scale(deployment, 'chosen', 5);
    await place.api.remove(service, 'shop');
    await place.gone(service, 'shop');
    await functions.resync();
    expect(await replicasOf(place, 'chosen')).toBe(2);
    expect(await place.api.find(service, 'shop')).toBeDefined();

    await place.api.patch(foo, 'example', { spec: { replicas: 3 } });
    await functions.resync();
    expect(await replicasOf(place, 'chosen')).toBe(3);
  },

  async 'W-5 a Website deleted while nothing runs leaves no child behind'(place) {
    const { functions } = place.stage;
    await newSite(place);
    await newSite(place, 'other');
    await place.converge();
    const versions = await place.versions();
    await functions.stop();
    try {
      await place.api.remove(website, 'shop');
      await place.gone(deployment, 'shop');
      await place.gone(service, 'shop');
    } finally {
      await functions.start();
    }
    expect((await place.resync()).resources).toEqual({ total: 1, unchanged: 1, reconciled: 0 });
    const rest = Object.entries(versions).filter(([key]) => !key.endsWith(' shop'));
    expect(await place.versions()).toEqual(Object.fromEntries(rest));
  },

  async 'W-7 restarting the functions changes nothing'(place) {
    const { functions } = place.stage;
    await newSite(place);
    await place.converge();
    const versions = await place.versions();
    await functions.stop();
    await functions.start();
    expect((await place.resync()).resources).toEqual({ total: 1, unchanged: 1, reconciled: 0 });
    expect(await place.versions()).toEqual(versions);
    expect(place.complaints()).toEqual([]);
  },

  async 'C-9 a spec that an older schema accepted is Stalled InvalidSpec and writes no child'(
    place,
  ) {
    await letIn(place, website, { tagged: { imageTag: 'a/b', nodePort: 80 } });
    const { outcomes } = await place.resync();
    expect(outcomes).toMatchObject({ created: 0, failed: 0 });
    const live = await place.api.get(website, 'tagged');
    const stalled = condition(live, 'Stalled');
    expect(stalled).toMatchObject({ status: 'True', reason: 'InvalidSpec' });
    expect(stalled?.message).toContain('spec.imageTag');
    expect(stalled?.message).toContain('spec.nodePort');
    expect(live.status?.observedGeneration).toBe(live.metadata.generation);
    expect(await place.events('tagged')).toMatchObject([
      { type: 'Warning', reason: 'InvalidSpec' },
    ]);
    expect((await place.resync()).resources).toMatchObject({ unchanged: 1, reconciled: 0 });
    expect(await place.api.list(deployment)).toEqual([]);
    const spec = { imageTag: 'v1', nodePort: place.stage.nodePort() };
    await place.api.patch(website, 'tagged', { spec });
    await place.converge();
    expect(await isReady(place, website, 'tagged')).toBe(true);
  },

  async 'C-10 a missing permission is reported, and tried again at the next resync'(place) {
    await newFoo(place, 'example', 'chosen', 2);
    await place.converge();
    await takeAway(place, deployment, ['patch']);
    await eventually(async () => {
      await place.api.scale(deployment, 'chosen', 5);
      expect((await place.resync()).failures).toMatchObject([{ reason: 'Forbidden' }]);
    });
    const live = await place.api.get(foo, 'example');
    expect(condition(live, 'Stalled')).toMatchObject({ reason: 'Forbidden' });
    expect(condition(live, 'Stalled')?.message).toContain('deployments');
    await place.resync();
    expect(await place.events('example', 'Forbidden')).toMatchObject([{ type: 'Warning' }]);
    expect((await place.api.get(deployment, 'chosen')).spec).toMatchObject({ replicas: 5 });
    await place.stage.install();
    await eventually(async () => {
      await place.resync();
      expect(await isReady(place, foo, 'example')).toBe(true);
    });
    expect((await place.api.get(deployment, 'chosen')).spec).toMatchObject({ replicas: 2 });
  },

  async 'C-11 a refused list of children leaves these alone, and stops no other write or deletion'(
    place,
  ) {
    await newFoo(place, 'example', 'a');
    await newSite(place);
    await place.converge();
    await takeAway(place, service, ['list']);
    await eventually(async () => {
      const { incomplete } = await place.resync();
      const kinds = incomplete.map(({ kind }) => kind);
      expect(kinds).toContain('services');
      expect(kinds).not.toContain('websites.kubecon.my.domain');
    });
    await place.api.scale(deployment, 'shop', 5);
    await rename(place, 'example', 'b');
    const { outcomes, pruning } = await place.resync();
    expect(outcomes).toMatchObject({ created: 1, updated: 1, deleted: 1 });
    expect(pruning).toBe('allowed');
    expect(await place.api.find(deployment, 'a')).toBeUndefined();
    await place.stage.install();
    await place.converge();
    expect(await isReady(place, website, 'shop')).toBe(true);
  },

  async 'doors: a missing CRD is named with its remedy, and the other kind continues'(place) {
    const cluster = openApi(place.stage.admin);
    const elsewhere = await place.another();
    await cluster.remove(definitionType, groupResource(foo));
    try {
      const expected = [
        {
          kind: 'foos.example.com',
          error: expect.stringMatching(/generate crds` prints, or omit the kind from KINDS/),
        },
      ];
      await eventually(async () => expect((await elsewhere.resync()).incomplete).toEqual(expected));
      await newSite(place);
      const { incomplete, outcomes } = await place.resync();
      expect({ incomplete, created: outcomes.created }).toEqual({
        incomplete: expected,
        created: 2,
      });
      await eventually(async () => {
        await place.resync();
        expect(await isReady(place, website, 'shop')).toBe(true);
      });
      place.listen();
      await place.api.remove(deployment, 'shop');
      await eventually(() => place.api.get(deployment, 'shop'));
      expect(place.stage.relay.stats().deadLetters).toBe(0);
    } finally {
      await place.stage.install();
    }
    await newFoo(place, 'example', 'chosen');
    await place.converge();
    expect(await isReady(place, foo, 'example')).toBe(true);
  },

  async 'C-9 if the server even refuses the status, Event, log and report say so'(place) {
    await letIn(place, website, { mistyped: { imageTag: { tag: 'v1' } } });
    await newSite(place, 'good');
    const { outcomes, failures } = await place.resync();
    expect(outcomes.created).toBe(2);
    expect(failures).toMatchObject([
      { key: `websites.kubecon.my.domain ${place.namespace}/mistyped` },
    ]);
    expect(failures[0]?.message).toContain('imageTag');
    expect(await place.events('mistyped')).toMatchObject([
      { type: 'Warning', reason: 'InvalidSpec', message: expect.stringContaining('imageTag') },
    ]);
    expect(place.complaints().join('\n')).toContain('/mistyped');
    const attempts = (await place.refusals('websites/status')).length;
    await place.resync();
    // The server returns 500 without a reason, which counts as a refusal after the third time.
    expect(await place.refusals('websites/status')).toHaveLength(attempts + 3);
    expect(await place.events('mistyped')).toHaveLength(1);
    expect(await place.api.list(deployment)).toHaveLength(1);
  },
};
