import { describe, expect, test } from 'vitest';
import { child, defineKind, service, Type } from '../../index.ts';
import type { JsonObject } from '../../shared/kubernetes.ts';
import { isWriteRequest, type Place } from './engine.ts';
import { useEngine, usePlace } from './use-engine.ts';

const door = defineKind({
  group: 'example.org',
  version: 'v1',
  kind: 'Door',
  plural: 'doors',
  owns: [service],
  spec: Type.Object({ service: Type.Unknown(), tier: Type.String({ default: 'one' }) }),
  samples: [{ name: 'door', spec: { service: {} } }],
  children: ({ name, spec }) => [
    child(service, {
      name,
      labels: { tier: spec.tier },
      body: { spec: { ports: [{ port: 80, protocol: 'TCP' }], ...(spec.service as object) } },
    }),
  ],
});

const engine = useEngine({ controllers: 'paused', install: [door] });
const place: Place = usePlace(engine, [door]);

const apply = async (desired: JsonObject) => {
  const there = await place.api.find(door, 'a');
  if (there === undefined) await place.api.create(door, 'a', { spec: { service: desired } });
  else
    await place.api.patch(door, 'a', [{ op: 'replace', path: '/spec/service', value: desired }], {
      as: 'json',
    });
  const begun = sent();
  await place.resync();
  return sent() - begun;
};
const sent = () =>
  place.requests().filter((one) => isWriteRequest(one) && one.resource === 'services').length;
const ready = async () =>
  (await place.api.get(door, 'a')).status?.conditions?.find(({ type }) => type === 'Ready');
const blocked = (field: string) => ({
  status: 'False',
  reason: 'ImmutableFieldChanged',
  message: `Service a: spec.${field} differs and cannot be changed; delete the Service to have it recreated`,
});
const balancer = (name: string) => ({
  type: 'LoadBalancer',
  loadBalancerClass: `example.com/${name}`,
});

describe('a Service whose address cannot change', () => {
  test.each<{ from: JsonObject; to: JsonObject; field: string }>([
    { from: {}, to: { clusterIP: 'None' }, field: 'clusterIP' },
    { from: { clusterIP: 'None' }, to: {}, field: 'clusterIP' },
    { from: balancer('one'), to: balancer('two'), field: 'loadBalancerClass' },
    { from: balancer('one'), to: { type: 'LoadBalancer' }, field: 'loadBalancerClass' },
  ])('reports that before any write: $from, then $to', async ({ from, to, field }) => {
    await apply(from);
    expect(await apply(to)).toBe(0);
    expect(await ready()).toMatchObject(blocked(field));
    await place.api.remove(service, 'a');
    await place.resync();
    expect(await ready()).toMatchObject({ status: 'True' });
  });

  test.each<{ from: JsonObject; to: JsonObject }>([
    { from: { clusterIP: '10.96.77.77' }, to: {} },
    { from: { clusterIP: 'None' }, to: { type: 'ExternalName', externalName: 'a.example' } },
    { from: { type: 'ExternalName', externalName: 'a.example' }, to: { clusterIP: 'None' } },
    { from: balancer('one'), to: { type: 'ClusterIP' } },
    { from: { type: 'NodePort' }, to: {} },
    { from: {}, to: balancer('one') },
    { from: { ipFamilies: ['IPv4'] }, to: {} },
  ])('is changed if the server accepts that: $from, then $to', async ({ from, to }) => {
    await apply(from);
    expect(await apply(to)).toBe(1);
    expect(await ready()).toMatchObject({ status: 'True' });
    await place.resync();
    expect(await apply(to)).toBe(0);
  });
});
