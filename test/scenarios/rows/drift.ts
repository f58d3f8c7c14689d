import { expect } from 'vitest';
import { deployment } from '../../../shared/kinds/child-types/apps.ts';
import { service } from '../../../shared/kinds/child-types/core.ts';
import { configMap } from '../built-in-kinds.ts';
import type { Scenarios } from '../place.ts';
import { newFoo, newSite, nodePortOf, portsOf } from '../resources.ts';

/** C-3: our fields are restored, fields that others set are kept. */
export const drift: Scenarios = {
  async 'C-3 a changed field is restored'(place) {
    await newSite(place);
    await place.converge();
    const before = [
      await place.api.get(deployment, 'shop'),
      await place.api.get(service, 'shop'),
    ] as const;
    await place.api.patch(
      deployment,
      'shop',
      {
        metadata: { labels: { website: 'stolen' } },
        spec: {
          replicas: 5,
          template: { spec: { containers: [{ name: 'nginx', image: 'evil:1' }] } },
        },
      },
      { as: 'strategic' },
    );
    await place.api.patch(service, 'shop', { spec: { selector: { website: 'stolen' } } });
    expect((await place.resync()).outcomes.updated).toBe(2);
    const [oldDeployment, oldService] = before;
    const repaired = await place.api.get(deployment, 'shop');
    expect(repaired.spec).toEqual(oldDeployment.spec);
    expect(repaired.metadata.labels).toEqual(oldDeployment.metadata.labels);
    expect((await place.api.get(service, 'shop')).spec).toEqual(oldService.spec);
    const events = await place.events('shop', 'Repaired');
    expect(events.map(({ message }) => message).join('\n')).toContain(
      'spec.replicas 5 → 2, changed by kubectl-edit',
    );
  },

  async 'C-3 a removed field is restored'(place) {
    await newSite(place);
    await place.converge();
    const before = await place.api.get(deployment, 'shop');
    await place.api.patch(
      deployment,
      'shop',
      [
        { op: 'remove', path: '/metadata/labels/app.kubernetes.io~1instance' },
        { op: 'remove', path: '/spec/replicas' },
        { op: 'remove', path: '/spec/template/spec/containers/0/ports' },
      ],
      { as: 'json' },
    );
    await place.resync();
    const after = await place.api.get(deployment, 'shop');
    expect(after.spec).toEqual(before.spec);
    expect(after.metadata.labels).toEqual(before.metadata.labels);
  },

  async 'C-3 a field taken over by a forced apply is taken back'(place) {
    await newFoo(place, 'example', 'chosen', 2);
    await place.converge();
    const fields = { metadata: { labels: { 'app.kubernetes.io/instance': 'example' } } };
    await place.api.apply(deployment, 'chosen', { ...fields, spec: { replicas: 6 } }, 'argocd');
    await place.resync();
    const live = await place.api.get(deployment, 'chosen');
    expect(live.spec).toMatchObject({ replicas: 2 });
    const entries = live.metadata.managedFields ?? [];
    const holders = entries
      .filter(({ fieldsV1 }) => fieldsV1['f:spec']?.['f:replicas'] !== undefined)
      .map(({ manager }) => manager);
    expect(holders).toEqual(['serverless-reconciler']);
    await place.converge();
  },

  async 'C-3 fields that others set survive a repair'(place) {
    await newSite(place);
    await place.converge();
    const theirs = {
      metadata: {
        labels: { team: 'blue' },
        annotations: { note: 'keep' },
        finalizers: ['example.org/hold'],
      },
      spec: {
        minReadySeconds: 1,
        template: {
          metadata: { annotations: { 'sidecar/inject': 'true' } },
          spec: {
            containers: [
              {
                name: 'nginx',
                env: [{ name: 'MODE', value: 'fast' }],
                ports: [{ containerPort: 9090, protocol: 'TCP' }],
              },
              { name: 'sidecar', image: 'sidecar:1' },
            ],
          },
        },
      },
    };
    await place.api.patch(deployment, 'shop', theirs, { as: 'strategic' });
    await place.api.scale(deployment, 'shop', 4);
    expect((await place.resync()).outcomes.updated).toBe(1);
    const live = await place.api.get(deployment, 'shop');
    expect(live.spec).toMatchObject({ replicas: 2, minReadySeconds: 1 });
    expect(live.metadata.labels).toMatchObject({ team: 'blue', website: 'shop' });
    expect(live.metadata.annotations).toMatchObject({ note: 'keep' });
    expect(live.metadata.finalizers).toEqual(['example.org/hold']);
    const template = live.spec?.template as {
      metadata: { annotations: object };
      spec: {
        containers: readonly { name: string; ports?: readonly { containerPort: number }[] }[];
      };
    };
    expect(template.metadata.annotations).toEqual({ 'sidecar/inject': 'true' });
    expect(template.spec.containers.map(({ name }) => name).toSorted()).toEqual([
      'nginx',
      'sidecar',
    ]);
    const nginx = template.spec.containers.find(({ name }) => name === 'nginx');
    expect(nginx).toMatchObject({ env: [{ name: 'MODE', value: 'fast' }] });
    expect(nginx?.ports?.map(({ containerPort }) => containerPort).toSorted()).toEqual([80, 9090]);
    await place.converge();
  },

  async 'C-3 a Service port edited to another number is replaced by ours'(place) {
    await newSite(place);
    await place.converge();
    const before = await place.api.get(service, 'shop');
    const byReplace = async () => {
      const live = await place.api.get(service, 'shop');
      const [port] = portsOf(live);
      const spec = { ...live.spec, ports: [{ ...port, port: 8080 }] };
      await place.api.replace(service, { ...live, spec });
    };
    const byPatch = async () => {
      const edit = [{ op: 'replace', path: '/spec/ports/0/port', value: 8080 }];
      await place.api.patch(service, 'shop', edit, { as: 'json' });
    };
    for (const edit of [byReplace, byPatch]) {
      await edit();
      await place.resync();
      expect((await place.api.get(service, 'shop')).spec).toEqual(before.spec);
    }
    await place.converge();
  },

  async 'C-3 Service ports of others, of which one has our node port, give way to ours'(place) {
    await newSite(place);
    await place.converge();
    const before = await place.api.get(service, 'shop');
    const nodePort = nodePortOf(before);
    const taker = { name: 'tcp', port: 81, protocol: 'TCP', nodePort, targetPort: 80 };
    const namesakes = [82, 83, 84].map((port) => ({ name: `other-${port}`, port }));
    for (const others of [[{ name: 'udp', port: 80, protocol: 'UDP', nodePort }], namesakes]) {
      const edit = [{ op: 'replace', path: '/spec/ports', value: [...others, taker] }];
      await place.api.patch(service, 'shop', edit, { as: 'json' });
      await place.resync();
      expect((await place.api.get(service, 'shop')).spec).toEqual(before.spec);
    }
    await place.converge();
  },

  async 'C-3 a Service port and source ranges of others, both incompatible with ours, give way'(
    place,
  ) {
    await newSite(place);
    await place.converge();
    const before = await place.api.get(service, 'shop');
    const balanced = { type: 'LoadBalancer', loadBalancerSourceRanges: ['10.0.0.0/8'] };
    await place.api.patch(service, 'shop', { spec: balanced });
    const edit = [{ op: 'replace', path: '/spec/ports/0/protocol', value: 'UDP' }];
    await place.api.patch(service, 'shop', edit, { as: 'json' });
    await place.resync();
    expect((await place.api.get(service, 'shop')).spec).toEqual(before.spec);
    await place.converge();
  },

  async 'C-3 a foreign named Service port stays, the type is restored'(place) {
    await newSite(place);
    await place.converge();
    const before = await place.api.get(service, 'shop');
    const named = [
      { op: 'add', path: '/spec/ports/0/name', value: 'web' },
      {
        op: 'add',
        path: '/spec/ports/-',
        value: { name: 'metrics', port: 9090, protocol: 'TCP', nodePort: place.stage.nodePort() },
      },
    ];
    await place.api.patch(service, 'shop', named, { as: 'json' });
    await place.api.patch(service, 'shop', { spec: { type: 'ClusterIP' } });
    await place.resync();
    const live = await place.api.get(service, 'shop');
    expect(nodePortOf(live)).toBe(nodePortOf(before));
    expect(live.spec).toMatchObject({
      type: 'NodePort',
      ports: expect.arrayContaining([expect.objectContaining({ name: 'metrics', port: 9090 })]),
    });
    await place.converge();
  },

  async 'C-3 a Service port of others that makes ours need a name gives way without managedFields'(
    place,
  ) {
    await newSite(place);
    await place.converge();
    const before = await place.api.get(service, 'shop');
    const { metadata } = await place.api.create(configMap, 'another-owner', {});
    const { name, uid } = metadata;
    const owner = { apiVersion: 'v1', kind: 'ConfigMap', name, uid };
    const edit = [
      { op: 'replace', path: '/spec/ports', value: [{ name: 'web', port: 8080 }] },
      { op: 'add', path: '/metadata/ownerReferences/-', value: owner },
      { op: 'replace', path: '/metadata/managedFields', value: [{}] },
    ];
    await place.api.patch(service, 'shop', edit, { as: 'json' });
    await place.resync();
    const after = await place.api.get(service, 'shop');
    expect(after.spec).toEqual(before.spec);
    expect(after.metadata.ownerReferences).toContainEqual(owner);
    await place.converge();
  },

  async 'C-3 cleared managedFields are rebuilt, and drift is detected again'(place) {
    await newFoo(place, 'example', 'chosen', 2);
    await place.converge();
    await place.api.patch(deployment, 'chosen', { metadata: { managedFields: [{}] } });
    await place.resync();
    await place.api.scale(deployment, 'chosen', 4);
    await place.resync();
    const live = await place.api.get(deployment, 'chosen');
    expect(live.spec).toMatchObject({ replicas: 2 });
    expect(live.metadata.managedFields?.map(({ manager }) => manager)).toContain(
      'serverless-reconciler',
    );
    await place.converge();
  },

  async 'C-3 an object whose owner reference was removed is no longer ours'(place) {
    await newFoo(place, 'example', 'chosen', 2);
    await place.converge();
    await place.api.patch(deployment, 'chosen', { metadata: { ownerReferences: null } });
    await place.api.scale(deployment, 'chosen', 4);
    const { outcomes } = await place.resync();
    expect(outcomes).toMatchObject({ updated: 0, blocked: 1 });
    expect((await place.api.get(deployment, 'chosen')).spec).toMatchObject({ replicas: 4 });
    const events = await place.events('example', 'ErrResourceExists');
    expect(events).toMatchObject([{ type: 'Warning' }]);
  },
};
